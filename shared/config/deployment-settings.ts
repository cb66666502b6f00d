import { given } from './defaults.ts';
import type { Monitoring } from './metrics.ts';

/** An HTTP API in front of the receiver, instead of its function URL. About a dollar per million. */
interface HttpApiEndpoint {
  readonly kind: 'http-api';
  /**
   * Requests per second that are let through, and how many at once; more is answered with 429. The storefront's
   * two addresses stay function URLs and get a reservation of `burst`, at most 50, where the quota allows it.
   */
  readonly throttle?: { readonly ratePerSecond: number; readonly burst: number };
  /** A domain of your own, with the ARN of its certificate in the region of the stack. */
  readonly domain?: { readonly name: string; readonly certificateArn: string };
}

interface PerQueue {
  readonly orders?: number;
  readonly products?: number;
  readonly coupons?: number;
}

/** How the connector is deployed. All have a default that suits a shop of up to a million events. */
export interface DeploymentSettings {
  /**
   * Where webhooks arrive. `function-url` costs nothing beyond the function; an HTTP API adds throttling
   * and a domain of your own. Default: `{ kind: 'function-url' }`.
   */
  readonly endpoint?: { readonly kind: 'function-url' } | HttpApiEndpoint;

  /**
   * How many workers of a queue run in parallel at most, from 2 to 1000. This limits the load on the
   * loyalty service: each worker makes up to five calls at once. Default: 10 for orders, 5 for others,
   * or fewer, as the quota of the AWS account allows.
   */
  readonly maxConcurrency?: PerQueue;

  /**
   * Concurrency reserved for the receiver, so that no other function in the account can starve it. AWS allows
   * a reservation only where it leaves 100 for other functions; a new account often has a quota of 10 in all.
   * Default: up to 50, as the quota allows.
   */
  readonly reservedReceiverConcurrency?: number;

  /** How long logs are kept, in days as CloudWatch offers them. Default: 30. */
  readonly logRetentionDays?: 1 | 3 | 5 | 7 | 14 | 30 | 60 | 90 | 180 | 365;

  /**
   * Keep the ledger, the queues and the secrets when the stack is deleted or a shop is removed, and protect
   * the stage `prod` from deletion. Set `false` for a test stage.
   * Default: `true`.
   */
  readonly retainData?: boolean;

  /**
   * `full`: every alarm, and the figures of the last hour in `status`. `basic`: one alarm for everything
   * that needs a person, and alarms when a queue or the receiver stands still, for less than half the
   * price (docs/cost.md). Default: `full`.
   */
  readonly monitoring?: Monitoring;

  /** A CloudWatch dashboard. The first three of an account are free, each further one is $3 a month. Default: `false`. */
  readonly dashboard?: boolean;

  /**
   * The ARN of a key of your own in KMS, in the region of the stack, for queues, ledger, secrets and logs. It costs
   * about two dollars a month, and its key policy must allow the use: docs/security.md. Default: keys of AWS,
   * which cost nothing.
   */
  readonly encryptionKey?: string;
}

export interface Deployment {
  readonly endpoint: { readonly kind: 'function-url' } | HttpApiEndpoint;
  /** As stated: `deploy` chooses the others. */
  readonly maxConcurrency: PerQueue;
  readonly reservedReceiverConcurrency: number | undefined;
  readonly logRetentionDays: number;
  readonly retainData: boolean;
  readonly monitoring: Monitoring;
  readonly dashboard: boolean;
  readonly encryptionKey: string | undefined;
}

export function completeDeployment(settings: DeploymentSettings = {}): Deployment {
  return {
    endpoint: settings.endpoint ?? { kind: 'function-url' },
    maxConcurrency: given(settings.maxConcurrency),
    reservedReceiverConcurrency: settings.reservedReceiverConcurrency,
    logRetentionDays: settings.logRetentionDays ?? 30,
    retainData: settings.retainData ?? true,
    monitoring: settings.monitoring ?? 'full',
    dashboard: settings.dashboard ?? false,
    encryptionKey: settings.encryptionKey,
  };
}
