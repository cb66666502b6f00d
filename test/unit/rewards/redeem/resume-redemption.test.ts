import { beforeEach, describe, expect, it } from 'vitest';
import { createCircuitBreaker } from '../../../../shared/core/calls/call-loyalty.ts';
import type { QueuedEvent } from '../../../../shared/core/events/event.ts';
import { transportFailure } from '../../../../shared/loyalty/result.ts';
import {
  previewClosing,
  recoverRedemptions,
  resumeRedemptions,
} from '../../../../shared/rewards/redeem/recover-redemptions.ts';
import type { Redemption, RedemptionState } from '../../../../shared/rewards/redeem/redemption.ts';
import { applyStep, openRedemptions } from '../../../../shared/rewards/redeem/redemption-record.ts';
import { redemptionAt } from '../../../fixtures/redemption.ts';
import {
  namesOfClick,
  openRedeeming,
  type Redeeming,
  ROBIN,
  SHOP,
} from '../../../support/redeem-world.ts';

let world: Redeeming;
let since: Date;
beforeEach(() => {
  world = openRedeeming();
  since = new Date(world.clock.ms);
});

async function expectCode(): Promise<void> {
  expect(await world.list()).toMatchObject({ redemptions: [{ state: 'ready', code: 'FIVE-1' }] });
}

describe('a lost answer', () => {
  it.each(['lost-answer', 'lost-call', 'not-the-contract', 'something-went-wrong'] as const)(
    'is asked for again by the queue, with the same body, and the points are spent once (%s)',
    async (fate) => {
      world.loyalty.fates.push(fate);
      expect(await world.redeem()).toMatchObject({ redemption: { state: 'pending', code: null } });
      await world.drain();
      await expectCode();
      const [first, ...others] = world.loyalty.bodies;
      expect(others).toEqual([first]);
      expect(world.loyalty.balances.get(ROBIN)).toBe(900);
      expect(world.dead.size).toBe(0);
    },
  );

  // The simulation found it: the answer to each repetition opened the breaker, which allowed no look-up.
  it('is found by key where every repetition opens the circuit breaker', async () => {
    const opensAtOnce = { failuresToOpen: 1, openSeconds: 10, longestOpenSeconds: 10 };
    const breaker = createCircuitBreaker(opensAtOnce);
    world = openRedeeming({ newBreaker: () => breaker });
    const unclear = Array.from({ length: 100 }, () => 'not-the-contract' as const);
    world.loyalty.fates.push('lost-answer', ...unclear);
    await world.redeem();
    await world.drain();
    await expectCode();
    expect(world.queue.size).toBe(0);
  });

  it('and then a refusal waits for a person when the look-up is refused', async () => {
    const { updateRewardMetadata } = world.loyalty;
    world.loyalty.fates.push('lost-answer', 'refused');
    world.loyalty.updateRewardMetadata = async () =>
      ({ kind: 'business-error', class: 'rejected', code: 7, message: 'no', fields: [] }) as never;
    await world.redeem();
    await world.drain();
    expect(world.dead.size).toBe(1);
    expect(await world.kept()).toMatchObject([{ stuck: 'look-up-refused' }]);
    expect(world.telemetry.total('redemption-pending')).toBe(1);
    // Sent again, the dead letter continues where it stopped.
    world.loyalty.updateRewardMetadata = updateRewardMetadata;
    world.replay();
    await world.drain();
    await expectCode();
    expect((await world.kept())[0]).not.toHaveProperty('stuck');
  });

  it('is not asked for by a process that was slow to call: another may have cancelled since', async () => {
    const { write } = world.ledger;
    world.ledger.write = async (...given) => {
      const written = await write(...given);
      if (world.loyalty.calls() === 0) world.clock.ms += 31_000;
      return written;
    };
    expect(await world.redeem()).toEqual({ kind: 'unavailable' });
    expect(world.loyalty.calls()).toBe(0);
  });
});

