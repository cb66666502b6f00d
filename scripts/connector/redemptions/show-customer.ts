import { readCustomer } from '../../../shared/core/balances/point-balance.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { readUsed } from '../../../shared/core/redeem/list-redemptions.ts';
import { waitsForPerson } from '../../../shared/core/redemptions/redemption.ts';
import { openRedemptions as openRecord } from '../../../shared/core/redemptions/redemption-record.ts';
import {
  type KnownBalance,
  readKnown,
  viewOfBalance,
} from '../../../shared/core/storefront/read-view.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { customerBalanceDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import type { BalanceField } from '../../../shared/shopify/admin/write-balances.ts';
import { openShopServices, type ShopServices } from '../deployment/services.ts';
import { type Document, facts, table, type Verdict } from '../document/document.ts';
import { line } from '../document/line.ts';
import type { Session } from '../session/session.ts';
import { findEntity, ordersOf } from '../trace/find.ts';
import {
  closings,
  judgeWaiting,
  type OpenRedemptions,
  openRedemptions,
  redemptionData,
  redemptionsTable,
  type ShopOption,
} from './redemptions.ts';

/** What one customer has in the store, the connector and the loyalty service. */
export async function showCommand(
  session: Session,
  options: ShopOption,
  customer: string,
): Promise<Document> {
  const opened = await openRedemptions(session, options);
  const shop = opened.shop.domain;
  const now = opened.now();
  const services = openShopServices(opened.deployment);
  const searched = { deployment: opened.deployment, services, shop: opened.shop };
  const [{ id: customerId }] = await findEntity('member', customer, searched);
  const orders = await ordersOf(customerId, searched);
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
  const { asOf } = known.balance;
  const [redemptions, store, service] = await Promise.all([
    readUsed(known.redemptions, record, { store: services.rewards, telemetry }),
    askStore(known.id, opened, services),
    askService(known.id, opened, services),
  ]);
  const found = redemptions.toReversed().map((redemption) => ({ shop, customerId, redemption }));
  const waiting = found.filter(({ redemption }) => waitsForPerson(redemption, now)).length;
  const sides = { store, ledger: asOf === null ? ABSENT : known.balance, service };
  const verdict = judgeWaiting(waiting) ?? judgeBalances(sides);
  const mergedInto = known.id === customerId ? undefined : known.id;
  return {
    title: `Customer ${customerId} of ${shop}`,
    ...(verdict && { verdict }),
    blocks: [
      facts([
        [
          'Merged into customer',
          mergedInto && {
            text: mergedInto,
            opens: line('redemptions show', [mergedInto], { shop }),
          },
        ],
        ['The store shows what was known', asOf === null ? undefined : { at: asOf }],
      ]),
      table(
        ['', 'Store', 'Connector', 'Loyalty service', ''],
        rowsOf(sides).map(({ field, values, differs }) => [
          field,
          ...values.map((value) => value ?? 'none'),
          differs ? { text: 'differs', tone: 'bad' } : '',
        ]),
        { title: 'Balance' },
      ),
      redemptionsTable(found, now),
      table(
        ['Order'],
        orders.map(({ id, name }) => [
          { text: name ?? id, opens: line('trace', ['order', id], { shop }) },
        ]),
        { title: 'Orders', empty: 'No orders.' },
      ),
    ],
    next: [
      ...found.flatMap((one) => closings(one, now)),
      {
        label: 'What happened with this customer',
        line: line('trace', ['customer', customerId], { shop }),
      },
    ],
    data: { shop, customer: customerId, ...sides, orders, redemptions: found.map(redemptionData) },
  };
}

type Balance = Pick<KnownBalance, 'points' | 'cashback' | 'tier' | 'expiring'>;

/** What one side says of a customer's balance, or why it says nothing. */
type Side = Balance | { readonly none: string };

const ABSENT = { none: 'not there yet' };

interface Sides {
  readonly store: Side;
  readonly ledger: Side;
  readonly service: Side;
}

/** Undefined where a side has none to compare with. */
export function judgeBalances(sides: Sides): Verdict | undefined {
  const { store, service } = sides;
  const silent = [store, service].find((side) => 'none' in side);
  if (silent && silent !== ABSENT) {
    return { kind: 'not known', what: 'Not every side said what the balance is.' };
  }
  const differ = (some: Sides) => rowsOf(some).some(({ differs }) => differs);
  if (differ(sides)) {
    const what = differ({ ...sides, ledger: ABSENT })
      ? 'The store shows another balance than the loyalty service has.'
      : 'The connector has recorded another balance.';
    const then =
      'The next point event, a visit to the store or the nightly comparison corrects it.';
    return { kind: 'waits', what: `${what} ${then}` };
  }
  if (silent) return undefined;
  return { kind: 'well', what: 'The store shows the balance that the loyalty service has.' };
}

/** The store's metafields. */
async function askStore(
  customerId: string,
  { deployment, shop }: OpenRedemptions,
  services: ShopServices,
): Promise<Side> {
  const { storefront } = deployment.connector;
  if (!storefront) return ABSENT;
  const id = `gid://shopify/Customer/${customerId}`;
  const variables = { id, namespace: storefront.metafieldNamespace };
  const answer = await services.ask(shop)(customerBalanceDocument, variables);
  if (answer.kind !== 'data') return { none: `no answer (${unavailable(answer).why})` };
  const values = new Map(
    answer.data.customer?.metafields.nodes.map(({ key, value }) => [key, value]),
  );
  const of = (field: BalanceField) => values.get(field);
  const [points, expiring, at] = [of('points'), of('expiring_points'), of('expires_at')];
  if (points === undefined) return ABSENT;
  return {
    points: Number(points),
    cashback: Number(of('cashback') ?? 0),
    tier: of('tier') ?? null,
    expiring: expiring && at ? { points: Number(expiring), at } : null,
  };
}

async function askService(
  id: string,
  { shop, now }: OpenRedemptions,
  services: ShopServices,
): Promise<Side> {
  const source = { loyalty: services.loyalty(shop), breaker: createCircuitBreaker() };
  const deadline = new AbortController().signal;
  const shops = new Map([[shop.domain, source]]);
  const read = await readCustomer({ shop: shop.domain, id }, { shops, now, deadline });
  if (read.kind === 'retry') return { none: `no answer (${read.retry.why})` };
  if (!read.balance) return ABSENT;
  return { ...viewOfBalance(read.balance), tier: read.tier ?? null };
}

const FIELDS = {
  Points: ({ points }: Balance) => points,
  Cashback: ({ cashback }: Balance) => cashback,
  Tier: ({ tier }: Balance) => tier,
  'Expire next': ({ expiring }: Balance) =>
    expiring && `${expiring.points} on ${expiring.at.slice(0, 10)}`,
} as const;

/** The sides beside each other; `differs` where two that say something say different things. */
export function rowsOf({ store, ledger, service }: Sides) {
  return Object.entries(FIELDS).map(([field, read]) => {
    const values = [store, ledger, service].map((side) =>
      'none' in side ? side.none : read(side),
    );
    const said = [store, ledger, service].flatMap((side) => ('none' in side ? [] : [read(side)]));
    return { field, values, differs: new Set(said).size > 1 };
  });
}
