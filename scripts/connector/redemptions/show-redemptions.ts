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
import { openShopServices, type ShopServices } from '../deployment/services.ts';
import { type Document, facts, type Verdict } from '../document/document.ts';
import { line } from '../document/line.ts';
import type { Session } from '../session.ts';
import { counted } from '../terminal/text.ts';
import { type FoundOrder, findEntity } from '../trace/find.ts';
import {
  closings,
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

export async function listCommand(session: Session, options: ListOptions): Promise<Document> {
  const opened = await openRedemptions(session, options);
  const shop = opened.shop.domain;
  const now = opened.now();
  const all = await findRedemptions(opened);
  const open = all.filter(({ redemption }) => isOpen(redemption.state));
  const found = options.all ? all : open;
  const waiting = found.filter(({ redemption }) => waitsForPerson(redemption, now));
  const [first] = waiting;
  // A stuck one waits for what only a person can see; it has no dead letter.
  const hasLetters = waiting.some(({ redemption }) => redemption.stuck === undefined);
  return {
    title: `${options.all ? 'Redemptions' : 'Redemptions that are not finished'} in ${shop}`,
    verdict: judgeRedemptions(waiting.length, open.length),
    blocks: [redemptionsTable(found, now, shop)],
    next: [
      ...(first
        ? [
            {
              label: `See customer ${first.customerId}`,
              line: line('redemptions show', [first.customerId], { shop }),
            },
          ]
        : []),
      ...(hasLetters
        ? [
            {
              label: 'Try again those that were given up',
              line: line('dead-letters replay', [], { kind: 'redemption', shop }),
            },
          ]
        : []),
    ],
    data: { shop, redemptions: found.map((one) => redemptionDocument(one, now)) },
  };
}

function judgeRedemptions(waiting: number, open: number): Verdict {
  if (waiting > 0) {
    const what = `${counted(waiting, 'redemption')} wait${waiting === 1 ? 's' : ''} for a person.`;
    return { kind: 'action required', what };
  }
  return open > 0
    ? { kind: 'waits', what: `${counted(open, 'redemption')}: the connector goes on by itself.` }
    : { kind: 'well', what: 'Every redemption is finished.' };
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

/** What one customer has in the store, the connector and the loyalty service. */
export async function showCommand(
  session: Session,
  options: ShopOption,
  customer: string,
): Promise<Document<CustomerDocument>> {
  const opened = await openRedemptions(session, options, 'nothing');
  const shop = opened.shop.domain;
  const now = opened.now();
  const services = openShopServices(opened.deployment);
  const searched = { deployment: opened.deployment, services, shop: opened.shop };
  const { id: customerId, otherOrders: orders } = await findEntity('member', customer, searched);
  const telemetry = {
    count: () => {},
    // What the ledger knows is still shown.
    log: (_level: string, message: string) => session.terminal.note(`${message}.`),
  };
  // Codes that were used are shown, but recorded only by the storefront: this command changes nothing.
  const readOnly = {
    ...opened.ledger,
    write: async () => ({ kind: 'written', revision: 0 }) as const,
  };
  const record = openRecord({ shop, customerId }, { ...opened, ledger: readOnly });
  const known = await readKnown({ shop, customerId }, opened.ledger, now);
  const [redemptions, sides] = await Promise.all([
    readUsed(known.redemptions, record, { store: services.rewards, telemetry }),
    readBalances(known.id, known.balance, opened, services),
  ]);
  const found = redemptions.toReversed().map((redemption) => ({ customerId, redemption }));
  const rows = rowsOf(sides);
  const { asOf } = known.balance;
  const mergedInto = known.id === customerId ? null : known.id;
  const waiting = found.filter(({ redemption }) => waitsForPerson(redemption, now)).length;
  const verdict = waiting > 0 ? judgeRedemptions(waiting, 0) : judgeBalances(sides, rows);
  return {
    title: `Customer ${customerId} of ${shop}`,
    ...(verdict && { verdict }),
    blocks: [
      facts([
        [
          'Merged into customer',
          mergedInto === null
            ? undefined
            : { text: mergedInto, opens: line('redemptions show', [mergedInto], { shop }) },
        ],
        ['The store shows what was known', asOf === null ? undefined : { at: asOf }],
      ]),
      {
        ...{ kind: 'table', title: 'Balance' },
        columns: ['', 'Store', 'Connector', 'Loyalty service', ''].map((title) => ({ title })),
        rows: rows.map(({ field, differs, ...row }) => ({
          cells: [
            FIELDS[field],
            ...(['store', 'ledger', 'service'] as const).map((one) => cellOf(sides[one], row[one])),
            differs ? { text: 'differs', tone: 'bad' } : '',
          ],
        })),
      },
      redemptionsTable(found, now),
      {
        ...{ kind: 'table', title: 'Orders', columns: [{ title: 'Order' }] },
        rows: orders.map(({ id, name }) => ({
          cells: [{ text: name, opens: line('trace', ['order', id], { shop }) }],
        })),
        empty: 'No orders.',
      },
    ],
    next: [
      ...closings(found, shop, now),
      {
        label: 'What happened with this customer',
        line: line('trace', ['customer', customerId], { shop }),
      },
    ],
    data: {
      ...{ shop, customer: customerId, mergedInto, balances: { ...sides, asOf }, rows, orders },
      redemptions: found.map((one) => redemptionDocument(one, now)),
    },
  };
}

const FIELDS: Readonly<Record<BalanceRow['field'], string>> = {
  points: 'Points',
  cashback: 'Cashback',
  tier: 'Tier',
  expiring: 'Expire next',
};

/** Undefined where a side has none to compare with. */
function judgeBalances(
  { store, service }: BalanceSides,
  rows: readonly BalanceRow[],
): Verdict | undefined {
  if (store.kind === 'unknown') {
    return { kind: 'not known', what: `The store did not answer (${store.why}).` };
  }
  if (service.kind === 'unknown') {
    return { kind: 'not known', what: `The loyalty service did not answer (${service.why}).` };
  }
  if (rows.some(({ differs }) => differs)) {
    const what =
      'The store shows another balance than the loyalty service has. The next point event, a visit to the store or the nightly comparison brings it.';
    return { kind: 'waits', what };
  }
  if (store.kind === 'absent' || service.kind === 'absent') return undefined;
  return { kind: 'well', what: 'The store shows the balance that the loyalty service has.' };
}

/** A side that is not known says so in every line. */
function cellOf(side: BalanceSide, value: string | number | null): string | number {
  if (side.kind === 'absent') return 'not there yet';
  return side.kind === 'unknown' ? `no answer (${side.why})` : (value ?? 'none');
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
