import type { MappingRules } from '../../../shared/config/mapping-settings.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

interface NeededScope {
  readonly scope: string;
  readonly for: string;
}

const ALWAYS: readonly NeededScope[] = [
  { scope: 'read_orders', for: 'orders' },
  { scope: 'read_customers', for: 'the customer of an order' },
  { scope: 'read_products', for: 'products' },
  { scope: 'read_discounts', for: 'discount codes' },
];

/** For the way back into the store, where it is deployed. */
const STOREFRONT: readonly NeededScope[] = [
  { scope: 'write_customers', for: 'the balances of customers (storefront)' },
  { scope: 'write_discounts', for: 'the codes of redeemed rewards (storefront)' },
  { scope: 'write_app_proxy', for: 'the app proxy that asks the storefront' },
];

/** Whether the app may do what the functions ask for under these rules. */
export function judgeScopes(
  granted: readonly string[],
  { enrich }: Pick<MappingRules, 'enrich'>,
  hasStorefront = false,
): readonly Finding[] {
  const has = (scope: string) =>
    granted.includes(scope) || granted.includes(scope.replace(/^read_/, 'write_'));
  const needed = [
    ...ALWAYS,
    ...(enrich.locationNames
      ? [{ scope: 'read_locations', for: 'rules.enrich.locationNames' }]
      : []),
    ...(enrich.staffNames ? [{ scope: 'read_users', for: 'rules.enrich.staffNames' }] : []),
    ...(hasStorefront ? STOREFRONT : []),
  ];
  const missing = needed.filter(({ scope }) => !has(scope));
  const findings = missing.map((one) =>
    fail(
      `the app lacks the scope ${one.scope}, needed for ${one.for}`,
      "Add the scope to the app's configuration, release it and approve it in the shop's admin.",
    ),
  );
  if (!has('read_all_orders')) {
    findings.push(
      warn(
        'the app lacks the scope read_all_orders: an order of more than 60 days cannot be read again',
        'Ask Shopify for read_all_orders in the app, or accept that late returns of old orders wait.',
      ),
    );
  }
  return findings.length > 0 ? findings : [pass(`the token is accepted, all scopes are there`)];
}
