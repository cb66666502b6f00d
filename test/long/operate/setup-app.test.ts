import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSecretsEmulator } from '../../../local/secrets-emulator.ts';
import type { Emulator } from '../../../local/stack/emulators.ts';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { readSecret } from '../../../scripts/connector/ground/checks/read-secret.ts';
import type {
  SetupDeps,
  SetupOptions,
  ShopSetup,
  Step,
} from '../../../scripts/connector/ground/checks/step.ts';
import {
  awsSettings,
  type Deployment,
} from '../../../scripts/connector/ground/session/deployment.ts';
import type { Session } from '../../../scripts/connector/ground/session/session.ts';
import { checksByPlatform } from '../../../scripts/connector/platform-checks.ts';
import { shopSteps } from '../../../scripts/connector/set-up/setup.ts';
import { writeApp, writtenFoldersCheck } from '../../../scripts/connector/set-up/shopify/app.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { VERSION } from '../../../shared/config/release.ts';
import type { SecretPurpose } from '../../../shared/services/shop-secrets.ts';
import { createProject } from '../../support/project.ts';

const SHOP = 'example-store.myshopify.com';
const SCOPES = ['read_orders', 'read_customers', 'read_products', 'read_discounts'];
const APP = { clientId: 'client-of-this-test', clientSecret: 'secret-of-this-test' };

let store: StoreSandbox;
let secrets: Emulator;
let lines: string[] = [];
beforeAll(async () => {
  store = await startStoreSandbox({
    shop: { domain: SHOP },
    clientId: APP.clientId,
    secret: APP.clientSecret,
    accessToken: 'shpat_of_this_test',
    settings: { scopes: SCOPES },
  });
});
afterAll(() => store.stop());
beforeEach(() => {
  lines = [];
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await secrets.stop();
});

/** A shop on AWS as the steps find it, whose store is the sandbox. `stored`: what was set before. */
async function open(
  stored: Readonly<Record<string, object>> = {},
  options: SetupOptions = {},
): Promise<ShopSetup> {
  const known = { loyalty: { token: 't-111111', key: 'k-222222' }, ...stored };
  const texts = ['webhook', 'store', 'loyalty'].map((purpose) => [
    `connector/example-store/${purpose}`,
    JSON.stringify(known[purpose as keyof typeof known]) ?? 'made by the deployment',
  ]);
  secrets = await startSecretsEmulator({ secrets: Object.fromEntries(texts) });
  const credentials = { accessKeyId: 'olivia', secretAccessKey: 'secret' };
  const deployment: Deployment = {
    where: 'aws',
    version: VERSION,
    stage: 'prod',
    stack: 'loyalty-connector-prod',
    region: 'us-east-1',
    aws: awsSettings({ region: 'us-east-1', endpoint: secrets.endpoint, credentials }),
    output: (name) => (name === 'SecretsPrefix' ? 'connector' : `https://${name}.example/`),
    connector: defineConnector({
      shops: [{ domain: SHOP }],
      loyalty: { address: 'https://loyalty.example.com' },
      storefront: {},
    }),
    sandbox: { storeAddress: store.address, loyaltyAddress: '', metricsAddress: '' },
  };
  const deps = {
    where: 'aws',
    options,
    agrees: async () => false,
    session: { beginChange: async () => ({ count: () => {} }) },
    terminal: { note: (line = '') => void lines.push(line) },
  } as unknown as SetupDeps;
  const [shop = expect.fail()] = deployment.connector.shops;
  return { deps, deployment, shop, isOnly: true };
}

const give = (values: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(`CONNECTOR_${name}`, value);
};

const stepOf = (setup: ShopSetup, title: string): Step =>
  [...shopSteps(setup, checksByPlatform.checksOf(setup.shop))].find((one) => one.title === title) ??
  expect.fail(title);

const fix = async (step: Step) => step.fix?.(await step.look());

async function stored({ deployment, shop }: ShopSetup, purpose: SecretPurpose): Promise<unknown> {
  const read = await readSecret(deployment, shop, purpose);
  return read.kind === 'there' ? read.fields : undefined;
}

