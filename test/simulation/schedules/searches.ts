import { abandonedScenario } from './abandoned-schedules.ts';
import { balanceScenario } from './balance-schedules.ts';
import type { Bounds, Scenario } from './explore.ts';
import { goLiveScenario } from './go-live-schedules.ts';
import { lostLedgerScenario } from './lost-ledger-schedules.ts';
import { redemptionScenario } from './redemption-schedules.ts';
import { refundScenario } from './refund-schedules.ts';
import { replayScenario } from './replay-schedules.ts';
import type { Scheduler } from './scheduler.ts';
import { fanOutScenario, mergeScenario } from './store-schedules.ts';
import { takeBackScenario } from './take-back-schedules.ts';

export interface Search {
  readonly name: string;
  readonly scenario: (scheduler: Scheduler) => Scenario;
  readonly bounds: Bounds;
  /** The mutation that this search must find. */
  readonly bug: string;
}

const CRASH = { crashes: 1, lostAnswers: 0 };
const NO_FAULT = { crashes: 0, lostAnswers: 0 };
const LOST_ANSWER = { crashes: 0, lostAnswers: 1 };
/** Longer than the pause before a repetition, and longer than the visibility time-out. */
const [REPEAT, VISIBLE_AGAIN] = [31_000, 361_000];
/** Longer than between the two looks at an account. */
const LOOK_AGAIN = 601_000;
/** Longer than the wait after a code was deleted. */
const LOOKED = 121_000;

