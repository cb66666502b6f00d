import { alarmCheck, orderSilenceCheck } from './alarm-checks.ts';
import {
  aFunction,
  type Check,
  either,
  filledText,
  listOf,
  matching,
  must,
  oneOf,
  type SettingFault,
  shapeOf,
  trueOrFalse,
  webAddress,
  wholeNumber,
} from './checks.ts';
import { defaultPath } from './defaults.ts';
import { deploymentCheck } from './deployment-checks.ts';
import { healingCheck } from './healing-checks.ts';
import type { LoyaltyAssumptions } from './loyalty-assumptions.ts';
import { defaultRules, type MappingSettings } from './mapping-settings.ts';
import { storefrontCheck } from './storefront-checks.ts';

const isFunction = (value: unknown): boolean => typeof value === 'function';

const comesFrom = (source: string) => (value: unknown) =>
  typeof value === 'object' && value !== null && 'from' in value && value.from === source;

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

const kinds = oneOf('note-attribute', 'metafield', 'localized-field');

const noteAttribute = shapeOf({ required: { from: kinds, name: filledText } });

const localizedField = shapeOf({ required: { from: kinds, key: filledText } });

const metafield = shapeOf({
  required: {
    from: kinds,
    owner: oneOf('order', 'customer'),
    namespace: filledText,
    key: filledText,
  },
});

const notASource: Check = (_, path) => [
  {
    path,
    problem:
      "must be a function, or an object with from: 'note-attribute', 'metafield' or 'localized-field'",
  },
];

const detailSource = either(
  isFunction,
  aFunction,
  either(
    comesFrom('metafield'),
    metafield,
    either(
      comesFrom('localized-field'),
      localizedField,
      either(isObject, noteAttribute, notASource),
    ),
  ),
);

/** With an offset, or a moment would depend on where it is read. */
const moment = must(
  'be a date such as 2026-11-01, or a moment such as 2026-11-01T09:00:00Z',
  (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
);

const ruleChecks: Record<keyof MappingSettings, Check> = {
  goLive: moment,
  completeWhen: oneOf('fulfilled', 'paid'),
  pendingOrders: oneOf('skip', 'send'),
  orderTotal: oneOf('subtotal', 'total-less-shipping'),
  taxes: oneOf('exclude', 'include'),
  giftCards: oneOf('earn-when-bought', 'earn-when-used', 'never'),
  lostDisputes: oneOf('ignore', 'take-back'),
  customersWithoutEmail: oneOf('skip', 'send'),
  customers: oneOf('from-sign-up', 'with-orders'),
  redactedCustomers: oneOf('keep', 'deactivate'),
  testOrders: oneOf('skip', 'send'),
  document: detailSource,
  birthday: detailSource,
  enrich: shapeOf({
    optional: { cardDetails: trueOrFalse, locationNames: trueOrFalse, staffNames: trueOrFalse },
  }),
  enrolment: either(isFunction, aFunction, oneOf('unstated', 'everyone')),
  metadata: aFunction,
  productUrl: matching(
    /^https:\/\/(?!.*\{(?!domain\}|handle\}))\S*\{handle\}\S*$/,
    'begin with https:// and hold {handle}, and no other braces than {handle} and {domain}',
  ),
  couponKinds: listOf(oneOf(...defaultRules.couponKinds), 0),
  sharedAccount: trueOrFalse,
  currency: matching(/^(?:[A-Z]{3}|any)$/, "be three capital letters such as BRL, or 'any'"),
  couponForEveryone: oneOf('send', 'skip'),
  couponForSeveralCustomers: oneOf('without-customer', 'first', 'skip'),
};

const rules = shapeOf({ optional: ruleChecks });

const assumptionChecks: Record<keyof LoyaltyAssumptions, Check> = {
  ordersAreReplaced: trueOrFalse,
  couponsAreReplaced: trueOrFalse,
  completedOrdersTakeTheCancelledMark: trueOrFalse,
  refusedCancelledMark: oneOf('rejected', 'done'),
  cancellingTwice: oneOf('done', 'rejected'),
  refunds: oneOf('partial-cancel', 'resend'),
  raiseAfterPartialCancel: oneOf('park', 'send-gross'),
  readTotals: oneOf('as-sent', 'less-partial-cancels'),
  usedCancelKeyError: wholeNumber(0, 10_000, 'number of an error'),
  redemptionsKeepMetadata: trueOrFalse,
};

const shop = shapeOf({
  required: {
    domain: matching(
      /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/,
      'end in .myshopify.com, in lower case and without https://',
    ),
  },
  optional: {
    path: matching(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'be a single part of an address: lower-case letters, digits and hyphens',
    ),
    rules,
    orderSilence: orderSilenceCheck,
  },
});

