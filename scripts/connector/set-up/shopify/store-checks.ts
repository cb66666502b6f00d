import type { Connector, Shop } from '../../../../shared/config/connector-config.ts';
import type { MappingRules } from '../../../../shared/config/mapping-settings.ts';
import { OTHER_END } from '../../../../shared/rewards/redeem/make-code.ts';
import type { AdminDocument, Ask } from '../../../../shared/shopify/admin/client/admin-client.ts';
import {
  customerAccountsDocument,
  installedAppDocument,
  shopCurrencyDocument,
  storeCreditShopDocument,
} from '../../../../shared/shopify/admin/documents.gen.ts';
import {
  ROLLOUTS_SCOPE,
  type RolloutsRead,
  readRollouts,
} from '../../../../shared/shopify/admin/rollouts.ts';
import type { AskedShopifyShop } from '../../../../shared/shopify/commands.ts';
import {
  type Check,
  type Finding,
  fail,
  info,
  judgeCurrency,
  judgeStore,
  pass,
  type ShopDeps,
  shopCheck,
  unknown,
  warn,
} from '../../ground/checks/check.ts';
import { commandsOf } from '../../ground/session/services.ts';
import { BadArguments } from '../../ground/terminal/exit.ts';

export const adminOf = ({ services }: Pick<ShopDeps, 'services'>, shop: Shop): Ask =>
  (services().asked(shop) as AskedShopifyShop).ask;

export const isShopify = ({ platform }: Pick<Shop, 'platform'>): boolean => platform === 'shopify';

/** For commands about an app, its subscriptions or its pages. */
export function requireShopify(shop: Shop): Shop {
  if (isShopify(shop)) return shop;
  const on = commandsOf(shop).name;
  throw new BadArguments(`${shop.domain} runs on ${on}, and this command is for Shopify shops.`);
}

export interface WantedScope {
  readonly scope: string;
  readonly for: string;
  /** The connector works without it, and says what it then does not know. */
  readonly isOptional?: true;
}

/** For orders of more than 60 days. Shopify grants it on request, and refuses an app that names it without. */
export const ALL_ORDERS = 'read_all_orders';

const ALWAYS: readonly WantedScope[] = [
  { scope: 'read_orders', for: 'orders' },
  { scope: 'read_customers', for: 'the customer of an order' },
  { scope: 'read_customer_merge', for: 'merges of customers' },
  { scope: 'read_products', for: 'products' },
  { scope: 'read_discounts', for: 'discount codes' },
];

const ROLLOUTS: WantedScope = {
  scope: ROLLOUTS_SCOPE,
  for: 'discounts that a Rollout gives or withholds (optional)',
  isOptional: true,
};

const STOREFRONT: readonly WantedScope[] = [
  { scope: 'write_customers', for: 'the balances of customers (storefront)' },
  { scope: 'write_discounts', for: 'the codes of redeemed rewards (storefront)' },
  { scope: 'write_app_proxy', for: 'the app proxy that calls the storefront' },
];

/** Shopify, "StoreCreditAccount", "storeCreditAccountCredit": the account and its transactions have a scope each. */
const STORE_CREDIT: readonly WantedScope[] = [
  { scope: 'read_store_credit_accounts', for: "storefront.cashback 'store-credit'" },
  { scope: 'write_store_credit_account_transactions', for: "storefront.cashback 'store-credit'" },
];

/** The scopes that the functions need under these settings, and no other. */
export function wantedScopes(
  { storefront }: Pick<Connector, 'storefront'>,
  {
    rules: { enrich, lostDisputes, couponKinds },
  }: {
    readonly rules: Pick<MappingRules, 'enrich' | 'lostDisputes' | 'couponKinds'>;
  },
): readonly WantedScope[] {
  return [
    ...ALWAYS,
    ...(enrich.locationNames
      ? [{ scope: 'read_locations', for: 'rules.enrich.locationNames' }]
      : []),
    ...(lostDisputes === 'take-back'
      ? [{ scope: 'read_shopify_payments_disputes', for: "rules.lostDisputes 'take-back'" }]
      : []),
    ...(enrich.staffNames ? [{ scope: 'read_users', for: 'rules.enrich.staffNames' }] : []),
    ...(couponKinds.length > 0 ? [ROLLOUTS] : []),
    ...(storefront ? STOREFRONT : []),
    ...(storefront?.cashback === 'store-credit' ? STORE_CREDIT : []),
  ];
}

/** The right to write includes the right to read. */
const hasScope = (scopes: readonly string[], scope: string): boolean =>
  scopes.includes(scope) || scopes.includes(scope.replace(/^read_/, 'write_'));

export const adminApiCheck = ({ shops, services, deployment }: ShopDeps): Check =>
  shopCheck('Admin API', ['store secret'], shops, async (shop) => {
    const found = await services().asked(shop).look();
    const granted = found[0]?.scopes;
    if (!granted) return judgeStore(found, shop);
    return judgeScopes(granted, wantedScopes(deployment.connector, shop));
  });

const grant = (scope: string): string =>
  `Write the app's folder (app write), release it (shopify app deploy), and approve the scope ${scope} in the shop's admin.`;

