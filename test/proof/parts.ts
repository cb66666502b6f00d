import { mutations } from '../simulation/mutations/mutations.ts';
import { searches } from '../simulation/schedules/searches.ts';

/** A row of the table in docs/reliability.md. */
interface ProofPart {
  readonly title: string;
  /** In words, how much is run. */
  readonly amount: string;
  /** Scripts of package.json with their arguments. */
  readonly commands: readonly string[];
  /** What even a complete run says nothing about. */
  readonly leavesOut: string;
}

/** `folder`: where the simulation saves how far it came. */
export const parts = (folder: string): readonly ProofPart[] => [
  {
    title: 'Simulation, short runs',
    amount: '10,000 seeds',
    commands: [`simulate -- --seeds 10000 --events 40 --state ${folder}/short.json`],
    leavesOut: 'runs of more than some 40 webhooks; where the models differ from the real services',
  },
  {
    title: 'Simulation, long runs',
    amount: '2,000 seeds',
    commands: [`simulate -- --seeds 2000 --events 200 --state ${folder}/long.json`],
    leavesOut: 'runs of more than some 200 webhooks; as above',
  },
  {
    title: 'Fuzz',
    amount: '20,000 inputs for each reader',
    commands: ['fuzz'],
    leavesOut: 'input that is not a changed valid one',
  },
  {
    title: 'An AWS of others',
    amount: 'one day, and once more for each planted bug',
    commands: ['check:aws -- --planted'],
    leavesOut: 'what this engine does otherwise than AWS, or does not know: see below',
  },
  {
    title: 'Third-party engines',
    amount: 'both',
    commands: ['check:foreign'],
    leavesOut: 'the real services; known differences are below',
  },
  {
    title: "Shopify's schema",
    amount: 'the newest published',
    commands: ['renew-schemas -- --check'],
    leavesOut: 'what Shopify publishes in no package',
  },
  {
    title: 'Load with kills',
    amount: 'one run',
    commands: ['load'],
    leavesOut: 'the limits of AWS and of the store; kills at chosen calls (those are seeds)',
  },
  {
    title: 'All schedules',
    amount: `${searches.length} searches`,
    commands: searches.map((_, index) => `simulate -- --schedules ${index + 1}`),
    leavesOut: 'everything beyond the bounds that each search names',
  },
  {
    title: 'Deliberate bugs',
    amount: `${mutations.length} bugs`,
    commands: mutations.map(({ name }) => `simulate -- --mutations ${name}`),
    leavesOut: 'bugs of other kinds',
  },
];

/** The page with another row for this part. */
export function putResult(
  page: string,
  { title, leavesOut }: Pick<ProofPart, 'title' | 'leavesOut'>,
  result: string,
  date: Date,
): string {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${title} |`));
  if (at < 0) throw new Error(`the page has no row for "${title}"`);
  const row = `| ${title} | ${result} | ${leavesOut} | ${date.toISOString().slice(0, 10)} |`;
  return lines.with(at, row).join('\n');
}
