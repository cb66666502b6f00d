import { RHYTHMS, TROUBLE } from '../../shared/config/metrics.ts';

/**
 * What AWS gives every account each month, for ever ("Always free"); DynamoDB's requests are not in it, since
 * the table is billed by request, nor are secrets.
 */
const ALWAYS_FREE = { alarmMetrics: 10, ownMetrics: 10, sqsRequests: 1_000_000 };

/** What a webhook is assumed to cost in time and bytes. Docs/cost.md explains each. */
export const WORKLOAD = {
  receiverMs: 15,
  workerMs: 170,
  /** Of a message that leads to no call. */
  idleWorkerMs: 15,
  /** At quiet times a FIFO event source hands over single messages. */
  messagesPerBatch: 1,
  /** Sending, receiving and deleting. */
  queueRequests: 3,
  /** Of an order that is sent: its shop's control record, its entry, and two of its customer. Two for no change. */
  ledgerReads: 4,
  /** Two for what is sent, one for no change. */
  ledgerWrites: 2,
  webhooksPerEntity: 4,
  ledgerItemKb: 1,
  logKb: 1.5,
  /** A process keeps a secret for five minutes. */
  secretCallsPerProcess: 30 * 24 * 12,
  reconcileSeconds: 10,
} as const;

/** Lambda asks an idle queue by five connections that wait 20 s each. */
const IDLE_REQUESTS_PER_QUEUE = (5 * 30 * 86_400) / 20;

interface CostLine {
  readonly what: string;
  /** US dollars a month. */
  readonly dollars: number;
}

interface MonthlyCost {
  readonly perWebhook: readonly CostLine[];
  /** Paid without a single webhook, too. */
  readonly fixed: readonly CostLine[];
  readonly total: number;
}

const KB_PER_GB = 1_000_000;

export function monthlyCost(
  stack: PricedStack,
  webhooks: number,
  { orderRetentionDays }: { readonly orderRetentionDays: number },
): MonthlyCost {
  const { dynamoDb, cloudWatch, secret } = PRICES;
  const work = WORKLOAD;
  const batches = webhooks / work.messagesPerBatch;
  const entities = (webhooks / work.webhooksPerEntity) * (orderRetentionDays / 30);
  const ledgerGb = (entities * work.ledgerItemKb) / KB_PER_GB;
  const logGb = (webhooks * work.logKb) / KB_PER_GB;
  const storage = dynamoDb.storagePerGbMonth + (stack.recovery ? dynamoDb.recoveryPerGbMonth : 0);
  // One process of each function that stays warm; each reads one secret (the receiver) or two.
  const processes = 1 + 2 * stack.eventSources;
  const secretCalls = Math.min(3 * webhooks, processes * stack.shops * work.secretCallsPerProcess);

  const perWebhook = [
    { what: 'Lambda, receiver', dollars: run(webhooks, work.receiverMs, stack.receiverMb) },
    { what: 'Lambda, workers', dollars: run(batches, work.workerMs, stack.workerMb) },
    { what: 'SQS', dollars: webhooks * work.queueRequests * PRICES.sqsFifoPerRequest },
    {
      what: 'DynamoDB, requests',
      dollars:
        webhooks * (work.ledgerReads * dynamoDb.perRead + work.ledgerWrites * dynamoDb.perWrite),
    },
    { what: 'DynamoDB, storage and recovery, once full', dollars: ledgerGb * storage },
    {
      what: 'CloudWatch, logs',
      dollars:
        logGb *
        (cloudWatch.logPerGb + (cloudWatch.logStoragePerGbMonth * stack.logRetentionDays) / 30),
    },
    { what: 'Secrets Manager, calls', dollars: secretCalls * secret.perCall },
    ...(stack.httpApi ? [{ what: 'HTTP API', dollars: webhooks * PRICES.httpApiPerRequest }] : []),
  ];
  const fixed = [
    {
      what: `asking ${stack.eventSources} queues for work`,
      dollars: stack.eventSources * IDLE_REQUESTS_PER_QUEUE * PRICES.sqsFifoPerRequest,
    },
    {
      what: `alarms (${stack.alarmMetrics} metrics)`,
      dollars: stack.alarmMetrics * cloudWatch.alarmPerMetric,
    },
    {
      what: `figures of its own (${stack.ownMetrics} metrics)`,
      dollars: stack.ownMetrics * cloudWatch.metricPerMonth,
    },
    { what: `${stack.secrets} secrets`, dollars: stack.secrets * secret.perMonth },
    { what: 'keys', dollars: stack.keys * PRICES.keyPerMonth },
    {
      what: `reconcile (${Math.round(stack.reconcileRuns)} runs)`,
      dollars: run(stack.reconcileRuns, work.reconcileSeconds * 1000, stack.reconcileMb),
    },
  ];
  const paid = fixed.filter(({ dollars }) => dollars > 0);
  return { perWebhook, fixed: paid, total: sum([...perWebhook, ...paid]) };
}