describe('a code that the store refuses', () => {
  const REFUSED = () => ({ kind: 'refused', code: 'INVALID' }) as const;

  it.each([
    ['permanently', 'refused'],
    ['because another discount has it', 'taken'],
  ] as const)('%s gives the points back', async (_, kind) => {
    if (kind === 'taken') world.store.foreign.add('five-1');
    else world.store.before = REFUSED;
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'making', code: null } });
    await world.drain();
    expect(world.loyalty.balances.get(ROBIN)).toBe(1_000);
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled', code: null }] });
    expect(world.store.codes.size).toBe(0);
    expect(world.dead.size).toBe(0);
    // A new click is a new redemption with a new key.
    world.store.before = undefined;
    expect(await world.redeem()).toMatchObject({ redemption: { state: 'cancelled' } });
    const again = await world.redeem({ clientKey: 'click-0002' });
    expect(again).toMatchObject({ redemption: { state: 'ready', code: 'FIVE-2' } });
    expect(new Set(world.loyalty.redemptions.keys()).size).toBe(2);
  });

  it('and has after the cancellation is deleted', async () => {
    let wanted: Parameters<NonNullable<typeof world.store.before>>[0] | undefined;
    world.store.before = (given) => {
      wanted = given;
      return REFUSED();
    };
    const { cancelRedemption } = world.loyalty;
    world.loyalty.cancelRedemption = (id) => {
      if (wanted) world.store.codes.set('five-1', { ...wanted, discountId: 'late', used: 0 });
      return cancelRedemption(id);
    };
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled' }] });
    expect(world.store.codes.size).toBe(0);
  });

  it('counts a cancellation that was made already as done', async () => {
    world.store.before = REFUSED;
    const { cancelRedemption } = world.loyalty;
    let calls = 0;
    world.loyalty.cancelRedemption = async (id) => {
      calls += 1;
      const answer = await cancelRedemption(id);
      if (calls > 1) return answer;
      const lost = { kind: 'transport-failure', reason: 'time-out', class: 'retry' };
      return { ...lost, mayHaveHappened: true, message: 'no' } as never;
    };
    await world.redeem();
    await world.drain();
    expect(calls).toBe(2);
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled' }] });
    expect(world.loyalty.balances.get(ROBIN)).toBe(1_000);
  });

  it('does not wait for a person when another process has cancelled it meanwhile', async () => {
    world.store.before = REFUSED;
    const { ledger, clock } = world;
    world.loyalty.cancelRedemption = async () => {
      const other = { ledger, now: () => new Date(clock.ms), retentionDays: 400 };
      const [{ id = '' } = {}] = await world.kept();
      const record = openRedemptions({ shop: SHOP, customerId: ROBIN }, other);
      await applyStep(record, id, { kind: 'cancelled' });
      const refused = { kind: 'business-error', class: 'rejected', code: 73 };
      return { ...refused, message: 'no', fields: [] } as never;
    };
    await world.redeem();
    await world.drain();
    expect(world.dead.size).toBe(0);
    const [kept] = await world.kept();
    expect(kept?.state.at).toBe('cancelled');
    expect(kept).not.toHaveProperty('stuck');
  });

  it('waits for a person when the service does not know the redemption any more', async () => {
    world.store.before = REFUSED;
    await world.redeem();
    world.loyalty.redemptions.clear();
    await world.drain();
    expect(world.dead.size).toBe(1);
    const kept = { state: { at: 'cancelling' }, stuck: 'cancel-refused' };
    expect(await world.kept()).toMatchObject([kept]);
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'making' }] });
    // No code is made, whatever is sent again.
    world.store.before = undefined;
    world.replay();
    await world.drain();
    expect(world.store.codes.size).toBe(0);
    const { id } = namesOfClick();
    expect(await world.close(id, 'refused')).toMatchObject({ kind: 'not-allowed' });
    expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'closed' });
    expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'closed' });
    expect(await world.close('TESTREDEEM99', 'cancelled')).toEqual({ kind: 'not-found' });
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'cancelled' }] });
  });
});

const READY = { kind: 'redemption', redemption: { state: 'ready', code: 'FIVE-1' } };

