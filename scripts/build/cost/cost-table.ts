import { describeStack, type StackTemplate } from './describe-stack.ts';
import { type CostLine, monthlyCost, sum } from './monthly-cost.ts';

const VOLUMES = [
  { webhooks: 10_000, name: '10 k' },
  { webhooks: 100_000, name: '100 k' },
  { webhooks: 1_000_000, name: '1 M' },
  { webhooks: 10_000_000, name: '10 M' },
];

const BEGIN = '<!-- The table between these marks is written by: npm run cost -->';
const END = '<!-- End of the table. -->';

/** Markdown: a row per item on the bill, a column per volume. */
export function costTable(
  template: StackTemplate,
  settings: { readonly orderRetentionDays: number },
): string {
  const stack = describeStack(template);
  const costs = VOLUMES.map(({ webhooks }) => monthlyCost(stack, webhooks, settings));
  const row = (what: string, dollars: readonly number[]) =>
    `| ${what} | ${dollars.map((amount) => amount.toFixed(2)).join(' | ')} |`;
  const rows = (pick: (cost: (typeof costs)[number]) => readonly CostLine[]) =>
    (costs[0] ? pick(costs[0]) : []).map(({ what }, index) =>
      row(
        what,
        costs.map((cost) => pick(cost)[index]?.dollars ?? 0),
      ),
    );
  return [
    `| US dollars a month, by webhooks | ${VOLUMES.map(({ name }) => name).join(' | ')} |`,
    `|---|${VOLUMES.map(() => '---:|').join('')}`,
    ...rows(({ perWebhook }) => perWebhook),
    row(
      '**by use**',
      costs.map(({ perWebhook }) => sum(perWebhook)),
    ),
    ...rows(({ fixed }) => fixed),
    row(
      '**fixed**',
      costs.map(({ fixed }) => sum(fixed)),
    ),
    row(
      '**together**',
      costs.map(({ total }) => total),
    ),
  ].join('\n');
}

/** The document with the table in it. */
export function putTable(document: string, table: string): string {
  const [before, rest = ''] = document.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error('docs/cost.md has lost the marks around its table');
  return `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
}
