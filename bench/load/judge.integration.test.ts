import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbClient, createLedgerTable } from '../../local/harness/sdk-clients.ts';
import { startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import { openDataFile } from '../../local/sandbox-kit/data-file.ts';
import { type Change, Tables } from '../../local/sandbox-kit/tables.ts';
import { startDynamoDb } from '../../local/stack/emulators.ts';
import { sandboxFile } from '../../local/stack/start-sandboxes.ts';
import { startStoreSandbox } from '../../local/store-sandbox/sandbox.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { createLoyaltyClient } from '../../shared/loyalty/client.ts';
import { judge } from './judge.ts';
import type { AcceptedWebhook } from './run-logs.ts';
import connector from './two-shops.config.ts';

const [, shop] = connector.shops;
if (!shop) throw new Error('the fixture has no shop');
const TABLE = 'ledger';
/** The service wants an order to be completed after it was placed. */
const PLACED_AT = '2026-11-15T07:00:00Z';
const UPDATED_AT = '2026-11-15T08:00:00Z';

let data: string;
let orderId: string;
const file = (name: 'store' | 'loyalty') => join(data, sandboxFile(connector, shop, name));

/** The data of a run: a store with one fulfilled order, a loyalty service and a ledger that have it. */
beforeEach(async () => {
  data = join(mkdtempSync(join(tmpdir(), 'connector-judge-')), 'data');
  mkdirSync(data);
  const store = await startStoreSandbox({
    shop: { domain: shop.domain },
    sample: false,
    dataFile: file('store'),
  });
  const customer = store.actions.createCustomer({ firstName: 'Alex', email: 'alex@example.com' });
  const order = store.actions.placeOrder({
    customerId: customer.id,
    // 20 of it without taxes.
    lines: [{ title: 'Kettle', price: 24 }],
    payment: 'paid',
  });
  store.actions.fulfilOrder({ orderId: order.id });
  store.actions.setMetafield({
    ownerGid: `gid://shopify/Customer/${customer.id}`,
    namespace: 'loyalty',
    key: 'points',
    value: '20',
  });
  orderId = order.id;
  await store.stop();

  const loyalty = await startLoyaltySandbox({ dataFile: file('loyalty') });
  const client = createLoyaltyClient({
    baseUrl: loyalty.address,
    credentials: loyalty.credentials,
  });
  const sent = await client.sendOrder({
    OriginalId: orderId,
    OrderPlacementDate: PLACED_AT,
    OrderCompletedDate: UPDATED_AT,
    UpdatedDate: UPDATED_AT,
    OrderStatus: 'fulfilled',
    OrderTotal: 20,
    IsCompleted: true,
    IsCancelledOrReturned: false,
    Customer: { OriginalId: customer.id, Name: 'Alex', Email: 'alex@example.com' },
  });
  expect(sent).toMatchObject({ kind: 'success' });
  await loyalty.stop();

  const aws = await startDynamoDb(data);
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
  const dynamoDb = createDynamoDbClient({ budget, emulator: aws });
  await createLedgerTable(dynamoDb, TABLE);
  await createDynamoDbLedger({ client: dynamoDb, table: TABLE }).write(
    { shop: shop.domain, kind: 'order', id: orderId },
    { version: Date.parse(UPDATED_AT), uncertain: false, outcomes: [] },
    undefined,
  );
  dynamoDb.destroy();
  await aws.stop();
});
afterEach(() => rmSync(join(data, '..'), { recursive: true }));

const judged = (accepted: readonly AcceptedWebhook[] = []) =>
  judge({ data, table: TABLE, connector }, shop, accepted);

/** Changes the stored data of the loyalty service. */
function change(change: Change): void {
  const stored = openDataFile(file('loyalty'), new Tables());
  stored.append([change]);
  stored.close();
}

const webhook = (version: number): AcceptedWebhook => ({
  id: 'webhook-1',
  shop: shop.domain,
  kind: 'order',
  entityId: orderId,
  receivedAt: Date.parse(UPDATED_AT),
  version,
});

describe('the judge of a load run', () => {
  it('finds nothing if both sides agree, and accepts the ledger entry if a log line is missing', async () => {
    const verdict = await judged([webhook(Date.parse(UPDATED_AT))]);
    expect(verdict).toMatchObject({ lost: [], doubled: [], orders: 1, balances: 1 });
    expect(verdict.settledByLedger).toBe(1);
  });

  it('names an order that the service does not have, and a webhook without an outcome', async () => {
    change({ table: 'orders', key: orderId });
    const { lost } = await judged([webhook(Date.parse(UPDATED_AT) + 1_000)]);
    expect(lost).toEqual([
      `order ${orderId}: the loyalty service does not have it`,
      `webhook webhook-1 of order ${orderId}: its outcome is unknown`,
    ]);
  });

  it('names an order that earned twice, and the balance that is wrong because of it', async () => {
    const loyalty = await startLoyaltySandbox({ dataFile: file('loyalty') });
    const [earned] = loyalty.state().points;
    await loyalty.stop();
    const row = {
      ...earned,
      PointId: 999,
      pointsHundredths: 2_000,
      cashbackHundredths: 100,
      origins: [],
    };
    change({ table: 'points', key: '999', row });
    const { doubled, lost } = await judged();
    expect(doubled).toEqual([`order ${orderId}: it earned 40 in 2 records and is worth 20`]);
    expect(lost).toEqual([
      expect.stringContaining('the store shows 20 points, the service has 40'),
    ]);
  });
});
