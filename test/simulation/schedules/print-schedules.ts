import { type Bounds, type Explored, explore, type Scenario } from './explore.ts';
import { redemptionScenario } from './redemption-schedules.ts';
import { refundScenario } from './refund-schedules.ts';
import type { Scheduler } from './scheduler.ts';

interface Search {
  readonly name: string;
  readonly scenario: (scheduler: Scheduler) => Scenario;
  readonly bounds: Bounds;
}

const CRASH = { crashes: 1, lostAnswers: 0 };
const LOST_ANSWER = { crashes: 0, lostAnswers: 1 };
/** Longer than the pause before a repetition, and longer than the visibility time-out. */
const [REPEAT, VISIBLE_AGAIN] = [31_000, 361_000];

/** What is searched completely. Each bound is part of its name: nothing beyond it is promised. */
export const searches: readonly Search[] = [
  {
    name: 'two tabs, a point event, one crash; workers afterwards',
    scenario: redemptionScenario({ tabs: 2, workers: 0, passes: [] }),
    bounds: CRASH,
  },
  {
    name: 'one tab, a worker beside it, a point event, one crash',
    scenario: redemptionScenario({ tabs: 1, workers: 1, passes: [] }),
    bounds: CRASH,
  },
  {
    name: 'two refunds in any order, two workers, one crash',
    scenario: refundScenario({ takenBack: [1, 2], workers: 2 }),
    bounds: CRASH,
  },
  {
    name: 'a refund and a cancellation in any order, two workers, one crash',
    scenario: refundScenario({ takenBack: [1, 1], isCancelled: true, workers: 2 }),
    bounds: CRASH,
  },
  {
    name: 'two refunds in any order, two workers, one lost answer',
    scenario: refundScenario({ takenBack: [1, 2], workers: 2 }),
    bounds: LOST_ANSWER,
  },
  {
    name: 'three refunds in any order, two workers, one crash',
    scenario: refundScenario({ takenBack: [1, 2, 3], workers: 2 }),
    bounds: CRASH,
  },
  {
    name: 'two tabs, a worker beside them, one crash; the point event afterwards',
    scenario: redemptionScenario({ tabs: 2, workers: 1, passes: [], eventsAfterwards: true }),
    bounds: CRASH,
  },
  {
    name: 'one tab, two workers after a pause, one lost answer; the point event afterwards',
    scenario: redemptionScenario({
      ...{ tabs: 1, workers: 2, passes: [REPEAT], eventsAfterwards: true },
    }),
    bounds: LOST_ANSWER,
  },
  {
    name: 'one tab, a store that refuses the code, two workers, one crash; point events afterwards',
    scenario: redemptionScenario({
      ...{ tabs: 1, workers: 2, passes: [REPEAT, VISIBLE_AGAIN] },
      ...{ storeRefuses: true, eventsAfterwards: true },
    }),
    bounds: CRASH,
  },
];

/** Runs every search; true when none finds a schedule that ends wrong. */
export async function printSchedules(): Promise<boolean> {
  let isRight = true;
  for (const { name, scenario, bounds } of searches) {
    const begin = Date.now();
    const explored = await explore(scenario, bounds);
    console.log(describe(name, explored, (Date.now() - begin) / 1000));
    isRight &&= explored.wrong === undefined;
  }
  return isRight;
}

function describe(name: string, { states, ends, deepest, wrong }: Explored, seconds: number) {
  const figures = `${states} states, ${ends} ends, up to ${deepest} steps, ${seconds.toFixed(0)} s`;
  if (!wrong) return `${name}: right in every schedule (${figures})`;
  const steps = wrong.schedule.map((step) => `    ${step}`);
  return [`${name}: wrong (${figures})`, ...wrong.what.map((one) => `  ${one}`), ...steps].join(
    '\n',
  );
}
