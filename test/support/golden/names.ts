import { createPace } from '../../../scripts/connector/ground/compare/send.ts';
import { changeRows, openRows } from '../../../scripts/connector/set-up/run-import.ts';
import { defaultRules } from '../../../shared/config/mapping-settings.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { cancelKey } from '../../../shared/core/ledger/ledger.ts';
import { contactHash } from '../../../shared/core/mapping/customer-form.ts';
import { mapCoupon } from '../../../shared/core/mapping/map-coupon.ts';
import {
  idempotencyKey,
  type OrderForm,
  restKey,
  rulesRevision,
  type WantedOrder,
  type WantedState,
} from '../../../shared/core/mapping/wanted-state.ts';
import { nextCall } from '../../../shared/core/sync/decide-order.ts';
import { fanOut } from '../../../shared/core/sync/handle-task.ts';
import { balanceKey } from '../../../shared/rewards/balances/point-balance.ts';
import { parsePointTokens } from '../../../shared/rewards/balances/receive-points.ts';
import { makeCode } from '../../../shared/rewards/redeem/make-code.ts';
import { codeFrom, creditEnd } from '../../../shared/rewards/redeem/redemption.ts';
import {
  type KeptRedemption,
  keepRedemption,
  namesOf,
  openRedemptions,
  readKept,
} from '../../../shared/rewards/redeem/redemption-record.ts';
import { takeAgain } from '../../../shared/rewards/redeem/take-back.ts';
import { givePoints } from '../../../shared/rewards/storefront/give-points.ts';
import { SECRET_PURPOSES, secretForms, secretName } from '../../../shared/services/shop-secrets.ts';
import { parseAdminSecret } from '../../../shared/shopify/admin/client/admin-secret.ts';
import { makeRewardCode } from '../../../shared/shopify/admin/make-reward-code.ts';
import { writeBalances } from '../../../shared/shopify/admin/write-balances.ts';
import { parseVendureSecret } from '../../../shared/vendure/admin-client.ts';
import { sign, vendureDeliveries } from '../../../shared/vendure/deliveries.ts';
import { redemptionAt } from '../../fixtures/redemption.ts';
import { neverSent, storeCoupon } from '../../fixtures/store-entities.ts';
import { createMemoryLedger } from '../memory-ledger.ts';
import { recordTelemetry } from '../recorded-telemetry.ts';
import type { Sample, Samples } from './golden.ts';

const SHOP = 'example-store.myshopify.com';
const NOON = '2026-10-09T12:00:00.000Z';
const now = new Date(NOON);
const ROBIN = { shop: SHOP, customerId: '7001' };

/** Only compared by those who hold it: the service, the store, an entry of the ledger. */
const name = (write: () => unknown): Sample => ({ write });

const form: OrderForm = {
  ...{ OriginalId: '5', OrderTotal: 99.8, IsCompleted: true, OrderCompletedDate: NOON },
  ...{ UpdatedDate: NOON, OrderStatus: 'paid' },
  Products: [{ OriginalId: '8012345678901', ProductPrice: 99.8 }],
};
const order: WantedOrder = {
  ...{ kind: 'order', id: '5', order: form, sold: [], changed: false, isFine: false },
};

/** By kind: a changed key would send everything again that was sent before. */
const WANTED: { readonly [Kind in WantedState['kind']]: Extract<WantedState, { kind: Kind }> } = {
  order: order as Extract<WantedState, { kind: 'order' }>,
  'cancelled-order': { ...order, kind: 'cancelled-order', cancellation: {} as never },
  product: { kind: 'product', id: '8', product: { OriginalId: '8', Name: 'Linen shirt' } as never },
  coupon: { kind: 'coupon', id: 'AUTUMN10', coupon: { CouponCode: 'AUTUMN10' } as never },
  'inactive-coupon': { kind: 'inactive-coupon', id: 'AUTUMN10' },
  member: {
    kind: 'member',
    id: '7001',
    member: { OriginalId: '7001', Email: 'robin@example.com' },
  },
  'deleted-member': { kind: 'deleted-member', id: '7001' },
};

/** Calls of the service, as it receives them. */
function calls() {
  const made: unknown[] = [];
  const answer = async (...given: readonly [string, { readonly Reason?: string }]) => {
    // The reason is a sentence for people.
    const [who, { Reason: _, ...change }] = given;
    made.push([who, change]);
    return { kind: 'success', value: {} };
  };
  return { made, loyalty: { changePoints: answer, changeCashback: answer } as never };
}

