import { createPace } from '../../../scripts/connector/ground/compare/send.ts';
import {
  readAudit,
  recordBegin,
  recordEnd as recordEndOfChange,
} from '../../../scripts/connector/ground/session/audit-records.ts';
import { type BackfillState, openBackfills } from '../../../scripts/connector/set-up/backfill.ts';
import {
  changeRows,
  type ImportDeps,
  openRows,
} from '../../../scripts/connector/set-up/run-import.ts';
import { createDynamoDbRateLimit } from '../../../shared/aws/dynamodb-rate-limit.ts';
import type { LedgerItem } from '../../../shared/aws/ledger-item.ts';
import {
  listNotices,
  listRecords,
  readLetters,
  readLettersAbout,
  readLettersById,
} from '../../../shared/aws/read-ledger.ts';
import { defaultRules } from '../../../shared/config/mapping-settings.ts';
import {
  deadLetterKey,
  restoreSummaries,
  retireSummaries,
  writeSummary,
} from '../../../shared/core/batch/dead-letter.ts';
import {
  recordEnd,
  recordWaiting,
  recordWoken,
  type WaitingMessage,
  waitingIn,
} from '../../../shared/core/batch/waiting.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { createShopLoad } from '../../../shared/core/calls/shop-load.ts';
import {
  changeControl,
  readControl,
  type ShopControl,
} from '../../../shared/core/calls/shop-pause.ts';
import type { EntityKey, EntityKind, QueueFamily } from '../../../shared/core/events/event.ts';
import type { ParkingReason } from '../../../shared/core/events/outcome.ts';
import {
  advance,
  type Facts,
  mergedInto,
  noteMerge,
  record,
} from '../../../shared/core/ledger/entry.ts';
import type { ServiceOrder } from '../../../shared/core/ledger/ledger.ts';
import {
  type Ledger,
  type LedgerKey,
  type RecordKind,
  readEntry,
  rememberedForm,
} from '../../../shared/core/ledger/ledger.ts';
import { memberMemory } from '../../../shared/core/mapping/customer-form.ts';
import { couponMemory } from '../../../shared/core/mapping/map-coupon.ts';
import { productMemory } from '../../../shared/core/mapping/map-product.ts';
import { orderMemory, type RememberedOrder } from '../../../shared/core/mapping/wanted-state.ts';
import type { Announced } from '../../../shared/core/reconcile/announce.ts';
import type { DeepPosition, DifferingOrder } from '../../../shared/core/reconcile/deep-scan.ts';
import { cursorKey, openCursor } from '../../../shared/core/reconcile/dependencies.ts';
import {
  keepLastReconcile,
  type LastReconcile,
  readReconcileRuns,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import type { Overrides, ScanPosition } from '../../../shared/core/reconcile/reconcile-kind.ts';
import { positionKey } from '../../../shared/core/reconcile/reconcile-kind.ts';
import {
  LEDGER_POSITION_KEY,
  type LedgerPosition,
} from '../../../shared/core/reconcile/scan-ledger.ts';
import { announce, handleTask } from '../../../shared/core/sync/handle-task.ts';
import { planKey } from '../../../shared/core/sync/observe-entity.ts';
import {
  type RememberedBalance,
  recallBalance,
  rememberBalance,
} from '../../../shared/rewards/balances/point-balance.ts';
import type { RepairPosition } from '../../../shared/rewards/balances/repair-balances.ts';
import { checkAnswer, MOST_BY_STAFF } from '../../../shared/rewards/redeem/challenge.ts';
import type {
  RedeemBody,
  Redemption,
  RedemptionState,
  RewardCode,
  RewardTerms,
} from '../../../shared/rewards/redeem/redemption.ts';
import {
  openRedemptions,
  type RedemptionRecord,
} from '../../../shared/rewards/redeem/redemption-record.ts';
import {
  noteRewardCode,
  noteUsedCodes,
  withRewardCodeFirst,
} from '../../../shared/rewards/redeem/worker-moments.ts';
import { givePoints } from '../../../shared/rewards/storefront/give-points.ts';
import type { StoreCoupon } from '../../../shared/store/store-entities.ts';
import { amount, storeOrder } from '../../fixtures/store-entities.ts';
import { openConnector } from '../in-process-connector.ts';
import { letterEvent } from '../parked-letters.ts';
import { recordTelemetry } from '../recorded-telemetry.ts';
import type { Full, Sample, Samples } from './golden.ts';
import type { LedgerTable, LedgerTables } from './ledger-tables.ts';
import { orderPayload } from './order-payload.ts';

const SHOP = 'example-store.myshopify.com';
const NOON = '2026-10-09T12:00:00.000Z';
const now = new Date(NOON);
const at = now.getTime();
const later = new Date(at + 60_000);

/** The items that the code writes, and what it makes of them when it finds them. */
interface LedgerSample {
  write(table: LedgerTable): Promise<unknown>;
  read(table: LedgerTable): Promise<unknown>;
}

const deps = (ledger: Ledger, clock = now) => ({
  ...{ ledger, now: () => clock, retentionDays: 400, breaker: createCircuitBreaker() },
  telemetry: recordTelemetry(),
});

// Entities.

const occasion = { version: at, topic: 'orders/updated', now } as const;

/** Marked, then applied, with all that an entry can hold. */
const entity = (
  kind: EntityKind,
  id: string,
  facts: Facts,
  recall: (remembered: string | undefined) => unknown,
): LedgerSample => {
  const key: EntityKey = { shop: SHOP, kind, id };
  return {
    async write({ ledger }) {
      const change = { ...occasion, key, entry: undefined };
      const marked = await record(change, { kind: 'marked', facts }, ledger);
      const applied = { ...facts, appliedKey: 'key' };
      const step = { kind: 'applied', facts: applied, counts: 99_800 } as const;
      await record({ ...change, entry: marked, origin: 'reconcile' }, step, ledger);
    },
    async read({ ledger }) {
      const entry = await readEntry(ledger, key);
      return { entry, remembered: recall(entry?.remembered) };
    },
  };
};

const service: Full<ServiceOrder> = {
  ...{ id: '#1001', placedAt: NOON, completedAt: NOON, total: 99_800, taken: 1_500 },
  ...{ products: [['8012345678901', 99_800, 0]], rest: 'hash', theirs: 700, ended: true },
  step: {
    ...{ sum: 3_000, value: 1_500, products: [['8012345678901', 1_500]], searchedFrom: 5_000 },
  },
};

const customer = { OriginalId: '7001', Name: 'Robin Doe', Email: 'robin@example.com' };
type OfTheService = 'customer' | 'branch' | 'salesPerson';
const remembered: Full<Omit<RememberedOrder, OfTheService>> & Pick<RememberedOrder, OfTheService> =
  {
    countedBy: {
      ...{ taxes: 'exclude', giftCards: 'earn-when-used' },
      ...{ storeCredit: 'by-origin', lostDisputes: 'take-back' },
    },
    credit: { gifts: amount('4'), refunds: amount('5'), unknown: amount('1') },
    steps: [['goods', '99.8']],
    lostDispute: true,
    customer,
    card: { brand: 'visa', type: 'credit' },
    branch: { OriginalId: '1', Name: 'Main street' },
    salesPerson: { OriginalId: '2', Name: 'Sam' },
  };

const orderFacts = {
  remembered: orderMemory.write(remembered),
  service,
  rules: 'rules',
  history: true,
};
const product = { OriginalId: '8012345678901', Name: 'Linen shirt', Price: 49.9 };
const couponFacts = {
  remembered: couponMemory.write({ ofShop: true }),
  discountId: '1688847450345',
};

const step = (
  kind: EntityKind,
  change: (entry: undefined) => Parameters<Ledger['write']>[1],
): LedgerSample => {
  const key: EntityKey = { shop: SHOP, kind, id: '5' };
  return {
    write: ({ ledger }) => ledger.write(key, change(undefined), undefined),
    read: ({ ledger }) => readEntry(ledger, key),
  };
};
const why = { why: 'guest', facts: {} };

const entities = {
  order: {
    'with every field': entity('order', '5', orderFacts, orderMemory.read),
    skipped: step('order', (none) => advance(none, { kind: 'skipped', ...why }, occasion)),
    rejected: step('order', (none) => advance(none, { kind: 'rejected', ...why }, occasion)),
    unchanged: step('order', (none) => advance(none, { kind: 'unchanged', facts: {} }, occasion)),
    redacted: {
      async write({ ledger }) {
        const key: EntityKey = { shop: SHOP, kind: 'order', id: '5' };
        await ledger.redact([key], { redactedAt: at, expiresAt: at / 1_000 });
      },
      read: ({ ledger }) => readEntry(ledger, { shop: SHOP, kind: 'order', id: '5' }),
    },
    uncertain: {
      write: ({ ledger }) => ledger.markUncertain({ shop: SHOP, kind: 'order', id: '5' }),
      read: ({ ledger }) => readEntry(ledger, { shop: SHOP, kind: 'order', id: '5' }),
    },
  },
  product: {
    'with every field': entity(
      ...(['product', '8012345678901'] as const),
      ...([{ remembered: productMemory.write(product as never) }, productMemory.read] as const),
    ),
  },
  coupon: {
    'with every field': entity('coupon', 'AUTUMN10', couponFacts, couponMemory.read),
    'that is too long for a key': {
      write: async (table) =>
        entity('coupon', 'LONG'.repeat(300), couponFacts, couponMemory.read).write(table),
      read: async ({ ledger }) => ({
        listed: await ledger.listCodes(SHOP, '1688847450345'),
        scanned: await ledger.scanEntities(),
      }),
    },
    announced: {
      write: ({ ledger }) =>
        announce(SHOP, [{ code: '5', discountId: '7' } as StoreCoupon], ledger),
      read: ({ ledger }) => readEntry(ledger, { shop: SHOP, kind: 'coupon', id: '5' }),
    },
  },
  member: {
    'with every field': entity(
      ...(['member', '7001'] as const),
      ...([{ remembered: memberMemory.write({ contact: 'hash' }) }, memberMemory.read] as const),
    ),
  },
} satisfies Record<EntityKind, Readonly<Record<string, LedgerSample>>>;

// Redemptions.

const code: Full<RewardCode> = {
  ...{ code: 'FIVE-AAAABBBBCCCC', kind: 'fixed', value: 5, startsAt: NOON },
  endsAt: '2026-11-08T12:00:00.000Z',
};
const body: RedeemBody = {
  ...{ CustomerId: 'robin@example.com', OriginalKey: 'key', Value: 5, RedeemOrigin: 5 },
  Metadatas: [{ Name: 'redemption', Value: '{}' }],
};
const terms: Full<RewardTerms> = {
  ...{ title: 'Five off', points: 100, kind: 'fixed', value: 5, minimum: 20, combines: true },
  ...{ validDays: 30, codePrefix: 'FIVE', limited: true, cashback: true },
  product: { id: '8012345678901', name: 'Linen shirt' },
  credit: { currency: 'EUR', expiresAt: '2026-11-08T08:15:30.000Z' },
};
const made = { code, discountId: 'gid://shopify/DiscountCodeNode/1', redeemedRewardId: 7 };
const refusal = { why: 'TAKEN', at: NOON };

/** By state: a new one has no golden form until it stands here with every field. */
const STATES: {
  readonly [At in RedemptionState['at']]: Full<
    Omit<Extract<RedemptionState, { at: At }>, 'body'>
  > & { readonly body?: RedeemBody };
} = {
  intended: { at: 'intended', body },
  calling: {
    ...{ at: 'calling', body, attempts: 2, calledAt: NOON },
    refusal: { why: 'refused', absentAt: NOON },
  },
  refused: { at: 'refused', why: 'too-few-points', late: true },
  redeemed: { at: 'redeemed', redeemedRewardId: 7, code, calledAt: NOON, refusal },
  crediting: {
    ...{ at: 'crediting', redeemedRewardId: 7, attempts: 1, calledAt: NOON, absentAt: NOON },
    refusal,
  },
  credited: { at: 'credited', transactionId: '9', expiresAt: NOON },
  cancelling: { at: 'cancelling', redeemedRewardId: 7, code, why: 'TAKEN', ordered: true },
  cancelled: { at: 'cancelled', code, why: 'TAKEN' },
  ready: { at: 'ready', ...made },
  used: { at: 'used', code, discountId: made.discountId },
  returning: { at: 'returning', ...made, begunAt: NOON, deletedAt: NOON },
  owing: { at: 'owing', code },
};

const redemptionIn = (
  state: RedemptionState,
  index: number,
): Full<Omit<Redemption, 'state'>> & {
  readonly state: RedemptionState;
} => ({
  ...{ id: `AAAABBBBCC${10 + index}`, rewardId: 1, clientKeys: ['click-0001'], terms, state },
  ...{
    intendedAt: NOON,
    since: NOON,
    staffId: '42',
    stuck: 'cancel-refused',
    told: true,
    tried: true,
  },
  takeBack: { at: NOON, staffId: '42', refused: true },
});

const redemptions = Object.values(STATES).map((state, index) =>
  redemptionIn(state as RedemptionState, index),
);
const redemptionRecord: Omit<Full<RedemptionRecord>, 'redemptions'> & RedemptionRecord = {
  ...{ redemptions, intents: [at] },
  challenges: {
    ...{ starts: [at], tries: [at] },
    transaction: { id: 'transaction', at, asks: ['phone', 'email'] },
  },
};

const ROBIN = { shop: SHOP, customerId: '7001' };
const member = { name: undefined, email: undefined, phone: undefined, createdAt: undefined };

// Other records.

const balance: Full<RememberedBalance> = {
  ...{ points: '120.5', cashback: '3.25', tier: 'Gold' },
  expiring: { points: '20', at: '2026-12-01T00:00:00Z' },
  told: { points: '120.5', tier: 'Gold', expiries: ['2026-12-01'] },
};

const pauseOf = { since: at, by: 'robin', because: 'stocktaking', until: at + 1_000 };
const control: Full<Omit<ShopControl, 'takeover'>> & Pick<ShopControl, 'takeover'> = {
  service: { why: 'throttled', since: at, until: at + 1_000 },
  operator: {
    ...{ all: pauseOf, orders: pauseOf, products: pauseOf, coupons: pauseOf, balances: pauseOf },
  },
  ended: { all: at, orders: at - 1, products: at, coupons: at, balances: at },
  ...{ wokenAt: at, goLive: at, observing: at, takeover: { until: at } },
  doubt: { since: at, until: at, comparedAt: at },
  unmatched: ['5'],
};

const takeover: Full<ShopControl['takeover']> = { until: at, offSince: at, ids: ['name'] };

const event = letterEvent({
  ...{ receivedAt: NOON, triggeredAt: NOON, replays: [{ at: NOON, by: 'robin' }] },
});
const reason: Full<ParkingReason> & { readonly family: QueueFamily } = {
  ...{ reason: 'rejected', why: 'the service refuses it', code: 'Order_Invalid', attempts: 3 },
  ...{ at: NOON, family: 'orders' },
};
const source = { messageId: 'm-1', body: '{}' };

const message = {
  ...{ messageId: 'm-1', receiptHandle: 'receipt', body: '{}', groupId: 'g', sequenceNumber: '1' },
};
const wait: Omit<Full<WaitingMessage>, 'ended'> = {
  ...{ queue: 'orders', about: { kind: 'order', id: '5' }, messageId: 'm-1' },
  ...{ receiptHandle: 'receipt', waitsFor: 'loyalty', why: 'time-out', since: at },
  ...{ until: at + 60_000, tries: 2, notBefore: at + 30_000 },
};

const load = (ledger: Ledger) =>
  createShopLoad({
    ...{ queue: 'orders', ledger, most: 4, workers: 2 },
    ...{ now: () => at, random: () => 0 },
  });

/** Takes the only place for a shop with much to do; returns the shops that got none. */
async function takePlace(ledger: Ledger, shop: string) {
  const visit = load(ledger).enter(new Map([[shop, 5]]));
  return visit.take([shop], await ledger.readMany(visit.keys), async () => false);
}

const wrong = { kind: 'success', value: { Success: false } };
const given = { kind: 'success', value: {} };

const answerWrong = (ledger: Ledger) =>
  checkAnswer(
    'robin@example.com',
    { staffId: '42', answer: '0000' },
    openRedemptions(ROBIN, deps(ledger)),
    {
      ...deps(ledger),
      loyalty: { validateChallenge: async () => wrong } as never,
      ...{ members: {} as never, store: {} as never, queue: {} as never },
      deadline: new AbortController().signal,
      newKey: () => 'key',
    },
  );

const give = (ledger: Ledger, runId: string, points: number) =>
  givePoints(
    SHOP,
    '7001',
    { runId, points },
    {
      ...deps(ledger),
      loyalty: { changePoints: async () => given } as never,
      flow: { mostPointsPerRun: 100, mostPointsPerDay: 100 },
    },
  );

async function openInProcess({ ledger }: LedgerTable) {
  const connector = openConnector({ rules: { goLive: '2020-01-01' } });
  connector.parts.ledger = ledger;
  connector.clock.ms = at;
  return connector;
}

/** Bytes that cannot be read become one dead letter, however often they come. */
async function deliverUnreadable(table: LedgerTable, ...bodies: readonly string[]) {
  const connector = await openInProcess(table);
  for (const payload of bodies) {
    await connector.deliver({ topic: 'orders/updated', payload });
    await connector.work('orders');
  }
  return connector.deadLetters().length;
}

const scan = {
  from: at,
  until: at,
  after: 'cursor',
  partly: { done: ['1'], begun: { id: '2', from: 'f' } },
};
const differing: Full<DifferingOrder> = { id: '5', at, lately: true };
const scanPosition: Full<ScanPosition> = { since: at, doneUntil: at, scan, turnAt: at };
const deepPosition: Full<DeepPosition> = {
  ...{ began: at, phase: 'order', scan, olderSince: at, olderUntil: at, oldestOrder: at },
  ...{ turn: { began: at, from: at, scan }, again: true, unreadSince: at },
  ...{ ordersRead: { read: 1, unread: 2 }, differing: [differing] },
};
const ledgerPosition: Full<LedgerPosition> = {
  ...{ began: at, ended: at, from: 'key', missed: [SHOP], oldest: { [SHOP]: at } },
};
const repairPosition: Full<RepairPosition> = {
  ...{ doneUntil: at, began: at },
  scan: { from: at, until: at, isEnrolled: true, page: 1, small: true },
};
const counts = { order: 1, product: 2, coupon: 3, member: 4 };
const lastRun: Full<LastReconcile> = {
  ...{ request: 'r', beganAt: NOON, endedAt: NOON, lookedAt: counts, healed: counts },
  ...{ rolledOut: counts, sent: [{ kind: 'order', id: '5', why: 'missing' }] },
  stopped: [{ kind: 'order', why: 'out-of-time', refused: true }],
  refusedSince: NOON,
  deep: { beganAt: NOON, stopped: { in: 'order', why: 'out-of-time' } },
};

/** By the type that its reader names: the test compares these with the code. */
export const CURSORS = {
  ScanPosition: cursor(positionKey(SHOP, 'order'), scanPosition),
  Overrides: cursor(cursorKey(SHOP, 'overrides'), {
    ...({ '1688847450345': { how: 'active', again: true } } satisfies Overrides),
  }),
  DeepPosition: cursor(cursorKey(SHOP, 'deep'), deepPosition),
  LedgerPosition: cursor(LEDGER_POSITION_KEY, ledgerPosition),
  RepairPosition: cursor(cursorKey(SHOP, 'balances'), repairPosition),
  Announced: cursor(cursorKey('all', 'announced'), {
    [SHOP]: {
      letters: { newest: at, count: 2, at },
      paused: { newest: 0, count: 1, at },
      differing: { newest: at, count: 1, at },
      reconciled: NOON,
    },
  } satisfies Announced),
  '{ readonly began: number }': cursor(cursorKey(SHOP, 'expiring'), { began: at }),
  KeptRuns: {
    async write({ ledger }) {
      await keepLastReconcile(ledger, SHOP, lastRun);
      await keepLastReconcile(ledger, SHOP, lastRun);
    },
    read: ({ ledger }) => readReconcileRuns(ledger, SHOP),
  },
} satisfies Readonly<Record<string, LedgerSample>>;

function cursor<State extends object>(
  key: ReturnType<typeof cursorKey>,
  state: State,
): LedgerSample {
  return {
    write: async ({ ledger }) => (await openCursor<State>(ledger, key)).keep(state, at),
    read: async ({ ledger }) => (await openCursor<State>(ledger, key)).state,
  };
}

const backfill: Full<BackfillState> = {
  ...{ shop: SHOP, kind: 'orders', since: NOON, run: 2 },
  ...{ startedAt: NOON, savedAt: NOON, total: 1_000, sent: 500, finishedAt: NOON },
  place: { after: 'cursor', discount: { id: '1', from: 'f' } },
};

const importing = (ledger: Ledger): ImportDeps => ({
  ...{ shop: SHOP, unit: 'points', name: 'opening', ledger, rules: defaultRules },
  loyalty: { changePoints: async () => given } as never,
  store: {} as never,
  findByEmail: async () => '7001',
  ...{ pace: createPace(10), readPace: createPace(10), pause: async () => {} },
  ...{ signal: new AbortController().signal, now: () => now, onProgress: () => {} },
});
const rowsOf = async (ledger: Ledger) => {
  const rows = [{ line: 2, who: 'robin@example.com', amount: 500, reason: '' }];
  return openRows({ by: 'email', unit: 'points', rows } as never, importing(ledger));
};

/** Of a shop that is only observed. */
const plan = (payload: Readonly<Record<string, unknown>>): LedgerSample => ({
  async write(table) {
    const connector = await openInProcess(table);
    connector.changeMode('observe');
    await connector.deliver({ topic: 'orders/updated', payload });
    await connector.work('orders');
  },
  async read({ ledger }) {
    const key = planKey({ shop: SHOP, kind: 'order', id: String(payload.id) });
    return (await readEntry(ledger, key))?.version;
  },
});

const records = {
  customer: {
    balance: {
      async write({ ledger }) {
        const key = { shop: SHOP, kind: 'customer', id: '7001' } as const;
        const facts = { appliedKey: 'key', remembered: rememberBalance(balance) };
        const change = { ...occasion, key, entry: undefined };
        await record(change, { kind: 'applied', facts }, ledger);
      },
      async read({ ledger }) {
        const key = { shop: SHOP, kind: 'customer', id: '7001' } as const;
        return recallBalance((await readEntry(ledger, key))?.remembered);
      },
    },
    merged: {
      write: ({ ledger }) =>
        noteMerge({ shop: SHOP, id: '7001' }, '7002', {
          ...{ ledger, now, topic: 'customers/merge', retentionDays: 400 },
        }),
      read: async ({ ledger }) =>
        mergedInto(await readEntry(ledger, { shop: SHOP, kind: 'customer', id: '7001' })),
    },
  },
  redemption: {
    'in every state': {
      write: ({ ledger }) =>
        openRedemptions(ROBIN, deps(ledger)).change(() => ({
          record: redemptionRecord,
          line: { id: 'AAAABBBBCC10', outcome: 'intended', why: 'a click' },
          value: undefined,
        })),
      read: ({ ledger }) => openRedemptions(ROBIN, deps(ledger)).read(),
    },
  },
  'reward-code': {
    noted: {
      write: ({ ledger }) => noteRewardCode(SHOP, { ...code, customerId: '7001' }, deps(ledger)),
      async read({ ledger }) {
        const order = { ...storeOrder(), couponCodes: ['AUTUMN10', code.code] };
        const first = await withRewardCodeFirst(SHOP, { kind: 'order', order }, ledger);
        const robins = openRedemptions(ROBIN, deps(ledger));
        const ready = redemptionIn({ at: 'ready', ...made }, 0);
        await robins.change(() => ({ record: { redemptions: [ready], intents: [] }, value: 0 }));
        const named = { ...order, customer: { ...member, id: '7001' } };
        await noteUsedCodes(
          SHOP,
          { kind: 'order', order: named },
          {
            ...{ ...deps(ledger), queue: { send: async () => {} }, orderRetentionDays: 400 },
          },
        );
        const [noted] = (await robins.read()).redemptions;
        return { codes: first.order.couponCodes, state: noted?.state.at };
      },
    },
  },
  till: {
    'wrong answers of a user': {
      async write({ ledger }) {
        await openRedemptions(ROBIN, deps(ledger)).change(() => ({
          record: { redemptions: [], intents: [], challenges: redemptionRecord.challenges },
          value: undefined,
        }));
        for (let tries = 0; tries < MOST_BY_STAFF; tries += 1) await answerWrong(ledger);
      },
      read: ({ ledger }) => answerWrong(ledger),
    },
  },
  given: {
    'of a day, and its record': {
      write: ({ ledger }) => give(ledger, 'run-1', 80),
      read: async ({ ledger, settings }) => ({
        again: await give(ledger, 'run-1', 80),
        another: await give(ledger, 'run-2', 30),
        history: await Array.fromAsync(readAudit(settings, { since: now, until: later, now })),
      }),
    },
  },
  notice: {
    'app removed': {
      write: ({ ledger }) =>
        handleTask(event, { kind: 'notify', notice: 'app-uninstalled', id: '1', why: 'why' }, {
          ...deps(ledger),
          orderRetentionDays: 400,
        } as never),
      read: ({ settings }) => listNotices(settings, SHOP),
    },
  },
  cursor: {
    ...CURSORS,
    backfill: {
      async write({ ledger }) {
        const backfills = openBackfills(ledger, SHOP, () => now);
        await backfills.save(backfill, undefined);
      },
      async read({ ledger }) {
        const backfills = openBackfills(ledger, SHOP, () => now);
        return backfills.load(backfill.kind);
      },
    },
    import: {
      async write({ ledger }) {
        const { rows } = await rowsOf(ledger);
        await changeRows('give', rows, importing(ledger));
      },
      read: ({ ledger }) => rowsOf(ledger),
    },
  },
  audit: {
    'of a command': {
      async write({ ledger }) {
        const caller = { userId: 'AIDAEXAMPLE', arn: 'arn:aws:iam::123456789012:user/robin' };
        const change = { command: 'pause', arguments: { shop: SHOP }, version: '1.0.0-rc.2' };
        const key = await recordBegin(ledger, caller as never, change, now);
        const end = { result: 'finished', verdict: 'ok', counts: { messages: 2 } } as const;
        await recordEndOfChange(ledger, key, end, later);
      },
      read: ({ settings }) =>
        Array.fromAsync(readAudit(settings, { since: now, until: later, now })),
    },
  },
  control: {
    'with every field': {
      write: ({ ledger }) => changeControl(ledger, SHOP, () => control),
      read: ({ ledger }) => readControl(ledger, SHOP),
    },
    'after another integration': {
      write: ({ ledger }) => changeControl(ledger, SHOP, (one) => ({ ...one, takeover })),
      read: ({ ledger }) => readControl(ledger, SHOP),
    },
  },
  parked: {
    'unreadable bytes': {
      write: (table) => deliverUnreadable(table, '{"id":5'),
      read: (table) => deliverUnreadable(table, '{"id":6', '{"id":5'),
    },
    'erased customer': {
      async write(table) {
        const connector = await openInProcess(table);
        await connector.deliver(REDACTION);
        await connector.work('orders');
      },
      async read(table) {
        const connector = await openInProcess(table);
        connector.clock.ms += 2 * 86_400_000;
        await connector.deliver(REDACTION);
        await connector.work('orders');
        return connector.deadLetters().length;
      },
    },
  },
  waiting: {
    'woken and ended': {
      async write({ ledger }) {
        const one = { message: { ...message, attempts: 2 }, event };
        const waited = { waiting: { ...wait, tries: 1 } as WaitingMessage, revision: 1 };
        const retry = { why: 'time-out', mayHaveHappened: true } as const;
        const delayed = [{ ...one, lastWait: waited }];
        await recordWaiting(delayed, retry, { begins: now, seconds: 60 }, ledger);
        await recordWaiting(
          [{ ...one, message: { ...message, messageId: 'm-2', attempts: 1 } }],
          ...([{ why: 'shop-paused', pausedBy: 'operator' }] as const),
          ...([{ begins: now, seconds: 60 }, ledger] as const),
        );
        const woken = { until: at + 1_000, receives: 1, revision: 1 };
        await recordWoken(SHOP, { ...wait, messageId: 'm-2' }, woken, ledger);
        const ended = { ...one, message: { ...message, attempts: 3 }, lastWait: waited };
        await recordEnd(ended, 'applied', deps(ledger));
      },
      async read({ settings }) {
        const listed = await listRecords(settings, SHOP, 'waiting');
        return listed
          .map(({ id, entry }) => `${id} ${JSON.stringify(waitingIn(entry.remembered))}`)
          .sort();
      },
    },
  },
  'dead-letter': {
    'in its queue': {
      write: ({ ledger }) => writeSummary(source, event, reason, ledger),
      read: async ({ settings }) => ({
        listed: await Array.fromAsync(readLetters(settings, { since: 0, now })),
        about: await readLettersAbout(settings, event, now),
      }),
    },
    'that nobody can read': {
      write: ({ ledger }) => writeSummary(source, undefined, reason, ledger),
      read: ({ settings }) => Array.fromAsync(readLetters(settings, { since: 0, now })),
    },
    replayed: {
      async write({ ledger, settings }) {
        await writeSummary(source, event, reason, ledger);
        const letters = await readLettersById(settings, ['m-1'], now);
        await retireSummaries(letters, 'replayed', { ledger, now });
      },
      async read({ ledger, settings }) {
        const letters = await readLettersById(settings, ['m-1'], now);
        await restoreSummaries(letters, { ledger, now });
        const restored = await readEntry(ledger, deadLetterKey('m-1'));
        return { letters, revision: restored?.revision };
      },
    },
  },
  place: {
    taken: {
      write: ({ ledger }) => takePlace(ledger, SHOP),
      read: ({ ledger }) => takePlace(ledger, 'second-store.myshopify.com'),
    },
    'of a slow shop': {
      async write({ ledger }) {
        const slow = load(ledger);
        slow.learn(SHOP, 60_000);
        await slow.enter(new Map([[SHOP, 1]])).leave();
      },
      async read({ ledger }) {
        const visit = load(ledger).enter(new Map([[SHOP, 1]]));
        await visit.take([SHOP], await ledger.readMany(visit.keys), async () => false);
        return ledger.readMany([{ shop: '*', kind: 'place', id: 'orders/0' }]);
      },
    },
  },
  plan: {
    'of an order': plan(orderPayload),
    'of a guest': plan({ ...orderPayload, customer: null }),
  },
} satisfies Record<RecordKind, Readonly<Record<string, LedgerSample>>>;

const REDACTION = {
  topic: 'customers/redact',
  payload: { shop_domain: SHOP, customer: { id: 7001 }, orders_to_redact: [5] },
};

/** Not written by the ledger itself. */
const others = {
  'rate limit': {
    booked: {
      async write({ client, table }) {
        for (const callers of [undefined, 'shoppers'] as const) {
          const rate = { client, table, account: SHOP, ...(callers && { of: callers }) };
          await createDynamoDbRateLimit(rate).book(250, at, at + 10_000);
        }
      },
      async read({ client, table }) {
        const rate = createDynamoDbRateLimit({ client, table, account: SHOP });
        return rate.book(250, at, at + 10_000);
      },
    },
  },
} satisfies Readonly<Record<string, Readonly<Record<string, LedgerSample>>>>;

/** Every form of what the ledger remembers: a new one fails the type check until it stands here. */
const FORMS = {
  ...{ order: 1, product: 1, coupon: 1, member: 1, customer: 1, merge: 1, redemption: 1, till: 1 },
  ...{ 'reward-code': 1, given: 1, cursor: 1, control: 1, parked: 1, waiting: 1 },
  ...{ 'dead-letter': 1, place: 1 },
} satisfies Record<Parameters<typeof rememberedForm>[0], 1>;

/** The beginning of every text that the ledger remembers. */
export const BEGINNINGS = Object.entries(FORMS).map(([kind, form]) =>
  rememberedForm(kind as LedgerKey['kind'] as never, form)
    .write('')
    .slice(0, 2),
);

/** Random, and never read as a number. */
const RANDOM_PART = /\|[0-9a-f]{8}(?=\||")/g;

/** The summary of a dead letter repeats a sentence for people: it has samples of its own. */
const isAside = (kind: string, { entity: key }: LedgerItem) =>
  kind !== 'dead-letter' && key?.S?.startsWith('dead-letter|') === true;

export function ledgerSamples(tables: LedgerTables): Samples {
  const all: Readonly<Record<string, Readonly<Record<string, LedgerSample>>>> = {
    ...{ ...entities, ...records, ...others },
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([kind, some]) =>
      Object.entries(some).map(([name, { write, read }]) => {
        const sample: Sample = {
          async write() {
            const table = await tables.open();
            await write(table);
            const items = (await table.items())
              .filter((item) => !isAside(kind, item))
              // Of a plan: it names what the mapping wants, which is no form.
              .map((item) => (kind === 'plan' && item.k ? { ...item, k: { S: 'key' } } : item));
            return JSON.parse(JSON.stringify(items).replace(RANDOM_PART, '|00000000'));
          },
          read: async (items: readonly LedgerItem[]) => read(await tables.open(items)),
        };
        return [`${kind}: ${name}`, sample];
      }),
    ),
  );
}
