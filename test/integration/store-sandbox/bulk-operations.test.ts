import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { askAdmin } from './ask-admin.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

let sandbox: StoreSandbox;
let receiver: WebhookReceiver;
const start = async (bulkMs: number) => {
  sandbox = await startStoreSandbox({ webhooksTo: receiver.address, settings: { bulkMs } });
};
beforeEach(async () => {
  receiver = await startReceiver();
  await start(600);
});
afterEach(async () => {
  await sandbox.stop();
  await receiver.stop();
});

const run = (query: string) =>
  askAdmin(
    sandbox,
    'mutation($query: String!) { bulkOperationRunQuery(query: $query, groupObjects: true) { bulkOperation { id status } userErrors { code message } } }',
    { query },
  );

async function finish(id: string) {
  const query =
    'query($id: ID!) { node(id: $id) { ... on BulkOperation { status url objectCount rootObjectCount fileSize errorCode } } }';
  await expect
    .poll(async () => (await askAdmin(sandbox, query, { id })).data.node.status)
    .not.toBe('RUNNING');
  return (await askAdmin(sandbox, query, { id })).data.node;
}

const orders =
  '{ orders { edges { node { id name customer { id } lineItems { edges { node { id title } } } refunds { id } } } } }';

describe('a bulk operation', () => {
  it('writes every node on a line of its own, children after their parent', async () => {
    const placed = Array.from({ length: 300 }, () => sandbox.actions.placeRandomOrder());
    const started = await run(orders);
    expect(started.data.bulkOperationRunQuery).toMatchObject({
      bulkOperation: { status: 'CREATED' },
      userErrors: [],
    });
    const operation = await finish(started.data.bulkOperationRunQuery.bulkOperation.id);
    const text = await (await fetch(operation.url)).text();
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const expected = placed.flatMap((order) => {
      const id = `gid://shopify/Order/${order.id}`;
      return [
        { id, name: `#${order.number}` },
        ...order.lines.map((line) => ({
          id: `gid://shopify/LineItem/${line.id}`,
          title: line.title,
          __parentId: id,
        })),
      ];
    });
    expect(lines).toMatchObject(expected);
    expect(lines).toHaveLength(expected.length);
    expect(lines[0]).not.toHaveProperty('lineItems');
    expect(operation).toMatchObject({
      status: 'COMPLETED',
      rootObjectCount: '300',
      objectCount: String(expected.length),
      fileSize: String(Buffer.byteLength(text)),
    });
    await expect.poll(() => receiver.topics()).toContain('bulk_operations/finish');
  });

  it('is refused as by Shopify: a connection in a list, six connections, three levels', async () => {
    for (const query of [
      '{ orders { edges { node { id refunds { id refundLineItems { edges { node { quantity } } } } } } } }',
      '{ orders { edges { node { id a: lineItems { edges { node { id } } } b: lineItems { edges { node { id } } } c: lineItems { edges { node { id } } } d: lineItems { edges { node { id } } } e: lineItems { edges { node { id } } } } } } }',
      '{ shop { name } }',
      '{ orders { edges { node { id } } } products { edges { node { id } } } }',
    ]) {
      const { data } = await run(query);
      expect(data.bulkOperationRunQuery.userErrors).toMatchObject([{ code: 'INVALID' }]);
    }
  });
});