describe('the worker of redemptions', () => {
  it('does not begin what is about to be forgotten, nor try without an end', async () => {
    await world.clickThatDies();
    world.clock.ms += 57 * 60_000;
    await world.drain();
    expect(world.loyalty.calls()).toBe(0);
    expect(await world.kept()).toEqual([]);
    expect(world.queue.size).toBe(0);
  });

  it('makes the code of its own call in the same batch', async () => {
    await world.clickThatDies();
    world.clock.ms += 31_000;
    await world.work();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.queue.size).toBe(0);
  });

  it('lets the customer see a refusal that no click was answered with', async () => {
    await world.clickThatDies();
    world.loyalty.fates.push('refused');
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'refused', code: null }] });
  });

  it('looks up again what it could not look up, and asks no person', async () => {
    const { updateRewardMetadata } = world.loyalty;
    let lookUps = 0;
    world.loyalty.updateRewardMetadata = async (given) => {
      lookUps += 1;
      if (lookUps > 1) return updateRewardMetadata(given);
      return transportFailure('time-out', { mayHaveHappened: true, message: 'no answer' }) as never;
    };
    world.loyalty.fates.push('lost-answer', 'refused');
    await world.redeem();
    await world.drain();
    expect(world.dead.size).toBe(0);
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
  });

  it('does not give points back while the store cannot say whether it has the code', async () => {
    world.store.before = (wanted) => {
      world.store.codes.set('five-1', { ...wanted, discountId: 'late', used: 0 });
      return { kind: 'refused', code: 'INVALID' };
    };
    const { findCode } = world.store;
    world.store.findCode = async () => {
      world.store.findCode = findCode;
      return { kind: 'unavailable', why: 'time-out' };
    };
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.balances.get(ROBIN)).toBe(900);
  });

  it('waits as long as the service asks after a call without an answer', async () => {
    const { redeemRewardByKey } = world.loyalty;
    const calledAt: number[] = [];
    world.loyalty.redeemRewardByKey = async (...given) => {
      calledAt.push(world.clock.ms);
      if (calledAt.length > 1) return redeemRewardByKey(...given);
      const details = { mayHaveHappened: true, message: 'HTTP 503.', retryAfterSeconds: 900 };
      return transportFailure('unavailable', details) as never;
    };
    await world.clickThatDies();
    await world.drain();
    const [first = 0, second = 0] = calledAt;
    expect(second - first).toBeGreaterThanOrEqual(900_000);
  });

  it('gives every call its deadline, so that none is waited for after it', async () => {
    const signals: unknown[] = [];
    for (const name of ['redeemRewardByKey', 'updateRewardMetadata', 'cancelRedemption'] as const) {
      const call = world.loyalty[name] as (...given: unknown[]) => Promise<never>;
      Object.assign(world.loyalty, {
        [name]: (...given: unknown[]) => {
          signals.push((given.at(-1) as { readonly signal?: unknown }).signal);
          return call(...given);
        },
      });
    }
    world.store.before = () => ({ kind: 'refused', code: 'INVALID' });
    world.loyalty.fates.push('lost-answer', 'not-the-contract');
    await world.redeem();
    await world.drain();
    expect(signals).toEqual(Array(4).fill(expect.any(AbortSignal)));
    const lines = [...world.ledger.entries.values()].flatMap(({ outcomes }) => outcomes);
    expect(lines).toContainEqual(expect.objectContaining({ why: 'INVALID' }));
  });

  it('takes a redemption that the service remarks on for a redemption', async () => {
    const { updateRewardMetadata } = world.loyalty;
    world.loyalty.updateRewardMetadata = async (given) =>
      ({ ...((await updateRewardMetadata(given)) as object), kind: 'warning' }) as never;
    world.loyalty.fates.push('lost-answer', 'not-the-contract');
    await world.redeem();
    await world.drain();
    expect(await world.list()).toMatchObject({ redemptions: [READY.redemption] });
    expect(world.loyalty.calls()).toBe(2);
  });
});

