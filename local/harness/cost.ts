import { RHYTHMS, TROUBLE } from '../../shared/config/metrics.ts';

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
  /** In an account in which nothing else uses the free tier. */
  readonly afterFree: number;
}

/**
 * `free`: what AWS gives every account each month, for ever ("Always free"). DynamoDB's requests are not in it, since
 * the table is billed by request, nor are secrets.
 */
const costs = (what: string, price: number, count = 1, free = 0): CostLine => ({
  what,
  dollars: count * price,
  afterFree: Math.max(count - free, 0) * price,
});

export const sum = (lines: readonly CostLine[], of: 'dollars' | 'afterFree' = 'dollars'): number =>
  lines.reduce((total, line) => total + line[of], 0);

const KB_PER_GB = 1_000_000;

interface Settings {
  readonly orderRetentionDays: number;
}

export function monthlyCost(stack: PricedStack, webhooks: number, settings: Settings) {
  const { dynamoDb, cloudWatch, secret, sqsFifoPerRequest } = PRICES;
  const { alarmMetrics, eventSources, ownMetrics, secrets } = stack;
  const work = WORKLOAD;
  const entities = (webhooks / work.webhooksPerEntity) * (settings.orderRetentionDays / 30);
  const storage = dynamoDb.storagePerGbMonth + (stack.recovery ? dynamoDb.recoveryPerGbMonth : 0);
  const ledger = work.ledgerReads * dynamoDb.perRead + work.ledgerWrites * dynamoDb.perWrite;
  const logged = (cloudWatch.logStoragePerGbMonth * stack.logRetentionDays) / 30;
  const logGb = (webhooks * work.logKb) / KB_PER_GB;
  // One process of each function that stays warm; each reads one secret (the receiver) or two.
  const processes = 1 + 2 * eventSources;
  const secretCalls = Math.min(3 * webhooks, processes * stack.shops * work.secretCallsPerProcess);
  const batches = webhooks / work.messagesPerBatch;
  const reconcile = run(stack.reconcileRuns, work.reconcileSeconds * 1000, stack.reconcileMb);

  const perWebhook = [
    costs('Lambda, receiver', run(webhooks, work.receiverMs, stack.receiverMb)),
    costs('Lambda, workers', run(batches, work.workerMs, stack.workerMb)),
    costs('SQS', sqsFifoPerRequest, webhooks * work.queueRequests),
    costs('DynamoDB, requests', ledger, webhooks),
    costs(
      'DynamoDB, storage and recovery, once full',
      storage,
      (entities * work.ledgerItemKb) / KB_PER_GB,
    ),
    costs('CloudWatch, logs', cloudWatch.logPerGb + logged, logGb),
    costs('Secrets Manager, calls', secret.perCall, secretCalls),
    ...(stack.httpApi ? [costs('HTTP API', PRICES.httpApiPerRequest, webhooks)] : []),
  ];
  const polls = eventSources * IDLE_REQUESTS_PER_QUEUE;
  /** Paid without a single webhook, too. */
  const fixed = [
    costs(`asking ${eventSources} queues for work`, sqsFifoPerRequest, polls, 1_000_000),
    costs(`alarms (${alarmMetrics} metrics)`, cloudWatch.alarmPerMetric, alarmMetrics, 10),
    costs(`figures of its own (${ownMetrics} metrics)`, cloudWatch.metricPerMonth, ownMetrics, 10),
    costs(`${secrets} secrets`, secret.perMonth, secrets),
    costs('keys', PRICES.keyPerMonth, stack.keys),
    { ...costs(`reconcile (${Math.round(stack.reconcileRuns)} runs)`, reconcile), afterFree: 0 },
  ].filter(({ dollars }) => dollars > 0);
  return { perWebhook, fixed, total: sum([...perWebhook, ...fixed]) };
}

function run(times: number, ms: number, mb: number): number {
  const { perRequest, perGbSecondArm } = PRICES.lambda;
  return times * (perRequest + ((ms / 1000) * mb * perGbSecondArm) / 1024);
}

