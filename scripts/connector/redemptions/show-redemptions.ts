import { setTimeout as pause } from 'node:timers/promises';
import { listRecords } from '../../../shared/aws/read-ledger.ts';
import { readCustomer } from '../../../shared/core/balances/point-balance.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { readUsed } from '../../../shared/core/redeem/list-redemptions.ts';
import { isOpen, waitsForPerson } from '../../../shared/core/redemptions/redemption.ts';
import {
  openRedemptions as openRecord,
  recallRedemptions,
} from '../../../shared/core/redemptions/redemption-record.ts';
import {
  type KnownBalance,
  readKnown,
  viewOfBalance,
} from '../../../shared/core/storefront/read-view.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { customerBalanceDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import type { BalanceField } from '../../../shared/shopify/admin/write-balances.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { openShopServices, type ShopServices } from '../deployment/services.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { relativeTime } from '../terminal/text.ts';
import { type FoundOrder, findEntity } from '../trace/find.ts';
import {
  type FoundRedemption,
  type OpenRedemptions,
  openRedemptions,
  type RedemptionDocument,
  redemptionDocument,
  redemptionsTable,
  type ShopOption,
} from './redemptions.ts';

export interface ListOptions extends ShopOption {
  readonly all?: boolean;
}

/** Ends with 1 when a redemption needs a person. */
export async function listCommand(session: Session, options: ListOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const opened = await openRedemptions(session, options);
  const all = await findRedemptions(opened);
  const found = options.all ? all : all.filter(({ redemption }) => isOpen(redemption.state));
  const waiting = found.filter(({ redemption }) => waitsForPerson(redemption, opened.now()));
  if (json) {
    terminal.json({
      shop: opened.shop.domain,
      redemptions: found.map((one) => redemptionDocument(one, opened.now())),
    });
  } else {
    const kind = options.all ? 'redemptions' : 'unfinished redemptions';
    terminal.line(`${found.length} ${kind} in ${opened.shop.domain}.`);
    if (found.length > 0) {
      terminal.line();
      terminal.table(redemptionsTable(found, opened.now()));
    }
    const [first] = waiting;
    if (first) {
      const close = `redemptions close ${first.customerId} ${first.redemption.id} --help`;
      const letters = `dead-letters replay --kind redemption --shop ${opened.shop.domain}`;
      terminal.line();
      // A stuck one waits for what only a person can see; it has no dead letter.
      if (waiting.some(({ redemption }) => redemption.stuck === undefined)) {
        terminal.line(`Try again:  ${nextCommand(opened.deployment, letters)}`);
      }
      terminal.line(`Close one:  ${nextCommand(opened.deployment, close)}`);
    }
  }
  return waiting.length > 0 ? EXIT.failed : EXIT.fine;
}

/** The longest waiting first. */
async function findRedemptions({
  client,
  deployment,
  shop,
  now,
}: OpenRedemptions): Promise<readonly FoundRedemption[]> {
  const table = deployment.output('LedgerTable');
  const settings = { client, table, pause, random: Math.random };
  const records = await listRecords(settings, shop.domain, 'redemption');
  const found = records.flatMap(({ id: customerId, entry }) =>
    recallRedemptions(entry.remembered, now()).redemptions.map((redemption) => ({
      customerId,
      redemption,
    })),
  );
  return found.toSorted((one, other) => one.redemption.since.localeCompare(other.redemption.since));
}

/** With `--json`. */
export interface CustomerDocument {
  readonly shop: string;
  readonly customer: string;
  /** Whom the store has now, after a merge. */
  readonly mergedInto: string | null;
  readonly balances: BalanceSides & { readonly asOf: string | null };
  readonly rows: readonly BalanceRow[];
  /** The newest first. */
  readonly orders: readonly FoundOrder[];
  readonly redemptions: readonly RedemptionDocument[];
}

export async function showCommand(
  session: Session,
  customer: string,
  options: ShopOption,
): Promise<ExitCode> {
  const { terminal, json } = session;
  const opened = await openRedemptions(session, options, 'nothing');
  const shop = opened.shop.domain;
  const services = openShopServices(opened.deployment);
  const searched = { deployment: opened.deployment, services, shop: opened.shop };
  const { id: customerId, otherOrders: orders } = await findEntity('member', customer, searched);
  const telemetry = {
    count: () => {},
    // What the ledger knows is still shown.
    log: (_level: string, message: string) => terminal.note(`${message}.`),
  };
  // Codes that were used are shown, but recorded only by the storefront: this command changes nothing.
  const readOnly = {
    ...opened.ledger,
    write: async () => ({ kind: 'written', revision: 0 }) as const,
  };
  const record = openRecord({ shop, customerId }, { ...opened, ledger: readOnly });
  const known = await readKnown({ shop, customerId }, opened.ledger, opened.now());
  const [redemptions, sides] = await Promise.all([
    readUsed(known.redemptions, record, { store: services.rewards, telemetry }),
    readBalances(known.id, known.balance, opened, services),
  ]);
  const found = redemptions.toReversed().map((redemption) => ({ customerId, redemption }));
  const rows = rowsOf(sides);
  if (json) {
    terminal.json({
      ...{ shop, customer: customerId, mergedInto: known.id === customerId ? null : known.id },
      ...{ balances: { ...sides, asOf: known.balance.asOf }, rows, orders },
      redemptions: found.map((one) => redemptionDocument(one, opened.now())),
    } satisfies CustomerDocument);
    return EXIT.fine;
  }
  terminal.line(`Customer ${customerId} of ${shop}: ${found.length} redemptions.`);
  if (known.id !== customerId) terminal.line(`It was merged into customer ${known.id}.`);
  terminal.line(describeBalance(known.balance, opened.now()));
  terminal.line();
  terminal.table({
    columns: ['', 'store', 'ledger', 'loyalty service', ''].map((title) => ({ title })),
    rows: rows.map(({ field, differs, ...row }) => [
      field,
      ...(['store', 'ledger', 'service'] as const).map((name) => cellOf(sides[name], row[name])),
      differs ? 'differs' : '',
    ]),
  });
  if (found.length > 0) {
    terminal.line();
    terminal.table(redemptionsTable(found, opened.now()));
  }
  return EXIT.fine;
}

