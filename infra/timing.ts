import { Duration } from 'aws-cdk-lib';

/**
 * Times that depend on each other and on constants of the runtime code, which the stack does not import:
 * test/unit/infra/timing.test.ts compares them.
 */

/** Longer than the slowest event: store read, every call, the fallback, the ledger, and the return. */
export const WORKER_TIMEOUT = Duration.seconds(240);

/** Counts only after a worker crashed: otherwise workers set the time. AWS asks for six time-outs. */
export const VISIBILITY = Duration.seconds(6 * WORKER_TIMEOUT.toSeconds());

/** The maximum of SQS. The retry schedule needs fewer within the longest retry window. */
export const MAX_RECEIVES = 1000;

/** The maximum of SQS, and longer than the longest retry window. */
export const RETENTION = Duration.days(14);

/** The maximum of Lambda: a first run has much to compare, and the next run continues where it stopped. */
export const RECONCILE_TIMEOUT = Duration.minutes(15);

/** The store hangs up after 5 s; a longer time-out would not help. */
export const RECEIVER_TIMEOUT = Duration.seconds(10);

/**
 * Reading takes a few seconds at most, because each call has a time-out. Redeeming may take longer than the
 * store waits: the function still finishes, and a repeated request gets the same result.
 */
export const STOREFRONT_TIMEOUT = Duration.seconds(30);