const deps = () => ({
  ...{ ledger: createMemoryLedger(), now: () => now, retentionDays: 400 },
  ...{ breaker: createCircuitBreaker(), telemetry: recordTelemetry() },
  deadline: new AbortController().signal,
});

const taken = { at: 'owing', code: codeFrom('FIVE-1', redemptionAt({} as never), now) } as const;

async function takenAgain(cashback?: true) {
  const { made, loyalty } = calls();
  const redemption = redemptionAt(taken);
  const terms = { ...redemption.terms, ...(cashback && { cashback }) };
  const all = { ...deps(), loyalty, store: {} as never };
  await takeAgain(openRedemptions(ROBIN, all), { ...redemption, terms }, all as never);
  return made;
}

async function imported(unit: 'points' | 'cashback', direction: 'give' | 'take') {
  const { made, loyalty } = calls();
  const all = {
    ...{ ...deps(), shop: SHOP, name: 'opening', unit, loyalty, rules: defaultRules },
    ...{ store: {} as never, findByEmail: async () => '7001', signal: deps().deadline },
    ...{ pace: createPace(10), readPace: createPace(10), pause: async () => {} },
    onProgress: () => {},
  };
  const file = {
    by: 'email',
    unit,
    rows: [{ line: 2, who: 'r@example.com', amount: 500, reason: '' }],
  };
  for (const one of ['give', ...(direction === 'take' ? (['take'] as const) : [])] as const) {
    await changeRows(one, (await openRows(file as never, all)).rows, all);
  }
  return made;
}

/** What the store's API is asked, as its variables. */
function asking(data: object) {
  const asked: unknown[] = [];
  const ask = async (_: unknown, variables: unknown) => {
    asked.push(variables);
    return { kind: 'data', data };
  };
  return { asked, ask: ask as never };
}

const kept: KeptRedemption = {
  ...{ ...namesOf(ROBIN, 'click-0001'), shop: SHOP, rewardId: 1 },
  terms: redemptionAt(taken).terms,
};

