import { runBatch } from '../../shared/core/batch/run-batch.ts';
import { type CircuitBreaker, createCircuitBreaker } from '../../shared/core/calls/call-loyalty.ts';
import { createPauses } from '../../shared/core/calls/shop-pause.ts';
import { ledgerKeyText } from '../../shared/core/ledger/ledger.ts';
import type { StoreEntity } from '../../shared/core/store/store.ts';
import { type TransportFailureReason, transportFailure } from '../../shared/loyalty/result.ts';
import { readCart } from '../../shared/rewards/redeem/available-rewards.ts';
import type { TypedContacts } from '../../shared/rewards/redeem/challenge.ts';
import { createMembers } from '../../shared/rewards/redeem/own-member.ts';
import { closeRedemption } from '../../shared/rewards/redeem/recover-redemptions.ts';
import {
  createRedeeming,
  type RedeemDeps,
  type RedeemRequest,
} from '../../shared/rewards/redeem/redeem-reward.ts';
import type { ClosedAs } from '../../shared/rewards/redeem/redemption.ts';
import {
  namesOf,
  openRedemptions,
  recallRedemptions,
  redemptionsKey,
} from '../../shared/rewards/redeem/redemption-record.ts';
import { settleStorefront } from '../../shared/rewards/redeem/settle-storefront.ts';
import type { TakeBackRule } from '../../shared/rewards/redeem/take-back.ts';
import { noteUsedCodes } from '../../shared/rewards/redeem/worker-moments.ts';
import { listRedemptions } from '../../shared/rewards/storefront/read-view.ts';
import { asItIs, openBalanceQueue, SHOP, type Watch } from './balance-worker.ts';
import { createMemoryRewardStore } from './memory-reward-store.ts';

/** What happens to the next call that spends points. */
export type CallFate =
  | 'answered'
  | 'lost-answer'
  | 'lost-call'
  | 'refused'
  | 'throttled'
  | 'credentials-refused'
  | 'something-went-wrong'
  | 'unknown-customer'
  | 'not-the-contract';

interface ModelReward {
  readonly id: number;
  readonly points: number;
  readonly type?: number;
  readonly value?: number;
  readonly more?: Readonly<Record<string, unknown>>;
}

interface ModelRedemption {
  readonly RewardId: number;
  readonly OriginalKey: string;
  readonly ExternalCode: string;
  readonly customerId: string;
  readonly points: number;
  readonly at: string;
  readonly metadatas: readonly object[];
  isCancelled: boolean;
}

