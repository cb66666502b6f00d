import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSecretsEmulator } from '../../../local/secrets-emulator.ts';
import type { Emulator } from '../../../local/stack/emulators.ts';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { awsSettings, type Deployment } from '../../../scripts/connector/deployment/deployment.ts';
import { type ShopSetup, storedFields } from '../../../scripts/connector/setup/shop-setup.ts';
import { appStep, scopesStep } from '../../../scripts/connector/setup/steps/app.ts';
import { appConfigurationStep } from '../../../scripts/connector/setup/steps/app-configuration.ts';
import type { SetupOptions, World } from '../../../scripts/connector/setup/world.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { VERSION } from '../../../shared/config/release.ts';
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
  const texts = ['webhook', 'store'].map((purpose) => [
    `connector/example-store/${purpose}`,
    stored[purpose] ? JSON.stringify(stored[purpose]) : 'made by the deployment',
  ]);
  secrets = await startSecretsEmulator({ secrets: Object.fromEntries(texts) });
  const credentials = { accessKeyId: 'olivia', secretAccessKey: 'secret' };
  const deployment: Deployment = {
    where: 'aws',
    version: VERSION,
    stage: 'prod',
    stack: 'loyalty-connector-prod',
    region: 'eu-west-1',
    aws: awsSettings({ region: 'eu-west-1', endpoint: secrets.endpoint, credentials }),
    output: (name) => (name === 'SecretsPrefix' ? 'connector' : `https://${name}.example/`),
    connector: defineConnector({
      shops: [{ domain: SHOP }],
      loyalty: { address: 'https://loyalty.example.com' },
      storefront: {},
    }),
    sandbox: { storeAddress: store.address, loyaltyAddress: '', metricsAddress: '' },
  };
  const world = {
    where: 'aws',
    options,
    agrees: async () => false,
    session: { beginChange: async () => ({ count: () => {} }) },
    terminal: { line: (line = '') => void lines.push(line), width: 200 },
  } as unknown as World;
  const [shop = expect.fail()] = deployment.connector.shops;
  return { world, deployment, shop, isOnly: true };
}

const give = (values: Readonly<Record<string, string>>) => {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(`CONNECTOR_${name}`, value);
};

describe('the step for the Shopify app', () => {
  it('names every page, and stores the client secret for both of its uses', async () => {
    const setup = await open();
    give({ CLIENT_ID: APP.clientId, CLIENT_SECRET: APP.clientSecret });
    await appStep(setup).act?.();
    const said = lines.join('\n');
    expect(said).toContain('https://dev.shopify.com/dashboard: Apps, Create app');
    expect(said).toContain(`read_orders,read_customers,read_products,read_discounts`);
    expect(said).not.toContain(APP.clientSecret);
    expect(await storedFields(setup, 'store')).toEqual(APP);
    expect(await storedFields(setup, 'webhook')).toEqual({ current: APP.clientSecret });
    expect(await appStep(setup).look()).toMatchObject({ kind: 'done' });
  });

  it('asks only for the client ID where the webhook secret is stored', async () => {
    const setup = await open({ webhook: { current: APP.clientSecret } });
    give({ CLIENT_ID: APP.clientId });
    await appStep(setup).act?.();
    expect(await storedFields(setup, 'store')).toEqual(APP);
  });

  it('asks for nothing where the client secret is stored for the Admin API', async () => {
    const setup = await open({ store: APP });
    await appStep(setup).act?.();
    expect(await storedFields(setup, 'webhook')).toEqual({ current: APP.clientSecret });
  });

  it('stores the access token of an older app, and its API secret key', async () => {
    const setup = await open({}, { olderApp: true });
    give({ ACCESS_TOKEN: 'shpat_of_this_test', CLIENT_SECRET: APP.clientSecret });
    await appStep(setup).act?.();
    expect(await storedFields(setup, 'store')).toEqual({ accessToken: 'shpat_of_this_test' });
    expect(await storedFields(setup, 'webhook')).toEqual({ current: APP.clientSecret });
  });
});

describe('the step for the scopes', () => {
  it('stops at a missing scope, and names the page where it is added', async () => {
    const setup = await open({ store: APP });
    expect(await scopesStep(setup).look()).toMatchObject({
      kind: 'open',
      what: expect.stringContaining('lacks the scope write_discounts'),
    });
    expect(await scopesStep(setup).act?.()).toMatchObject({
      kind: 'blocked',
      next: expect.stringMatching(/dashboard, the app, Versions: .*write_discounts.* Release/),
    });
  });
});

describe("the step for the app's configuration", () => {
  it('writes the file that Shopify releases, once, without a secret', async () => {
    const folder = createProject('connector-app');
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
    const step = appConfigurationStep(await open({ store: APP }));
    expect(await step.look()).toMatchObject({ kind: 'open' });
    expect(await step.act?.()).toMatchObject({ kind: 'left' });
    expect(await step.look()).toMatchObject({
      kind: 'done',
      what: expect.stringContaining('shopify app deploy --config example-store'),
    });
    const text = readFileSync(join(folder, 'shopify.app.example-store.toml'), 'utf8');
    expect(text).toContain(`client_id = "${APP.clientId}"`);
    expect(text).toContain('"customers/redact"');
    expect(text).toContain('uri = "https://WebhookAddress.example/example-store"');
    expect(text).toContain('[app_proxy]\nurl = "https://StorefrontAddress.example/example-store"');
    expect(text).toMatch(/^scopes = "read_orders,.*write_app_proxy"$/m);
    expect(text).not.toContain(APP.clientSecret);
    // A file of the merchant is not replaced without consent.
    writeFileSync(join(folder, 'shopify.app.example-store.toml'), 'name = "own"');
    expect(await step.act?.()).toMatchObject({ kind: 'left' });
    expect(readFileSync(join(folder, 'shopify.app.example-store.toml'), 'utf8')).toContain('own');
    cwd.mockRestore();
    rmSync(folder, { recursive: true });
  });
});