/** Each shop needs its own address: only the body of a webhook is signed, and it does not name the shop. */
const shops: Check = (value, path) => {
  const entries = Array.isArray(value) ? value : [];
  const domains = entries.map((entry) => textIn(entry, 'domain'));
  const paths = entries.map((entry, index) => {
    const domain = domains[index];
    return textIn(entry, 'path') ?? (domain === undefined ? undefined : defaultPath(domain));
  });
  return [
    ...listOf(shop, 1)(value, path),
    ...repeated(domains, (index) => `${path}[${index}].domain`),
    ...repeated(paths, (index) => `${path}[${index}].path`),
  ];
};

function repeated(
  texts: readonly (string | undefined)[],
  pathAt: (index: number) => string,
): SettingFault[] {
  return texts.flatMap((text, index) => {
    const first = texts.indexOf(text);
    if (text === undefined || first === index) return [];
    return [{ path: pathAt(index), problem: `is the same as ${pathAt(first)}` }];
  });
}

function textIn(entry: unknown, field: string): string | undefined {
  const value = fieldIn(entry, field);
  return typeof value === 'string' ? value : undefined;
}

function fieldIn(entry: unknown, field: string): unknown {
  if (typeof entry !== 'object' || entry === null) return undefined;
  return new Map<string, unknown>(Object.entries(entry)).get(field);
}

/** The service adds up amounts without a currency, so shops on one account of it must have the same, or say that any will do. */
function sharedCurrency(value: unknown): SettingFault[] {
  const listed = fieldIn(value, 'shops');
  const shops: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const ruleOf = (shop: unknown, name: keyof MappingSettings) =>
    fieldIn(fieldIn(shop, 'rules'), name) ?? fieldIn(fieldIn(value, 'rules'), name);
  const sharing = shops
    .map((shop, index) => ({ path: `shops[${index}]`, shop }))
    .filter(({ shop }) => ruleOf(shop, 'sharedAccount') ?? shops.length > 1)
    .map(({ path, shop }) => ({ path, currency: ruleOf(shop, 'currency') }));
  const missing = sharing.find(({ currency }) => currency === undefined);
  if (missing) {
    const whose = sharing.every(({ currency }) => currency === undefined) ? '' : `${missing.path}.`;
    return [{ path: `${whose}rules.currency`, problem: `is missing. ${ONE_CURRENCY}` }];
  }
  return sharing
    .filter(({ currency }) => currency !== sharing[0]?.currency)
    .map(({ path }) => ({
      path: `${path}.rules.currency`,
      problem: `is not that of ${sharing[0]?.path}. ${ONE_CURRENCY}`,
    }));
}

const ONE_CURRENCY =
  "Shops on one account of the loyalty service count in one currency: state it, such as 'BRL', or set 'any', and 50 BRL and 50 USD count alike; shops with accounts of their own have sharedAccount: false";

/** Plain http is only allowed to this machine, because every request contains the credentials. */
function isSafeAddress(address: URL): boolean {
  if (address.username !== '' || address.password !== '') return false;
  if (address.search !== '' || address.hash !== '') return false;
  const own = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(address.hostname);
  if (address.protocol === 'http:') return own;
  return address.protocol === 'https:' && isPublicName(address.hostname);
}

/**
 * A public DNS name. An IP address, in any spelling, may be a machine in the network of the function; so may
 * a name without a dot or with one of these endings.
 */
function isPublicName(hostname: string): boolean {
  const isName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(hostname);
  return isName && !/\.(?:localhost|local|internal|home|lan)$/.test(hostname);
}

const settings = shapeOf({
  required: {
    shops,
    loyalty: shapeOf({
      required: {
        address: webAddress(
          'begin with https:// and a public domain name, and hold neither credentials nor a query',
          isSafeAddress,
        ),
      },
      optional: {
        callsPerSecond: must(
          'be a number of calls from 0.1 to 1000',
          (value) => typeof value === 'number' && value >= 0.1 && value <= 1_000,
        ),
        assumptions: shapeOf({ optional: assumptionChecks }),
      },
    }),
  },
  optional: {
    rules,
    retryWindowDays: wholeNumber(1, 10, 'days'),
    orderRetentionDays: wholeNumber(35, 3650, 'days'),
    healing: healingCheck,
    alarms: alarmCheck,
    deployment: deploymentCheck,
    storefront: storefrontCheck,
  },
});

/** All faults of the settings, in the order in which they are written. */
export function checkSettings(value: unknown): SettingFault[] {
  return [...settings(value, ''), ...sharedCurrency(value)];
}