describe('the step for the secrets', () => {
  it('names every page, and stores the client secret for both of its uses', async () => {
    const setup = await open();
    give({ CLIENT_ID: APP.clientId, CLIENT_SECRET: APP.clientSecret });
    const step = stepOf(setup, 'Secrets');
    await fix(step);
    const said = lines.join('\n');
    expect(said).toContain('https://dev.shopify.com/dashboard: Apps, Create app');
    expect(said).toContain(
      `read_orders,read_customers,read_customer_merge,read_products,read_discounts`,
    );
    expect(said).not.toContain(APP.clientSecret);
    expect(await stored(setup, 'store')).toEqual(APP);
    expect(await stored(setup, 'webhook')).toEqual({ current: APP.clientSecret });
    expect(await step.look()).toMatchObject([{ verdict: 'pass' }]);
  });

  it('names all that is missing at once where it cannot ask', async () => {
    const missing = async (stored: Readonly<Record<string, object>>) => {
      const said = await fix(stepOf(await open(stored), 'Secrets')).catch(String);
      return [...String(said).matchAll(/CONNECTOR_(\w+)/g)].map(([, name]) => name);
    };
    expect(await missing({ loyalty: {} })).toEqual([
      ...['CLIENT_ID', 'CLIENT_SECRET', 'LOYALTY_TOKEN', 'LOYALTY_KEY'],
    ]);
    await secrets.stop();
    expect(await missing({ webhook: { current: APP.clientSecret } })).toEqual(['CLIENT_ID']);
  });

  it('asks only for the client ID where the webhook secret is stored', async () => {
    const setup = await open({ webhook: { current: APP.clientSecret } });
    give({ CLIENT_ID: APP.clientId });
    await fix(stepOf(setup, 'Secrets'));
    expect(await stored(setup, 'store')).toEqual(APP);
  });

  it('asks for nothing where the client secret is stored for the Admin API', async () => {
    const setup = await open({ store: APP });
    await fix(stepOf(setup, 'Secrets'));
    expect(await stored(setup, 'webhook')).toEqual({ current: APP.clientSecret });
  });

  it('stores the access token of an older app, and its API secret key', async () => {
    const setup = await open({}, { olderApp: true });
    give({ ACCESS_TOKEN: 'shpat_of_this_test', CLIENT_SECRET: APP.clientSecret });
    await fix(stepOf(setup, 'Secrets'));
    expect(await stored(setup, 'store')).toEqual({ accessToken: 'shpat_of_this_test' });
    expect(await stored(setup, 'webhook')).toEqual({ current: APP.clientSecret });
  });
});

describe('the step for the scopes', () => {
  it('names the page where a missing scope is added, and finds it missing until then', async () => {
    const step = stepOf(await open({ store: APP }), 'Scopes of the app');
    const lacks = { what: expect.stringContaining('lacks the scope write_discounts') };
    const before = await step.look();
    expect(before).toContainEqual(expect.objectContaining({ verdict: 'fail', ...lacks }));
    await step.fix?.(before);
    expect(lines.join('\n')).toMatch(/dashboard, the app, Versions: .*write_discounts.* Release/);
    expect(await step.look()).toEqual(before);
  });
});

