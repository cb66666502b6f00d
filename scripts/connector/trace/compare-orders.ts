import { batchesOf } from '../../../shared/core/events/event.ts';
import { openShopServices } from '../deployment/services.ts';
import type { Document, Row, Verdict } from '../document/document.ts';
import { line } from '../document/line.ts';
import { findShop } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { Problem } from '../terminal/exit.ts';
import { counted } from '../terminal/text.ts';
import { compareSides, readSides } from './sides.ts';

/** The loyalty service may allow few calls, and the workers need them. */
const AT_ONCE = 3;

interface ComparedOrder extends Verdict {
  readonly id: string;
  /** `#1007`; the id where the store does not say it. */
  readonly name: string;
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
  const compare = async ({ id }: { readonly id: string }): Promise<ComparedOrder> => {
    const key = { shop: shop.domain, kind: 'order', id } as const;
    const sides = await readSides(deployment, services, shop, key);
    const { kind, what } = compareSides(sides);
    const read = sides.store.kind === 'found' ? sides.store.value : undefined;
    return { id, name: (read?.kind === 'order' && read.order.name) || id, kind, what };
  };
  const compared: ComparedOrder[] = [];
  const span = { from: since, until: Date.now() };
  let after: string | undefined;
  const progress = session.terminal.progress('Comparing orders:');
  do {
    const page = await services.store.changedOrders(shop.domain, span, after);
    if (page.kind === 'unavailable') {
      const next = 'To see why: npx loyalty-connector doctor';
      throw new Problem(`The store could not be read (${page.why}).`, next);
    }
    for (const some of batchesOf(page.value.changed, AT_ONCE)) {
      if (signal.aborted) break;
      compared.push(...(await Promise.all(some.map(compare))));
      progress.report(compared.length);
    }
    after = page.value.next;
  } while (after !== undefined && !signal.aborted);
  progress.end();
  const orders = compared.filter(({ kind }) => kind !== 'well');
  const traceOf = (id: string) => line('trace', ['order', id], { shop: shop.domain });
  const columns = [{ title: 'Order' }, { title: 'What', shrinks: true }];
  const rows = orders.map(({ id, name, kind, what }): Row => {
    const tone = kind === 'action required' ? 'bad' : 'waits';
    return {
      cells: [
        { text: name, opens: traceOf(id) },
        { text: what, tone },
      ],
    };
  });
  const from = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
  return {
    title: `Orders of ${shop.domain} that changed since ${from} UTC`,
    verdict: verdictOf(compared, signal.aborted),
    blocks: rows.length > 0 ? [{ kind: 'table', columns, rows }] : [],
    next: orders
      .slice(0, 1)
      .map(({ id, name }) => ({ label: `See what happened to ${name}`, line: traceOf(id) })),
    data: { shop: shop.domain, agree: compared.length - orders.length, orders },
  };
}

function verdictOf(compared: readonly ComparedOrder[], isStopped: boolean): Verdict {
  if (compared.length === 0 && !isStopped) {
    return { kind: 'not known', what: 'The store changed no order since then: none was compared.' };
  }
  const many = (wanted: Verdict['kind']) => compared.filter(({ kind }) => kind === wanted).length;
  const [agree, differ, unknown] = [many('well'), many('action required'), many('not known')];
  const what = [
    `Read on both sides just now and in agreement: ${counted(agree, 'order')}`,
    ...(differ > 0 ? [`different: ${differ}`] : []),
    ...(unknown > 0 ? [`not known: ${unknown}`] : []),
    ...(isStopped ? ['stopped before the rest'] : []),
  ].join('; ');
  if (differ > 0) return { kind: 'action required', what: `${what}.` };
  return { kind: unknown > 0 || isStopped ? 'not known' : 'well', what: `${what}.` };
}