/** What was counted while something happened in a store. */
interface CountedWork {
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

/**
 * The tables of docs/cost.md by their names there. The templates are those of the example's settings, apart from
 * `deployment.monitoring` and the storefront.
 */
export function costTables(
  templates: Readonly<Record<'full' | 'basic' | 'storefront', StackTemplate>>,
  settings: Settings,
) {
  return {
    month: monthTable(describeStack(templates.full), settings),
    monitoring: monitoringTable(templates, settings),
    shops: shopsTable(templates.full, settings),
    flood: floodTable(templates.storefront),
  };
}

const row = (what: string, dollars: readonly number[]): string =>
  `| ${what} | ${dollars.map((amount) => amount.toFixed(2)).join(' | ')} |`;

/** A line of names and one that aligns the numbers under them. */
const head = (what: string, columns: readonly (string | number)[]): string =>
  `| ${what} | ${columns.join(' | ')} |\n|---|${columns.map(() => '---:|').join('')}`;

const VOLUMES = { '10 k': 10_000, '100 k': 100_000, '1 M': 1_000_000, '10 M': 10_000_000 };

/** A row per item on the bill, a column per volume. */
function monthTable(stack: PricedStack, settings: Settings): string {
  const months = Object.values(VOLUMES).map((webhooks) => monthlyCost(stack, webhooks, settings));
  const part = (name: string, of: 'perWebhook' | 'fixed') => [
    ...(months[0]?.[of] ?? []).map(({ what }, index) =>
      row(
        what,
        months.map((month) => month[of][index]?.dollars ?? 0),
      ),
    ),
    row(
      `**${name}**`,
      months.map((month) => sum(month[of])),
    ),
  ];
  const totals = months.map(({ total }) => total);
  return [
    head('US dollars a month, by webhooks', Object.keys(VOLUMES)),
    ...part('by use', 'perWebhook'),
    ...part('fixed', 'fixed'),
    row('**together**', totals),
  ].join('\n');
}

/** The fixed part with each setting of `deployment.monitoring`. */
function monitoringTable(
  templates: Readonly<Record<'full' | 'basic', StackTemplate>>,
  settings: Settings,
): string {
  const rows = (['full', 'basic'] as const).map((name) => {
    const { fixed } = monthlyCost(describeStack(templates[name]), 0, settings);
    const items = fixed.map(({ what, dollars }) => `${what} ${dollars.toFixed(2)}`).join(', ');
    return `${row(`\`${name}\``, [sum(fixed), sum(fixed, 'afterFree')])} ${items} |`;
  });
  return [
    '| `monitoring` | US dollars a month, fixed | after the free tier | of which |',
    '|---|---:|---:|---|',
    ...rows,
  ].join('\n');
}

const SHOPS = [1, 10, 100, 500];
/** Of each shop, in a month. */
const SMALL_SHOP = 10_000;

/** What shops add: their secrets, and how often the functions read them. */
function shopsTable(template: StackTemplate, settings: Settings): string {
  const rows = SHOPS.map((shops) => {
    const stack = describeStack(template, shops);
    const { fixed, total } = monthlyCost(stack, shops * SMALL_SHOP, settings);
    return row(String(shops), [stack.secrets * PRICES.secret.perMonth, sum(fixed), total]);
  });
  return [
    `| shops | secrets | fixed | together, with ${SMALL_SHOP / 1000} k webhooks each |`,
    '|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
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

/** What one request of a flood causes; where it says nothing, it is refused. */
interface Caused {
  readonly answerKb?: number;
  /** Lines of the log. */
  readonly lines?: number;
  /** Repeated messages: the queue takes one in five minutes, and is paid each time. */
  readonly sent?: number;
  /** Messages that a worker gets: of one entity so many a minute and process (receive-delivery.ts). */
  readonly worked?: number;
}

const perRequest = (aMinute: number) => aMinute / (60 * REQUESTS_PER_CONCURRENCY);
const [THIN, BY_ID] = [perRequest(120), perRequest(10)];
/** How the logical ids of the functions begin. */
const [RECEIVER, POINTS, PROXY] = ['ReceiveWebhook', 'BalancesReceiver', 'StorefrontProxy'];

/** The dearest that a caller can do to each address, without a proof and with what anyone can get. */
const FLOODS: readonly (readonly [what: string, of: string, caused: Caused])[] = [
  ['webhooks, forged', RECEIVER, {}],
  // `received` as a line and as a metric.
  ['webhooks, a captured order again', RECEIVER, { lines: 2, sent: 1 - BY_ID, worked: BY_ID }],
  ['webhooks, a captured discount again', RECEIVER, { lines: 2 * THIN, worked: THIN }],
  ['point events, forged', POINTS, {}],
  ['storefront, forged', PROXY, {}],
  [
    "storefront, the widget's script by the store's own pages",
    PROXY,
    { answerKb: SCRIPT_KB.compressed },
  ],
  [
    'storefront, the same by callers who take no compressed answer',
    PROXY,
    { answerKb: SCRIPT_KB.text },
  ],
];

/**
 * What a day of one flood costs at most, in US dollars: every copy of the function never idle, and as many requests as
 * Lambda lets through. What it turns away costs nothing.
 */
function floodCostPerDay(
  { answerKb = REFUSAL_KB, lines = 0, sent = 0, worked = 0 }: Caused,
  memoryMb: number,
  concurrency: number,
  stack: PricedStack,
): number {
  const { lambda, cloudWatch, secret, sqsFifoPerRequest, transferPerGb } = PRICES;
  const { queueRequests, ledgerReads, ledgerWrites } = WORKLOAD;
  const requests = concurrency * REQUESTS_PER_CONCURRENCY * SECONDS_PER_DAY;
  const processMinutes = (concurrency * SECONDS_PER_DAY) / 60;
  const gbSeconds = concurrency * SECONDS_PER_DAY * (memoryMb / 1024);
  const logKb = (requests * lines + processMinutes * SAMPLED_LINES_PER_MINUTE) * LINE_KB;
  const messages = requests * worked;
  const working = costOfWork(stack, {
    ...{ deliveries: 0, messages, calls: messages, queueRequests: messages * queueRequests },
    ...{ ledgerReads: messages * ledgerReads, ledgerWrites: messages * ledgerWrites },
  });
  return (
    requests * (lambda.perRequest + sent * sqsFifoPerRequest) +
    gbSeconds * lambda.perGbSecondArm +
    (logKb * cloudWatch.logPerGb + requests * answerKb * transferPerGb) / KB_PER_GB +
    // A wrong signature has the secret read again, at most once a minute.
    processMinutes * secret.perCall +
    working
  );
}

/** A reservation of 10, or a new account; what `deploy` reserves; no reservation under the usual quota. */
const LIMITS = [10, 50, 1_000];

/** By flood: US dollars a day for each of `LIMITS`. */
export function floodCosts(template: StackTemplate) {
  const stack = describeStack(template);
  return FLOODS.map(([what, of, caused]) => {
    const [, target] =
      Object.entries(template.Resources).find(
        ([id, { Type }]) => Type === 'AWS::Lambda::Function' && id.startsWith(of),
      ) ?? [];
    const memoryMb = target?.Properties?.MemorySize ?? Number.NaN;
    return { what, dollars: LIMITS.map((at) => floodCostPerDay(caused, memoryMb, at, stack)) };
  });
}

/** The bound by what limits the address. */
function floodTable(storefront: StackTemplate): string {
  const requests = LIMITS.map((limit) => limit * REQUESTS_PER_CONCURRENCY);
  return [
    head('US dollars a day at most, by concurrency of the address', LIMITS),
    `| requests a second | ${requests.join(' | ')} |`,
    ...floodCosts(storefront).map(({ what, dollars }) => row(what, dollars)),
  ].join('\n');
}

type PricedStack = ReturnType<typeof describeStack>;

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

export interface StackTemplate {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: PricedProperties }>
  >;
}

/** What of a stack has a price. */
export function describeStack({ Resources }: StackTemplate, shops = 1) {
  const all = (type: string) =>
    Object.values(Resources).flatMap(({ Type, Properties }) =>
      Type === type ? [Properties ?? {}] : [],
    );
  const functions = all('AWS::Lambda::Function');
  const memoryOf = (variable: string, set: boolean) =>
    functions.find(({ Environment }) => variable in (Environment?.Variables ?? {}) === set)
      ?.MemorySize ?? Number.NaN;
  const hasStorefront = Number.isFinite(memoryOf('BALANCES_QUEUE_URL', true));
  const alarms = all('AWS::CloudWatch::Alarm');
  const isBasic = alarms.some(({ MetricName }) => MetricName === TROUBLE);
  const everyday = Object.values(RHYTHMS).filter((rhythm) => rhythm === 'everyday').length;
  const total = (numbers: readonly number[]) => numbers.reduce((one, other) => one + other, 0);
  return {
    receiverMb: memoryOf('LEDGER_TABLE', false),
    workerMb: memoryOf('SOURCE_QUEUE_URL', true),
    reconcileMb: memoryOf('WEBHOOK_ADDRESS', true),
    eventSources: all('AWS::Lambda::EventSourceMapping').length,
    shops,
    // Point events have a token.
    secrets: shops * (hasStorefront ? 4 : 3),
    keys: all('AWS::KMS::Key').length,
    // An alarm on an expression is paid for each metric in it.
    alarmMetrics: total(
      alarms.map(
        ({ Metrics }) => Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1,
      ),
    ),
    // Of the functions' own, what an ordinary day writes; troubles write more, by the hour.
    ownMetrics: isBasic ? 0 : everyday,
    reconcileRuns: total(
      all('AWS::Events::Rule').map(({ ScheduleExpression = '' }) =>
        runsPerMonth(ScheduleExpression),
      ),
    ),
    logRetentionDays: all('AWS::Logs::LogGroup')[0]?.RetentionInDays ?? Number.NaN,
    recovery: all('AWS::DynamoDB::Table').some(
      ({ PointInTimeRecoverySpecification: point }) => point?.PointInTimeRecoveryEnabled === true,
    ),
    httpApi: all('AWS::ApiGatewayV2::Api').length > 0,
  };
}

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