async function keep(id: string, state: RedemptionState, more: Partial<Redemption> = {}) {
  const at = new Date(world.clock.ms).toISOString();
  const redemption = redemptionAt(state, { id, intendedAt: at, since: at, ...more });
  const record = openRedemptions(
    { shop: SHOP, customerId: ROBIN },
    { ledger: world.ledger, now: () => new Date(world.clock.ms), retentionDays: 400 },
  );
  await record.change((found) => ({
    record: { ...found, redemptions: [...found.redemptions, redemption] },
    value: undefined,
  }));
  const event = { shop: SHOP, customerId: ROBIN, kind: 'redemption', id, topic: 'redeem' } as const;
  return { record, redemption, event: { ...event, deliveryId: id, receivedAt: at } };
}

const at = '2026-10-09T12:00:00.000Z';
const code = { code: 'OLD-1', kind: 'fixed', value: 5, startsAt: at } as const;
const OLD = 'OLD000000000';
const REDEEMED = { at: 'redeemed', redeemedRewardId: 7, code, calledAt: at } as const;
const body = { CustomerId: ROBIN, RewardId: 1, OriginalKey: 'a-key' };
const CALLING = { at: 'calling', body, attempts: 1, calledAt: at } as const;

describe('a person who closes a redemption', () => {
  it('hears beforehand what it would do', async () => {
    const now = new Date(world.clock.ms);
    const { redemption } = await keep(OLD, CALLING, { stuck: 'look-up-refused' });
    const free = { ...redemption, stuck: undefined } as unknown as Redemption;
    const closed = { ...redemption, state: { at: 'cancelled' } } as const;
    expect(previewClosing(redemption, 'cancelled', now)).toMatchObject({ kind: 'closed' });
    expect(previewClosing(closed, 'cancelled', now)).toEqual({
      kind: 'closed',
      redemption: closed,
    });
    expect(previewClosing(closed, 'refused', now)).toMatchObject({ kind: 'not-allowed' });
    expect(previewClosing(free, 'refused', now)).toMatchObject({ kind: 'not-allowed' });
    expect(previewClosing(undefined, 'refused', now)).toEqual({ kind: 'not-found' });
  });

  it('does not hear that it is closed when the customer got the code at that moment', async () => {
    const { record } = await keep(OLD, REDEEMED, { stuck: 'look-up-refused' });
    const { readMany } = world.ledger;
    world.ledger.readMany = async (keys) => {
      const found = await readMany(keys);
      world.ledger.readMany = readMany;
      await applyStep(record, OLD, { kind: 'made', discountId: '1' });
      return found;
    };
    expect(await world.close(OLD, 'cancelled')).toMatchObject({ kind: 'not-allowed' });
    expect(world.queue.size).toBe(0);
  });

  it('has a message for each, so that the worker deletes the codes of both', async () => {
    for (const id of ['OLD000000001', 'OLD000000002']) {
      await keep(id, REDEEMED, { stuck: 'look-up-refused' });
      expect(await world.close(id, 'cancelled')).toMatchObject({ kind: 'closed' });
    }
    expect(world.queue.size).toBe(2);
  });
});

const receivedAt = '2026-10-09T12:00:00.000Z';
const head = { shop: SHOP, deliveryId: 'one', receivedAt };
const visit: QueuedEvent = { ...head, kind: 'balance', id: ROBIN, topic: 'visit' };
const redemption = { ...head, kind: 'redemption', customerId: ROBIN, topic: 'redeem' } as const;

