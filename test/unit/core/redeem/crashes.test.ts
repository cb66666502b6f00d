import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CallFate,
  openRedeeming,
  type Redeeming,
  ROBIN,
} from '../../../support/redeem-world.ts';

interface Process {
  /** Every remote call of the process waits for its turn before and after its effect. */
  readonly watch: <T extends object>(part: T) => T;
}

interface Started {
  readonly isOver: () => boolean;
}

/** Before or after the effect of the given call, counted from 1; undefined means never. */
interface Death {
  readonly call: number;
  readonly when: 'before' | 'after';
}

/**
 * Runs several simulated processes in one, call by call in the order of `choose`. A process that dies makes
 * no further call and gets no further answer.
 */
function createInterleaving(choose: (count: number) => number) {
  const waiting: (() => void)[] = [];
  const pause = () => new Promise<void>((resolve) => waiting.push(resolve));

  return {
    /** `isTooOld`: true when the platform has ended the process because of its age. */
    start(
      death: Death | undefined,
      work: (process: Process) => Promise<unknown>,
      isTooOld: () => boolean = () => false,
    ): Started {
      let calls = 0;
      let isOver = false;
      const never = () => {
        isOver = true;
        return new Promise<never>(() => {});
      };
      const watch = <T extends object>(part: T): T =>
        new Proxy(part, {
          get(object, name) {
            const member = Reflect.get(object, name);
            if (typeof member !== 'function') return member;
            return async (...given: unknown[]) => {
              calls += 1;
              const dies = death?.call === calls ? death.when : undefined;
              await pause();
              if (isOver || dies === 'before' || isTooOld()) return never();
              const result = await member.apply(object, given);
              await pause();
              return isOver || dies === 'after' ? never() : result;
            };
          },
        });
      work({ watch }).finally(() => {
        isOver = true;
      });
      return { isOver: () => isOver };
    },

    /** Until all have ended. */
    async run(started: readonly Started[], between: () => void): Promise<void> {
      for (let step = 0; !started.every(({ isOver }) => isOver()); step += 1) {
        if (step > 20_000) throw new Error('the processes do not come to an end');
        await turn();
        if (waiting.length === 0) continue;
        between();
        const [next] = waiting.splice(choose(waiting.length), 1);
        next?.();
      }
    },
  };
}

interface Click {
  readonly rewardId: number;
  readonly clientKey: string;
  readonly death: Death | undefined;
}

interface Story {
  readonly clicks: readonly Click[];
  /** What becomes of the calls that spend points, in their order. */
  readonly fates: readonly CallFate[];
  readonly workers: readonly (Death | undefined)[];
  /** How often the store is away. */
  readonly storeFaults: number;
  /** The store takes no code of this reward. */
  readonly unwantedReward?: number | undefined;
  readonly choices: readonly number[];
  /** Milliseconds that pass at some turns. */
  readonly passing: readonly number[];
}

/** The platform ends a function that has run for so long (infra/connector-function.ts). */
const OLDEST_CLICK_MS = 30_000;
const OLDEST_WORKER_MS = 240_000;

/** Plays the story, then lets all be well until nothing is left to do. */
async function play(story: Story): Promise<Redeeming> {
  const world = openRedeeming();
  const { clock } = world;
  world.loyalty.fates.push(...story.fates);
  let faults = story.storeFaults;
  world.store.before = ({ title }) => {
    faults -= 1;
    if (faults >= 0) return { kind: 'unavailable', why: 'time-out' };
    const isUnwanted = title.startsWith(`Reward ${story.unwantedReward} `);
    return isUnwanted ? { kind: 'refused', code: 'INVALID' } : undefined;
  };
  let turns = 0;
  const pick = (from: readonly number[]) => from[turns % from.length] ?? 0;
  const interleaving = createInterleaving((count) => pick(story.choices) % count);
  const begin = (oldestMs: number) => {
    let startedAt = clock.ms;
    return {
      restart: () => {
        startedAt = clock.ms;
      },
      isTooOld: () => clock.ms - startedAt > oldestMs,
    };
  };
  const clicks = story.clicks.map(({ death, ...click }) =>
    interleaving.start(
      death,
      ({ watch }) => world.redeem(click, watch),
      begin(OLDEST_CLICK_MS).isTooOld,
    ),
  );
  const workers = story.workers.map((death) => {
    const age = begin(OLDEST_WORKER_MS);
    const work = async ({ watch }: { watch: <T extends object>(part: T) => T }) => {
      const queue = watch({ poll: async () => {} });
      for (let polls = 0; polls < 20; polls += 1) {
        age.restart();
        await queue.poll();
        await world.work(watch);
      }
    };
    return interleaving.start(death, work, age.isTooOld);
  });
  await interleaving.run([...clicks, ...workers], () => {
    turns += 1;
    clock.ms += pick(story.passing);
  });
  await world.drain();
  // An intent that was never on the queue is over by then.
  clock.ms += 3_600_000;
  return world;
}