const names: Samples = {
  ...Object.fromEntries(
    Object.entries(WANTED).map(([kind, wanted]) => [
      `idempotency key of a wanted state: ${kind}`,
      name(() => idempotencyKey(wanted)),
    ]),
  ),
  'hash of the rest of an order': name(() => restKey(form)),
  'hash of a balance': name(() =>
    balanceKey({ points: '120.5', cashback: '3.25', tier: 'Gold' } as never),
  ),
  "hash of a member's contact": name(() =>
    contactHash({ Email: 'Robin@example.com', Phone: '+49301234567' }),
  ),
  'revision of the default rules': name(() => rulesRevision(defaultRules)),
  'id of a coupon, alone and on a shared account': name(() =>
    [false, true].map((sharedAccount) => {
      const rules = { ...defaultRules, couponForEveryone: 'send', sharedAccount } as const;
      const mapped = mapCoupon(storeCoupon(), rules, { ...neverSent, now }, SHOP);
      return mapped.kind === 'wanted' && mapped.wanted.kind === 'coupon'
        ? mapped.wanted.coupon.OriginalId
        : mapped;
    }),
  ),
  'key of a partial cancel': name(() => {
    const told = { total: 120_000, products: [['8', 120_000, 0]], completedAt: NOON } as const;
    const settings = { refunds: 'partial-cancel', raiseAfterPartialCancel: 'park' } as const;
    const facts = { known: true, record: { ...told, taken: 0 }, tellAgain: false };
    const all = { ...settings, ordersAreReplaced: true };
    const next = nextCall({ ...order, changed: true }, facts, all);
    return next.kind === 'take' ? cancelKey('5', next.step) : next;
  }),
  'id and key of a redemption': name(() => namesOf(ROBIN, 'click-0001')),
  'a redemption as the service keeps it': {
    write: () => keepRedemption(kept),
    read: (written) => readKept(SHOP, [written]),
  },
  'code of a reward': name(() => codeFrom(undefined, redemptionAt(taken), now)),
  'end of store credit': name(() => creditEnd(redemptionAt(taken), [], now)),
  'discount of a reward': name(async () => {
    const all = deps();
    const redemption = redemptionAt({
      ...{ at: 'redeemed', redeemedRewardId: 7, code: taken.code, calledAt: NOON },
    });
    const node = { codeDiscountNode: { id: 'gid://shopify/DiscountCodeNode/1' } };
    const { asked, ask } = asking({ discountCodeBasicCreate: node });
    const store = {
      makeCode: (_: string, wanted: Parameters<typeof makeRewardCode>[1]) =>
        makeRewardCode(ask, wanted),
    };
    await makeCode(openRedemptions(ROBIN, all), redemption, { ...all, store } as never);
    return asked;
  }),
  "cursor of a deleted discount's next page": name(async () => {
    let cursor: string | undefined;
    const discount = { shop: SHOP, kind: 'discount', id: '1', claim: 'deleted' } as const;
    await fanOut({ ...discount, deliveryId: 'd' } as never, { discountId: '1' }, {
      ledger: { listCodes: async () => ({ codes: [], next: 'CODE' }) },
      store: { readDiscount: async () => ({ kind: 'gone' }) },
      queue: { send: async (page: { readonly cursor?: string }) => (cursor = page.cursor) },
    } as never);
    return cursor;
  }),
  'points that are taken again': name(() => takenAgain()),
  'cashback that is taken again': name(() => takenAgain(true)),
  'points that an import gives': name(() => imported('points', 'give')),
  'cashback that an import takes back': name(() => imported('cashback', 'take')),
  'points that a workflow gives': name(async () => {
    const { made, loyalty } = calls();
    const flow = { mostPointsPerRun: 100, mostPointsPerDay: 100 };
    const gift = { runId: 'run-1', points: 80, reason: 'a birthday' };
    await givePoints(SHOP, '7001', gift, { ...deps(), loyalty, flow });
    return made;
  }),
  'metafields of a balance': name(async () => {
    const { asked, ask } = asking({ metafieldsSet: { userErrors: [] } });
    const expiring = { points: '20', at: '2026-12-01T00:00:00Z' };
    const change = {
      customerId: '7001',
      points: '120.5',
      cashback: '3.25',
      tier: 'Gold',
      expiring,
    };
    await writeBalances(ask, 'loyalty', [change as never]);
    return asked;
  }),
  'event of the Vendure plugin': {
    write: () => {
      const event = { id: 'a1', kind: 'order', entityId: '12', change: 'changed', at: NOON };
      const [body, timestamp] = [JSON.stringify(event), String(now.getTime() / 1_000)];
      const signature = sign('secret', timestamp, Buffer.from(body));
      const headers = { 'x-loyalty-timestamp': timestamp, 'x-loyalty-signature': signature };
      return { headers, body };
    },
    read({ headers, body }: { headers: Record<string, string>; body: string }) {
      const delivery = { headers, body: Buffer.from(body) } as never;
      const secrets = { current: 'secret', previous: undefined };
      return {
        proof: vendureDeliveries.check(delivery, secrets),
        says: vendureDeliveries.identify(delivery, {} as never),
      };
    },
  },
};

const token = 'A'.repeat(43);
const FORMS = {
  ...{ ...secretForms, points: parsePointTokens },
  ...{ store: parseAdminSecret, vendure: parseVendureSecret },
};
/** As people and commands store them; each is read by the function that needs it. */
const SECRETS: Readonly<Record<keyof typeof FORMS, readonly object[]>> = {
  webhook: [{ current: 'secret', previous: 'older', previousUntil: NOON }],
  loyalty: [{ token: 'token', key: 'key' }],
  store: [
    { clientId: 'id', clientSecret: 'secret' },
    { accessToken: 'token', clientId: 'id' },
  ],
  vendure: [{ apiKey: 'key' }, { username: 'name', password: 'word' }],
  points: [{ current: token, previous: token, previousUntil: NOON }],
};

const secrets: Samples = Object.fromEntries([
  ...Object.entries(SECRETS).map(([purpose, fields]) => [
    `secret: ${purpose}`,
    {
      write: () => fields,
      read: (written: readonly Record<string, string>[]) =>
        written.map((one) => FORMS[purpose as keyof typeof FORMS](one)),
    },
  ]),
  [
    'names of secrets',
    name(() =>
      [...SECRET_PURPOSES, 'points' as const].map((one) =>
        secretName('loyalty-connector/prod', 'example-store', one),
      ),
    ),
  ],
]);

export const namesAndSecrets: Samples = { ...names, ...secrets };
