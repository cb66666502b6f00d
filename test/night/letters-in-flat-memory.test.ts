import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createDynamoDbClient,
  createLedgerTable,
  createSqsClient,
} from '../../local/harness/sdk-clients.ts';
import { type Emulator, startDynamoDb, startSqs } from '../../local/stack/emulators.ts';
import { VERSION } from '../../shared/config/release.ts';
import { answerCaller, startAwsGateway } from '../support/aws-gateway.ts';
import { runCommand } from '../support/connector-command.ts';
import { countMessages, createConnectorQueues } from '../support/event-source.ts';
import { letterEvent, letterReason, parkLetters } from '../support/parked-letters.ts';
import { productAt } from '../support/product-payload.ts';
import { createProject } from '../support/project.ts';

const FEW = 200;
const MANY = 1_800;
/** Does not compress: what is kept of it shows. All of them together are 34 MB. */
const BODY_BYTES = 14_000;
/** Enough for the program and for ids and handles of the dead letters it has received; not for their bodies. */
const HEAP_MIB = 44;
/** What zlib and the network take outside of that heap is returned late: it levels off near 130. */
const MOST_GROWTH_MIB = 200;

const memoryReport = fileURLToPath(new URL('../support/report-memory.ts', import.meta.url));

let emulator: Emulator;
let dynamoDb: Emulator;
let gateway: Emulator;
let sqs: ReturnType<typeof createSqsClient>;
let folder: string;

beforeAll(async () => {
  emulator = await startSqs();
  sqs = createSqsClient({
    budget: { connectMs: 10_000, attemptMs: 30_000, attempts: 2 },
    emulator,
  });
  dynamoDb = await startDynamoDb();
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  await createLedgerTable(createDynamoDbClient({ budget, emulator: dynamoDb }), 'ledger');
  gateway = await startAwsGateway({
    sqs: emulator.endpoint,
    dynamodb: dynamoDb.endpoint,
    sts: answerCaller,
  });
  folder = createProject('many-letters');
  await mkdir(join(folder, '.connector'));
});
afterAll(async () => {
  sqs.destroy();
  for (const part of [gateway, emulator, dynamoDb]) await part.stop();
  await rm(folder, { recursive: true, force: true });
});

const families = {
  orders: { kind: 'order', topic: 'orders/edited' },
  products: { kind: 'product', topic: 'products/update' },
  coupons: { kind: 'coupon', topic: 'discounts/update', origin: 'fan-out' },
} as const;
type Family = keyof typeof families;

/** Can be read by each of the three topics, and is large. */
function bodyOf(id: number): Uint8Array {
  const note = randomBytes(BODY_BYTES).toString('base64');
  return new TextEncoder().encode(
    JSON.stringify({
      ...productAt(0, { id, admin_graphql_api_id: `gid://shopify/Product/${id}` }),
      order_edit: { order_id: id },
      note,
    }),
  );
}

/**
 * A local stack that is nothing but its queues and its ledger, with so many dead letters in all: shared out among the
 * three, because what the emulator takes for one grows with those beside it.
 */
async function describeStack(name: string, count: number) {
  const { urls } = await createConnectorQueues(sqs, emulator.endpoint, name);
  const names = Object.keys(families) as readonly Family[];
  for (const [turn, family] of names.entries()) {
    const letters = [];
    for (let index = turn; index < count; index += names.length) {
      letters.push({
        event: letterEvent({
          ...families[family],
          id: `${index + 1}`,
          deliveryId: `delivery-${index}`,
          body: bodyOf(index + 1),
        }),
        reason: letterReason({ code: `Code_${index % 7}` }),
      });
    }
    await parkLetters(sqs, urls[family].deadLetterUrl, letters);
  }
  const stack = {
    pid: process.pid,
    stack: 'loyalty-connector-prod',
    stage: 'prod',
    region: 'us-east-1',
    endpoint: gateway.endpoint,
    credentials: { accessKeyId: 'operator', secretAccessKey: 'operator' },
    outputs: {
      Version: VERSION,
      LedgerTable: 'ledger',
      OrdersQueueUrl: urls.orders.url,
      ProductsQueueUrl: urls.products.url,
      CouponsQueueUrl: urls.coupons.url,
      OrdersDeadLetterQueueUrl: urls.orders.deadLetterUrl,
      ProductsDeadLetterQueueUrl: urls.products.deadLetterUrl,
      CouponsDeadLetterQueueUrl: urls.coupons.deadLetterUrl,
    },
    storeAddress: '',
    loyaltyAddress: '',
    metricsAddress: '',
  };
  await writeFile(join(folder, '.connector', 'stack.json'), JSON.stringify(stack));
  const total = async (which: 'url' | 'deadLetterUrl') => {
    const counts = await Promise.all(
      names.map((family) => countMessages(sqs, urls[family][which])),
    );
    return counts.reduce((sum, counted) => sum + counted, 0);
  };
  return { dead: () => total('deadLetterUrl'), sentAgain: () => total('url') };
}

async function run(line: string) {
  const nodeOptions = [`--max-old-space-size=${HEAP_MIB}`, '--import', memoryReport];
  const run = await runCommand(line.split(' '), { folder, nodeOptions });
  // A list of dead letters asks for a decision: 1.
  if (run.code !== (line.includes('list') ? 1 : 0))
    throw new Error(`${line}: ${run.stderr.slice(-2_000)}`);
  const [, kib] = /max rss (\d+) KiB\n$/.exec(run.stderr) ?? [];
  return { ...run, rssMib: Number(kib) / 1024 };
}

describe('thousands of dead letters', () => {
  it('are listed and replayed in flat memory', async () => {
    await describeStack('few', FEW);
    const scannedFew = await run('dead-letters scan --json');
    const listedFew = await run('dead-letters list --json');
    const replayedFew = await run('dead-letters replay --yes --json');
    expect(JSON.parse(replayedFew.stdout).data).toMatchObject({ sent: FEW });

    const letters = await describeStack('many', MANY);
    const scanned = await run('dead-letters scan --json');
    expect(JSON.parse(scanned.stdout).data).toMatchObject({ received: MANY, notSeen: 0 });
    const listed = await run('dead-letters list --json');
    const { matching, groups, queues } = JSON.parse(listed.stdout).data;
    expect(matching).toBe(MANY);
    expect(groups).toHaveLength(7);
    for (const family of Object.keys(families)) {
      expect(queues).toContainEqual(
        expect.objectContaining({ family, listed: MANY / 3, counted: MANY / 3 }),
      );
    }
    expect(await letters.dead()).toBe(MANY);

    const replayed = await run('dead-letters replay --yes --json');
    expect(JSON.parse(replayed.stdout).data).toMatchObject({ sent: MANY, notReached: 0 });
    expect(await letters.dead()).toBe(0);
    expect(await letters.sentAgain()).toBe(MANY);

    const growth = {
      scanning: scanned.rssMib - scannedFew.rssMib,
      listing: listed.rssMib - listedFew.rssMib,
      replaying: replayed.rssMib - replayedFew.rssMib,
    };
    expect(growth.scanning).toBeLessThan(MOST_GROWTH_MIB);
    expect(growth.listing).toBeLessThan(MOST_GROWTH_MIB);
    expect(growth.replaying).toBeLessThan(MOST_GROWTH_MIB);
  }, 1_200_000);
});
