import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretsClient } from '../../../local/harness/sdk-clients.ts';
import { startSecretsEmulator } from '../../../local/secrets-emulator.ts';
import type { Emulator } from '../../../local/stack/emulators.ts';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import type { Deployment } from '../../../scripts/connector/ground/session/deployment.ts';
import type { Session } from '../../../scripts/connector/ground/session/session.ts';
import type { Document } from '../../../scripts/connector/ground/terminal/document.ts';
import {
  type SetUpOptions,
  setUpStorefront,
} from '../../../scripts/connector/set-up/shopify/storefront.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import type { StorefrontSettings } from '../../../shared/config/connector-settings.ts';
import { VERSION } from '../../../shared/config/release.ts';

const SHOP = 'example-store.myshopify.com';
const ACCESS_TOKEN = 'shpat_of_this_test_3a8e';
const OUTPUTS: Readonly<Record<string, string>> = {
  PointsAddress: 'https://points.example.com',
};
let store: StoreSandbox;
let secrets: Emulator;

beforeAll(async () => {
  store = await startStoreSandbox({ shop: { domain: SHOP }, accessToken: ACCESS_TOKEN });
  secrets = await startSecretsEmulator({
    secrets: {
      'connector/example-store/store': JSON.stringify({ accessToken: ACCESS_TOKEN }),
      // As a deployment leaves it.
      'connector/example-store/points': '{3x"&,Yp)]k7:v|1}q#T0^L~w9/Zr@e8',
    },
  });
});
afterAll(async () => {
  await store.stop();
  await secrets.stop();
});

/** The command with the deployment given, instead of looked up; gives what it prints. */
async function run(options: SetUpOptions = {}, storefront: StorefrontSettings | 'unwanted' = {}) {
  const requestHandler = {
    connectionTimeout: 10_000,
    requestTimeout: 10_000,
    throwOnRequestTimeout: true,
    socketTimeout: 10_000,
  };
  const credentials = { accessKeyId: 'operator', secretAccessKey: 'operator' };
  const aws = { region: 'us-east-1', maxAttempts: 2, requestHandler, credentials };
  const deployment: Deployment = {
    where: 'local',
    version: VERSION,
    stage: 'prod',
    stack: 'loyalty-connector-prod',
    region: 'us-east-1',
    aws: { ...aws, endpoint: secrets.endpoint },
    output: (name) => OUTPUTS[name] ?? 'connector',
    connector: defineConnector({
      shops: [{ domain: SHOP }],
      loyalty: { address: 'https://loyalty.example.com' },
      ...(storefront !== 'unwanted' && { storefront }),
    }),
    sandbox: {
      storeAddress: store.address,
      loyaltyAddress: 'http://127.0.0.1:1',
      metricsAddress: '',
    },
  };
  const shown: Document[] = [];
  const session = {
    show: (document: Document) => void shown.push(document),
    findDeployment: async () => deployment,
    beginChange: async () => ({ count: () => {} }),
  } as unknown as Session;
  const document = await setUpStorefront(session, options);
  return { document, text: JSON.stringify([...shown, document]) };
}

async function tokens(): Promise<{ current: string; previous?: string; previousUntil?: string }> {
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  const client = createSecretsClient({ budget, emulator: secrets });
  const { SecretString = '' } = await client.send(
    new GetSecretValueCommand({ SecretId: 'connector/example-store/points' }),
  );
  return JSON.parse(SecretString);
}

const defined = () =>
  store
    .state()
    .metafieldDefinitions.map(({ key }) => key)
    .toSorted();

describe('loyalty-connector storefront setup', () => {
  it('only looks without --yes', async () => {
    const { document, text } = await run();
    expect(document.verdict).toBe(undefined);
    expect(document.next).toMatchObject([{ line: { options: { yes: true } } }]);
    expect(text).toContain('loyalty.points: no definition yet');
    expect(text).toContain('no token of point events is set');
    expect(defined()).toEqual([]);
    await expect(tokens()).rejects.toThrow();
  });

  it('makes the definitions and a token, and shows once what to paste where', async () => {
    const { document, text } = await run({ yes: true });
    expect(document.verdict?.kind).toBe('ok');
    expect(defined()).toEqual(['cashback', 'expires_at', 'expiring_points', 'points', 'tier']);
    for (const one of store.state().metafieldDefinitions) {
      expect(one).toMatchObject({
        ownerType: 'CUSTOMER',
        pinned: true,
        storefront: 'PUBLIC_READ',
        customerAccount: 'READ',
      });
    }
    const made = await tokens();
    const token = made.current;
    expect(made).toEqual({ current: token });
    expect(token).toMatch(/^[\w-]{43}$/);
    const steps = [
      ['Name', 'loyalty-connector example-store.myshopify.com'],
      ['Address', 'https://points.example.com/example-store'],
      ['Topics', 'Point_Add, Point_Update, Point_Removed'],
      ['Header', 'x-loyalty-connector-token'],
      ['Its value', token],
    ];
    for (const step of steps) expect(text).toContain(JSON.stringify(step));
    for (const again of [await run({ yes: true }), await run()]) {
      expect(again.text).toContain('https://points.example.com/example-store');
      expect(again.text).toContain('Nothing to do');
      expect(again.text).not.toContain(token);
    }
    expect(await tokens()).toEqual(made);
  });

  it('changes nothing when a definition of another type is in the way', async () => {
    store.actions.defineMetafield({
      ...{ ownerType: 'CUSTOMER', namespace: 'taken', key: 'tier', name: 'Tier', type: 'json' },
      ...{ pinned: false, storefront: 'NONE', customerAccount: 'NONE' },
    });
    const before = await tokens();
    await expect(run({ yes: true }, { metafieldNamespace: 'taken' })).rejects.toThrow(
      'another type',
    );
    expect(await tokens()).toEqual(before);
    expect(defined()).toHaveLength(6);
  });

  it('says what to set where the way back is not wanted', async () => {
    await expect(run({}, 'unwanted')).rejects.toThrow('have no storefront');
  });
});