describe('the queue of balances', () => {
  it('loses no kind of message beside another', async () => {
    world.store.before = () => ({ kind: 'unavailable', why: 'time-out' });
    await world.redeem();
    world.store.before = undefined;
    await world.events.send(visit);
    await world.work();
    expect(await world.list()).toMatchObject({ redemptions: [{ state: 'ready' }] });
    expect(world.balances.customers.get(ROBIN)).toMatchObject({ points: '900' });
    expect(world.queue.size).toBe(0);
    expect(world.dead.size).toBe(0);
  });

  it('ends every message of one redemption', async () => {
    await world.redeem();
    const [{ id = '' } = {}] = await world.kept();
    for (const deliveryId of ['two', 'three']) {
      await world.events.send({ ...redemption, id, deliveryId });
    }
    await world.work();
    expect(world.telemetry.total('handled', { why: 'redemption-ready' })).toBe(3);
    expect(world.queue.size).toBe(0);
  });

  it.each([
    ['of a redemption that is gone', { id: 'GONE00000000' }, 'redemption-gone', 0],
    ['of a shop without a storefront', { id: 'GONE00000000', shop: 'other-store' }, '', 1],
  ])('lets a message %s go, or parks it', async (_, more, why, dead) => {
    await world.events.send({ ...redemption, ...more });
    await world.work();
    expect(world.telemetry.total('handled', { why })).toBe(1 - dead);
    expect([world.queue.size, world.dead.size]).toEqual([0, dead]);
    if (dead) expect(world.dead.receive()[0]?.attributes).toMatchObject({ reason: 'unreadable' });
  });
});

const copyOf = ({ ledger }: Redeeming) => new Map(ledger.entries);
const spent = () => 1_000 - (world.loyalty.balances.get(ROBIN) ?? 0);

async function codes() {
  const { redemptions } = await world.list();
  return redemptions.map(({ code, state, title, points }) => ({ code, state, title, points }));
}

function recover(shop = SHOP, pause = async () => {}) {
  const { ledger, loyalty, events, clock } = world;
  const now = () => new Date(clock.ms);
  const signal = new AbortController().signal;
  return recoverRedemptions(shop, since, {
    ...{ ledger, loyalty, queue: events, now, retentionDays: 400, pause, signal },
  });
}

/** The ledger is so again; time has passed since. */
function restore(copy?: ReturnType<typeof copyOf>) {
  world.ledger.restore(copy);
  world.clock.ms += 3_600_000;
}

