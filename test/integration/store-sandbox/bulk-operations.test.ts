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

  it('writes children in any order unless grouping is requested', async () => {
    sandbox.actions.placeRandomOrder();
    sandbox.actions.placeRandomOrder();
    const started = await askAdmin(
      sandbox,
      'mutation($query: String!) { bulkOperationRunQuery(query: $query) { bulkOperation { id } } }',
      { query: orders },
    );
    const { url } = await finish(started.data.bulkOperationRunQuery.bulkOperation.id);
    const lines = (await (await fetch(url)).text()).trimEnd().split('\n');
    const owners = lines.map((line) => !('__parentId' in JSON.parse(line)));
    expect(owners.slice(0, 3)).toEqual([true, true, false]);
  });

  it('serves its file from any byte', async () => {
    for (let n = 0; n < 5; n += 1) sandbox.actions.placeRandomOrder();
    const started = await run(orders);
    const { url } = await finish(started.data.bulkOperationRunQuery.bulkOperation.id);
    const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
    for (const start of [0, 1, 100, whole.length - 1]) {
      const part = await fetch(url, { headers: { range: `bytes=${start}-` } });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(whole.subarray(start));
    }
    const beyond = await fetch(url, { headers: { range: `bytes=${whole.length}-` } });
    expect(beyond.status).toBe(416);
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

  it('has no file when nothing was found', async () => {
    const started = await run(orders);
    expect(await finish(started.data.bulkOperationRunQuery.bulkOperation.id)).toMatchObject({
      status: 'COMPLETED',
      url: null,
      objectCount: '0',
    });
  });

  it('is refused for a query that the schema does not know, and while five are running', async () => {
    const wrong = await run('{ orders { edges { node { nmae } } } }');
    expect(wrong.data.bulkOperationRunQuery).toMatchObject({
      bulkOperation: null,
      userErrors: [{ code: 'INVALID', message: expect.stringContaining('nmae') }],
    });
    await sandbox.stop();
    await start(600_000);
    const started = await Promise.all(Array.from({ length: 6 }, () => run(orders)));
    const codes = started.map(({ data }) => data.bulkOperationRunQuery.userErrors[0]?.code);
    expect(codes.filter((code) => code === 'OPERATION_IN_PROGRESS')).toHaveLength(1);
  });

  it('can be cancelled, and its result cannot be guessed', async () => {
    await sandbox.stop();
    await start(600_000);
    const started = await run(orders);
    const { id } = started.data.bulkOperationRunQuery.bulkOperation;
    const { data } = await askAdmin(
      sandbox,
      'mutation($id: ID!) { bulkOperationCancel(id: $id) { bulkOperation { status } userErrors { message } } }',
      { id },
    );
    expect(data.bulkOperationCancel.bulkOperation.status).toBe('CANCELED');
    const guess = await fetch(
      `${sandbox.address}/bulk-results/00000000-0000-4000-8000-000000000000.jsonl`,
    );
    expect(guess.status).toBe(404);
  });
});
