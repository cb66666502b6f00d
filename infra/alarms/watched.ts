import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Connector } from '../../shared/config/connector-config.ts';
import type { Service } from '../../shared/config/metrics.ts';
import type { EventQueue } from '../event-queue.ts';
import type { LedgerTable } from '../ledger-table.ts';

export const FAMILIES = ['orders', 'products', 'coupons'] as const;

export const WORKERS = [
  'sync-orders',
  'sync-products',
  'sync-coupons',
] as const satisfies readonly Service[];

/** Everything that alarms and the dashboard look at. */
export interface Watched {
  readonly connector: Connector;
  readonly metricsNamespace: string;
  readonly queues: Readonly<Record<(typeof FAMILIES)[number], EventQueue>>;
  readonly functions: Readonly<Record<Service, LambdaFunction>>;
  /** In front of the receiver; undefined where its function URL takes the webhooks. */
  readonly api: HttpApi | undefined;
  readonly ledger: LedgerTable;
}
