import * as v from 'valibot';
import { closestTo } from './closest.ts';
import {
  type AlarmSettings,
  type ConnectorSettings,
  type DeploymentSettings,
  defaultPath,
  type EventSettings,
  type FlowSettings,
  type HealingSettings,
  type LoyaltyAssumptions,
  MEANINGS,
  PLATFORMS,
  type PlatformName,
  type ShopSettings,
  type StorefrontSettings,
  type VendureSettings,
} from './connector-settings.ts';
import { defaultRules, type MappingSettings } from './mapping-settings.ts';

/** One thing that is wrong with the settings: where, and what it must be instead. */
export interface SettingFault {
  /** `shops[0].domain` */
  readonly path: string;
  /** Completes the sentence: `must end in .myshopify.com`. */
  readonly problem: string;
}

export function checkSettings(value: unknown): SettingFault[] {
  const { issues = [] } = v.safeParse(settings, value);
  return issues.map((issue) => ({
    path: pathText((issue.path ?? []).map(({ key }: { readonly key: unknown }) => key)),
    problem: issue.kind === 'schema' && issue.input === undefined ? 'is missing' : issue.message,
  }));
}

function pathText(keys: readonly unknown[]): string {
  return keys.reduce<string>((path, key) => {
    if (typeof key === 'number') return `${path}[${key}]`;
    return path === '' ? String(key) : `${path}.${key}`;
  }, '');
}

type Checks<Settings> = Readonly<Record<keyof Settings, v.GenericSchema>>;

function must(rule: string, holds: (value: unknown) => boolean) {
  return v.custom<unknown>(holds, `must ${rule}`);
}

function matching(pattern: RegExp, rule: string) {
  return must(rule, (value) => typeof value === 'string' && pattern.test(value));
}