/** The part of the loyalty service that redemptions use, with simulated faults. */
export function createRewardService(rewards: readonly ModelReward[], now: () => Date) {
  const balances = new Map<string, number>();
  const redemptions = new Map<string, ModelRedemption>();
  /** The bodies of the calls that spend points. */
  const bodies: object[] = [];
  const fates: CallFate[] = [];
  /** Keyed changes of balances. */
  const changes = new Map<string, number>();
  /** Whom the service finds by an e-mail address that another member has taken. */
  const holders = new Map<string, string>();

  const describe = ({ id, points, type = 0, value = 5, more = {} }: ModelReward) => ({
    ...{ Id: id, Title: `Reward ${id}`, Points: points, RewardType: type, Value: value },
    ...{ IsActive: true, Enabled: true, CodePrefix: 'five', ValidDays: 30, ...more },
  });
  const businessError = (code: number, errorClass: string) => ({
    ...{ kind: 'business-error', class: errorClass, code, message: 'no', fields: [] },
  });
  const cutOff = (reason: TransportFailureReason) =>
    transportFailure(reason, { mayHaveHappened: true, message: 'no answer' });
  const success = (value: object) => ({ kind: 'success', value });

  const service = {
    balances,
    redemptions,
    bodies,
    fates,
    changes,
    holders,
    /** What a call with a known key is answered. */
    repetition: 'first-result' as 'first-result' | 'refused',
    /** A customer must answer with the PIN; undefined when none was sent. */
    challenge: {
      isNeeded: false,
      pin: undefined as string | undefined,
      sent: 0,
      tried: 0,
      /** What it asks for, until a start brings one of them. */
      asks: [] as ('Phone' | 'Email')[],
      says: null as string | null,
      starts: [] as { id: string; TransactionId: string; Phone?: string; Email?: string }[],
      answers: [] as { id: string; TransactionId: string; Code: string }[],
    },
    calls: () => bodies.length,
    async getRewardConfiguration(id: number) {
      const reward = rewards.find((one) => one.id === id);
      return (reward ? success(describe(reward)) : businessError(44, 'rejected')) as never;
    },
    async listAvailableRewards({ CustomerId = '' }: { CustomerId?: string }) {
      const offered = rewards.map((one) => ({ ...describe(one), CanUse: true }));
      const ShouldValidateCustomer = service.challenge.isNeeded;
      const Customer = { OriginalId: holderOf(CustomerId) };
      return success({ Customer, Rewards: offered, ShouldValidateCustomer }) as never;
    },
    async startChallenge(id: string, start: { TransactionId: string; Phone?: string | null }) {
      const { challenge } = service;
      challenge.starts.push({ id, ...start } as (typeof challenge.starts)[number]);
      const isReached = challenge.asks.length === 0 || challenge.asks.some((name) => name in start);
      if (isReached) {
        challenge.sent += 1;
        challenge.pin = `${1_000 + challenge.sent}`;
      }
      return success({
        Success: isReached,
        FriendlyErrorMessage: isReached ? null : challenge.says,
        ShouldInformPhone: !isReached && challenge.asks.includes('Phone'),
        ShouldInformEmail: !isReached && challenge.asks.includes('Email'),
        TransactionId: start.TransactionId,
      }) as never;
    },
    async validateChallenge(id: string, answer: { TransactionId: string; Code: string }) {
      const { challenge } = service;
      challenge.tried += 1;
      challenge.answers.push({ id, ...answer });
      const last = challenge.starts.at(-1);
      const isRight =
        answer.Code === challenge.pin &&
        id === last?.id &&
        answer.TransactionId === last.TransactionId;
      return success({
        Success: isRight,
        FriendlyErrorMessage: isRight ? null : challenge.says,
        TransactionId: answer.TransactionId,
      }) as never;
    },
    async redeemRewardByKey(id: number, body: { CustomerId?: string; OriginalKey?: string }) {
      bodies.push(body);
      const reward = rewards.find((one) => one.id === id);
      if (!reward) return businessError(87, 'rejected') as never;
      switch (fates.shift() ?? 'answered') {
        case 'answered':
          return spend(reward, body) as never;
        case 'lost-answer':
          spend(reward, body);
          return cutOff('time-out') as never;
        case 'lost-call':
          return cutOff('connection') as never;
        case 'not-the-contract':
          spend(reward, body);
          return cutOff('not-the-contract') as never;
        case 'refused':
          return businessError(47, 'rejected') as never;
        case 'throttled':
          return businessError(103, 'throttled') as never;
        case 'something-went-wrong':
          spend(reward, body);
          return businessError(77, 'retry') as never;
        case 'credentials-refused':
          return businessError(101, 'misconfigured') as never;
        case 'unknown-customer':
          return businessError(46, 'rejected') as never;
      }
    },
    async updateRewardMetadata({ OriginalKey = '' }: { OriginalKey?: string }) {
      const known = redemptions.get(OriginalKey);
      return (known ? success(known) : businessError(87, 'rejected')) as never;
    },
    async cancelRedemption(rewardId: number) {
      const known = [...redemptions.values()].find((one) => one.RewardId === rewardId);
      if (!known) return businessError(73, 'rejected') as never;
      if (known.isCancelled) return businessError(74, 'done') as never;
      known.isCancelled = true;
      const { customerId, points } = known;
      balances.set(customerId, (balances.get(customerId) ?? 0) + points);
      return success({ Id: rewardId, IsCanceled: true }) as never;
    },
    async getRedeemedReward(rewardId: number) {
      const known = [...redemptions.values()].find((one) => one.RewardId === rewardId);
      if (!known) return businessError(87, 'rejected') as never;
      const Customer = { OriginalId: known.customerId };
      return success({ Id: rewardId, IsCanceled: known.isCancelled, Customer }) as never;
    },
    /** Once for each key, like `changeCashback`. */
    async changePoints(id: string, change: { Points?: number; ChangeKey?: string }) {
      return take(id, change.Points ?? 0, change.ChangeKey ?? '') as never;
    },
    async changeCashback(id: string, change: { Value?: number; ChangeKey?: string }) {
      return take(id, change.Value ?? 0, change.ChangeKey ?? '') as never;
    },
    async getCustomerPoints(id: string) {
      const value = { CustomerExists: true, PointsBalance: balances.get(id) ?? 0 };
      return { kind: 'success', value } as never;
    },
    async getCustomer(id: string) {
      const OriginalId = holderOf(id);
      const Email = `${OriginalId}@example.com`;
      return success({ OriginalId, Email, CurrentTier: null }) as never;
    },
    async listCustomersReport({ isEnrolled }: { isEnrolled?: boolean } = {}) {
      const spenders = new Set([...redemptions.values()].map(({ customerId }) => customerId));
      const Items = isEnrolled ? [...spenders].map((OriginalId) => ({ OriginalId })) : [];
      return success({ Items }) as never;
    },
    /** One item on each page. */
    async listPointsHistory(id: string, { PageNumber = 1 }: { PageNumber?: number } = {}) {
      const theirs = [...redemptions.values()].filter(({ customerId }) => customerId === id);
      const Items = theirs.slice(PageNumber - 1, PageNumber).map((one) => ({
        ...{ Date: one.at, Points: -one.points, IsCanceled: one.isCancelled },
        Metadatas: one.metadatas,
      }));
      return success({ Items, HasNextPage: PageNumber < theirs.length }) as never;
    },
  };

  /** The program knows customers by their e-mail address, too. */
  function holderOf(id: string): string {
    return holders.get(id) ?? id.replace(/@.*/, '');
  }

  function take(id: string, amount: number, key: string) {
    if (changes.has(key)) return businessError(66, 'done');
    const balance = (balances.get(id) ?? 0) + amount;
    if (balance < 0) return businessError(70, 'rejected');
    changes.set(key, amount);
    balances.set(id, balance);
    return success({ PointsBalance: balance });
  }

  function spend(
    reward: ModelReward,
    body: { CustomerId?: string; OriginalKey?: string; Metadatas?: readonly object[] },
  ) {
    const { CustomerId = '', OriginalKey = '', Metadatas: metadatas = [] } = body;
    const customerId = holderOf(CustomerId);
    const known = redemptions.get(OriginalKey);
    // A cancelled key must never be sent again.
    if (known?.isCancelled) throw new Error('a cancelled key was used');
    if (known && service.repetition === 'refused') return businessError(47, 'rejected');
    if (known) return success(known);
    const balance = balances.get(customerId) ?? 0;
    if (balance < reward.points) return businessError(94, 'rejected');
    balances.set(customerId, balance - reward.points);
    const RewardId = redemptions.size + 1;
    const redeemed = {
      RewardId,
      OriginalKey,
      ExternalCode: `FIVE-${RewardId}`,
      customerId,
      points: reward.points,
      at: now().toISOString(),
      metadatas,
      isCancelled: false,
    };
    redemptions.set(OriginalKey, redeemed);
    return success({ ...redeemed });
  }

  return service;
}