function run(times: number, ms: number, mb: number): number {
  const { perRequest, perGbSecondArm } = PRICES.lambda;
  return times * (perRequest + ((ms / 1000) * mb * perGbSecondArm) / 1024);
}

/** What was counted while something happened in a store. */
export interface CountedWork {
  readonly deliveries: number;
  /** Of the deliveries and of reconcile. */
  readonly messages: number;
  readonly queueRequests: number;
  readonly ledgerReads: number;
  readonly ledgerWrites: number;
  /** To the loyalty service. */
  readonly calls: number;
}

/** US dollars, with the times and bytes that a month is counted with. */
export function costOfWork(stack: PricedStack, work: CountedWork): number {
  const { dynamoDb, cloudWatch, sqsFifoPerRequest } = PRICES;
  const { receiverMs, workerMs, idleWorkerMs, logKb } = WORKLOAD;
  return (
    run(work.deliveries, receiverMs, stack.receiverMb) +
    run(work.calls, workerMs, stack.workerMb) +
    run(work.messages - work.calls, idleWorkerMs, stack.workerMb) +
    work.queueRequests * sqsFifoPerRequest +
    work.ledgerReads * dynamoDb.perRead +
    work.ledgerWrites * dynamoDb.perWrite +
    ((work.messages * logKb) / KB_PER_GB) * cloudWatch.logPerGb
  );
}

/** The fixed part in an account in which nothing else uses the free tier. */
function fixedAfterFreeTier(stack: PricedStack): number {
  const beyond = (count: number, free: number) => Math.max(count - free, 0);
  const { cloudWatch, secret } = PRICES;
  const polls = stack.eventSources * IDLE_REQUESTS_PER_QUEUE;
  return (
    beyond(polls, ALWAYS_FREE.sqsRequests) * PRICES.sqsFifoPerRequest +
    beyond(stack.alarmMetrics, ALWAYS_FREE.alarmMetrics) * cloudWatch.alarmPerMetric +
    beyond(stack.ownMetrics, ALWAYS_FREE.ownMetrics) * cloudWatch.metricPerMonth +
    stack.secrets * secret.perMonth +
    stack.keys * PRICES.keyPerMonth
  );
}

export function sum(lines: readonly CostLine[]): number {
  return lines.reduce((total, { dollars }) => total + dollars, 0);
}

const VOLUMES = [
  { webhooks: 10_000, name: '10 k' },
  { webhooks: 100_000, name: '100 k' },
  { webhooks: 1_000_000, name: '1 M' },
  { webhooks: 10_000_000, name: '10 M' },
];

/** With the example's settings, apart from `deployment.monitoring` and the storefront. */
interface CostTemplates {
  readonly full: StackTemplate;
  readonly basic: StackTemplate;
  readonly storefront: StackTemplate;
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
    shops: shopsTable(templates.full, settings),
    flood: floodTable(templates.storefront),
  };
}

const SHOPS = [1, 10, 100, 500];
/** Of each shop, in a month. */
const SMALL_SHOP = 10_000;

/** What shops add: their secrets, and how often the functions read them. */
function shopsTable(template: StackTemplate, settings: Settings): string {
  const rows = SHOPS.map((shops) => {
    const stack = describeStack(template, shops);
    const { fixed } = monthlyCost(stack, 0, settings);
    const { total } = monthlyCost(stack, shops * SMALL_SHOP, settings);
    return row(String(shops), [stack.secrets * PRICES.secret.perMonth, sum(fixed), total]);
  });
  return [
    `| shops | secrets | fixed | together, with ${SMALL_SHOP / 1000} k webhooks each |`,
    '|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
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
    if (end < 0) throw new Error(`the page has lost the marks around the table "${name}"`);
    return `${before}${begin}\n\n${table}\n\n${rest.slice(end)}`;
  }, document);
}

const SECONDS_PER_DAY = 86_400;
/** Lambda, "Throttling function URLs": at most ten requests a second for each unit of concurrency. */
export const REQUESTS_PER_CONCURRENCY = 10;
/** Of one process that refuses all the time: the metric at each doubling, and a warning as often or for twenty shops (emf-telemetry.ts). */
const SAMPLED_LINES_PER_MINUTE = 36;
const LINE_KB = 0.35;
/** A refusal, with its headers. */
const REFUSAL_KB = 0.5;
/** The script of the widget, as a browser asks for it, and as text: what a caller gets most of for one request. */
export const SCRIPT_KB = { compressed: 13, text: 34 };

