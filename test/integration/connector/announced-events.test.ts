import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createAnnouncer } from '../../../functions/announce.ts';
import { createDynamoDbClient, createLedgerTable } from '../../../local/harness/sdk-clients.ts';
import { type Emulator, startDynamoDb } from '../../../local/stack/emulators.ts';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { writeSummary } from '../../../shared/core/batch/dead-letter.ts';
import { changeControl, withOperatorPause } from '../../../shared/core/calls/shop-pause.ts';
import { startAwsGateway } from '../../support/aws-gateway.ts';
import { letterEvent, letterReason } from '../../support/parked-letters.ts';

const SHOP = 'example-store.myshopify.com';
const connectorOf = (...domains: readonly string[]) =>
  defineConnector({
    shops: domains.map((domain) => ({ domain })),
    loyalty: { address: 'https://loyalty.example.com' },
    rules: { currency: 'EUR' },
    events: { bus: 'tools' },
  });

interface Entry {
  readonly Source: string;
  readonly DetailType: string;
  readonly EventBusName: string;
  readonly Detail: string;
}

const TABLE = 'announced';
const sent: Entry[] = [];
let failed = 0;
let dynamoDb: Emulator;
let gateway: Emulator;
let client: ReturnType<typeof createDynamoDbClient>;
beforeAll(async () => {
  dynamoDb = await startDynamoDb();
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
  client = createDynamoDbClient({ budget, emulator: dynamoDb });
  await createLedgerTable(client, TABLE);
  gateway = await startAwsGateway({
    dynamodb: dynamoDb.endpoint,
    events: ({ text, headers }, response) => {
      expect(headers['x-amz-target']).toBe('AWSEvents.PutEvents');
      const { Entries } = JSON.parse(text);
      // EventBridge refuses more, and none ("PutEvents").
      expect(Entries.length).toBeLessThanOrEqual(10);
      expect(Entries.length).toBeGreaterThan(0);
      if (failed === 0) sent.push(...Entries);
      response.end(JSON.stringify({ FailedEntryCount: failed, Entries: [] }));
    },
  });
});
afterAll(async () => {
  client.destroy();
  await gateway.stop();
  await dynamoDb.stop();
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  sent.length = 0;
});

function openAnnouncer(...shops: readonly string[]) {
  const environment = {
    ...{ AWS_REGION: 'eu-west-1', AWS_ENDPOINT_URL: gateway.endpoint },
    ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', SECRETS_PREFIX: 'prefix' },
    ...{ METRICS_NAMESPACE: 'metrics', EVENT_BUS: 'tools', STACK_NAME: 'my-stack' },
    LEDGER_TABLE: TABLE,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(console, 'log').mockReturnValue(undefined);
  const ledger = createDynamoDbLedger({ client, table: TABLE });
  const run = createAnnouncer(connectorOf(...shops)) as unknown as () => Promise<void>;
  const pause = (shop: string) =>
    changeControl(ledger, shop, (one) => withOperatorPause(one, 'all', 'olivia', new Date()));
  return { ledger, run, pause };
}

it('the function announces dead letters and pauses on its bus, once, and again what was refused', async () => {
  const { ledger, run, pause } = openAnnouncer(SHOP);
  const reason = { ...letterReason({ at: new Date().toISOString() }), family: 'orders' } as const;
  const event = letterEvent({ shop: SHOP });
  await writeSummary({ messageId: 'one', body: '' }, event, reason, ledger);
  await pause(SHOP);

  failed = 1;
  await expect(run()).rejects.toThrow('EventBridge refused 1 of 2 events');
  failed = 0;
  await run();
  await run();

  expect(sent.map(({ DetailType }) => DetailType)).toEqual(['Dead Letters Added', 'Shop Paused']);
  for (const { Source, EventBusName, Detail } of sent) {
    expect([Source, EventBusName]).toEqual(['loyalty-connector', 'tools']);
    expect(JSON.parse(Detail)).toMatchObject({ version: 1, shop: SHOP, stack: 'my-stack' });
  }
});

it.each([10, 11, 20, 23])(
  'announces each of %i changes once, as many at a time as EventBridge takes',
  async (many) => {
    const shops = Array.from({ length: many }, (_, n) => `shop-${many}-${n}.myshopify.com`);
    const { run, pause } = openAnnouncer(...shops);
    for (const shop of shops) await pause(shop);
    await run();
    await run();
    const told = sent.map(({ DetailType, Detail }) => [DetailType, JSON.parse(Detail).shop]);
    expect(told).toEqual(shops.map((shop) => ['Shop Paused', shop]));
  },
);