export { SHOP };
export const ROBIN = '7001';

/** The names of Robin's redemption by this click. */
export const namesOfClick = (clientKey = 'click-0001') =>
  namesOf({ shop: SHOP, customerId: ROBIN }, clientKey);

/** Cashback that becomes store credit. The model takes 100 points for whatever amount is chosen. */
export const CASHBACK = {
  ...{ id: 1, points: 100, type: 6 },
  more: { CanSelectValue: true, AvailableCashback: 50, MaxCashbackForCurrentPurchase: 50 },
};

const CART = readCart('11:100:1') ?? [];

/** Redemptions in this process, on a clock that the test moves. */
export function openRedeeming({
  rewards = [
    { id: 1, points: 100 },
    { id: 2, points: 200, type: 1, value: 10 },
    { id: 3, points: 50, type: 2, value: 0 },
  ],
  redeemsPerHour = 10,
  newBreaker = createCircuitBreaker,
}: Partial<{
  rewards: Parameters<typeof createRewardService>[0];
  redeemsPerHour: number;
  /** That of each batch of the worker. */
  newBreaker: () => CircuitBreaker;
}> = {}) {
  const here = openBalanceQueue([ROBIN, '7002'], 360);
  const { clock, now, ledger, queue, dead, balances, telemetry, events } = here;
  const loyalty = createRewardService(rewards, now);
  const store = createMemoryRewardStore(now);
  const never = new AbortController().signal;
  let keys = 0;

  const membersOn = (watched: typeof loyalty, breaker: CircuitBreaker = createCircuitBreaker()) =>
    createMembers({
      ...{ shop: SHOP, loyalty: watched, breaker, telemetry, now },
      posCustomerId: 'email-or-document',
    });

  function worldFor(watch: Watch): RedeemDeps {
    return {
      ledger: watch(ledger),
      loyalty: watch(loyalty),
      breaker: opened.shopperBreaker(),
      members: membersOn(watch(loyalty)),
      store: watch(store),
      queue: watch(events),
      telemetry,
      now,
      inDoubt: () => opened.isInDoubt,
      newKey: () => {
        keys += 1;
        return `00000000-0000-4000-8000-${String(keys).padStart(12, '0')}`;
      },
      rewardTypes: {
        ...{ 0: 'fixed', 1: 'percent', 2: 'free-shipping', 3: 'cashback', 5: 'product' },
        6: 'store-credit',
      },
      redeemsPerHour,
      takeBack: opened.takeBackRule,
      retentionDays: 400,
      keepsMetadata: true,
      deadline: never,
    };
  }

  const opened = {
    clock,
    isInDoubt: false,
    /** That of each request. */
    shopperBreaker: createCircuitBreaker as () => CircuitBreaker,
    takeBackRule: { by: 'customer', withinDays: 30 } as TakeBackRule,
    ledger,
    queue,
    dead,
    loyalty,
    store,
    balances,
    events,
    telemetry,
    announced: here.announced,

    redeem(request: Partial<RedeemRequest> = {}, watch = asItIs) {
      const { customerId = ROBIN, ...more } = request;
      const intent = { rewardId: 1, clientKey: 'click-0001', cart: CART, ...more };
      return createRedeeming(SHOP, () => worldFor(watch)).redeem(customerId, intent);
    },

    takeBack(id = namesOfClick().id, staffId?: string, watch = asItIs) {
      return createRedeeming(SHOP, () => worldFor(watch)).takeBack(ROBIN, id, staffId);
    },

    /** The customer orders with this code, and the event of it comes. */
    order(code: string, watch = asItIs) {
      opened.placeOrder(code);
      return opened.hearOrder(code, watch);
    },

    placeOrder(code: string): void {
      store.orders.push({ customerId: ROBIN, at: now(), codes: ['WELCOME', code.toLowerCase()] });
      const made = store.codes.get(code.toLowerCase());
      if (made) made.used += 1;
    },

    /** The event of an order alone, or once more. */
    async hearOrder(code: string, watch = asItIs) {
      const order = { couponCodes: ['WELCOME', code.toLowerCase()], customer: { id: ROBIN } };
      await noteUsedCodes(SHOP, { kind: 'order', order } as unknown as StoreEntity, {
        ...{ ledger: watch(ledger), queue: watch(events), now, orderRetentionDays: 400 },
      });
    },

    /** A click that dies when its intent is on the queue, and its call is not begun. */
    async clickThatDies(): Promise<void> {
      const { write } = ledger;
      let writes = 0;
      ledger.write = async (...given) => {
        writes += 1;
        if (writes === 2) throw new Error('the process died');
        return write(...given);
      };
      const answer = await opened.redeem();
      ledger.write = write;
      const isPending = answer.kind === 'redemption' && answer.redemption.state === 'pending';
      if (!isPending) throw new Error(`it answered ${answer.kind}`);
    },

    challenge: (customerId = ROBIN, typed: TypedContacts = {}, staffId = '42') =>
      createRedeeming(SHOP, () => worldFor(asItIs)).challenge(customerId, staffId, typed),

    async list(customerId = ROBIN) {
      const world = worldFor(asItIs);
      const record = openRedemptions({ shop: SHOP, customerId }, world);
      const { redemptions } = await record.read();
      return { redemptions: listRedemptions(redemptions, 'customer', world.takeBack, now()) };
    },

    /** As it is in the ledger. */
    async kept(customerId = ROBIN) {
      const key = redemptionsKey({ shop: SHOP, customerId });
      const entry = (await ledger.readMany([key])).get(ledgerKeyText(key));
      return recallRedemptions(entry?.remembered, now()).redemptions;
    },

    close: (id: string, as: ClosedAs) =>
      closeRedemption({ shop: SHOP, customerId: ROBIN }, id, as, {
        ...{ ledger, now, queue: events, retentionDays: 400 },
      }),

    /** Puts a dead letter back on the queue. */
    replay() {
      const [letter] = dead.receive();
      if (!letter) throw new Error('there is no dead letter');
      dead.delete(letter.receiptHandle);
      const again = `replayed-${clock.ms}`;
      queue.send({ body: letter.body, groupId: again, deduplicationId: again });
    },

    /** One batch of the worker; finished messages leave the queue. */
    async work(watch = asItIs) {
      const { received } = await here.workOn((batch) => {
        const pauses = createPauses({ ledger: watch(ledger), telemetry, queue: 'balances' });
        const breaker = newBreaker();
        const watched = watch(loyalty);
        const source = { loyalty: watched, breaker, members: membersOn(watched, breaker) };
        const deps = {
          ...here.depsFor(watch),
          pauses,
          shops: new Map([[SHOP, source]]),
          store: watch(store),
          customers: { findCustomer: async () => ({ kind: 'gone' as const }) },
          customerIdIn: 'Id' as const,
        };
        return runBatch(batch, deps, settleStorefront);
      }, watch);
      return received;
    },

    /** Works until the queue is empty, letting time pass where messages wait. */
    async drain() {
      for (let round = 0; round < 300 && queue.size > 0; round += 1) {
        if ((await opened.work()) === 0) clock.ms += 30_000;
      }
    },
  };
  loyalty.balances.set(ROBIN, 1_000);
  return opened;
}

export type Redeeming = ReturnType<typeof openRedeeming>;