async function checkLaws(world: Redeeming, { clicks }: Story): Promise<void> {
  const kept = await world.kept();
  expect(world.queue.size, 'messages that never end').toBe(0);
  expect(world.dead.size, 'dead letters').toBe(0);
  const redeemed = [...world.loyalty.redemptions.values()];
  const live = redeemed.filter(({ isCancelled }) => !isCancelled);
  // Nobody pays and gets neither a code nor the points back, pays twice for one, or gets one for nothing.
  const spent = live.reduce((sum, { points }) => sum + points, 0);
  expect(world.loyalty.balances.get(ROBIN), 'points').toBe(1_000 - spent);
  const inState = (wanted: string) => kept.filter(({ state }) => state.at === wanted);
  expect(inState('ready'), 'ready redemptions').toHaveLength(live.length);
  expect(inState('cancelled'), 'cancelled ones').toHaveLength(redeemed.length - live.length);
  for (const { state } of kept) expect(['ready', 'refused', 'cancelled']).toContain(state.at);
  for (const rewardId of new Set(kept.map((one) => one.rewardId))) {
    const keys = new Set(clicks.filter((one) => one.rewardId === rewardId).map((c) => c.clientKey));
    const own = kept.filter((one) => one.rewardId === rewardId);
    expect(own.length, `redemptions of reward ${rewardId}`).toBeLessThanOrEqual(keys.size);
  }
  const codes = [...world.store.codes.values()];
  expect(codes, 'codes in the store').toHaveLength(live.length);
  for (const { customerId, title, discountId } of codes) {
    expect(customerId).toBe(ROBIN);
    const owners = kept.filter((one) => title.endsWith(`(${one.id})`));
    expect(owners.map(({ state }) => state)).toMatchObject([{ at: 'ready', discountId }]);
  }
}

const CLICK = { rewardId: 1, clientKey: 'click-0001' };

const quiet: Story = {
  clicks: [{ ...CLICK, death: undefined }],
  fates: [],
  workers: [undefined, undefined],
  storeFaults: 0,
  choices: [3, 1, 4, 1, 5, 9, 2, 6],
  passing: [10],
};

/** No way from the click to its end has more calls to the outside in one process. */
const MOST_CALLS = 24;
const deaths: readonly Death[] = Array.from({ length: MOST_CALLS }, (_, index) => [
  { call: index + 1, when: 'before' as const },
  { call: index + 1, when: 'after' as const },
]).flat();

/** Every way of a redemption to its end. */
const ways: readonly (readonly [string, Partial<Story>])[] = [
  ['an answer', {}],
  ['a lost answer', { fates: ['lost-answer'] }],
  ['a lost call', { fates: ['lost-call'] }],
  ['an unclear answer', { fates: ['not-the-contract'] }],
  ['a refusal', { fates: ['refused'] }],
  ['a refusal after a lost answer', { fates: ['lost-answer', 'refused'] }],
  ['a refusal after a lost call', { fates: ['lost-call', 'refused'] }],
  ['a store that is away', { storeFaults: 2 }],
  ['a store that refuses the code', { unwantedReward: 1 }],
  ['a lost answer and a store that refuses', { fates: ['lost-answer'], unwantedReward: 1 }],
];

describe.each(ways)('a redemption with %s', (_, way) => {
  it('ends right when the click dies at any call', async () => {
    for (const death of deaths) {
      const story = { ...quiet, ...way, clicks: [{ ...CLICK, death }] };
      await checkLaws(await play(story), story);
    }
  });

  it('ends right when one of two equal clicks dies at any call', async () => {
    for (const death of deaths) {
      const clicks = [death, undefined].map((one) => ({ ...CLICK, death: one }));
      const story = { ...quiet, ...way, clicks };
      await checkLaws(await play(story), story);
    }
  });

  it('ends right when a worker dies at any call', async () => {
    for (const death of deaths) {
      // Time passes, so that workers come to repeat, look up and cancel.
      const story = { ...quiet, ...way, workers: [death, undefined], passing: [5_000] };
      await checkLaws(await play(story), story);
    }
  });
});

describe('redemptions', () => {
  it('end right for any clicks, faults, deaths and order of events', async () => {
    await fc.assert(
      fc.asyncProperty(anyStory, async (story) => checkLaws(await play(story), story)),
      { numRuns: 150, examples: found.map((story) => [story]) },
    );
  });
});

const click = { rewardId: 1, clientKey: 'click-0001', death: undefined };

/** Each was found by this test. */
const found: readonly Story[] = [
  // The worker took a slow intent for one that nobody carries out any more, and let its message go.
  {
    ...quiet,
    clicks: [click, click, click, { ...click, death: { call: 10, when: 'before' } }],
    choices: [8, 2, 5, 12, 3, 14, 1, 18, 17, 19],
    passing: [0, 0, 0, 5_000, 5_000, 5_000, 400],
  },
];

const anyDeath = fc.option(
  fc.record({
    call: fc.integer({ min: 1, max: MOST_CALLS }),
    when: fc.constantFrom<'before' | 'after'>('before', 'after'),
  }),
  { nil: undefined },
);

const anyStory: fc.Arbitrary<Story> = fc.record({
  clicks: fc.array(
    fc.record({
      rewardId: fc.constantFrom(1, 1, 2, 3),
      clientKey: fc.constantFrom('click-0001', 'click-0002'),
      death: anyDeath,
    }),
    { minLength: 1, maxLength: 4 },
  ),
  fates: fc.array(
    fc.constantFrom<CallFate>(
      'answered',
      'lost-answer',
      'lost-call',
      'refused',
      'throttled',
      'something-went-wrong',
    ),
    { maxLength: 4 },
  ),
  workers: fc.array(anyDeath, { maxLength: 3 }),
  storeFaults: fc.integer({ min: 0, max: 3 }),
  unwantedReward: fc.constantFrom(undefined, undefined, 1, 2),
  choices: fc.array(fc.nat({ max: 19 }), { minLength: 1, maxLength: 40 }),
  passing: fc.array(fc.constantFrom(0, 1, 400, 5_000, 70_000), { minLength: 1, maxLength: 12 }),
});
