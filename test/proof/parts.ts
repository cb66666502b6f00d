import { availableParallelism } from 'node:os';
import { fuzzTargets } from '../fuzz/targets.ts';
import { mutations } from '../simulation/mutations/mutations.ts';
import { searches } from '../simulation/schedules/searches.ts';

/** One command in a process of its own. */
export interface Step {
  readonly name: string;
  /** A script of package.json. */
  readonly script: string;
  /** `minutes`: how long it may take; `folder`: where it may save its state. */
  readonly args: (minutes: number, folder: string) => readonly string[];
}

export interface ProofPart {
  readonly title: string;
  /** Of the time of its lane. What a part leaves over goes to the next one. */
  readonly share: number;
  /** With less, a step is not begun. */
  readonly needsMinutes: number;
  readonly steps: readonly Step[];
  /** What even a complete run says nothing about. */
  readonly leavesOut: string;
}

/** The short one first: what it leaves over goes to the long one. */
const ENGINES = ['template', 'dynamodb'];

/** One thread less than cores: the other lane needs one. */
const seedsOf = (seeds: number, events: number): Step => ({
  name: `${seeds} seeds of ${events} webhooks`,
  script: 'simulate',
  args: (minutes, folder) => [
    ...['--seeds', String(seeds), '--events', String(events)],
    ...['--hours', (minutes / 60).toFixed(4), '--state', `${folder}/seeds-${events}.json`],
    ...['--threads', String(Math.max(1, availableParallelism() - 1))],
  ],
});

/** Two lanes side by side: the seeds, and everything else. */
export const lanes: readonly (readonly ProofPart[])[] = [
  [
    {
      title: 'Simulation, short runs',
      share: 0.7,
      needsMinutes: 0.2,
      steps: [seedsOf(100_000, 40)],
      leavesOut:
        'runs of more than some 40 webhooks; where the models differ from the real services',
    },
    {
      title: 'Simulation, long runs',
      share: 0.3,
      needsMinutes: 0.2,
      steps: [seedsOf(10_000, 200)],
      leavesOut: 'runs of more than some 200 webhooks; as above',
    },
  ],
  [
    {
      title: 'Fuzz',
      share: 0.14,
      needsMinutes: 0.1,
      steps: Object.keys(fuzzTargets).map((name) => ({
        name,
        script: 'fuzz',
        args: () => ['-t', name],
      })),
      leavesOut: 'input that is not a changed valid one',
    },
    {
      title: 'Third-party engines',
      share: 0.14,
      needsMinutes: 5,
      steps: ENGINES.map((name) => ({ name, script: 'check:foreign', args: () => [name] })),
      leavesOut: 'the real services: docs/reliability.md names known differences',
    },
    {
      title: "Shopify's schema",
      share: 0.01,
      needsMinutes: 0.5,
      steps: [{ name: 'newest published', script: 'renew-schemas', args: () => ['--check'] }],
      leavesOut: 'what Shopify publishes in no package',
    },
    {
      title: 'Load with kills',
      share: 0.1,
      needsMinutes: 4,
      steps: [
        {
          name: 'load',
          script: 'load',
          args: (minutes) =>
            minutes < 15 ? ['--quick'] : ['--minutes', String(Math.floor(minutes / 4))],
        },
      ],
      leavesOut: 'the limits of AWS and of the store; kills at chosen calls (those are seeds)',
    },
    {
      title: 'Killed redemptions',
      share: 0.03,
      needsMinutes: 3,
      steps: [
        {
          name: 'every outside call',
          script: 'test:long',
          args: () => ['test/long/stack/redeem-killed.test.ts'],
        },
      ],
      leavesOut: 'two kills in one redemption; other kinds of rewards',
    },
    {
      title: 'All schedules',
      share: 0.25,
      needsMinutes: 0.2,
      steps: searches.map(({ name }, index) => ({
        name,
        script: 'simulate',
        args: () => ['--schedules', String(index + 1)],
      })),
      leavesOut: 'everything beyond the bounds that each search names',
    },
    {
      title: 'Deliberate bugs',
      share: 0.2,
      needsMinutes: 0.2,
      steps: mutations.map(({ name }) => ({
        name,
        script: 'simulate',
        args: () => ['--mutations', name],
      })),
      leavesOut: 'bugs of other kinds',
    },
    {
      title: 'Changed expressions',
      share: 1,
      needsMinutes: 3,
      // It knows by itself what it has tried.
      steps: [{ name: 'all folders', script: 'mutate', args: () => [] }],
      leavesOut: 'code outside `shared/core`',
    },
  ],
];
