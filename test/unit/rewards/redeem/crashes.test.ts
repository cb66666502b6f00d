import { describe, expect, it } from 'vitest';
import {
  CASHBACK,
  type CallFate,
  openRedeeming,
  type Redeeming,
  ROBIN,
} from '../../../support/redeem-world.ts';

/*
 * A death at every call, one process after the other. What happens side by side is searched completely for few
 * processes (test/simulation/schedules), and at random for many (test/simulation/storefront).
 */

/** Before or after the effect of the given call, counted from 1. */
interface Death {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** A process that dies makes no further call and gets no further answer. */
async function dieAt(
  { call, when }: Death,
  work: (watch: <T extends object>(part: T) => T) => Promise<unknown>,
): Promise<void> {
  let calls = 0;
  const { promise: death, resolve: die } = Promise.withResolvers<void>();
  const never = () => {
    die();
    return new Promise<never>(() => {});
  };
  const watch = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(object, name) {
        const member = Reflect.get(object, name);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          calls += 1;
          if (calls > call || (calls === call && when === 'before')) return never();
          const isLast = calls === call;
          const result = await member.apply(object, given);
          return isLast ? never() : result;
        };
      },
    });
  await Promise.race([work(watch), death]);
}

interface Way {
  /** What becomes of the calls that spend points, in their order. */
  readonly fates?: readonly CallFate[];
  /** How often the store is away. */
  readonly storeFaults?: number;
  /** The store takes no code. */
  readonly storeRefuses?: boolean;
  /** The reward becomes store credit: what becomes of the calls that credit. */
  readonly credits?: Redeeming['store']['creditFates'];
}

function open({ fates = [], storeFaults = 0, storeRefuses = false, credits }: Way): Redeeming {
  const world = openRedeeming(credits ? { rewards: [CASHBACK] } : {});
  world.loyalty.fates.push(...fates);
  world.store.creditFates.push(...(credits ?? []));
  let faults = storeFaults;
  world.store.before = () => {
    faults -= 1;
    if (faults >= 0) return { kind: 'unavailable', why: 'time-out' };
    return storeRefuses ? { kind: 'refused', code: 'INVALID' } : undefined;
  };
  return world;
}

/** After all that is left to do. */
async function expectRightEnd(world: Redeeming, death: Death): Promise<void> {
  await world.drain();
  // An intent that was never on the queue is over by then.
  world.clock.ms += 3_600_000;
  const kept = await world.kept();
  const where = `died ${death.when} call ${death.call}`;
  expect(world.queue.size, `messages that never end, ${where}`).toBe(0);
  expect(world.dead.size, `dead letters, ${where}`).toBe(0);
  const redeemed = [...world.loyalty.redemptions.values()];
  const live = redeemed.filter(({ isCancelled }) => !isCancelled);
  // Nobody pays and gets neither a code nor the points back, pays twice for one, or gets one for nothing.
  const spent = live.reduce((sum, { points }) => sum + points, 0);
  expect(world.loyalty.balances.get(ROBIN), `points, ${where}`).toBe(1_000 - spent);
  const inState = (...wanted: string[]) => kept.filter(({ state }) => wanted.includes(state.at));
  expect(inState('ready', 'credited'), `given, ${where}`).toHaveLength(live.length);
  expect(world.announced.all.length, `announcements, ${where}`).toBeLessThanOrEqual(live.length);
  expect(inState('cancelled'), where).toHaveLength(redeemed.length - live.length);
  expect(inState('ready', 'credited', 'refused', 'cancelled'), where).toEqual(kept);
  expect(kept.length, `redemptions of one click, ${where}`).toBeLessThanOrEqual(1);
  const codes = [...world.store.codes.values()];
  expect([...codes, ...world.store.credits], `in the store, ${where}`).toHaveLength(live.length);
  for (const { customerId, title, discountId } of codes) {
    expect(customerId).toBe(ROBIN);
    const owners = kept.filter((one) => title.endsWith(`(${one.id})`));
    expect(owners.map(({ state }) => state)).toMatchObject([{ at: 'ready', discountId }]);
  }
}

const CLICK = { rewardId: 1, clientKey: 'click-0001' };
const CASHBACK_CLICK = { ...CLICK, value: 10 };
const clickOf = ({ credits }: Way) => (credits ? CASHBACK_CLICK : CLICK);

