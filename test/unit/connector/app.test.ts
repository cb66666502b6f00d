import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { appToml, compareApp } from '../../../scripts/connector/set-up/shopify/app.ts';
import { wantedScopes } from '../../../scripts/connector/set-up/shopify/store-checks.ts';
import {
  type ConnectorSettings,
  defineConnector,
} from '../../../shared/config/connector-config.ts';
import { VERSION } from '../../../shared/config/release.ts';

const HOOKS = 'https://hooks.example.com/example-store';
const STOREFRONT = 'https://front.example.com/example-store';

function describeWith(settings: Partial<ConnectorSettings> = {}) {
  const connector = defineConnector({
    shops: [{ domain: 'example-store.myshopify.com' }],
    loyalty: { address: 'https://loyalty.example.com' },
    storefront: {},
    ...settings,
  });
  const output = (name: string) =>
    name === 'WebhookAddress' ? 'https://hooks.example.com/' : 'https://front.example.com/';
  const [shop = expect.fail()] = connector.shops;
  const toml = (kept: readonly string[] = []) =>
    appToml({ connector, output }, shop, { clientId: 'client-1', kept });
  return { connector, shop, toml };
}

function scopesWith(settings: Partial<ConnectorSettings>): readonly string[] {
  const { connector, shop } = describeWith(settings);
  return wantedScopes(connector, shop).map(({ scope }) => scope);
}

const READING = [
  ...['read_orders', 'read_customers', 'read_customer_merge'],
  ...['read_products', 'read_discounts'],
];
const WRITING = ['write_customers', 'write_discounts', 'write_app_proxy'];

describe('the scopes of the app', () => {
  it.each<[string, Partial<ConnectorSettings>, readonly string[]]>([
    ['orders with their customers', { rules: { customers: 'with-orders' } }, []],
    ['customers from sign-up', { rules: { customers: 'from-sign-up' } }, []],
    ['lost disputes', { rules: { lostDisputes: 'take-back' } }, ['read_shopify_payments_disputes']],
    ['names of locations', { rules: { enrich: { locationNames: true } } }, ['read_locations']],
    ['names of staff', { rules: { enrich: { staffNames: true } } }, ['read_users']],
  ])('are those that the settings need, and no other: %s', (_, settings, more) => {
    const without = scopesWith({
      storefront: undefined,
      ...settings,
    } as Partial<ConnectorSettings>);
    const reading = [...READING, ...more, 'read_rollouts'];
    expect(without).toEqual(reading);
    expect(scopesWith(settings)).toEqual([...reading, ...WRITING]);
  });

  it('leave out Rollouts where no coupons are mirrored', () => {
    const settings = { rules: { couponKinds: [] } } as const;
    expect(scopesWith(settings)).toEqual([...READING, ...WRITING]);
  });

  it('include those of store credit only where cashback becomes it', () => {
    const more = ['read_store_credit_accounts', 'write_store_credit_account_transactions'];
    const others = scopesWith({ storefront: { cashback: 'code' } });
    expect(scopesWith({ storefront: { cashback: 'store-credit' } })).toEqual([...others, ...more]);
  });

  it('are explained in the file, each in its own line', () => {
    const { connector, shop, toml } = describeWith();
    for (const { scope, for: reason } of wantedScopes(connector, shop)) {
      expect(toml()).toContain(`# ${scope}: ${reason}\n`);
    }
  });
});

type Parsed = ReturnType<typeof parse> & {
  readonly webhooks: { api_version: string; subscriptions: Record<string, string[] | string>[] };
};
const tomlWith = (settings: Partial<ConnectorSettings> = {}) =>
  parse(describeWith(settings).toml()) as Parsed;

describe('shopify.app.toml', () => {
  it('holds the deployed addresses of the shop', () => {
    const toml = tomlWith();
    expect(toml.app_proxy).toEqual({ url: STOREFRONT, prefix: 'apps', subpath: 'loyalty' });
    expect(toml.network_access).toEqual({
      allowed_sources: ['https://front.example.com'],
      allowed_navigation_hosts: [],
    });
    expect(toml.webhooks.subscriptions.map(({ uri }) => uri)).toEqual([HOOKS]);
    expect(toml.client_id).toBe('client-1');
  });

  it('has no app proxy without a storefront, and no code that asks anybody', () => {
    const { connector, shop } = describeWith();
    const bare = { ...connector, storefront: undefined };
    const output = () => 'https://hooks.example.com';
    const toml = appToml({ connector: bare, output }, shop, { clientId: 'client-1' });
    expect(parse(toml)).not.toHaveProperty('app_proxy');
    expect(parse(toml)).not.toHaveProperty('network_access');
  });

  it('keeps a scope that only Shopify grants', () => {
    const { toml } = describeWith();
    expect(toml(['read_all_orders'])).toMatch(/^scopes = ".*,read_all_orders"$/m);
  });
});