/** A side that is not known says so in every line. */
function cellOf(side: BalanceSide, value: string | number | null): string {
  switch (side.kind) {
    case 'known':
      return value === null ? 'none' : String(value);
    case 'absent':
      return 'not known yet';
    case 'unknown':
      return `no answer (${side.why})`;
  }
}

/** The balance that the store's pages show, or why they show none. */
function describeBalance({ points, asOf }: KnownBalance, now: Date): string {
  if (asOf === null)
    return 'Balance: not known yet. A point event or a visit to the store brings it.';
  return `Balance: ${points} points, as of ${relativeTime(Date.parse(asOf), now)}.`;
}

/** What one side says of a customer's balance. */
export type BalanceSide =
  | ({ readonly kind: 'known' } & Balance)
  /** It has none for this customer. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

type Balance = Pick<KnownBalance, 'points' | 'cashback' | 'tier' | 'expiring'>;

interface BalanceSides {
  readonly store: BalanceSide;
  readonly ledger: BalanceSide;
  readonly service: BalanceSide;
}

export interface BalanceRow {
  readonly field: 'points' | 'cashback' | 'tier' | 'expiring';
  /** Null: none, or not known; the side says which. */
  readonly store: string | number | null;
  readonly ledger: string | number | null;
  readonly service: string | number | null;
  /** Two sides that are known say different things. */
  readonly differs: boolean;
}

/** The balance of one customer as the three sides have it. Changes nothing. */
async function readBalances(
  customerId: string,
  known: KnownBalance,
  { deployment, shop, now }: OpenRedemptions,
  services: ShopServices,
): Promise<BalanceSides> {
  const { storefront } = deployment.connector;
  const [store, service] = await Promise.all([
    storefront
      ? askStore(customerId, storefront.metafieldNamespace, services.ask(shop))
      : ({ kind: 'absent' } as const),
    askService(customerId, shop.domain, services.loyalty(shop), now),
  ]);
  return { store, service, ledger: known.asOf === null ? { kind: 'absent' } : side(known) };
}

const side = ({ points, cashback, tier, expiring }: Balance): BalanceSide => ({
  ...{ kind: 'known', points, cashback, tier, expiring },
});

async function askService(
  id: string,
  shop: string,
  loyalty: ReturnType<ShopServices['loyalty']>,
  now: () => Date,
): Promise<BalanceSide> {
  const source = { loyalty, breaker: createCircuitBreaker() };
  const deadline = new AbortController().signal;
  const read = await readCustomer(
    { shop, id },
    { shops: new Map([[shop, source]]), now, deadline },
  );
  if (read.kind === 'retry') return { kind: 'unknown', why: read.retry.why };
  if (!read.balance) return { kind: 'absent' };
  return side({ ...viewOfBalance(read.balance), tier: read.tier ?? null });
}

async function askStore(
  customerId: string,
  namespace: string,
  ask: ReturnType<ShopServices['ask']>,
): Promise<BalanceSide> {
  const id = `gid://shopify/Customer/${customerId}`;
  const answer = await ask(customerBalanceDocument, { id, namespace });
  if (answer.kind !== 'data') return { kind: 'unknown', why: unavailable(answer).why };
  const values = new Map(
    answer.data.customer?.metafields.nodes.map(({ key, value }) => [key, value]),
  );
  const of = (field: BalanceField) => values.get(field);
  const [points, expiring, at] = [of('points'), of('expiring_points'), of('expires_at')];
  if (points === undefined) return { kind: 'absent' };
  return side({
    points: Number(points),
    cashback: Number(of('cashback') ?? 0),
    tier: of('tier') ?? null,
    expiring: expiring && at ? { points: Number(expiring), at } : null,
  });
}

/** The sides beside each other, with the differences marked. */
export function rowsOf(sides: BalanceSides): readonly BalanceRow[] {
  return (['points', 'cashback', 'tier', 'expiring'] as const).map((field) => {
    const of = (one: BalanceSide) => (one.kind === 'known' ? textIn(one, field) : null);
    const { store, ledger, service } = sides;
    const known = [store, ledger, service].filter(({ kind }) => kind === 'known');
    const differs = new Set(known.map(of)).size > 1;
    return { field, store: of(store), ledger: of(ledger), service: of(service), differs };
  });
}

function textIn(balance: Balance, field: BalanceRow['field']): string | number | null {
  if (field !== 'expiring') return balance[field];
  const { expiring } = balance;
  return expiring && `${expiring.points} on ${expiring.at.slice(0, 10)}`;
}