interface Attack {
  readonly what: string;
  /** How the logical id of its function begins. */
  readonly of: string;
  readonly answerKb: number;
  /** Lines of the log for each request. */
  readonly lines: number;
  /** Repeated messages for each request: the queue takes one in five minutes, and is paid each time. */
  readonly sent: number;
  /** Messages for each request that a worker gets: of one entity so many a minute and process (receive-delivery.ts). */
  readonly worked: number;
}

const refused = { answerKb: REFUSAL_KB, lines: 0, sent: 0, worked: 0 };
const perRequest = (aMinute: number) => aMinute / (60 * REQUESTS_PER_CONCURRENCY);
const [THIN, BY_ID] = [perRequest(120), perRequest(10)];

/** The dearest that a caller can do to each address, without a proof and with what anyone can get. */
const ATTACKS: readonly Attack[] = [
  { what: 'webhooks, forged', of: 'ReceiveWebhook', ...refused },
  // `received` as a line and as a metric.
  {
    what: 'webhooks, a captured order again',
    of: 'ReceiveWebhook',
    ...{ ...refused, lines: 2, sent: 1 - BY_ID, worked: BY_ID },
  },
  {
    what: 'webhooks, a captured discount again',
    of: 'ReceiveWebhook',
    ...{ ...refused, lines: 2 * THIN, worked: THIN },
  },
  { what: 'point events, forged', of: 'BalancesReceiver', ...refused },
  { what: 'storefront, forged', of: 'StorefrontProxy', ...refused },
  {
    what: "storefront, the widget's script by the store's own pages",
    of: 'StorefrontProxy',
    ...{ ...refused, answerKb: SCRIPT_KB.compressed },
  },
  {
    what: 'storefront, the same by callers who take no compressed answer',
    of: 'StorefrontProxy',
    ...{ ...refused, answerKb: SCRIPT_KB.text },
  },
];

/**
 * What a day of one attack costs at most, in US dollars: every copy of the function never idle, and as many requests as
 * Lambda lets through. What it turns away costs nothing.
 */
function floodCostPerDay(
  { answerKb, lines, sent, worked }: Attack,
  memoryMb: number,
  concurrency: number,
  stack: PricedStack,
): number {
  const { lambda, cloudWatch, secret, sqsFifoPerRequest, transferPerGb } = PRICES;
  const requests = concurrency * REQUESTS_PER_CONCURRENCY * SECONDS_PER_DAY;
  const processMinutes = (concurrency * SECONDS_PER_DAY) / 60;
  const gbSeconds = concurrency * SECONDS_PER_DAY * (memoryMb / 1024);
  const logGb =
    ((requests * lines + processMinutes * SAMPLED_LINES_PER_MINUTE) * LINE_KB) / KB_PER_GB;
  return (
    requests * lambda.perRequest +
    gbSeconds * lambda.perGbSecondArm +
    logGb * cloudWatch.logPerGb +
    requests * sent * sqsFifoPerRequest +
    ((requests * answerKb) / KB_PER_GB) * transferPerGb +
    // A wrong signature has the secret read again, at most once a minute.
    processMinutes * secret.perCall +
    costOfMessages(stack, requests * worked)
  );
}

function costOfMessages(stack: PricedStack, messages: number): number {
  const { queueRequests, ledgerReads, ledgerWrites } = WORKLOAD;
  return costOfWork(stack, {
    ...{ deliveries: 0, messages, calls: messages, queueRequests: messages * queueRequests },
    ...{ ledgerReads: messages * ledgerReads, ledgerWrites: messages * ledgerWrites },
  });
}

/** A reservation of 10, or a new account; what `deploy` reserves; no reservation under the usual quota. */
const LIMITS = [10, 50, 1_000];

/** By attack: US dollars a day for each of `LIMITS`. */
export function floodCosts(template: StackTemplate) {
  const stack = describeStack(template);
  return ATTACKS.map((attack) => {
    const [, target] =
      Object.entries(template.Resources).find(
        ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith(attack.of),
      ) ?? [];
    const memoryMb = target?.Properties?.MemorySize ?? Number.NaN;
    const dollars = LIMITS.map((limit) => floodCostPerDay(attack, memoryMb, limit, stack));
    return { what: attack.what, dollars };
  });
}

/** Markdown: the bound by what limits the address. */
function floodTable(storefront: StackTemplate): string {
  return [
    `| US dollars a day at most, by concurrency of the address | ${LIMITS.join(' | ')} |`,
    `|---|${LIMITS.map(() => '---:|').join('')}`,
    `| requests a second | ${LIMITS.map((limit) => limit * REQUESTS_PER_CONCURRENCY).join(' | ')} |`,
    ...floodCosts(storefront).map(({ what, dollars }) => row(what, dollars)),
  ].join('\n');
}

