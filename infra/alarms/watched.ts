import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Connector } from '../../shared/config/connector-config.ts';
import type { Service, StorefrontService } from '../../shared/config/metrics.ts';
import type { EventQueue } from '../event-queue.ts';
import type { LedgerTable } from '../ledger-table.ts';

export const WORKERS = [
  'sync-orders',
  'sync-products',
  'sync-coupons',
] as const satisfies readonly Service[];

/** Everything that alarms and the dashboard look at. */
export interface Watched {
  readonly connector: Connector;
  readonly metricsNamespace: string;
  readonly queues: Readonly<Record<'orders' | 'products' | 'coupons', EventQueue>>;
  readonly functions: Readonly<Record<Service, LambdaFunction>>;
  /** Undefined where the way back into the store is not deployed. */
  readonly storefront:
    | {
        readonly queue: EventQueue;
        readonly functions: Readonly<Record<StorefrontService, LambdaFunction>>;
      }
    | undefined;
  /** In front of the receiver; undefined where its function URL takes the webhooks. */
  readonly api: HttpApi | undefined;
  readonly ledger: LedgerTable;
}

/** Every queue by the name it has in alarms. */
export function watchedQueues({ queues, storefront }: Watched): readonly [string, EventQueue][] {
  return Object.entries({ ...queues, ...(storefront && { balances: storefront.queue }) });
}

export function watchedFunctions({ functions, storefront }: Watched): [string, LambdaFunction][] {
  return Object.entries({ ...functions, ...storefront?.functions });
}
