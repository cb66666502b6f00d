import { describe, expect, it } from 'vitest';
import {
  CASHBACK,
  type CallFate,
  openRedeeming,
  type Redeeming,
  ROBIN,
} from '../../support/redeem-world.ts';

/*
 * A death at every call, one process after the other. What happens side by side, and to a reward that is taken back, is
 * searched completely for few processes (test/simulation/schedules), and at random for many (test/simulation/storefront).
 */

/** Before or after the effect of the given call, counted from 1. */
interface Death {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/** A process that dies makes no further call and gets no further answer. Whether it lived long enough to die there. */
async function dieAt(
  { call, when }: Death,
  work: (watch: <T extends object>(part: T) => T) => Promise<unknown>,
): Promise<boolean> {
  let calls = 0;
  let isDead = false;
  const { promise: death, resolve: die } = Promise.withResolvers<void>();
  const never = () => {
    isDead = true;
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
  return isDead;
}

/** Tells whether the process died: after its last call there is nothing more to try. */
type Attempt = (death: Death) => Promise<boolean>;

/** One death after the other, and once none; gives the number of calls until then. */
async function dieAtEachCall(attempt: Attempt): Promise<number> {
  for (let call = 1; ; call += 1) {
    for (const when of ['before', 'after'] as const) {
      if (!(await attempt({ call, when }))) return call - 1;
    }
  }
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
      const calls = await dieAtEachCall(async (death) => {
        const world = open(way);
        const died = await dieAt(death, (watch) => world.redeem(clickOf(way), watch));
        if (how === 'and is repeated') await world.redeem(clickOf(way));
        await expectRightEnd(world, death);
        return died;
      });
      expect(calls).toBeGreaterThan(6);
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
      await dieAtEachCall(async (death) => {
        const world = open(way);
        await dieAt({ call, when: 'after' }, (watch) => world.redeem(clickOf(way), watch));
        const died = await dieAt(death, async (watch) => {
          for (let polls = 0; polls < 26; polls += 1) {
            world.clock.ms += 30_000;
            await world.work(watch);
          }
        });
        world.clock.ms += 400_000;
        await expectRightEnd(world, death);
        return died;
      });
    },
  );
});