/** What of a stack has a price. */
export interface PricedStack {
  readonly receiverMb: number;
  readonly workerMb: number;
  readonly reconcileMb: number;
  readonly eventSources: number;
  readonly shops: number;
  readonly secrets: number;
  readonly keys: number;
  /** An alarm on an expression is paid for each metric in it. */
  readonly alarmMetrics: number;
  /** Of the functions' own, what an ordinary day writes; troubles write more, by the hour. */
  readonly ownMetrics: number;
  readonly reconcileRuns: number;
  readonly logRetentionDays: number;
  readonly recovery: boolean;
  readonly httpApi: boolean;
}

/** The properties that are read here, of whatever resource has them. */
interface PricedProperties {
  readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> };
  readonly MemorySize?: number;
  readonly MetricName?: string;
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
  readonly ScheduleExpression?: string;
  readonly RetentionInDays?: number;
  readonly PointInTimeRecoverySpecification?: { readonly PointInTimeRecoveryEnabled?: boolean };
}

interface Resource {
  readonly Type: string;
  readonly Properties?: PricedProperties;
}

export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
}

export function describeStack({ Resources }: StackTemplate, shops = 1): PricedStack {
  const all = (type: string) =>
    Object.values(Resources).flatMap(({ Type, Properties }) =>
      Type === type ? [Properties ?? {}] : [],
    );
  const functions = all('AWS::Lambda::Function');
  const memoryOf = (variable: string, set: boolean) =>
    functions.find(({ Environment }) => variable in (Environment?.Variables ?? {}) === set)
      ?.MemorySize ?? Number.NaN;
  const hasStorefront = Number.isFinite(memoryOf('BALANCES_QUEUE_URL', true));
  return {
    receiverMb: memoryOf('LEDGER_TABLE', false),
    workerMb: memoryOf('SOURCE_QUEUE_URL', true),
    reconcileMb: memoryOf('WEBHOOK_ADDRESS', true),
    eventSources: all('AWS::Lambda::EventSourceMapping').length,
    shops,
    // Point events have a token.
    secrets: shops * (hasStorefront ? 4 : 3),
    keys: all('AWS::KMS::Key').length,
    alarmMetrics: all('AWS::CloudWatch::Alarm').reduce(
      (sum, { Metrics }) => sum + (Metrics?.filter(isMetric).length ?? 1),
      0,
    ),
    ownMetrics: countOwnMetrics(all('AWS::CloudWatch::Alarm')),
    reconcileRuns: all('AWS::Events::Rule').reduce(
      (sum, { ScheduleExpression }) => sum + runsPerMonth(ScheduleExpression ?? ''),
      0,
    ),
    logRetentionDays: all('AWS::Logs::LogGroup')[0]?.RetentionInDays ?? Number.NaN,
    recovery: all('AWS::DynamoDB::Table').some(
      ({ PointInTimeRecoverySpecification: point }) => point?.PointInTimeRecoveryEnabled === true,
    ),
    httpApi: all('AWS::ApiGatewayV2::Api').length > 0,
  };
}

/** The functions write what the alarms show: all of it, or what `basic` has. */
function countOwnMetrics(alarms: readonly PricedProperties[]): number {
  const everyday = Object.values(RHYTHMS).filter((rhythm) => rhythm === 'everyday').length;
  const isBasic = alarms.some(({ MetricName }) => MetricName === TROUBLE);
  return isBasic ? 0 : everyday;
}

const isMetric = (one: { readonly MetricStat?: unknown }): boolean => one.MetricStat !== undefined;

const HOURS: Readonly<Record<string, number>> = { minute: 1 / 60, hour: 1, day: 24 };

/** `rate(1 hour)` */
function runsPerMonth(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  return (30 * 24) / (Number(count) * (HOURS[unit] ?? Number.NaN));
}

/**
 * Prices of AWS in us-east-1 in US dollars, from the pricing pages of the services, without any free
 * tier. The one place to change when AWS does, or for another region.
 */
export const PRICES = {
  lambda: { perRequest: 0.2e-6, perGbSecondArm: 0.0000133334 },
  /** Each started 64 KB of a FIFO request. */
  sqsFifoPerRequest: 0.5e-6,
  dynamoDb: {
    perWrite: 0.625e-6,
    perRead: 0.125e-6,
    storagePerGbMonth: 0.25,
    recoveryPerGbMonth: 0.2,
  },
  httpApiPerRequest: 1e-6,
  secret: { perMonth: 0.4, perCall: 0.05 / 10_000 },
  keyPerMonth: 1,
  /** Out to the internet, the first 10 TB a month. */
  transferPerGb: 0.09,
  cloudWatch: {
    alarmPerMetric: 0.1,
    metricPerMonth: 0.3,
    logPerGb: 0.5,
    logStoragePerGbMonth: 0.03,
  },
} as const;
