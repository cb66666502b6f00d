import type { Shop } from '../../../shared/config/connector-config.ts';
import type { MappingRules } from '../../../shared/config/mapping-settings.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import { accessScopesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import { type Finding, fail, pass, warn } from './finding.ts';

type DoNext = (command: string) => string;

/** Checks that the shop accepts the token and that the app has the scopes that the workers need. */
export async function checkAdminApi(
  shop: Shop,
  ask: Ask,
  doNext: DoNext,
  hasStorefront: boolean,
): Promise<readonly Finding[]> {
  const answer = await ask(accessScopesDocument, {});
  if (answer.kind === 'data') {
    const granted = answer.data.currentAppInstallation.accessScopes.map(({ handle }) => handle);
    const findings = judgeScopes(granted, shop.rules, hasStorefront);
    return findings.map((finding) => ofShop(shop, finding));
  }
  const { why, misconfigured } = unavailable(answer);
  const what = `${shop.domain}: the Admin API gave an unexpected answer (${why})`;
  return [
    misconfigured
      ? fail(what, doNext(`secrets set store --shop ${shop.domain}`))
      : fail(what, 'The settings look correct: try again later.'),
  ];
}

/** Uses the most harmless operation of the contract: one entry of the list of rewards. */
export async function checkLoyalty(
  shop: Shop,
  loyalty: LoyaltyClient,
  doNext: DoNext,
): Promise<readonly Finding[]> {
  const result = await loyalty.listRewardConfigurations({ PageSize: 1 });
  switch (result.kind) {
    case 'success':
    case 'warning':
      return [pass(`${shop.domain}: the loyalty service accepts the credentials`)];
    case 'business-error':
    case 'transport-failure': {
      const said = result.message.replace(/\.$/, '');
      if (result.class === 'misconfigured') {
        const refused = `${shop.domain}: the loyalty service refuses the credentials or the address (${said})`;
        return [fail(refused, doNext(`secrets set loyalty --shop ${shop.domain}`))];
      }
      const what = `${shop.domain}: the loyalty service gave an unexpected answer (${said})`;
      if (result.class === 'throttled') {
        return [
          warn(what, 'It asks for fewer calls; workers slow down on their own. Nothing to do.'),
        ];
      }
      return [fail(what, 'Workers wait and retry. Ask the operator of the loyalty service.')];
    }
  }
}

function ofShop({ domain }: Shop, finding: Finding): Finding {
  return { ...finding, what: `${domain}: ${finding.what}` };
}

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

/** For the storefront, where it is deployed. */
const STOREFRONT: readonly NeededScope[] = [
  { scope: 'write_customers', for: 'the balances of customers (storefront)' },
  { scope: 'write_discounts', for: 'the codes of redeemed rewards (storefront)' },
  { scope: 'write_app_proxy', for: 'the app proxy that calls the storefront' },
];

/** The scopes that the functions need under these rules. */
export function neededScopes(
  { enrich, customers }: Pick<MappingRules, 'enrich' | 'customers'>,
  hasStorefront: boolean,
): readonly NeededScope[] {
  return [
    ...ALWAYS,
    ...(enrich.locationNames
      ? [{ scope: 'read_locations', for: 'rules.enrich.locationNames' }]
      : []),
    ...(customers === 'from-sign-up'
      ? [{ scope: 'read_customer_merge', for: "rules.customers 'from-sign-up'" }]
      : []),
    ...(enrich.staffNames ? [{ scope: 'read_users', for: 'rules.enrich.staffNames' }] : []),
    ...(hasStorefront ? STOREFRONT : []),
  ];
}

/** Checks that the app has them. */
export function judgeScopes(
  granted: readonly string[],
  rules: Pick<MappingRules, 'enrich' | 'customers'>,
  hasStorefront = false,
): readonly Finding[] {
  const has = (scope: string) =>
    granted.includes(scope) || granted.includes(scope.replace(/^read_/, 'write_'));
  const missing = neededScopes(rules, hasStorefront).filter(({ scope }) => !has(scope));
  const findings = missing.map((one) =>
    fail(
      `the app lacks the scope ${one.scope}, needed for ${one.for}`,
      "Add the scope to the app's configuration, release it and approve it in the shop's admin.",
    ),
  );
  if (!has('read_all_orders')) {
    findings.push(
      warn(
        'the app lacks the scope read_all_orders: an order older than 60 days cannot be read again',
        'Ask Shopify for read_all_orders in the app, or accept that late returns of old orders wait.',
      ),
    );
  }
  return findings.length > 0 ? findings : [pass(`the token is accepted and has all scopes`)];
}