/** No way from the click to its end has more calls to the outside in one process. */
const MOST_CALLS = 54;
const deaths: readonly Death[] = Array.from({ length: MOST_CALLS }, (_, index) => [
  { call: index + 1, when: 'before' as const },
  { call: index + 1, when: 'after' as const },
]).flat();

/** Every way of a redemption to its end. */
const ways: readonly (readonly [string, Way])[] = [
  ['an answer', {}],
  ['a lost answer', { fates: ['lost-answer'] }],
  ['a lost call', { fates: ['lost-call'] }],
  ['an unclear answer', { fates: ['not-the-contract'] }],
  ['a refusal', { fates: ['refused'] }],
  ['a refusal after a lost answer', { fates: ['lost-answer', 'refused'] }],
  ['a refusal after a lost call', { fates: ['lost-call', 'refused'] }],
  ['a store that is away', { storeFaults: 2 }],
  ['a store that refuses the code', { storeRefuses: true }],
  ['a lost answer and a store that refuses', { fates: ['lost-answer'], storeRefuses: true }],
  ['store credit', { credits: [] }],
  ['store credit after a lost answer', { fates: ['lost-answer'], credits: [] }],
  ['a lost answer to its credit', { credits: ['lost-answer'] }],
  ['a lost call of its credit', { credits: ['lost-call'] }],
  ['a credit that was not sent', { credits: ['throttled'] }],
  ['a refused credit', { credits: ['refused'] }],
  ['a refused credit after a lost call', { credits: ['lost-call', 'refused'] }],
];

it('two clicks at the same moment begin one redemption', async () => {
  const world = openRedeeming();
  const keys = ['click-0001', 'click-0002'];
  await Promise.all(keys.map((clientKey) => world.redeem({ rewardId: 1, clientKey })));
  await world.drain();
  expect(await world.kept()).toHaveLength(1);
  expect(world.loyalty.redemptions.size).toBe(1);
});

describe.each(ways)('a redemption with %s', (_, way) => {
  it.each(['alone', 'and is repeated'])(
    'ends right when the click dies at any call, %s',
    async (how) => {
      for (const death of deaths) {
        const world = open(way);
        await dieAt(death, (watch) => world.redeem(clickOf(way), watch));
        if (how === 'and is repeated') await world.redeem(clickOf(way));
        await expectRightEnd(world, death);
      }
    },
  );

  it.each([
    ['what is on the queue', 6],
    ['a call', 8],
    ['a code or a credit', 10],
    ['a credit that is recorded', 12],
  ])(
    'ends right when a worker dies at any call after a click that ended with %s',
    async (_, call) => {
      for (const death of deaths) {
        const world = open(way);
        await dieAt({ call, when: 'after' }, (watch) => world.redeem(clickOf(way), watch));
        await dieAt(death, async (watch) => {
          for (let polls = 0; polls < 26; polls += 1) {
            world.clock.ms += 30_000;
            await world.work(watch);
          }
        });
        world.clock.ms += 400_000;
        await expectRightEnd(world, death);
      }
    },
  );
});

/** What happens to a reward after the customer took it back. */
interface Return {
  /** When an order names the code: by the number of the worker's calls until then. */
  readonly orderAfter?: number;
  /** The service does not cancel. */
  readonly refuses?: boolean;
  readonly storeFaults?: number;
}

const returns: readonly (readonly [string, Return])[] = [
  ['and not used', {}],
  ['and the service does not cancel', { refuses: true }],
  ['while the store is away at times', { storeFaults: 3 }],
  // Of up to 30 calls of the worker. Each moment is searched in test/simulation/schedules.
  ...[0, 6, 12, 18, 24, 30].flatMap((orderAfter): [string, Return][] => [
    [`and an order comes after call ${orderAfter}`, { orderAfter }],
    [
      `and the service does not cancel, and an order comes after call ${orderAfter}`,
      { orderAfter, refuses: true },
    ],
  ]),
];