/** What is searched completely. Each bound is part of its name: nothing beyond it is promised. */
export const searches: readonly Search[] = [
  {
    name: 'a discount with a code is announced and deleted, two workers, one crash',
    scenario: fanOutScenario,
    bounds: CRASH,
    bug: 'codes-are-not-announced',
  },
  {
    name: 'two changes of a balance in any order, two workers, one crash',
    scenario: balanceScenario({ points: [10, 20], workers: 2 }),
    bounds: CRASH,
    bug: 'reading-answers-later-events',
  },
  {
    name: 'two customers are merged beside a late order, three workers, one crash',
    scenario: mergeScenario,
    bounds: CRASH,
    bug: 'late-order-forgets-a-merge',
  },
  {
    name: 'an order is parked, replayed and sent, two workers and a person, one crash',
    scenario: replayScenario,
    bounds: CRASH,
    bug: 'replay-removes-first',
  },
  {
    name: 'two tabs, a point event, one crash; workers afterwards',
    scenario: redemptionScenario({ tabs: 2, workers: 0, passes: [] }),
    bounds: CRASH,
    bug: 'intent-is-not-queued',
  },
  {
    name: 'one tab, a worker beside it, a point event, one crash',
    scenario: redemptionScenario({ tabs: 1, workers: 1, passes: [] }),
    bounds: CRASH,
    bug: 'faster-worker-forgets',
  },
  {
    name: 'two refunds in any order, two workers, one crash',
    scenario: refundScenario({ takenBack: [1, 2], workers: 2 }),
    bounds: CRASH,
    bug: 'used-key-is-a-refusal',
  },
  {
    name: 'a refund and a cancellation in any order, two workers, one crash',
    scenario: refundScenario({ takenBack: [1, 1], isCancelled: true, workers: 2 }),
    bounds: CRASH,
    bug: 'cancelling-twice-needs-a-person',
  },
  {
    name: 'a new title is refused, then the time of its worker is over, another worker; the old title afterwards',
    scenario: abandonedScenario,
    bounds: NO_FAULT,
    bug: 'refusal-by-an-overtaken-worker',
  },
  {
    name: 'two refunds in any order, two workers, one lost answer',
    scenario: refundScenario({ takenBack: [1, 2], workers: 2 }),
    bounds: LOST_ANSWER,
    bug: 'used-key-is-a-refusal',
  },
  {
    name: 'three changes of a balance, back to the first, in any order, two workers, one crash',
    scenario: balanceScenario({ points: [10, 20, 10], workers: 2 }),
    bounds: CRASH,
    bug: 'no-mark-before-a-balance',
  },
  {
    name: 'two changes of a balance and a question of the night, two workers, one crash',
    scenario: balanceScenario({ points: [10, 20], isAskedFor: true, workers: 2 }),
    bounds: CRASH,
    bug: 'requests-are-not-answered',
  },
  {
    name: 'two tabs, a worker beside them, one crash; the point event afterwards',
    scenario: redemptionScenario({ tabs: 2, workers: 1, passes: [], eventsAfterwards: true }),
    bounds: CRASH,
    bug: 'faster-worker-forgets',
  },
  {
    name: 'one tab, two workers after a pause, one lost answer; the point event afterwards',
    scenario: redemptionScenario({
      ...{ tabs: 1, workers: 2, passes: [REPEAT], eventsAfterwards: true },
    }),
    bounds: LOST_ANSWER,
    bug: 'lost-answer-counts-as-not-sent',
  },
  {
    name: 'one tab, a store that refuses the code, two workers, one crash; point events afterwards',
    scenario: redemptionScenario({
      ...{ tabs: 1, workers: 2, passes: [REPEAT, VISIBLE_AGAIN] },
      ...{ storeRefuses: true, eventsAfterwards: true },
    }),
    bounds: CRASH,
    bug: 'refused-code-is-not-cancelled',
  },
  {
    name: 'three refunds in any order, two workers, one crash, one change from a process that could go on',
    scenario: refundScenario({ takenBack: [1, 2, 3], workers: 2 }),
    bounds: { ...CRASH, preemptions: 1 },
    bug: 'key-of-the-value-alone',
  },
  {
    name: 'two tabs, a worker beside them, a point event, one crash, one change from a process that could go on',
    scenario: redemptionScenario({ tabs: 2, workers: 1, passes: [] }),
    bounds: { ...CRASH, preemptions: 1 },
    bug: 'one-look-for-a-second-click',
  },
  {
    name: 'go-live with an order in flight, two workers and another integration, one crash',
    scenario: goLiveScenario,
    bounds: CRASH,
    bug: 'order-of-another-integration-is-not-looked-for',
  },
  {
    name: 'a reward is taken back, an order with its code at any moment, two workers, no crash',
    scenario: takeBackScenario({ orders: true, workers: 2, passes: [LOOKED] }),
    bounds: NO_FAULT,
    bug: 'order-while-cancelling-is-missed',
  },
  {
    name: 'a reward is taken back, two workers, one crash',
    scenario: takeBackScenario({ workers: 2, passes: [LOOKED, VISIBLE_AGAIN] }),
    bounds: CRASH,
    bug: 'return-does-not-wait',
  },
  {
    name: 'a reward is taken back, an order with its code, two workers, one crash, one change from a process that could go on',
    scenario: takeBackScenario({ orders: true, workers: 2, passes: [LOOKED] }),
    bounds: { ...CRASH, preemptions: 1 },
    bug: 'owing-is-told-once',
  },
  {
    name: 'a reward is taken back, the service does not cancel, an order at any moment, two workers',
    scenario: takeBackScenario({ orders: true, refuses: true, workers: 2, passes: [LOOKED] }),
    bounds: NO_FAULT,
    bug: 'code-is-made-again-beside-an-order',
  },
  {
    name: 'cashback as store credit, two workers after a pause, one crash; the point event afterwards',
    scenario: redemptionScenario({
      ...{ tabs: 1, workers: 2, passes: [REPEAT, LOOK_AGAIN] },
      ...{ credits: true, eventsAfterwards: true },
    }),
    bounds: CRASH,
    bug: 'one-look-before-another-credit',
  },
  {
    name: 'cashback as store credit, two workers after a pause, one lost answer; the point event afterwards',
    scenario: redemptionScenario({
      ...{ tabs: 1, workers: 2, passes: [REPEAT, LOOK_AGAIN] },
      ...{ credits: true, eventsAfterwards: true },
    }),
    bounds: LOST_ANSWER,
    bug: 'credit-is-repeated-blindly',
  },
  {
    name: 'the ledger is lost after a refund, two more in any order, two workers, one crash',
    scenario: lostLedgerScenario({ forgotten: [4], since: [3, 1] }),
    bounds: CRASH,
    bug: 'repeated-step-counts-as-found',
  },
  {
    name: 'the ledger is lost after two refunds, another one, two workers, one lost answer',
    scenario: lostLedgerScenario({ forgotten: [4, 3], since: [1] }),
    bounds: LOST_ANSWER,
    bug: 'search-begins-with-the-oldest',
  },
  {
    name: 'the ledger is lost after a rise of an order of another integration, a refund, two workers, one crash',
    scenario: lostLedgerScenario({ forgotten: [6], since: [4], theirs: 5 }),
    bounds: CRASH,
    bug: 'raised-order-does-not-say-whose-it-was',
  },
  {
    name: 'an order of another integration, the ledger is lost, a rise and a refund, two workers, one crash',
    scenario: lostLedgerScenario({ forgotten: [], since: [6, 4], theirs: 5 }),
    bounds: CRASH,
    bug: 'their-part-is-not-recorded',
  },
  {
    name: 'a refund and an addition of the same worth in any order, two workers, one crash',
    scenario: refundScenario({ takenBack: [1, 1], added: 1, workers: 2 }),
    bounds: CRASH,
    bug: 'part-is-taken-before-it-is-written',
  },
  {
    name: 'a refund and an addition of the same worth in any order, two workers, one lost answer',
    scenario: refundScenario({ takenBack: [1, 1], added: 1, workers: 2 }),
    bounds: LOST_ANSWER,
    bug: 'found-step-is-forgotten',
  },
];
