import { describe, expect, it } from 'vitest';
import {
  type ConnectorSettings,
  checkConnector,
  defineConnector,
} from '../../../shared/config/connector-config.ts';
import { enrichmentOf } from '../../../shared/shopify/admin/open-store.ts';

const least: ConnectorSettings = {
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com/' },
};

const ONE_CURRENCY =
  "Shops on one account of the loyalty service count in one currency: state it, such as 'BRL', or set 'any', and 50 BRL and 50 USD count alike; shops with accounts of their own have sharedAccount: false";

/** The faults of settings that the type checker would refuse. */
function faultsOf(settings: unknown): string[] {
  const checked = checkConnector(settings as ConnectorSettings);
  return checked.kind === 'faulty'
    ? checked.faults.map(({ path, problem }) => `${path} ${problem}`)
    : [];
}

const withRules = (rules: unknown) => faultsOf({ ...least, rules });
const withShop = (shop: object) => faultsOf({ ...least, shops: [{ ...least.shops[0], ...shop }] });

describe('the connector’s settings', () => {
  it('need only a shop and an address; the rest has documented defaults', () => {
    expect(defineConnector(least)).toEqual({
      shops: [
        {
          domain: 'example-store.myshopify.com',
          path: 'example-store',
          platform: 'shopify',
          rules: {
            completeWhen: 'fulfilled',
            pendingOrders: 'skip',
            taxes: 'exclude',
            giftCards: 'earn-when-bought',
            storeCredit: 'like-gift-cards',
            lostDisputes: 'ignore',
            customersWithoutEmail: 'skip',
            customers: 'from-sign-up',
            redactedCustomers: 'keep',
            testOrders: 'skip',
            enrich: {},
            enrolment: 'unstated',
            productUrl: 'https://{domain}/products/{handle}',
            couponKinds: ['percentage', 'fixed-amount', 'free-shipping', 'buy-x-get-y', 'app'],
            sharedAccount: false,
            couponForEveryone: 'send',
          },
          mode: 'live',
          otherOrderIds: ['name', 'number'],
          observers: [],
        },
      ],
      loyalty: {
        address: 'https://loyalty.example.com',
        assumptions: {
          ordersAreReplaced: true,
          couponsAreReplaced: true,
          completedOrdersTakeTheCancelledMark: true,
          refunds: 'partial-cancel',
          raiseAfterPartialCancel: 'park',
          readTotals: 'as-sent',
          redemptionsKeepMetadata: true,
        },
      },
      retryWindowDays: 4,
      orderRetentionDays: 400,
      healing: {
        deepEveryDays: 7,
        productChanges: 'webhooks',
      },
      alarms: {
        emails: [],
      },
      events: undefined,
      deployment: {
        endpoint: { kind: 'function-url' },
        maxConcurrency: {},
        logRetentionDays: 30,
        retainData: true,
        monitoring: 'full',
        tags: {},
        namePrefix: '',
      },
    });
  });

  it('let a shop differ from the others in single rules', () => {
    const { shops } = defineConnector({
      ...least,
      rules: { testOrders: 'send', completeWhen: 'paid', currency: 'EUR' },
      shops: [
        { domain: 'one.myshopify.com' },
        {
          domain: 'two.myshopify.com',
          rules: { testOrders: 'skip', giftCards: 'never' },
        },
      ],
    });
    expect(shops.map(({ rules }) => rules.sharedAccount)).toEqual([true, true]);
    expect(
      shops.map(({ rules }) => [rules.testOrders, rules.completeWhen, rules.giftCards]),
    ).toEqual([
      ['send', 'paid', 'earn-when-bought'],
      ['skip', 'paid', 'never'],
    ]);
  });

  it.each<[string, object, object, object, readonly string[]]>([
    ['no currency', {}, {}, {}, ['rules.currency is missing.']],
    ['one for all', { currency: 'BRL' }, {}, {}, []],
    ['each the same', {}, { currency: 'BRL' }, { currency: 'BRL' }, []],
    [
      'two',
      {},
      { currency: 'BRL' },
      { currency: 'USD' },
      ['shops[1].rules.currency is not that of shops[0].'],
    ],
    [
      'one that differs from all others',
      { currency: 'BRL' },
      {},
      { currency: 'USD' },
      ['shops[1].rules.currency is not that of shops[0].'],
    ],
    ['one of two', {}, { currency: 'BRL' }, {}, ['shops[1].rules.currency is missing.']],
    [
      'any in one of two',
      { currency: 'BRL' },
      {},
      { currency: 'any' },
      ['shops[1].rules.currency is not that of shops[0].'],
    ],
    ['any', { currency: 'any' }, {}, {}, []],
    [
      'accounts of their own',
      { sharedAccount: false },
      { currency: 'BRL' },
      { currency: 'USD' },
      [],
    ],
    ['accounts of their own, and nothing stated', { sharedAccount: false }, {}, {}, []],
    ['an account of its own for one', { currency: 'BRL' }, {}, { sharedAccount: false }, []],
  ])('of two shops with %s', (_, rules, one, two, problems) => {
    const shops = [
      { domain: 'one.myshopify.com', rules: one },
      { domain: 'two.myshopify.com', rules: two },
    ];
    const expected = problems.map((problem) => `${problem} ${ONE_CURRENCY}`);
    expect(faultsOf({ ...least, rules, shops })).toEqual(expected);
  });

  it('name the currency of a shop that shares its account with one of another stack', () => {
    expect(withRules({ sharedAccount: true })).toEqual([
      `rules.currency is missing. ${ONE_CURRENCY}`,
    ]);
    expect(withRules({ sharedAccount: true, currency: 'JPY' })).toEqual([]);
  });

  it.each(['brl', 'Any', 'REAL', '', 5])('refuse the currency %j', (currency) => {
    expect(withRules({ currency })).toEqual([
      "rules.currency must be three capital letters such as BRL, or 'any'",
    ]);
  });

  it('refuse two Vendure servers on one account: each counts its ids from 1', () => {
    const shopAt = (name: string, server: string, rules = {}) => ({
      ...{ platform: 'vendure', domain: `${name}.example.com`, path: name, rules },
      vendure: { adminApi: `https://${server}.example.com/admin-api`, currency: 'EUR' },
    });
    const faults = (...shops: readonly object[]) =>
      faultsOf({ ...least, rules: { currency: 'EUR' }, shops });
    expect(faults(shopAt('one', 'one'), shopAt('two', 'two'))).toEqual([
      expect.stringContaining('shops[1].rules must have sharedAccount: false'),
    ]);
    const own = { sharedAccount: false };
    expect(faults(shopAt('one', 'one'), shopAt('two', 'two', own))).toEqual([]);
  });

  it.each([
    ['one shop without a channel', [{}, { channel: 'b2b' }], 1],
    ['one channel twice', [{ channel: 'b2b' }, { channel: 'b2b' }], 1],
    ['a channel each', [{ channel: 'b2b' }, { channel: 'b2c' }], 0],
    ['a currency each', [{}, { channel: 'us', currency: 'USD' }], 0],
  ])('count no order of a Vendure server twice: %s', (_, [one, two], faults) => {
    const shopOf = (name: string, channel: object | undefined) => ({
      ...{ platform: 'vendure', domain: `${name}.example.com`, path: name },
      vendure: { adminApi: 'https://a.example.com/admin-api', currency: 'EUR', ...channel },
    });
    const shops = [shopOf('one', one), shopOf('two', two)];
    const found = faultsOf({ ...least, rules: { sharedAccount: false }, shops });
    expect(found).toHaveLength(faults);
    expect(found.join()).toContain(faults ? 'shops[1].vendure.channel must name a channel' : '');
  });

  it('never take a number in the code of a Vendure order for the id of another order', () => {
    const vendure = { adminApi: 'https://shop.example.com/admin-api', currency: 'EUR' };
    const shop = {
      platform: 'vendure',
      domain: 'shop.example.com',
      path: 'shop',
      vendure,
    } as const;
    const { shops } = defineConnector({ ...least, shops: [shop] });
    expect(shops[0]?.otherOrderIds).toEqual(['name']);
    // What an order may still change in, and Vendure's own digits.
    const defaults = { channel: undefined, changeDays: 60, precision: 2 };
    expect(shops[0]?.vendure).toEqual({ ...vendure, ...defaults });
  });

  it('refuse what no Vendure server has, and a storefront beside one', () => {
    const shop = { domain: 'shop.example.com', path: 'shop', platform: 'vendure' };
    const faults = (vendure: object, more: object = {}) =>
      faultsOf({ ...least, shops: [{ ...shop, vendure }], ...more });
    const right = { adminApi: 'https://shop.example.com/admin-api', currency: 'EUR' };
    expect(faults({ ...right, precision: 6, changeDays: 400 })).toEqual([]);
    const wrong = { channel: '', precision: 7, changeDays: 401 };
    expect(faults({ adminApi: 'http://shop.example.com', currency: 'eur', ...wrong })).toEqual(
      ['adminApi', 'currency', 'channel', 'changeDays', 'precision'].map((field) =>
        expect.stringContaining(`shops[0].vendure.${field} must`),
      ),
    );
    expect(faults(right, { storefront: {} })).toEqual([
      'storefront must be absent unless all shops run on Shopify',
    ]);
  });

  it('treat undefined like an absent setting', () => {
    const undefinedRule = { completeWhen: undefined } as unknown as ConnectorSettings['rules'] &
      object;
    expect(defineConnector({ ...least, rules: undefinedRule }).shops[0]?.rules.completeWhen).toBe(
      'fulfilled',
    );
  });

  it('are refused with all faults at once, each with its path', () => {
    const wrong = {
      shops: [
        {
          domain: 'shop.example.com',
          path: '/a',
          rules: { testOrders: 'maybe', goLive: '2026-11-01T09:00' },
        },
        { domain: 'two.myshopify.com', domian: 'x' },
        { domain: 'two.myshopify.com' },
        {},
      ],
      loyalty: {
        address: 'http://loyalty.example.com',
        callsPerSecond: 0,
        assumptions: { refunds: 2 },
      },
      rules: { completWhen: 'paid', couponKinds: ['percent'] },
      retryWindowDays: 0,
      orderRetentionDays: 30.5,
      healing: { deepEveryDays: 32 },
    };
    const message = [
      'shops[0].domain must end in .myshopify.com, in lower case and without https://',
      'shops[0].path must be a single part of an address: lower-case letters, digits and hyphens',
      'shops[0].rules.goLive must be a date such as 2026-11-01, or a moment such as 2026-11-01T09:00:00Z',
      "shops[0].rules.testOrders must be 'skip' or 'send'",
      'shops[1].domian is not a setting; did you mean domain?',
      'shops[3].domain is missing',
      'shops[2].domain is the same as shops[1].domain',
      'shops[2].path is the same as shops[1].path',
      'loyalty.address must begin with https:// and a public domain name, without user, password or query',
      'loyalty.callsPerSecond must be a number of calls from 0.1 to 1000',
      "loyalty.assumptions.refunds must be 'partial-cancel' or 'resend'",
      "rules.couponKinds[0] must be 'percentage', 'fixed-amount', 'free-shipping', 'buy-x-get-y' or 'app'; did you mean 'percentage'?",
      'rules.completWhen is not a setting; did you mean completeWhen?',
      'retryWindowDays must be a whole number of days from 1 to 10',
      'orderRetentionDays must be a whole number of days from 35 to 3650',
      'healing.deepEveryDays must be a whole number of days from 1 to 31',
      `rules.currency is missing. ${ONE_CURRENCY}`,
    ]
      .map((line) => `connector.config.ts: ${line}`)
      .join('\n');
    expect(() => defineConnector(wrong as unknown as ConnectorSettings)).toThrow(
      expect.objectContaining({ name: 'SettingsError', message }),
    );
  });

  it('tell store credit apart, in the rules and in what is read, where cashback becomes store credit', () => {
    const storeCredit = (storefront?: ConnectorSettings['storefront']) => {
      const [shop] = defineConnector({ ...least, ...(storefront && { storefront }) }).shops;
      return shop && [shop.rules.storeCredit, enrichmentOf(shop.rules).storeCredit];
    };
    expect(storeCredit()).toEqual(['like-gift-cards', false]);
    expect(storeCredit({ cashback: 'code' })).toEqual(['like-gift-cards', false]);
    expect(storeCredit({ cashback: 'store-credit' })).toEqual(['by-origin', true]);
  });

  it('have a storefront only where it is set, with documented defaults', () => {
    expect(defineConnector(least).storefront).toBeUndefined();
    expect(defineConnector({ ...least, storefront: {} }).storefront).toEqual({
      customerIdIn: 'Id',
      metafieldNamespace: 'loyalty',
      posCustomerId: 'email-or-document',
      rewardTypes: { 0: 'percent', 1: 'fixed', 3: 'cashback', 4: 'custom', 5: 'product' },
      readsPerMinute: 60,
      taxInPrices: 0,
      cashback: 'code',
      redeemsPerHour: 10,
      takeBack: { by: 'customer', withinDays: 30 },
    });
    const wrong = {
      ...{ metafieldNamespace: 'a b', customerIdIn: '', points: true },
      ...{
        readsPerMinute: 9,
        taxInPrices: 101,
        redeemsPerHour: 0,
        cashback: 'points',
        rewardTypes: { 0: 'gift' },
      },
      posCustomerId: 'phone',
      takeBack: { by: 'everyone', withinDays: 61 },
    };
    expect(faultsOf({ ...least, storefront: wrong })).toHaveLength(11);
    const takeBack = { by: 'staff' } as const;
    expect(defineConnector({ ...least, storefront: { takeBack } }).storefront?.takeBack).toEqual({
      ...{ by: 'staff', withinDays: 30 },
    });
    const storefront = { rewardTypes: { 2: 'free-shipping', 5: 'custom' } } as const;
    expect(defineConnector({ ...least, storefront }).storefront?.rewardTypes).toEqual({
      ...{ 0: 'percent', 1: 'fixed', 2: 'free-shipping', 3: 'cashback', 4: 'custom', 5: 'custom' },
    });
    const credited = { ...storefront, cashback: 'store-credit' } as const;
    expect(defineConnector({ ...least, storefront: credited }).storefront?.rewardTypes).toEqual({
      ...{ 0: 'percent', 1: 'fixed', 2: 'free-shipping', 3: 'store-credit' },
      ...{ 4: 'custom', 5: 'custom' },
    });
  });

  it.each([undefined, null, 'settings', []])('are refused as %j', (settings) => {
    expect(faultsOf(settings)).not.toEqual([]);
  });

  it('need at least one shop', () => {
    expect(faultsOf({ ...least, shops: [] })).toEqual(['shops must have at least 1 entry']);
    expect(faultsOf({ ...least, shops: {} })).toEqual(['shops must be a list']);
  });

  it.each([
    'Example.myshopify.com',
    'https://example.myshopify.com',
    'example.myshopify.com.evil.example',
    'evil.example/x.myshopify.com',
    '-a.myshopify.com',
  ])('refuse the domain %s', (domain) => {
    expect(withShop({ domain })).toHaveLength(1);
  });

  it.each([
    ['https://user:secret@loyalty.example.com', 1],
    ['https://loyalty.example.com/?key=secret', 1],
    ['ftp://loyalty.example.com', 1],
    ['http://127.0.0.1.evil.example', 1],
    ['https://169.254.169.254', 1],
    ['https://[fd00:ec2::254]', 1],
    ['https://2130706433', 1],
    ['https://0x7f.1', 1],
    ['https://localhost', 1],
    ['https://metadata', 1],
    ['https://metadata.google.internal', 1],
    ['https://printer.local', 1],
    ['https://loyalty.example.com.', 1],
    ['https://api.loyalty.example.com:8443/v2', 0],
    ['http://127.0.0.1:8080', 0],
    ['http://localhost:8080/base', 0],
  ])('read the address %s with %i faults', (address, count) => {
    const faults = faultsOf({ ...least, loyalty: { address } });
    expect(faults).toHaveLength(count);
    expect(faults.join()).not.toContain('secret');
  });

  it('accept any documented source for a detail of the customer', () => {
    const metafield = { from: 'metafield', owner: 'customer', namespace: 'facts', key: 'born' };
    for (const source of [{ from: 'note-attribute', name: 'document' }, metafield, () => 'x']) {
      expect(withRules({ document: source, birthday: source })).toEqual([]);
    }
  });

  it.each([
    [
      { from: 'metafield', owner: 'shop', namespace: 'facts' },
      ["rules.document.owner must be 'order' or 'customer'", 'rules.document.key is missing'],
    ],
    [
      { from: 'note-attribute', name: ' ' },
      ['rules.document.name must be a text that is not empty'],
    ],
    [{ name: 'document' }, ['rules.document.from is missing']],
    [
      'document',
      [
        "rules.document must be a function, or an object with from: 'note-attribute', 'metafield' or 'localized-field'",
      ],
    ],
  ])('refuse the source %j', (document, faults) => {
    expect(withRules({ document })).toEqual(faults);
  });

  it.each([
    ['https://www.example.com/{handle}', 0],
    ['https://{domain}/products/{handle}', 0],
    ['https://www.example.com/products', 1],
    ['https://www.example.com/{handel}/{handle}', 1],
    ['http://www.example.com/{handle}', 1],
  ])('read the product address %s with %i faults', (productUrl, count) => {
    expect(withRules({ productUrl })).toHaveLength(count);
  });
});

const withAlarms = (alarms: unknown) => faultsOf({ ...least, alarms });

describe('the settings of the alarms', () => {
  it('accept addresses', () => {
    const alarms = { emails: ['oncall@example.com', 'shop@example.com'] };
    expect(withAlarms(alarms)).toEqual([]);
    expect(defineConnector({ ...least, alarms }).alarms).toEqual(alarms);
  });

  it('refuse an invalid address', () => {
    expect(withAlarms({ emails: ['on call@example.com'] })).toEqual([
      'alarms.emails[0] must be an e-mail address',
    ]);
  });
});
