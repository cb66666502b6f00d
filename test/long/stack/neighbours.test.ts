import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Emulator, PLACE, startDynamoDb, startSqs } from '../../../local/stack/emulators.ts';
import type { RunningShop } from '../../../local/stack/start-sandboxes.ts';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import { readWaiting } from '../../../scripts/connector/ground/checks/waiting-messages.ts';
import { awsSettings } from '../../../scripts/connector/ground/session/deployment.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { orderNow as order, productNow as product } from '../../fixtures/changed-now.ts';
import { runCommand } from '../../support/connector-command.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { createProject } from '../../support/project.ts';

const SETTINGS = 'test/fixtures/two-shops.config.ts';
const ORDERS = 20;
const FLOOD = 3_000;
const STORM = 1_000;
/** At once, of a flood or a storm. */
const SENDERS = 8;
/** Generous: a busy machine must not fail a test that counts. */
const WAIT = { timeout: 120_000, interval: 200 };
/** What a busy shop put off waits for up to two minutes at a time. */
const PUT_OFF = { timeout: 720_000, interval: 1_000 };

let stack: LocalStack;
let sqs: Emulator;
let dynamodb: Emulator;
let folder = '';
let troubled: RunningShop;
let neighbour: RunningShop;
/** What the workers logged, by shop. */
const logged: { readonly shop?: string; readonly message: string; readonly why?: string }[] = [];
/** Why a message is tried again on a busy machine, whatever the other shop does. */
const BUSY = ['ledger-unavailable', 'loyalty-unavailable', 'out-of-time', 'overtaken'];

