import type { Connector } from '../shared/config/connector-config.ts';
import type { StorefrontService } from '../shared/config/metrics.ts';

/** Folders of functions/ that the stack deploys. */
export const FUNCTIONS = [
  'receive-webhook',
  'sync-orders',
  'sync-products',
  'sync-coupons',
  'reconcile',
] as const;

const STOREFRONT_FUNCTIONS = [
  'receive-points',
  'sync-balances',
  'storefront',
] as const satisfies readonly StorefrontService[];

export type FunctionName = (typeof FUNCTIONS)[number] | StorefrontService;

/** The functions that a stage deploys: those of the storefront only where it is configured. */
export function functionsOf({ storefront }: Connector): readonly FunctionName[] {
  return storefront ? [...FUNCTIONS, ...STOREFRONT_FUNCTIONS] : FUNCTIONS;
}
