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
    /** GetMetricData pays for each metric, other requests for themselves. */
    perMetricRead: 0.01 / 1_000,
    perRequest: 0.01 / 1_000,
  },
} as const;