function oneOf(...choices: readonly (string | number)[]) {
  const words = choices.map((choice) => JSON.stringify(choice).replaceAll('"', "'"));
  const rule = `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return v.picklist(choices, ({ input }) => {
    if (typeof input !== 'string') return rule;
    if (typeof choices[0] === 'number') return `${rule}, without quotes`;
    const meant = closestTo(input, choices.map(String));
    return meant ? `${rule}; did you mean '${meant}'?` : rule;
  });
}

function numberFrom(least: number, most: number, rule: string) {
  return must(rule, (value) => typeof value === 'number' && value >= least && value <= most);
}

function wholeNumber(least: number, most: number, unit: string) {
  const rule = `be a whole number of ${unit} from ${least} to ${most}`;
  return must(
    rule,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  );
}

const filledText = matching(/\S/, 'be a text that is not empty');
const trueOrFalse = v.boolean('must be true or false');
const aFunction = v.function('must be a function');

/** A misspelt setting must not count as absent, so every unknown one is reported. */
function section(
  required: Readonly<Record<string, v.GenericSchema>>,
  optional: Readonly<Record<string, v.GenericSchema>> = {},
) {
  const known = [...Object.keys(required), ...Object.keys(optional)];
  const optionals = Object.entries(optional).map(([name, check]) => [name, v.optional(check)]);
  return v.pipe(
    must('be an object', isObject),
    v.looseObject({ ...required, ...Object.fromEntries(optionals) }),
    v.rawCheck(({ dataset, addIssue }) => {
      for (const [name, value] of Object.entries(Object(dataset.value))) {
        if (value === undefined || known.includes(name)) continue;
        const meant = closestTo(name, known);
        const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
        addIssue({ message: `is not a setting${hint}`, path: pathOf(name) });
      }
    }),
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The library wants more of a path than its keys, which are all that is read here. */
function pathOf(...keys: readonly (string | number)[]) {
  return keys.map((key) => ({ key })) as unknown as [v.IssuePathItem, ...v.IssuePathItem[]];
}

const sourceKinds = oneOf('note-attribute', 'metafield', 'localized-field');
const noteAttribute = section({ from: sourceKinds, name: filledText });
const sources = new Map<unknown, v.GenericSchema>([
  ['localized-field', section({ from: sourceKinds, key: filledText })],
  [
    'metafield',
    section({
      from: sourceKinds,
      owner: oneOf('order', 'customer'),
      namespace: filledText,
      key: filledText,
    }),
  ],
]);
const aSource = must(
  "be a function, or an object with from: 'note-attribute', 'metafield' or 'localized-field'",
  (value) => typeof value === 'function',
);
const detailSource = v.lazy((value) =>
  isObject(value) ? (sources.get(fieldIn(value, 'from')) ?? noteAttribute) : aSource,
);

/** With an offset, or a moment would depend on where it is read. */
const moment = must(
  'be a date such as 2026-11-01, or a moment such as 2026-11-01T09:00:00Z',
  (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.test(value) &&
    !Number.isNaN(Date.parse(value)),
);

const rules = section({}, {
  goLive: moment,
  completeWhen: oneOf('fulfilled', 'paid'),
  pendingOrders: oneOf('skip', 'send'),
  taxes: oneOf('exclude', 'include'),
  giftCards: oneOf('earn-when-bought', 'earn-when-used', 'never'),
  lostDisputes: oneOf('ignore', 'take-back'),
  customersWithoutEmail: oneOf('skip', 'send'),
  customers: oneOf('from-sign-up', 'with-orders'),
  redactedCustomers: oneOf('keep', 'deactivate'),
  testOrders: oneOf('skip', 'send'),
  document: detailSource,
  birthday: detailSource,
  enrich: section(
    {},
    { cardDetails: trueOrFalse, locationNames: trueOrFalse, staffNames: trueOrFalse },
  ),
  enrolment: v.lazy((value) =>
    typeof value === 'function' ? aFunction : oneOf('unstated', 'everyone'),
  ),
  metadata: aFunction,
  productUrl: matching(
    /^https:\/\/(?!.*\{(?!domain\}|handle\}))\S*\{handle\}\S*$/,
    'begin with https:// and hold {handle}, and no other braces than {handle} and {domain}',
  ),
  couponKinds: v.array(oneOf(...defaultRules.couponKinds), 'must be a list'),
  sharedAccount: trueOrFalse,
  currency: matching(/^(?:[A-Z]{3}|any)$/, "be three capital letters such as BRL, or 'any'"),
  couponForEveryone: oneOf('send', 'skip'),
} satisfies Checks<MappingSettings>);

const assumptions = section({}, {
  ordersAreReplaced: trueOrFalse,
  couponsAreReplaced: trueOrFalse,
  completedOrdersTakeTheCancelledMark: trueOrFalse,
  refunds: oneOf('partial-cancel', 'resend'),
  raiseAfterPartialCancel: oneOf('park', 'send-gross'),
  readTotals: oneOf('as-sent', 'less-partial-cancels'),
  usedCancelKeyError: wholeNumber(0, 10_000, 'number of an error'),
  redemptionsKeepMetadata: trueOrFalse,
} satisfies Checks<LoyaltyAssumptions>);

const alarms = section({}, {
  emails: v.array(
    matching(/^[^\s@]+@[^\s@]+\.[^\s@]+$/, 'be an e-mail address'),
    "must be a list, such as ['operator@example.com']",
  ),
} satisfies Checks<AlarmSettings>);

const events = section({}, {
  bus: matching(/^(?!aws\.)[\w./-]{1,256}$/, 'be the name of an event bus'),
} satisfies Checks<EventSettings>);

const healing = section({}, {
  deepEveryDays: v.lazy((value) =>
    value === false ? v.literal(false) : wholeNumber(1, 31, 'days'),
  ),
  productChanges: oneOf('webhooks', 'events'),
} satisfies Checks<HealingSettings>);

const workers = wholeNumber(2, 100, 'workers');
const endpointKinds = oneOf('function-url', 'http-api');
const functionUrl = section({ kind: endpointKinds });
const httpApi = section(
  { kind: endpointKinds },
  {
    throttle: section({
      ratePerSecond: wholeNumber(1, 10_000, 'requests per second'),
      burst: wholeNumber(1, 5_000, 'requests'),
    }),
    domain: section({
      name: matching(
        /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/,
        'be a domain name in lower case, without https://',
      ),
      certificateArn: matching(
        /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/\S+$/,
        'be the ARN of a certificate, arn:aws:acm:…',
      ),
    }),
  },
);

const deployment = section({}, {
  endpoint: v.lazy((value) => (fieldIn(value, 'kind') === 'http-api' ? httpApi : functionUrl)),
  maxConcurrency: section(
    {},
    {
      orders: workers,
      products: workers,
      coupons: workers,
      balances: workers,
      receiver: wholeNumber(2, 1000, 'requests'),
      storefront: wholeNumber(2, 100, 'requests'),
    },
  ),
  logRetentionDays: oneOf(1, 3, 5, 7, 14, 30, 60, 90, 180, 365),
  retainData: trueOrFalse,
  monitoring: oneOf('full', 'basic'),
  // The name of an alias can be moved to another key, and policies do not accept it.
  encryptionKey: matching(
    /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
    'be the ARN of a key, arn:aws:kms:…:key/…, not of an alias',
  ),
  permissionsBoundary: matching(
    /^arn:aws[a-z-]*:iam::(?:\d{12}|aws):policy\/[\w+=,.@/-]+$/,
    'be the ARN of a policy, arn:aws:iam::…:policy/…',
  ),
  // "Tag your AWS resources" (Tagging AWS Resources and Tag Editor).
  tags: v.record(
    v.pipe(
      v.string(),
      v.regex(/^(?!aws:)[\p{L}\p{N} _.:/=+@-]{1,128}$/iu, 'is not the name of a tag'),
    ),
    matching(
      /^[\p{L}\p{N} _.:/=+@-]{0,256}$/u,
      'have up to 256 letters, digits, spaces and _.:/=+@-',
    ),
    'must be an object',
  ),
  namePrefix: matching(
    /^[a-z][a-z0-9-]{0,18}-$/,
    'have up to 20 lower-case letters, digits and hyphens, the first a letter and the last a hyphen',
  ),
  bootstrapQualifier: matching(/^[a-z0-9]{1,10}$/, 'have 1 to 10 lower-case letters and digits'),
} satisfies Checks<DeploymentSettings>);

const storefront = section({}, {
  customerIdIn: filledText,
  metafieldNamespace: matching(
    /^[A-Za-z0-9_-]{3,255}$/,
    'have 3 to 255 letters, digits, hyphens and underscores',
  ),
  posCustomerId: oneOf('email-or-document', 'store-id'),
  rewardTypes: v.record(
    v.pipe(v.string(), v.regex(/^\d{1,9}$/, 'is not the number of a type of reward')),
    oneOf(...MEANINGS),
    'must be an object',
  ),
  readsPerMinute: wholeNumber(10, 1000, 'requests'),
  taxInPrices: numberFrom(0, 100, 'be a percentage from 0 to 100'),
  cashback: oneOf('code', 'store-credit'),
  redeemsPerHour: wholeNumber(1, 1000, 'rewards'),
  takeBack: section(
    {},
    { by: oneOf('customer', 'staff', 'nobody'), withinDays: wholeNumber(1, 60, 'days') },
  ),
  flow: section({}, {
    expiryNoticeDays: wholeNumber(1, 90, 'days'),
    mostPointsPerRun: wholeNumber(1, 1_000_000, 'points'),
    mostPointsPerDay: wholeNumber(1, 1_000_000, 'points'),
  } satisfies Checks<FlowSettings>),
} satisfies Checks<StorefrontSettings>);

const ofEveryShop = {
  path: matching(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    'be a single part of an address: lower-case letters, digits and hyphens',
  ),
  rules,
  mode: oneOf('live', 'observe'),
  otherOrderIds: v.array(oneOf('name', 'number'), 'must be a list'),
};

const shopifyShop = section(
  {
    domain: matching(
      /^[a-z0-9][a-z0-9-]{0,62}\.myshopify\.com$/,
      'end in .myshopify.com, in lower case and without https://',
    ),
  },
  {
    ...ofEveryShop,
    platform: oneOf(...PLATFORMS),
    vendure: must("be absent without platform: 'vendure'", (value) => value === undefined),
    observers: v.array(
      matching(/^\d+$/, "be a customer's id, as text of digits"),
      'must be a list',
    ),
  } satisfies Checks<Omit<ShopSettings, 'domain'>>,
);

const vendureShop = section(
  {
    domain: matching(
      /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/,
      'be a host name, in lower case and without https://',
    ),
    platform: oneOf(...PLATFORMS),
    vendure: section(
      {
        adminApi: must(
          'begin with https:// and a public domain name, without user, password or query',
          isSafeAddress,
        ),
        currency: matching(/^[A-Z]{3}$/, 'be three capital letters'),
      },
      {
        channel: filledText,
        changeDays: wholeNumber(1, 400, 'days'),
        precision: wholeNumber(0, 6, 'digits'),
      } satisfies Checks<Omit<VendureSettings, 'adminApi' | 'currency'>>,
    ),
  },
  ofEveryShop,
);

const SHOPS = { shopify: shopifyShop, vendure: vendureShop };

const platformOf = (value: unknown): PlatformName =>
  PLATFORMS.find((name) => name === fieldIn(value, 'platform')) ?? 'shopify';

const shop = v.lazy((value) => SHOPS[platformOf(value)]);

function listOf(item: v.GenericSchema) {
  return v.pipe(v.array(item, 'must be a list'), v.minLength(1, 'must have at least 1 entry'));
}

/** Each shop needs its own address: only the body of a webhook is signed, and it does not name the shop. */
const shops = v.pipe(
  listOf(shop),
  v.rawCheck(({ dataset, addIssue }) => {
    const entries: readonly unknown[] = Array.isArray(dataset.value) ? dataset.value : [];
    const domains = entries.map((entry) => fieldIn(entry, 'domain'));
    const paths = entries.map((entry, index) => {
      const domain = domains[index];
      return fieldIn(entry, 'path') ?? (typeof domain === 'string' ? defaultPath(domain) : domain);
    });
    for (const [field, values] of Object.entries({ domain: domains, path: paths })) {
      for (const [index, value] of values.entries()) {
        const first = values.indexOf(value);
        if (value === undefined || first === index) continue;
        const message = `is the same as shops[${first}].${field}`;
        addIssue({ message, path: pathOf(index, field) });
      }
    }
  }),
);

function fieldIn(entry: unknown, field: string): unknown {
  return isObject(entry) ? new Map<string, unknown>(Object.entries(entry)).get(field) : undefined;
}

const ONE_CURRENCY =
  "Shops on one account of the loyalty service count in one currency: state it, such as 'BRL', or set 'any', and 50 BRL and 50 USD count alike; shops with accounts of their own have sharedAccount: false";

const OWN_IDS =
  'must have sharedAccount: false, and an account of its own at the loyalty service: each Vendure server counts its customers, orders and products from 1, so two on one account would mix them up';

/** The default channel lists the orders of all others, too. */
const oneChannel = v.rawCheck<Readonly<Record<string, unknown>>>(({ dataset, addIssue }) => {
  const listed = fieldIn(dataset.value, 'shops');
  const servers = (Array.isArray(listed) ? listed : []).map((one) => fieldIn(one, 'vendure'));
  const nameOf = (of: unknown, ...fields: readonly string[]) =>
    fields.map((field) => fieldIn(of, field) ?? '').join(' ');
  for (const [index, server] of servers.entries()) {
    const other = servers.findIndex((one, at) => {
      const isSame = nameOf(one, 'adminApi', 'currency') === nameOf(server, 'adminApi', 'currency');
      const channels = new Set([nameOf(one, 'channel'), nameOf(server, 'channel')]);
      return (
        at < index && isSame && server !== undefined && (channels.size < 2 || channels.has(''))
      );
    });
    if (other >= 0) {
      const message = `must name a channel of its own, and so must shops[${other}]: the default channel has the orders of all, which would count twice`;
      addIssue({ message, path: pathOf('shops', index, 'vendure', 'channel') });
    }
  }
});

/** The service adds up amounts without a currency and knows an entity by its id alone, so shops on one account must share both. */
const oneAccount = v.rawCheck<Readonly<Record<string, unknown>>>(({ dataset, addIssue }) => {
  const listed = fieldIn(dataset.value, 'shops');
  const all: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const common = fieldIn(dataset.value, 'rules');
  const ruleOf = (one: unknown, name: keyof MappingSettings) =>
    fieldIn(fieldIn(one, 'rules'), name) ?? fieldIn(common, name);
  const sharing = all
    .map((one, index) => ({ one, index, currency: ruleOf(one, 'currency') }))
    .filter(({ one }) => ruleOf(one, 'sharedAccount') ?? all.length > 1);
  const servers = sharing.flatMap(({ one, index }) => {
    const server = fieldIn(fieldIn(one, 'vendure'), 'adminApi');
    return server === undefined ? [] : [{ server, index }];
  });
  const other = servers.find(({ server }) => server !== servers[0]?.server);
  if (other) addIssue({ message: OWN_IDS, path: pathOf('shops', other.index, 'rules') });
  const missing = sharing.find(({ currency }) => currency === undefined);
  if (missing) {
    const nobody = sharing.every(({ currency }) => currency === undefined);
    const place = nobody ? [] : ['shops', missing.index];
    const path = pathOf(...place, 'rules', 'currency');
    addIssue({ message: `is missing. ${ONE_CURRENCY}`, path });
    return;
  }
  for (const { index, currency } of sharing) {
    if (currency === sharing[0]?.currency) continue;
    addIssue({
      message: `is not that of shops[${sharing[0]?.index}]. ${ONE_CURRENCY}`,
      path: pathOf('shops', index, 'rules', 'currency'),
    });
  }
});

/** Plain http is only allowed to this machine, because every request contains the credentials. */
function isSafeAddress(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { username, password, search, hash, hostname, protocol } = new URL(value);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  const own = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'http:') return own;
  return protocol === 'https:' && isPublicName(hostname);
}

/**
 * A public DNS name. An IP address, in any spelling, may be a machine in the network of the function; so may
 * a name without a dot or with one of these endings.
 */
function isPublicName(hostname: string): boolean {
  const isName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(hostname);
  return isName && !/\.(?:localhost|local|internal|home|lan)$/.test(hostname);
}

/** Points in the pages of other platforms are the merchant's own to show. */
const storefrontOfShopify = v.rawCheck<Readonly<Record<string, unknown>>>(
  ({ dataset, addIssue }) => {
    const { shops: all, storefront: wanted } = (dataset.value ?? {}) as Record<string, unknown>;
    const isAlien = (value: unknown) => platformOf(value) !== 'shopify';
    if (wanted === undefined || !Array.isArray(all) || !all.some(isAlien)) return;
    const message = 'must be absent unless all shops run on Shopify';
    addIssue({ message, path: pathOf('storefront') });
  },
);

const settings = v.pipe(
  section(
    {
      shops,
      loyalty: section(
        {
          address: must(
            'begin with https:// and a public domain name, without user, password or query',
            isSafeAddress,
          ),
        },
        {
          callsPerSecond: numberFrom(0.1, 1_000, 'be a number of calls from 0.1 to 1000'),
          assumptions,
        },
      ),
    },
    {
      rules,
      retryWindowDays: wholeNumber(1, 10, 'days'),
      orderRetentionDays: wholeNumber(35, 3650, 'days'),
      healing,
      alarms,
      events,
      deployment,
      storefront,
    } satisfies Checks<Omit<ConnectorSettings, 'shops' | 'loyalty'>>,
  ),
  oneAccount,
  oneChannel,
  storefrontOfShopify,
);
