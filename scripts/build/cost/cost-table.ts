import { describeStack, type PricedStack, type StackTemplate } from './describe-stack.ts';
import { floodTable } from './flood-cost.ts';
import { type CostLine, fixedAfterFreeTier, monthlyCost, sum } from './monthly-cost.ts';

const VOLUMES = [
  { webhooks: 10_000, name: '10 k' },
  { webhooks: 100_000, name: '100 k' },
  { webhooks: 1_000_000, name: '1 M' },
  { webhooks: 10_000_000, name: '10 M' },
];

/** Both with the example's settings, apart from `deployment.monitoring`. */
export interface CostTemplates {
  readonly full: StackTemplate;
  readonly basic: StackTemplate;
}

interface Settings {
  readonly orderRetentionDays: number;
}

/** The tables of docs/cost.md by their names there. */
export function costTables(templates: CostTemplates, settings: Settings) {
  const full = describeStack(templates.full);
  return {
    month: monthTable(full, settings),
    monitoring: monitoringTable({ full, basic: describeStack(templates.basic) }, settings),
    flood: floodTable(full),
  };
}

/** A row per item on the bill, a column per volume. */
function monthTable(stack: PricedStack, settings: Settings): string {
  const costs = VOLUMES.map(({ webhooks }) => monthlyCost(stack, webhooks, settings));
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

/** The fixed part with each setting of `deployment.monitoring`. */
function monitoringTable(
  stacks: Readonly<Record<'full' | 'basic', PricedStack>>,
  settings: Settings,
): string {
  const rows = Object.entries(stacks).map(([name, stack]) => {
    const { fixed } = monthlyCost(stack, 0, settings);
    const items = fixed.map(({ what, dollars }) => `${what} ${dollars.toFixed(2)}`).join(', ');
    const free = fixedAfterFreeTier(stack).toFixed(2);
    return `| \`${name}\` | ${sum(fixed).toFixed(2)} | ${free} | ${items} |`;
  });
  return [
    '| `monitoring` | US dollars a month, fixed | after the free tier | of which |',
    '|---|---:|---:|---|',
    ...rows,
  ].join('\n');
}

function row(what: string, dollars: readonly number[]): string {
  return `| ${what} | ${dollars.map((amount) => amount.toFixed(2)).join(' | ')} |`;
}

const END = '<!-- End of the table. -->';
const beginOf = (name: string) => `<!-- The table "${name}" is written by: npm run cost -->`;

/** The document with the tables in it. */
export function putTables(document: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, table]) => {
    const begin = beginOf(name);
    const [before, rest = ''] = text.split(begin);
    const end = rest.indexOf(END);
    if (end < 0) throw new Error(`docs/cost.md has lost the marks around the table "${name}"`);
    return `${before}${begin}\n\n${table}\n\n${rest.slice(end)}`;
  }, document);
}
