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
  cloudWatch: {
    alarmPerMetric: 0.1,
    metricPerMonth: 0.3,
    dashboardPerMonth: 3,
    logPerGb: 0.5,
    logStoragePerGbMonth: 0.03,
  },
} as const;

/** What a webhook is assumed to cost in time and bytes. Docs/cost.md explains each. */
export const WORKLOAD = {
  receiverMs: 15,
  workerMs: 170,
  /** At quiet times a FIFO event source hands over single messages. */
  messagesPerBatch: 1,
  /** Sending, receiving and deleting. */
  queueRequests: 3,
  ledgerReads: 1,
  /** One for a first send or no change, two for a change. */
  ledgerWrites: 2,
  webhooksPerEntity: 4,
  ledgerItemKb: 1,
  logKb: 1.5,
  /** A process keeps a secret for five minutes. */
  secretCallsPerProcess: 30 * 24 * 12,
  reconcileSeconds: 10,
  /** What an ordinary day writes: received by shop and kind, outcomes and latency per worker. */
  metricsWritten: 25,
} as const;

/** Lambda asks an idle queue by five connections that wait 20 s each. */
export const IDLE_REQUESTS_PER_QUEUE = (5 * 30 * 86_400) / 20;
