import type { Deployment } from '../../../shared/config/deployment-settings.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

/** What the account may run at once in this region. */
export interface ConcurrencyLimits {
  readonly total: number;
  /** Of it, what no function has set apart for itself. */
  readonly unreserved: number;
}

/** Receivers that should be able to run beside the workers: the store sends in bursts. */
const RECEIVERS = 10;
/** AWS keeps as much for functions without a reservation ("Configuring reserved concurrency"). */
const KEPT_UNRESERVED = 100;

const RAISE = 'Ask for more in Service Quotas: "Concurrent executions" of AWS Lambda.';

/** Whether the settings fit into the account. A new one often has a quota of ten. */
export function judgeConcurrency(
  { total, unreserved }: ConcurrencyLimits,
  { maxConcurrency, reservedReceiverConcurrency }: Deployment,
): readonly Finding[] {
  const { orders, products, coupons } = maxConcurrency;
  const workers = orders + products + coupons;
  const quota = `the account runs at most ${total} functions at once`;
  if (
    reservedReceiverConcurrency !== undefined &&
    total < reservedReceiverConcurrency + KEPT_UNRESERVED
  ) {
    const what = `${quota}: setting ${reservedReceiverConcurrency} apart for the receiver makes a deployment fail`;
    return [fail(what, `${RAISE} Or remove deployment.reservedReceiverConcurrency.`)];
  }
  const receivers = reservedReceiverConcurrency === undefined ? RECEIVERS : 0;
  if (unreserved < workers + receivers) {
    const what = `${quota}, ${unreserved} of them for everybody: ${workers} workers and the receiver may throttle each other`;
    return [warn(what, `${RAISE} Or lower deployment.maxConcurrency.`)];
  }
  return [pass(`${quota}; ${workers} workers and the receiver fit`)];
}
