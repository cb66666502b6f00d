import { Duration } from 'aws-cdk-lib';

/**
 * The times that must agree with each other. What they are derived from lies in runtime code, which
 * the stack does not import: test/unit/infra/timing.test.ts holds both together.
 */

/** Above the worst event: store read, every call, the fallback, the ledger, and time to give back. */
export const WORKER_TIMEOUT = Duration.seconds(240);

/** Only for a worker that died: every other one sets the time itself. AWS asks for six time-outs. */
export const VISIBILITY = Duration.seconds(6 * WORKER_TIMEOUT.toSeconds());

/** SQS allows no more. The retry schedule needs less within the longest retry window. */
export const MAX_RECEIVES = 1000;

/** As long as SQS keeps anything: longer than the longest retry window. */
export const RETENTION = Duration.days(14);

/** As long as Lambda allows: a first run has much to compare, and keeps its place when time is up. */
export const RECONCILE_TIMEOUT = Duration.minutes(15);

/** The store hangs up after 5 s; whatever takes longer was in vain. */
export const RECEIVER_TIMEOUT = Duration.seconds(10);

/**
 * Reading ends within a few seconds, because each call does. Redeeming may take longer than the store waits:
 * the function still finishes what it began, and whoever asks again joins it.
 */
export const STOREFRONT_TIMEOUT = Duration.seconds(30);
