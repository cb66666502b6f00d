import type { Shop } from '../../../shared/config/connector-config.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import { readEntry } from '../../../shared/core/ledger/ledger.ts';
import { withRewardCodeFirst } from '../../../shared/core/redemptions/reward-codes.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { openShopServices } from '../deployment/services.ts';
import { rulesOf } from '../deployment/shop-rules.ts';
import { BadArguments, EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { printable, wrap } from '../terminal/text.ts';
import { findEntity } from '../trace/find-entity.ts';
import { askStore, mapNow } from '../trace/store-now.ts';
import { type Compared, compareSides, type Held, heldIn } from './compare-sides.ts';

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

export async function compare(
  deployment: Deployment,
  shop: Shop,
  key: ComparedKey,
): Promise<Compared> {
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