describe('the folder of the app', () => {
  let folder: string;
  beforeEach(() => {
    folder = createProject('connector-app');
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });
  const file = (path: string) => join(folder, 'shopify-app/example-store', path);
  const toml = () => readFileSync(file('shopify.app.toml'), 'utf8');

  it('is written by a step of setup, once, without a secret', async () => {
    const step = stepOf(await open({ store: APP }), 'Folder of the app');
    const released = {
      fix: expect.stringContaining('cd shopify-app/example-store && shopify app'),
    };
    expect(await step.look()).toMatchObject([{ verdict: 'fail' }]);
    expect(await fix(step)).toMatchObject([{ verdict: 'info' }, { verdict: 'warn', ...released }]);
    expect(await step.look()).toMatchObject([{ verdict: 'pass', ...released }]);
    expect(toml()).toContain(`client_id = "${APP.clientId}"`);
    expect(toml()).toContain('uri = "https://WebhookAddress.example/example-store"');
    expect(toml()).toMatch(/^scopes = "read_orders,.*write_app_proxy"$/m);
    expect(toml()).not.toContain(APP.clientSecret);
    writeFileSync(file('shopify.app.toml'), 'name = "own"');
    expect(await fix(step)).toMatchObject([{ verdict: 'warn' }]);
    expect(toml()).toBe('name = "own"');
  });

  /** The session of a command, for the shop of the sandbox. */
  async function session() {
    const { deployment, deps } = await open({ store: APP });
    const opened = { terminal: deps.terminal, findDeployment: async () => deployment };
    return { opened: opened as unknown as Session };
  }

  async function lookAtFolders(opened: Session) {
    const deployment = await opened.findDeployment();
    return writtenFoldersCheck({ deployment, shops: deployment.connector.shops }).look();
  }

  it('is compared by doctor once it is written', async () => {
    const { opened } = await session();
    const look = () => lookAtFolders(opened);
    const write = { command: 'app write', options: { shop: SHOP } };
    expect(await look()).toMatchObject([{ verdict: 'info', next: [{ line: write }] }]);
    await writeApp(opened, {});
    expect(await look()).toMatchObject([{ verdict: 'pass' }]);
  });

  it('holds the extensions with the address of the shop, and keeps what is not ours', async () => {
    const { opened } = await session();
    await writeApp(opened, {});
    const address = 'https://StorefrontAddress.example/example-store';
    expect(toml()).toContain(`[app_proxy]\nurl = "${address}"`);
    const written = globSync('extensions/**/*.*', { cwd: file('') });
    expect(written).toContain('extensions/loyalty-theme/snippets/loyalty-widget.liquid');
    const texts = written.map((path) => readFileSync(file(path), 'utf8')).join('\n');
    expect(texts).not.toContain('storefront.invalid');

    mkdirSync(file('extensions/my-own'));
    writeFileSync(file('extensions/my-own/shopify.extension.toml'), 'name = "mine"');
    writeFileSync(file('extensions/loyalty-theme/snippets/older.liquid'), 'of an older release');
    mkdirSync(file('extensions/loyalty-theme/dist'));
    writeFileSync(file('extensions/loyalty-theme/dist/built.js'), 'by Shopify');
    await writeApp(opened, {});
    expect(existsSync(file('extensions/loyalty-theme/dist/built.js'))).toBe(true);
    expect(existsSync(file('extensions/my-own/shopify.extension.toml'))).toBe(true);
    expect(existsSync(file('extensions/loyalty-theme/snippets/older.liquid'))).toBe(false);
  });

  it('holds triggers and the action of Shopify Flow while the settings ask for them', async () => {
    const { opened } = await session();
    const { connector, ...rest } = await opened.findDeployment();
    const { storefront = expect.fail() } = connector;
    const flow = { expiryNoticeDays: 14, mostPointsPerRun: 5, mostPointsPerDay: 5 };
    const withFlow = { ...connector, storefront: { ...storefront, flow } };
    const asked = {
      ...opened,
      findDeployment: async () => ({ ...rest, connector: withFlow }),
    } as Session;
    const ofFlow = () =>
      globSync('extensions/*/shopify.extension.toml', { cwd: file('') })
        .map((path) => readFileSync(file(path), 'utf8'))
        .filter((text) => /^type = "flow_(trigger|action)"$/m.test(text));
    await writeApp(asked, {});
    expect(ofFlow()).toHaveLength(5);
    const address = 'https://StorefrontAddress.example/example-store/flow/give-points';
    expect(ofFlow().join()).toContain(`runtime_url = "${address}"`);
    const found = await lookAtFolders(opened);
    expect(JSON.stringify(found)).toContain(
      'loyalty-give-points is not the version of this release',
    );
    await writeApp(opened, {});
    expect(ofFlow()).toEqual([]);
  });

  it('is not written over a configuration of the merchant, which is named', async () => {
    const { opened } = await session();
    mkdirSync(file(''), { recursive: true });
    writeFileSync(file('shopify.app.toml'), 'name = "own"\nembedded = true\n');
    const { verdict, blocks } = await writeApp(opened, {});
    expect(verdict?.kind).toBe('action required');
    expect(JSON.stringify(blocks)).toContain('did not write shopify.app.toml');
    expect(readdirSync(file(''))).toEqual(['shopify.app.toml']);
    await writeApp(opened, { yes: true });
    expect(toml()).not.toContain('"own"');
  });

  it("leaves the merchant's extensions alone, also those with a name like ours", async () => {
    const { opened } = await session();
    const own = file('extensions/loyalty-cards/shopify.extension.toml');
    const inOurPlace = file('extensions/loyalty-order/shopify.extension.toml');
    for (const path of [own, inOurPlace]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'name = "mine"');
    }
    const shown = JSON.stringify(await writeApp(opened, {}));
    expect(shown).toContain(
      'this command did not write extensions/loyalty-order/shopify.extension.toml',
    );
    expect(existsSync(file('shopify.app.toml'))).toBe(false);
    await writeApp(opened, { yes: true });
    expect(readFileSync(own, 'utf8')).toBe('name = "mine"');
    expect(readFileSync(inOurPlace, 'utf8')).toContain('Written by loyalty-connector');
  });

  it('is one for each shop, with its own address, and another one for another stage', async () => {
    const { opened } = await session();
    const one = await opened.findDeployment();
    const connector = defineConnector({
      shops: [{ domain: SHOP }, { domain: 'ink.myshopify.com' }],
      rules: { currency: 'EUR' },
      loyalty: { address: 'https://loyalty.example.com' },
      storefront: {},
    });
    const of = (stage: string) => ({
      ...opened,
      findDeployment: async () => ({ ...one, connector, stage }),
    });
    await expect(writeApp(of('prod'), { clientId: 'client-1' })).rejects.toThrow('give --shop');
    for (const stage of ['prod', 'test']) {
      await writeApp(of(stage), { clientId: 'client-2', shop: 'ink' });
      await writeApp(of(stage), { shop: SHOP });
    }
    const folders = readdirSync(join(folder, 'shopify-app')).toSorted();
    expect(folders).toEqual(['example-store', 'example-store.test', 'ink', 'ink.test']);
    const ink = readFileSync(join(folder, 'shopify-app/ink/shopify.app.toml'), 'utf8');
    expect(ink).toContain('url = "https://StorefrontAddress.example/ink"');
  });
});