const EXTENSION = 'extensions/loyalty-account/page.js';

function filesWith(
  change: (text: string) => string = (text) => text,
  page = pageOf(VERSION),
  settings: Partial<ConnectorSettings> = {},
) {
  const files = new Map<string, Uint8Array>();
  files.set('shopify.app.toml', Buffer.from(change(describeWith(settings).toml())));
  if (page !== '') files.set(EXTENSION, Buffer.from(page));
  return files;
}

const pageOf = (release: string) =>
  `// Written by loyalty-connector ${release}, app write: changes here are lost.\n`;

type Files = ReturnType<typeof filesWith>;
const findingsBetween = (wanted: Files, found: Files) =>
  compareApp(wanted, found).map(({ what }) => what);
const findingsOf = (...changed: Parameters<typeof filesWith>) =>
  findingsBetween(filesWith(), filesWith(...changed));
const swap = (from: string | RegExp, to: string) => (text: string) => {
  const changed = text.replace(from, to);
  expect(changed).not.toBe(text);
  return changed;
};

const SECOND = `[[webhooks.subscriptions]]\ntopics = [ "orders/paid" ]\nuri = "${HOOKS}"\n\n`;

describe('the comparison of an app folder', () => {
  it('finds nothing in what was just written', () => {
    expect(findingsOf()).toEqual([]);
  });

  it.each<[string, (text: string) => string, string]>([
    ['a missing scope', swap('read_products,', ''), 'access_scopes'],
    [
      'a changed address of the storefront',
      swap(/^url = .*$/m, 'url = "https://old.example.com/example-store"'),
      'app_proxy',
    ],
    ['another server', swap('[ "https://front', '[ "https://old'), 'network_access'],
    ['another app', swap('"client-1"', '"client-2"'), 'client_id'],
    ['a removed compliance topic', swap('  "shop/redact",\n', ''), 'webhooks'],
    ['a topic that the Admin API has', swap('[[webhooks', `${SECOND}[[webhooks`), 'webhooks'],
  ])('finds %s', (_, change, part) => {
    expect(findingsOf(change)).toEqual([`shopify.app.toml: ${part} does not match the settings`]);
  });

  it('finds an Event with another handle, and does not mind the order of a list', () => {
    const events = { healing: { productChanges: 'events' } } as const;
    const compare = (change: (text: string) => string) =>
      findingsBetween(filesWith(undefined, '', events), filesWith(change, '', events));
    expect(compare(swap('handle = "loyalty_products"', 'handle = "mine"'))).toEqual([
      'shopify.app.toml: events does not match the settings',
    ]);
    expect(compare(swap(/("create"),\s*("update")/, '$2, $1'))).toEqual([]);
  });

  it.each([
    ['that is missing', '', 'extensions/loyalty-account is not the version of this release'],
    [
      'that was changed',
      `${pageOf(VERSION)}more();`,
      'extensions/loyalty-account is not the version of this release',
    ],
  ])('finds an extension %s', (_, page, expected) => {
    expect(findingsOf(undefined, page)).toEqual([expected]);
  });

  it('accepts read_all_orders, which a person decides on', () => {
    const wanted = new Map([
      ['shopify.app.toml', Buffer.from(describeWith().toml(['read_all_orders']))],
    ]);
    const added = swap('read_orders,', 'read_orders,read_all_orders,');
    expect(findingsBetween(wanted, filesWith(added, ''))).toEqual([]);
  });

  it('says when there is no file, or none that can be read', () => {
    const compare = (text: string | undefined) =>
      findingsBetween(
        filesWith(),
        new Map(text === undefined ? [] : [['shopify.app.toml', Buffer.from(text)]]),
      );
    expect(compare(undefined)).toEqual(['there is no shopify.app.toml']);
    expect(compare('name = ')).toEqual(['shopify.app.toml cannot be read']);
  });
});