beforeAll(async () => {
  sqs = await startSqs();
  dynamodb = await startDynamoDb();
  const emulators = { sqs: sqs.endpoint, dynamodb: dynamodb.endpoint };
  stack = await startLocalStack({ settings: SETTINGS, emulators });
  const [first, second] = stack.shops;
  if (!second) throw new Error('the settings have two shops');
  [troubled, neighbour] = [first, second];
  stack.logs.onLine(({ functionName, text }) => {
    if (functionName.includes('SyncOrders')) logged.push(JSON.parse(text));
  });
  folder = createProject('neighbours');
  writeStateFile(stack, { stage: 'prod', settings: resolve(PACKAGE_FOLDER, SETTINGS) }, folder);
}, 300_000);
afterAll(async () => {
  await stack?.stop();
  await sqs?.stop();
  await dynamodb?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);
beforeEach(async () => {
  // A message that is done but not yet deleted would come back from a worker that a test kills.
  await vi.waitFor(async () => expect(await stack.waiting()).toBe(0), WAIT);
  for (const { loyalty } of stack.shops) loyalty.journal.clear();
});

let lastId = 0;
const newIds = (count: number) => Array.from({ length: count }, () => ++lastId);

type Counts = Record<string, number>;
const countBy = (texts: readonly string[]): Counts =>
  Object.fromEntries(texts.map((text) => [text, texts.filter((one) => one === text).length]));

/** Each of an entity once: on a busy machine a call is made again that was not answered in time. */
function calls({ loyalty }: RunningShop): string[] {
  const answered = loyalty.journal.entries().filter(({ fault }) => fault !== 'broken-off');
  const all = answered.map(({ operation, status, body }) => {
    const { OriginalId } = (body ?? {}) as { readonly OriginalId?: string };
    return { call: `${operation} ${status}`, of: `${operation} ${status} ${OriginalId}` };
  });
  return [...new Map(all.map(({ call, of }) => [of, call])).values()];
}

const arrived = ({ loyalty }: RunningShop) =>
  loyalty.state().orders.map(({ OriginalId }) => Number(OriginalId));

interface Steps {
  readonly answers: Counts;
  readonly calls: Counts;
  readonly logged: Counts;
}

const ONE_STEP_EACH: Steps = {
  answers: { 200: ORDERS },
  calls: { 'sendOrder 200': ORDERS },
  logged: { applied: ORDERS },
};

/** Sends orders of the neighbour and waits for them; counts every answer, call and log line about them. */
async function sendAndCount(): Promise<Steps> {
  const [ids, from] = [newIds(ORDERS), logged.length];
  const answers = [];
  for (const id of ids) {
    answers.push((await stack.post('orders/create', order(id), { to: neighbour })).status);
  }
  const own = () =>
    logged
      .slice(from)
      .filter(({ shop, why = '' }) => shop === neighbour.shop.domain && !BUSY.includes(why))
      .map(({ message }) => message);
  await vi.waitFor(() => {
    expect(own().filter((message) => message === 'applied')).toHaveLength(ORDERS);
  }, WAIT);
  expect(arrived(neighbour)).toEqual(expect.arrayContaining(ids));
  return {
    answers: countBy(answers.map(String)),
    calls: countBy(calls(neighbour)),
    logged: countBy(own()),
  };
}

async function expectOnceEach(
  ids: readonly number[],
  operation: string,
  wait = WAIT,
): Promise<void> {
  const done = () => calls(troubled).filter((call) => call === `${operation} 200`).length;
  await vi.waitFor(() => expect(done()).toBeGreaterThanOrEqual(ids.length), wait);
  await vi.waitFor(async () => expect(await stack.waiting()).toBe(0), wait);
  expect(done()).toBe(ids.length);
  const { orders, products } = troubled.loyalty.state();
  const known = (operation === 'sendOrder' ? orders : products).map(({ OriginalId }) => OriginalId);
  expect(known).toEqual(expect.arrayContaining(ids.map(String)));
}

const command = async (...line: string[]) => {
  const { stdout, stderr } = await runCommand(line, { folder });
  return `${stdout}${stderr}`.replace(/\s+/g, ' ');
};

/** Those of the orders that wait with a record: `resume` wakes only these. */
async function recordedWaits(ids: readonly number[]): Promise<number> {
  const { endpoint, keys, outputs } = stack;
  const credentials = { ...keys.administrator };
  const aws = awsSettings({ endpoint, region: PLACE.region, credentials });
  const found = { aws, output: (name: string) => outputs[name] ?? '' };
  const waits = await readWaiting(found, [troubled.shop.domain], new Date());
  return waits.filter(({ about }) => ids.includes(Number(about.id))).length;
}

/** Functions keep a secret for five minutes: new processes read it again. */
async function setLoyaltyKey(key: string): Promise<void> {
  const { endpoint, keys, outputs } = stack;
  // A copy, because the SDK adds a field to the object.
  const credentials = { ...keys.administrator };
  const client = new SecretsManagerClient({ endpoint, region: PLACE.region, credentials });
  await client.send(
    new PutSecretValueCommand({
      SecretId: `${outputs.SecretsPrefix}/${troubled.shop.path}/loyalty`,
      SecretString: JSON.stringify({ ...troubled.loyalty.credentials, key }),
    }),
  );
  const workers = stack.functions.processes
    .filter(({ of }) => of.logicalId.startsWith('SyncOrders'))
    .map(({ pid }) => pid);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  const known = () => stack.functions.processes.filter(({ pid }) => workers.includes(pid));
  await vi.waitFor(() => expect(known()).toEqual([]), WAIT);
}

/** Sends to the troubled shop from several senders at once until `isOver`; returns the answers. */
async function flood(isOver: () => boolean, send: () => Promise<Response>): Promise<Counts> {
  const counts: Counts = {};
  const sender = async () => {
    while (!isOver()) {
      const { status } = await send();
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return counts;
}

it('sends the orders of each store to its own account', async () => {
  for (const { store } of stack.shops) {
    const [customer] = store.rows.customers.values();
    const lines = [{ title: 'Gift', price: 12.5, quantity: 2 }];
    const { id } = store.actions.placeOrder({ customerId: customer?.id ?? '', lines });
    await stack.settled();
    const holders = stack.shops.filter(({ loyalty }) =>
      loyalty.state().orders.some(({ OriginalId }) => OriginalId === id),
    );
    expect(holders.map((one) => one.shop.domain)).toEqual([store.shop.domain]);
  }
});

describe('the neighbour of a shop', () => {
  it('that is quiet needs an answer, a call and a log line for each order', async () => {
    expect(await sendAndCount()).toEqual(ONE_STEP_EACH);
  }, 300_000);

  const refusals = [
    {
      trouble: 'is throttled',
      begin: async () => {
        troubled.loyalty.faults.add({ kind: 'http-429', retryAfterSeconds: 600 });
      },
      end: async () => troubled.loyalty.faults.clear(),
      call: 'sendOrder 429',
      why: 'the loyalty service asked for fewer calls',
    },
    {
      trouble: 'has refused credentials',
      begin: () => setLoyaltyKey('outdated'),
      end: () => setLoyaltyKey(troubled.loyalty.credentials.key),
      call: 'sendOrder 401',
      why: 'the loyalty service refused the credentials',
    },
  ];
  it.each(refusals)(
    'that $trouble needs no step more, and that shop one call',
    async (one) => {
      await one.begin();
      const [probe = 0, ...rest] = newIds(ORDERS);
      await stack.post('orders/create', order(probe), { to: troubled });
      await vi.waitFor(() => expect(calls(troubled)).toEqual([one.call]), WAIT);

      for (const id of rest) await stack.post('orders/create', order(id), { to: troubled });
      expect(await sendAndCount()).toEqual(ONE_STEP_EACH);
      await vi.waitFor(async () => expect(await stack.waiting()).toBe(ORDERS), WAIT);
      await vi.waitFor(
        async () => expect(await recordedWaits([probe, ...rest])).toBe(ORDERS),
        WAIT,
      );
      expect(calls(troubled)).toEqual([one.call]);
      const status = await command('status');
      expect(status).toContain(`${troubled.shop.domain}: paused since`);
      expect(status).toContain(one.why);
      expect(status).not.toContain(`${neighbour.shop.domain}: paused`);

      await one.end();
      const resumed = await command('resume', '--shop', troubled.shop.domain);
      expect(resumed).toContain('Calls are made again');
      expect(resumed).toContain(`${ORDERS} messages are tried again now`);
      await expectOnceEach([probe, ...rest], 'sendOrder');
    },
    300_000,
  );

  it('that is flooded with refused and repeated webhooks needs no step more', async () => {
    const [repeated = 0, ...own] = newIds(ORDERS);
    const body = JSON.stringify(order(repeated));
    const send = (options: object) =>
      stack.post('orders/create', body, { to: troubled, ...options });
    let [sent, isNeighbourDone] = [0, false];
    const flooded = flood(
      () => isNeighbourDone && sent >= FLOOD,
      () => send(sent++ % 2 === 0 ? { secret: 'a guess' } : { webhookId: 'the same' }),
    );
    for (const id of own) await stack.post('orders/create', order(id), { to: troubled });
    expect(await sendAndCount()).toEqual(ONE_STEP_EACH);
    isNeighbourDone = true;
    const answers = await flooded;
    expect(Object.keys(answers)).toEqual(['200', '401']);
    await expectOnceEach([repeated, ...own], 'sendOrder');
  }, 300_000);

  it('with a storm of product updates needs no step more, while the storm waits for the service', async () => {
    const slow = troubled.loyalty.faults.add({ kind: 'latency', ms: 5_000 });
    const ids = newIds(STORM);
    const unsent = [...ids];
    await flood(
      () => unsent.length === 0,
      () => stack.post('products/update', product(unsent.pop() ?? 0), { to: troubled }),
    );
    expect(await sendAndCount()).toEqual(ONE_STEP_EACH);
    expect(troubled.loyalty.state().products.length).toBeLessThan(STORM);
    troubled.loyalty.faults.clear(slow.id);
    await expectOnceEach(ids, 'updateProduct', PUT_OFF);
  }, 900_000);
});
