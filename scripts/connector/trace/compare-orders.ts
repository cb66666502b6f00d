import type { Shop } from '../../../shared/config/connector-config.ts';
import { batchesOf } from '../../../shared/core/events/event.ts';
import { findShop } from '../arguments.ts';
import { openShopServices, orderNames, type ShopServices } from '../deployment/services.ts';
import type { Document, Row, Verdict } from '../document/document.ts';
import { line } from '../document/line.ts';
import { Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';
import { compareSides, readSides } from './sides.ts';

/** The loyalty service may allow few calls, and the workers need them. */
const AT_ONCE = 3;

interface ComparedOrder extends Verdict {
  readonly id: string;
}

/** Compares every order that the store changed since then; what does not agree is listed. */
export async function compareOrders(
  session: Session,
  { shop: named, since }: { readonly shop?: string; readonly since: number },
): Promise<Document> {
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const services = openShopServices(deployment);
  const shop = findShop(deployment.connector, named);
  const others: ComparedOrder[] = [];
  let agree = 0;
  const progress = session.terminal.progress('Comparing orders:');
  for await (const ids of changedSince(services, shop, since)) {
    for (const some of batchesOf(ids, AT_ONCE)) {
      if (signal.aborted) break;
      const compared = await Promise.all(
        some.map(async (id) => {
          const key = { shop: shop.domain, kind: 'order', id } as const;
          const { kind, what } = compareSides(await readSides(deployment, services, shop, key));
          return { id, kind, what };
        }),
      );
      const differing = compared.filter(({ kind }) => kind !== 'well');
      others.push(...differing);
      agree += compared.length - differing.length;
      progress.report(agree + others.length);
    }
    if (signal.aborted) break;
  }
  progress.end();
  const names = await orderNames(
    services.ask(shop),
    others.map(({ id }) => id),
  );
  const rows = others.map(({ id, kind, what }): Row => {
    const opens = line('trace', ['order', id], { shop: shop.domain });
    const tone = kind === 'action required' ? 'bad' : 'waits';
    return {
      cells: [
        { text: names.get(id) ?? id, opens },
        { text: what, tone },
      ],
    };
  });
  const [first] = others;
  return {
    title: `Orders of ${shop.domain} that changed since ${new Date(since).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    verdict: verdictOf(agree, others, signal.aborted),
    blocks:
      rows.length === 0
        ? []
        : [
            {
              kind: 'table',
              columns: [{ title: 'Order' }, { title: 'What', shrinks: true }],
              rows,
            },
          ],
    ...(first && {
      next: [
        {
          label: `See what happened to ${names.get(first.id) ?? first.id}`,
          line: line('trace', ['order', first.id], { shop: shop.domain }),
        },
      ],
    }),
    data: { shop: shop.domain, agree, orders: others },
  };
}

function verdictOf(agree: number, others: readonly ComparedOrder[], isStopped: boolean): Verdict {
  const differ = others.filter(({ kind }) => kind === 'action required').length;
  const unknown = others.length - differ;
  const what = [
    `${counted(agree, 'order')} ${agree === 1 ? 'was' : 'were'} read on both sides just now and ${agree === 1 ? 'agrees' : 'agree'}`,
    ...(differ > 0 ? [`${differ} ${differ === 1 ? 'differs' : 'differ'}`] : []),
    ...(unknown > 0 ? [`of ${unknown} it is not known`] : []),
  ].join('; ');
  if (differ > 0) return { kind: 'action required', what: `${what}.` };
  if (isStopped) return { kind: 'not known', what: `Stopped; until then ${what}.` };
  return { kind: unknown > 0 ? 'not known' : 'well', what: `${what}.` };
}

async function* changedSince(
  { store }: ShopServices,
  { domain }: Shop,
  from: number,
): AsyncGenerator<readonly string[]> {
  const span = { from, until: Date.now() };
  let after: string | undefined;
  do {
    const page = await store.changedOrders(domain, span, after);
    if (page.kind === 'unavailable') {
      throw new Problem(
        `The store could not be read (${page.why}).`,
        'To see why: npx loyalty-connector doctor',
      );
    }
    yield page.value.changed.map(({ id }) => id);
    after = page.value.next;
  } while (after !== undefined);
}