async function openReturning({ refuses, storeFaults = 0 }: Return): Promise<Redeeming> {
  const world = openRedeeming();
  await world.redeem(CLICK);
  await world.drain();
  if (refuses) {
    const rejected = { kind: 'business-error', class: 'rejected', code: 75, fields: [] };
    world.loyalty.cancelRedemption = async () => ({ ...rejected, message: 'no' }) as never;
  }
  let faults = storeFaults;
  for (const name of ['readUses', 'deleteCode', 'findCode', 'readOrderCodes'] as const) {
    const call = world.store[name] as (...given: unknown[]) => Promise<unknown>;
    const away = { kind: 'unavailable', why: 'time-out' };
    const faulty = (...given: unknown[]) => {
      faults -= 1;
      return faults >= 0 && faults % 2 === 0 ? Promise.resolve(away) : call(...given);
    };
    Object.assign(world.store, { [name]: faulty });
  }
  return world;
}

/** Calls of the worker, at one of which an order is placed: its event comes until it is heard. */
function placeOrder(world: Redeeming, after: number | undefined) {
  let calls = 0;
  let isPlaced = false;
  const count = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(object, name) {
        const member = Reflect.get(object, name);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          if (calls === after) await place();
          calls += 1;
          return member.apply(object, given);
        };
      },
    });
  async function place(): Promise<void> {
    if (isPlaced) return;
    isPlaced = true;
    await world.order('FIVE-1');
  }
  return { count, place };
}

/** Code usable and points spent, or code gone and points back; where an order used it, code gone and points spent. */
async function expectOneEnd(world: Redeeming, { refuses }: Return, where: string) {
  await world.drain();
  world.clock.ms += 3_600_000;
  await world.drain();
  const [kept] = await world.kept();
  const at = kept?.state.at ?? '';
  const usable = [...world.store.codes.values()].filter(({ used }) => used === 0).length;
  expect([world.queue.size, world.dead.size], where).toEqual([0, 0]);
  const ends = new Map([
    ['ready', [900, 1]],
    ['cancelled', [1_000, 0]],
    ['used', [900, 0]],
  ]);
  const end = [world.loyalty.balances.get(ROBIN), usable];
  expect(end, `${at}, ${where}`).toEqual(ends.get(at));
  expect(at === 'used', `${at}, ${where}`).toBe(world.store.orders.length > 0);
  if (refuses) expect(at, where).not.toBe('cancelled');
}

const nameOf = ({ call, when }: Death) => `died ${when} call ${call}`;

describe.each(returns)('a reward that is taken back, %s', (_, one) => {
  it('ends in one of two ways when a process dies at any call', async () => {
    for (const death of deaths) {
      const clicked = await openReturning(one);
      await dieAt(death, (watch) => clicked.takeBack(undefined, undefined, watch));
      if (one.orderAfter !== undefined) {
        clicked.clock.ms += one.orderAfter * 30_000;
        await clicked.work();
        await clicked.order('FIVE-1');
      }
      await expectOneEnd(clicked, one, `the click ${nameOf(death)}`);

      const world = await openReturning(one);
      const { count, place } = placeOrder(world, one.orderAfter);
      await world.takeBack();
      await dieAt(death, async (watch) => {
        for (let polls = 0; polls < 20; polls += 1) {
          world.clock.ms += 30_000;
          await world.work((part) => watch(count(part)));
        }
      });
      if (one.orderAfter !== undefined) await place();
      world.clock.ms += 400_000;
      await expectOneEnd(world, one, `the worker ${nameOf(death)}`);
    }
  });

  it('ends in one of two ways when the worker of its order dies at any call', async () => {
    if (one.orderAfter === undefined) return;
    for (const death of deaths.slice(0, 12)) {
      const world = await openReturning(one);
      let isHeard = false;
      const { count } = placeOrder(
        Object.assign(Object.create(world), {
          order: async (code: string) => {
            isHeard = true;
            await dieAt(death, (watch) => world.order(code, watch));
          },
        }) as Redeeming,
        one.orderAfter,
      );
      await world.takeBack();
      for (let polls = 0; polls < 20; polls += 1) {
        world.clock.ms += 30_000;
        await world.work(count);
      }
      // Its message comes again.
      if (isHeard) await world.hearOrder('FIVE-1');
      await expectOneEnd(world, one, `the order ${nameOf(death)}`);
    }
  });
});