export function judgeScopes(
  granted: readonly string[],
  wanted: readonly WantedScope[],
): readonly Finding[] {
  const missing = wanted.filter(
    ({ scope, isOptional }) => !isOptional && !hasScope(granted, scope),
  );
  const findings = missing.map((one) =>
    fail(`the app lacks the scope ${one.scope}, needed for ${one.for}`, grant(one.scope)),
  );
  if (!hasScope(granted, ALL_ORDERS)) {
    findings.push(
      warn(
        'the app lacks the scope read_all_orders: an order older than 60 days cannot be read again',
        'Ask Shopify for read_all_orders in the app, or accept that late returns of old orders wait.',
      ),
    );
  }
  const names = wanted.map(({ scope }) => scope);
  const extra = granted.filter((scope) => scope !== ALL_ORDERS && !hasScope(names, scope));
  return [
    ...(findings.length > 0 ? findings : [pass('the token is accepted and has all scopes')]),
    ...(extra.length > 0 ? [info(`scopes that nothing needs: ${extra.join(', ')}`)] : []),
  ];
}

/** Shopify, "App security updates" and "IP allowlists are now required for public apps". No API shows it. */
const OF_A_PARTNER =
  'needs an IP allowlist for new installs from 20 November 2026; docs/how-to/agency.md says what to enter';

/** What one answer of the Admin API says; `data` is undefined where there was none. */
const answerCheck =
  <Data>(
    name: string,
    document: AdminDocument<Data, Record<string, never>>,
    judge: (data: Data | undefined, shop: Shop) => Finding,
  ) =>
  (deps: ShopDeps): Check =>
    shopCheck(name, ['Admin API'], deps.shops, async (shop) => {
      const answer = await adminOf(deps, shop)(document, {});
      return [judge(answer.kind === 'data' ? answer.data : undefined, shop)];
    });

export const installedAppCheck = answerCheck('app', installedAppDocument, (data) => {
  if (!data) return unknown('who made the app could not be read');
  switch (data.currentAppInstallation.app.developerType) {
    case 'MERCHANT':
      return pass('the Shopify app belongs to this shop');
    case 'PARTNER':
      return info(`a partner made the app: it ${OF_A_PARTNER}`);
    default:
      return info(`no API shows who made the app: that of a partner ${OF_A_PARTNER}`);
  }
});

/** With a storefront. Shopify, "Legacy customer accounts are now deprecated". */
export const customerAccountsCheck = answerCheck(
  'customer accounts',
  customerAccountsDocument,
  (data) => {
    if (!data) return unknown('which customer accounts the shop has could not be read');
    return data.shop.customerAccountsV2.customerAccountsVersion === 'CLASSIC'
      ? warn(
          'the shop has legacy customer accounts, which Shopify will end: they show no extension, so points and rewards are on pages of the theme and at the till only, and nobody can use store credit',
          "Upgrade in the store's admin: Settings, Customer accounts. Then place the pages of the app (docs/storefront.md).",
        )
      : pass('the shop has customer accounts that show the extensions of the app');
  },
);

/** With `storefront.cashback: 'store-credit'`. */
export const storeCreditCheck = answerCheck('store credit', storeCreditShopDocument, (data) => {
  if (!data?.storeCreditConfiguration) return unknown('its store credit could not be read');
  return data.storeCreditConfiguration.storeCreditEnabled
    ? info(
        `cashback becomes store credit. If the log says "${OTHER_END}", look at that customer's credit in the admin: it may have been given twice`,
      )
    : fail(
        'cashback becomes store credit, but the checkout does not accept it: nobody can redeem it',
        "Switch store credit on in the store's admin, or set storefront.cashback to 'code'.",
      );
});

export const currencyCheck = answerCheck('currency', shopCurrencyDocument, (data, { rules }) =>
  judgeCurrency(rules, data?.shop.currencyCode),
);

/** What the store's own dates of discounts do not say. */
export function rolloutsCheck(deps: ShopDeps): Check {
  return shopCheck('Rollouts', ['Admin API'], deps.shops, async (shop) => {
    if (shop.rules.couponKinds.length === 0) return [info('the settings mirror no coupons')];
    return judgeRollouts(await readRollouts(adminOf(deps, shop)));
  });
}

export function judgeRollouts(read: RolloutsRead): readonly Finding[] {
  if (read.kind === 'unavailable') return [unknown(`the Rollouts could not be read (${read.why})`)];
  if (read.kind === 'not-known') {
    const what = `which discounts a Rollout gives or withholds (${read.why}): coupons follow the discounts' own dates`;
    return [unknown(what, grant(ROLLOUTS_SCOPE))];
  }
  const findings = read.rollouts.flatMap(({ name, endsAt, changes }) => {
    const until = endsAt === undefined ? '' : ` until ${endsAt}`;
    const alike = Map.groupBy(changes, ({ does, share }) => `${does}s for ${share} % of buyers`);
    return [...alike].map(([how, group]) => {
      const ids = group.map(({ discountId }) => discountId).join(', ');
      const isForAll = group.every(({ share }) => share >= 100);
      const then = isForAll
        ? 'coupons follow it'
        : 'the store does not say which, so codes that only some get are not mirrored (coupon-for-some-buyers)';
      return info(`"${name}"${until} ${how}: discounts ${ids}; ${then}`);
    });
  });
  return findings.length > 0 ? findings : [pass('no active Rollout (A/B test) changes a discount')];
}
