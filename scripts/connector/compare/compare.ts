import type { Shop } from '../../../shared/config/connector-config.ts';
import { batchesOf } from '../../../shared/core/batch/run-batch.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import { readEntry } from '../../../shared/core/ledger/ledger.ts';
import { withRewardCodeFirst } from '../../../shared/core/redemptions/reward-codes.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand, openLedger, rulesOf } from '../deployment/deployment.ts';
import { openShopServices, type ShopServices } from '../deployment/services.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { counted, printable, wrap } from '../terminal/text.ts';
import { findEntity } from '../trace/find.ts';
import {
  askStore,
  type Compared,
  compareSides,
  type Held,
  heldIn,
  mapNow,
} from './compare-sides.ts';

const HEADS = {
  same: { text: 'IN SYNC', style: 'green', code: EXIT.fine },
  different: { text: 'DIFFERENT', style: 'red', code: EXIT.failed },
  unknown: { text: 'CANNOT TELL', style: 'yellow', code: EXIT.cannotTell },
} as const;

const KINDS = ['order', 'product', 'coupon'] as const;

interface ComparedKey {
  readonly shop: string;
  readonly kind: (typeof KINDS)[number];
  readonly id: string;
}

/** With `--json`. */
export type ComparedDocument = ComparedKey & Compared;

/** Read the three sides → compare → show. */
export async function showComparison(
  { terminal, json, findDeployment }: Session,
  { shop: named }: { readonly shop?: string },
  kindText = '',
  idText = '',
): Promise<ExitCode> {
  const kind = parseKind(kindText);
  const deployment = await findDeployment();
  const shop = findShop(deployment.connector, named);
  const services = openShopServices(deployment);
  const { id } = await findEntity(kind, idText, { deployment, services, shop });
  const key: ComparedKey = { shop: shop.domain, kind, id };
  const compared = await compare(deployment, shop, key);
  const { text, style, code } = HEADS[compared.verdict];
  if (json) {
    terminal.json({ ...key, ...compared } satisfies ComparedDocument);
    return code;
  }
  terminal.line(terminal.style('bold', printable(`${kind} ${id} of ${shop.domain}`)));
  terminal.line();
  terminal.line(terminal.style(style, text));
  for (const line of wrap(compared.what, terminal.width - 2)) terminal.line(`  ${printable(line)}`);
  terminal.line();
  terminal.table({
    columns: ['', 'store', 'ledger', 'loyalty service', ''].map((title) => ({ title })),
    rows: compared.rows.map(({ field, store, ledger, service, differs }) => [
      ...[field, store, ledger, service, differs ? 'differs' : ''],
    ]),
  });
  if (compared.verdict !== 'same') {
    terminal.line();
    terminal.line(
      `What happened: ${nextCommand(deployment, `trace ${kind} --shop ${shop.domain}`, id)}`,
    );
  }
  return code;
}

function parseKind(text: string): ComparedKey['kind'] {
  const kind = KINDS.find((one) => one === text);
  if (kind) return kind;
  throw new BadArguments(`compare an order, a product or a coupon, not "${text}".`);
}

async function compare(deployment: Deployment, shop: Shop, key: ComparedKey): Promise<Compared> {
  const services = openShopServices(deployment);
  const ledger = openLedger(deployment);
  const [entry, store, held] = await Promise.all([
    readEntry(ledger, key),
    askStore(services.store, key),
    askService(services.loyalty(shop), key),
  ]);
  const found =
    store.kind === 'found'
      ? { ...store, value: await withRewardCodeFirst(key.shop, store.value, ledger) }
      : store;
  const mapped = mapNow(key, found, entry, await rulesOf(shop, ledger));
  const { assumptions } = deployment.connector.loyalty;
  const { doubt } = await readControl(ledger, key.shop);
  const about = { currency: currencyOf(found), doubt };
  return compareSides(key.id, mapped, entry, held, assumptions, about);
}

function currencyOf(found: Awaited<ReturnType<typeof askStore>>): string | undefined {
  return found.kind === 'found' && found.value.kind === 'order'
    ? found.value.order.currency
    : undefined;
}

async function askService(loyalty: LoyaltyClient, { kind, id }: ComparedKey): Promise<Held> {
  switch (kind) {
    case 'order':
      return heldIn({ getOrder: await loyalty.getOrder(id) });
    case 'coupon':
      return heldIn({ getCoupon: await loyalty.getCoupon(id) });
    case 'product':
      return { kind: 'cannot-be-read' };
  }
}

/** The loyalty service may allow few calls, and the workers need them. */
const AT_ONCE = 3;

/** Compares every order that the store changed since then; the last line says `in sync: 37 orders`. */
export async function compareOrders(
  session: Session,
  { shop: named, since }: { readonly shop?: string; readonly since: number },
): Promise<ExitCode> {
  const { terminal, json } = session;
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, named);
  const counts: Record<Compared['verdict'], number> = { same: 0, different: 0, unknown: 0 };
  const others: { readonly id: string; readonly verdict: string; readonly what: string }[] = [];
  const progress = terminal.progress('Comparing orders:');
  for await (const ids of changedSince(openShopServices(deployment), shop, since)) {
    for (const some of batchesOf(ids, AT_ONCE)) {
      if (signal.aborted) break;
      const compared = await Promise.all(
        some.map(async (id) => {
          const key = { shop: shop.domain, kind: 'order', id } as const;
          return { id, ...(await compare(deployment, shop, key)) };
        }),
      );
      for (const { id, verdict, what } of compared) {
        counts[verdict] += 1;
        if (verdict !== 'same') others.push({ id, verdict, what });
      }
      progress.report(counts.same + others.length);
    }
    if (signal.aborted) break;
  }
  progress.end();
  if (json) terminal.json({ shop: shop.domain, ...counts, orders: others });
  else {
    for (const { id, what } of others) {
      terminal.paragraph(`order ${id}: ${what}`);
      terminal.line(`    ${nextCommand(deployment, `trace order --shop ${shop.domain}`, id)}`);
    }
    const rest = [
      counts.different > 0 && `different: ${counts.different}`,
      counts.unknown > 0 && `cannot tell: ${counts.unknown}`,
    ].filter(Boolean);
    const soFar = signal.aborted ? 'stopped; until then ' : '';
    terminal.line([`${soFar}in sync: ${counted(counts.same, 'order')}`, ...rest].join(', '));
  }
  if (counts.different > 0) return EXIT.failed;
  return counts.unknown > 0 ? EXIT.cannotTell : EXIT.fine;
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