describe('a ledger that has forgotten a redemption', () => {
  it.each(['first-result', 'refused'] as const)(
    'believes no refusal while it is in doubt, where a repeated key is answered with %s',
    async (repetition) => {
      await world.redeem();
      const before = await codes();
      await world.drain();
      restore();
      world.isInDoubt = true;
      world.loyalty.repetition = repetition;
      expect(await world.redeem()).toMatchObject({ kind: 'redemption' });
      await world.drain();
      expect(await codes()).toEqual(before);
      expect(spent()).toBe(100);
    },
  );

  it.each(['recovered', 'clicked again'])(
    'makes no code again that an order used while it was taken back, when it is %s',
    async (how) => {
      await world.redeem();
      const before = await codes();
      await world.takeBack();
      for (let round = 0; world.store.codes.size > 0 && round < 10; round += 1) await world.work();
      world.placeOrder(before[0]?.code ?? '');
      restore();
      await world.drain();
      world.isInDoubt = true;
      await (how === 'recovered' ? recover() : world.redeem());
      await world.drain();
      expect(await codes()).toEqual([{ ...before[0], state: 'used' }]);
      expect(world.store.codes.size).toBe(0);
      expect(spent()).toBe(100);
    },
  );

  it('leaves no code to one whose order names it only after it was recovered', async () => {
    await world.redeem();
    const before = await codes();
    await world.takeBack();
    for (let round = 0; world.store.codes.size > 0 && round < 10; round += 1) await world.work();
    restore();
    await world.drain();
    await recover();
    await world.drain();
    expect(world.store.codes.size).toBe(1);
    await world.order(before[0]?.code ?? '');
    await world.drain();
    expect(await codes()).toEqual([{ ...before[0], state: 'used' }]);
    expect(world.store.codes.size).toBe(0);
    expect(spent()).toBe(100);
  });

  it('finds the codes again that customers bought since', async () => {
    await world.redeem();
    const copy = copyOf(world);
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    await world.redeem({ clientKey: 'click-0003', rewardId: 1 });
    const before = await codes();
    await world.drain();
    restore(copy);
    expect(await codes()).toHaveLength(1);
    expect(await recover()).toEqual({ customers: 1, found: 2, unread: [] });
    await world.drain();
    expect(await codes()).toEqual(before);
    // A second time there is nothing to find.
    expect(await recover()).toMatchObject({ found: 0 });
    // The click that bought it is still known.
    await world.redeem({ clientKey: 'click-0003', rewardId: 1 });
    expect(spent()).toBe(400);
  });

  it('leaves out what was cancelled, and what is older than it looks for', async () => {
    await world.redeem();
    await world.redeem({ clientKey: 'click-0002', rewardId: 2 });
    for (const one of world.loyalty.redemptions.values()) one.isCancelled = one.RewardId === 1;
    restore();
    expect(await recover()).toMatchObject({ found: 1 });
    restore();
    since = new Date(world.clock.ms);
    expect(await recover()).toMatchObject({ customers: 1, found: 0 });
  });

  it('leaves the redemptions of another shop on the same loyalty account alone', async () => {
    await world.redeem();
    expect(await recover('other.myshopify.com')).toEqual({ customers: 1, found: 0, unread: [] });
  });

  it('says whose history could not be read, and finds the others', async () => {
    await world.redeem();
    restore();
    world.loyalty.listPointsHistory = async () =>
      ({ kind: 'business-error', class: 'rejected', message: 'no', fields: [] }) as never;
    const unread = [{ customerId: ROBIN, why: 'no' }];
    expect(await recover()).toEqual({ customers: 1, found: 0, unread });
  });

  it('finds what is listed after an empty page, and ends where the service counts no more', async () => {
    await world.redeem();
    restore();
    const { listCustomersReport, listPointsHistory } = world.loyalty;
    /** The first page is empty; the last one promises more, as every page after it. */
    const moved = (answer: object, isFirst: boolean) => {
      const { Items } = (answer as { value: { Items: unknown[] } }).value;
      const value = { Items: isFirst ? [] : Items, TotalItemCount: 101, HasNextPage: true };
      return { ...answer, value } as never;
    };
    const asked: string[] = [];
    world.loyalty.listCustomersReport = async (
      query: { readonly isEnrolled?: boolean; readonly pageNumber?: number } = {},
    ) => {
      const { isEnrolled = false, pageNumber = 1 } = query;
      asked.push(`report ${isEnrolled} ${pageNumber}`);
      return moved(await listCustomersReport({ isEnrolled }), pageNumber !== 2);
    };
    world.loyalty.listPointsHistory = async (id, { PageNumber = 1 } = {}) => {
      asked.push(`history ${PageNumber}`);
      const at = PageNumber - 1;
      return moved(await listPointsHistory(id, { PageNumber: at }), at === 0);
    };
    expect(await recover()).toEqual({ customers: 1, found: 1, unread: [] });
    expect(asked).toEqual([
      ...['report true 1', 'report true 2', 'history 1', 'history 2', 'history 3'],
      ...['report true 3', 'report false 1', 'report false 2'],
    ]);
  });

  it('says why customers could not be listed, and ends without an error: the rest is still to be compared', async () => {
    world.loyalty.listCustomersReport = async () =>
      ({ kind: 'transport-failure', reason: 'time-out', message: 'no answer in time' }) as never;
    const stopped = 'no answer in time';
    expect(await recover()).toEqual({ customers: 0, found: 0, unread: [], stopped });
  });
});

describe('a redemption that a restored ledger holds as unfinished', () => {
  it('is finished, although its message left the queue long ago', async () => {
    world.loyalty.fates.push('lost-answer');
    await world.redeem();
    const copy = copyOf(world);
    await world.drain();
    const before = await codes();
    expect(before).toMatchObject([{ state: 'ready' }]);
    restore(copy);
    expect(await codes()).toMatchObject([{ state: 'pending' }]);
    const { ledger, events, clock } = world;
    const now = () => new Date(clock.ms);
    const customer = { shop: SHOP, customerId: ROBIN };
    const sent = await resumeRedemptions(customer, {
      ...{ ledger, queue: events, now, retentionDays: 400 },
    });
    expect(sent).toBe(1);
    await world.drain();
    expect(await codes()).toEqual(before);
    expect(spent()).toBe(100);
  });
});
