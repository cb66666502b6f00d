import type { Connector, Shop } from '../../../shared/config/connector-config.ts';
import type { PointTokens } from '../../../shared/core/balances/receive-points.ts';
import { batchesOf } from '../../../shared/core/events/event.ts';
import {
  type Discount,
  meaningOf,
  type RewardTypes,
  readTerms,
} from '../../../shared/core/redeem/find-offer.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { components } from '../../../shared/loyalty/contract.gen.ts';
import { unavailable } from '../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask, DataOf } from '../../../shared/shopify/admin/client/admin-client.ts';
import {
  accessScopesDocument,
  installedAppDocument,
  shopCurrencyDocument,
} from '../../../shared/shopify/admin/documents.gen.ts';
import { ALL_ORDERS, hasScope, type WantedScope, wantedScopes } from '../app/describe-app.ts';
import {
  about,
  type Finding,
  fail,
  info,
  pass,
  type RewardReading,
  warn,
} from '../checks/check.ts';
import type { ShopServices } from '../deployment/services.ts';

type DoNext = (command: string) => string;

/** Checks that the shop accepts the token and that the app has the scopes that the workers need. */
export async function checkAdminApi(
  shop: Shop,
  ask: Ask,
  doNext: DoNext,
  connector: Pick<Connector, 'storefront'>,
): Promise<readonly Finding[]> {
  const answer = await ask(accessScopesDocument, {});
  if (answer.kind === 'data') {
    const granted = answer.data.currentAppInstallation.accessScopes.map(({ handle }) => handle);
    const findings = judgeScopes(granted, wantedScopes(connector, shop));
    return findings.map((finding) => ofShop(shop, finding));
  }
  const { why, misconfigured } = unavailable(answer);
  const what = `${shop.domain}: the Admin API gave an unexpected answer (${why})`;
  // Shopify, "Restrict API access with an IP allowlist": 403 for other addresses.
  const allowlist = why === 'forbidden' && {
    say: 'If the app has an IP allowlist, run the command from a network on it, or add this one (Dev Dashboard, the app, Settings). Else:',
  };
  return [
    misconfigured
      ? fail(what, { ...allowlist, run: doNext(`secrets set store --shop ${shop.domain}`) })
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
        return [fail(refused, { run: doNext(`secrets set loyalty --shop ${shop.domain}`) })];
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

/** Checks that the app has what the settings need, and names what they do not need. */
export function judgeScopes(
  granted: readonly string[],
  wanted: readonly WantedScope[],
): readonly Finding[] {
  const missing = wanted.filter(({ scope }) => !hasScope(granted, scope));
  const findings = missing.map((one) =>
    fail(
      `the app lacks the scope ${one.scope}, needed for ${one.for}`,
      "Write the app's folder (app write), release it (shopify app deploy), and approve the scope in the shop's admin.",
    ),
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
    ...(extra.length > 0 ? [info(`the settings do not need ${extra.join(', ')}`)] : []),
  ];
}

type Installed = DataOf<typeof installedAppDocument>;
type DeveloperType = Installed['currentAppInstallation']['app']['developerType'];

const DAY_MS = 86_400_000;
/** Shopify, "Partner apps must enable bulk operations before use". */
const UNUSED_DAYS = 31;

/** What the person does in Shopify, with the names of its pages. */
export const ALLOW_BULK_QUERIES =
  'Partner Dashboard, Apps, the app, API access requests, Run bulk operations: Allow bulk queries.';

/** Checks what Shopify asks of an app that a partner made, as far as an API shows it. */
export async function checkInstalledApp(
  { domain }: Pick<Shop, 'domain'>,
  ask: Ask,
  region: string,
  now: Date,
): Promise<readonly Finding[]> {
  const since = new Date(now.getTime() - UNUSED_DAYS * DAY_MS).toISOString();
  const search = `operation_type:query AND created_at:>='${since}'`;
  const answer = await ask(installedAppDocument, { search });
  if (answer.kind !== 'data') {
    return [info(`${domain}: not known who made the app, because the store did not answer`)];
  }
  const { developerType } = answer.data.currentAppInstallation.app;
  const started = answer.data.bulkOperations.nodes.map(({ createdAt }) => Date.parse(createdAt));
  const findings = judgeInstalledApp(developerType, Math.max(...started, 0), region, now);
  return findings.map((finding) => ({ ...finding, what: `${domain}: ${finding.what}` }));
}

/** `lastBulkQuery` in epoch milliseconds; 0: none is known. */
function judgeInstalledApp(
  developerType: DeveloperType,
  lastBulkQuery: number,
  region: string,
  now: Date,
): readonly Finding[] {
  if (developerType === 'MERCHANT') {
    return [
      pass("the app is the merchant's own: it needs no IP allowlist, and may run a backfill"),
    ];
  }
  const isPartners = developerType === 'PARTNER';
  return [
    judgeBulkQueries(isPartners, lastBulkQuery, now),
    info(`${isPartners ? '' : 'if a partner made the app: '}${allowlistText(region)}`),
  ];
}

function judgeBulkQueries(isPartners: boolean, lastBulkQuery: number, now: Date): Finding {
  const until = lastBulkQuery + UNUSED_DAYS * DAY_MS;
  if (until > now.getTime()) {
    const day = new Date(until).toISOString().slice(0, 10);
    return pass(`a backfill may run; a partner's app loses that without another one until ${day}`);
  }
  const why = `Shopify takes bulk queries from a partner's app after ${UNUSED_DAYS} days without one`;
  return isPartners
    ? warn(
        `it is not known whether a backfill may run: ${why}`,
        `Before a backfill: ${ALLOW_BULK_QUERIES}`,
      )
    : info(`it is not known who made the app, nor whether a backfill may run: ${why}`);
}

/** Of all Amazon's public addresses (Amazon EC2, "Prerequisites for BYOIP": the ROA must name both). */
const AMAZON_NETWORKS = 'AS16509 and AS14618';

/**
 * Shopify, "App security updates: Thank you, plus what's required next", and "IP allowlists are now required for
 * public apps": dynamic addresses are allowed by the network's number and the country.
 */
function allowlistText(region: string): string {
  const country = COUNTRIES[region] ?? `the country of ${region}`;
  return `a custom app outside of its own organization needs an IP allowlist for new installs from 20 November 2026, which no API shows. Dev Dashboard, the app, Settings, IP allowlist: allow the networks ${AMAZON_NETWORKS} in ${country}, and the address from which you run commands. docs/how-to/agency.md has the other way, a fixed address`;
}

/** ISO 3166, of the regions of AWS. */
const COUNTRIES: Readonly<Record<string, string>> = {
  ...{ 'us-east-1': 'US', 'us-east-2': 'US', 'us-west-1': 'US', 'us-west-2': 'US' },
  ...{ 'ca-central-1': 'CA', 'ca-west-1': 'CA', 'mx-central-1': 'MX', 'sa-east-1': 'BR' },
  ...{ 'eu-central-1': 'DE', 'eu-central-2': 'CH', 'eu-north-1': 'SE', 'eu-south-1': 'IT' },
  ...{ 'eu-south-2': 'ES', 'eu-west-1': 'IE', 'eu-west-2': 'GB', 'eu-west-3': 'FR' },
  ...{ 'af-south-1': 'ZA', 'il-central-1': 'IL', 'me-central-1': 'AE', 'me-south-1': 'BH' },
  ...{ 'ap-east-1': 'HK', 'ap-east-2': 'TW', 'ap-south-1': 'IN', 'ap-south-2': 'IN' },
  ...{ 'ap-northeast-1': 'JP', 'ap-northeast-2': 'KR', 'ap-northeast-3': 'JP' },
  ...{ 'ap-southeast-1': 'SG', 'ap-southeast-2': 'AU', 'ap-southeast-3': 'ID' },
  ...{ 'ap-southeast-4': 'AU', 'ap-southeast-5': 'MY', 'ap-southeast-6': 'NZ' },
  'ap-southeast-7': 'TH',
};

interface CountedShop {
  readonly domain: string;
  readonly rules: Pick<Shop['rules'], 'currency' | 'sharedAccount'>;
  /** What the store says; undefined when it did not answer. */
  readonly currency: string | undefined;
}

/** Asks each store for its currency. */
export async function checkCurrencies(
  shops: readonly Shop[],
  askOf: (shop: Shop) => Ask,
): Promise<readonly Finding[]> {
  const read = shops.map(async (shop): Promise<CountedShop> => {
    const answer = await askOf(shop)(shopCurrencyDocument, {});
    return {
      ...shop,
      currency: answer.kind === 'data' ? answer.data.shop.currencyCode : undefined,
    };
  });
  return judgeCurrencies(await Promise.all(read));
}

/** Whether shops count in the currency that the settings say, and what those on one account of the service add up. */
export function judgeCurrencies(shops: readonly CountedShop[]): readonly Finding[] {
  const mixing = shops.filter(({ rules }) => rules.sharedAccount && rules.currency === 'any');
  const mixed = [...new Set(mixing.flatMap(({ currency }) => currency ?? []))];
  const amounts = mixed.map((currency) => `50 ${currency}`);
  return [
    ...shops.map(judgeCurrency),
    ...(mixed.length > 1
      ? [info(`allowed by rules.currency 'any': ${amounts.join(' and ')} count alike`)]
      : []),
  ];
}

function judgeCurrency({ domain, rules, currency }: CountedShop): Finding {
  const { currency: wanted = currency, sharedAccount } = rules;
  if (currency === undefined) {
    return info(`${domain}: not known, because the store did not answer; see the Admin API above`);
  }
  if (wanted === currency || wanted === 'any') return pass(`${domain}: counts in ${currency}`);
  const what = `${domain}: the store has ${currency}, but rules.currency is ${wanted}: new orders are parked`;
  const own = `Set the shop's rules.currency to '${currency}'`;
  return fail(
    what,
    sharedAccount
      ? `${own} and sharedAccount to false, with an account of its own at the loyalty service; or set rules.currency to 'any' for all shops on the account, and 50 ${wanted} and 50 ${currency} count alike. Deploy, then replay the dead letters.`
      : `${own}, deploy, and replay the dead letters.`,
  );
}

const AT_ONCE = 5;
/** The service lists at most 50 on a page; a program with more is read no further. */
const MOST_REWARDS = 50;

/** Each active reward beside what the connector would make of it: only a person sees a wrong reading. */
export async function checkRewards(
  { domain }: Shop,
  loyalty: ReturnType<ShopServices['loyalty']>,
  rewardTypes: RewardTypes,
): Promise<readonly Finding[]> {
  const listed = await loyalty.listRewardConfigurations({ IsActive: true, PageSize: MOST_REWARDS });
  if (listed.kind !== 'success' && listed.kind !== 'warning') {
    return [info(`${domain}: not read; see the loyalty check above`)];
  }
  const active = (listed.value.Items ?? []).filter(({ IsActive }) => IsActive !== false);
  if (active.length === 0) return [info(`${domain}: the program has no active reward`)];
  const findings: Finding[] = [];
  for (const batch of batchesOf(active, AT_ONCE)) {
    findings.push(...(await Promise.all(batch.map(read))));
  }
  const more = listed.value.HasNextPage ? [info(`${domain}: more rewards are not shown`)] : [];
  return [...findings, ...more];

  async function read(item: (typeof active)[number]): Promise<Finding> {
    const { Id: id, Title: title = '' } = item;
    const named = `${domain}: "${title}" (reward ${id})`;
    const reward = { kind: 'reward', shop: domain, id, title } as const;
    const one = id === undefined ? undefined : await loyalty.getRewardConfiguration(id);
    if (one?.kind !== 'success' && one?.kind !== 'warning') {
      return about({ ...reward, becomes: undefined }, info(`${named}: not read`));
    }
    const becomes = describeReward(one.value, rewardTypes);
    const what = `${named}: ${becomes.text}`;
    const finding =
      becomes.kind === 'unknown-type'
        ? warn(what, 'If customers should redeem it, add its meaning to storefront.rewardTypes.')
        : info(what);
    return about({ ...reward, becomes }, finding);
  }
}

const SAMPLE = 5;
const DAYS = 7;

/** Reads a few orders that the store changed lately: the service says where it has each from. */
export async function checkOrigins(
  { domain }: Pick<Shop, 'domain'>,
  store: Pick<ShopServices['store'], 'changedOrders'>,
  loyalty: ReturnType<ShopServices['loyalty']>,
  now: Date,
): Promise<readonly Finding[]> {
  const until = now.getTime();
  const changed = await store.changedOrders(domain, { from: until - DAYS * DAY_MS, until });
  if (changed.kind !== 'found') return [info(`${domain}: not looked at; the store did not answer`)];
  const ids = changed.value.changed.slice(-SAMPLE).map(({ id }) => id);
  const orders = await Promise.all(ids.map((id) => loyalty.getOrder(id)));
  const held = orders.flatMap((order) =>
    order.kind === 'success' || order.kind === 'warning' ? [order.value.Origin] : [],
  );
  return [judgeOrigins(held)].map((finding) => ({
    ...finding,
    what: `${domain}: ${finding.what}`,
  }));
}

/** Documented: an integration that is built into the service. */
const BUILT_IN = 0;

/** `origins`: of the orders in the sample that the service holds. */
export function judgeOrigins(origins: readonly (number | undefined)[]): Finding {
  const sample = `of up to ${SAMPLE} orders of the last ${DAYS} days`;
  if (origins.length === 0) return info(`${sample} the service holds none`);
  const builtIn = origins.filter((origin) => origin === BUILT_IN).length;
  if (builtIn === 0) return pass(`${sample} the service holds ${origins.length}, none of Origin 0`);
  return warn(
    `${sample} the service holds ${origins.length}, ${builtIn} of Origin 0: an integration that is built into the service sends the same orders`,
    'Use one of the two: switch the integration off in the panel of the service, or do not run the connector.',
  );
}

type RewardConfiguration = components['schemas']['RewardConfiguration'];

const EXPRESSIBLE = 'a discount of the store cannot have its value or its conditions';

/** What the connector would make of a reward, for a person to compare with its title. */
export function describeReward(
  reward: RewardConfiguration,
  rewardTypes: RewardTypes,
): RewardReading {
  const { RewardType: type, Value: value = 0 } = reward;
  if (type === undefined || !(type in rewardTypes)) {
    const text = `shown, not redeemable: RewardType ${type ?? 'absent'} is not in storefront.rewardTypes`;
    return { kind: 'unknown-type', text };
  }
  const meaning = meaningOf(type, rewardTypes);
  switch (meaning) {
    case 'percent':
      return describeCode(reward, { kind: meaning, value }, `${value} % off`);
    case 'fixed':
      return describeCode(reward, { kind: meaning, value }, `${value} off`);
    case 'free-shipping':
      return describeCode(reward, { kind: meaning, value: 0 }, 'free shipping');
    case 'cashback':
      return describeCode(
        reward,
        // Any amount: the customer chooses it.
        { kind: 'fixed', value: 1, cashback: true },
        'cashback of an amount that the customer chooses',
      );
    case 'product':
      return describeCode(
        reward,
        // Which product, and how much, the service says for a customer and a cart.
        { kind: 'fixed', value: 1, product: { id: '', name: '' } },
        'one unit of a product at the discount that the service names',
      );
    case 'custom':
      return { kind: 'not-redeemable', text: 'shown, not redeemable: custom reward' };
  }
}

function describeCode(
  reward: RewardConfiguration,
  discount: Discount,
  gives: string,
): RewardReading {
  const { Title, Points, NoPointCost } = reward;
  const points = NoPointCost === true ? 0 : Points;
  const offered = { ...(Title && { Title }), ...(points !== undefined && { Points: points }) };
  const terms = readTerms(offered, reward, discount);
  if (!terms) return { kind: 'not-redeemable', text: `shown, not redeemable: ${EXPRESSIBLE}` };
  const conditions = [
    ...(terms.minimum === undefined ? [] : [`from ${terms.minimum}`]),
    ...(terms.cashback ? [] : [`${terms.points} points`]),
  ];
  return { kind: 'code', text: [gives, ...conditions, 'a code for this customer'].join(', ') };
}

/** Whether point events can be accepted. Undefined tokens: never set, or unusable. */
export function judgePointTokens(
  domain: string,
  tokens: PointTokens | undefined,
  doNext: (command: string) => string,
): Finding {
  const setUp = `storefront setup --shop ${domain}`;
  if (!tokens) {
    return fail(`${domain}: no token is set, so none is accepted`, {
      run: doNext(`${setUp} --yes`),
    });
  }
  return tokens.previous === undefined
    ? pass(`${domain}: the token is set`)
    : warn(`${domain}: the previous token is still accepted`, {
        say: 'When the loyalty service sends the new one:',
        run: doNext(`${setUp} --finish --yes`),
      });
}
