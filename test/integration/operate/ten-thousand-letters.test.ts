import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqsClient } from '../../../shared/aws/sdk-clients.ts';
import { runCommand } from '../../support/connector-command.ts';
import { createConnectorQueues } from '../../support/connector-queues.ts';
import { type Emulator, startSqsEmulator } from '../../support/emulators.ts';
import { countMessages } from '../../support/event-source.ts';
import { letterEvent, letterReason, parkLetters } from '../../support/parked-letters.ts';

const FEW = 500;
const MANY = 10_000;
/** Does not compress: what is kept of it shows. In base64 all of them together are 27 MB. */
const BODY_BYTES = 2_000;
/** Enough for the program and for ids and handles of the letters in hand; not for their bodies. */
const HEAP_MIB = 32;
/** What zlib and the network take outside of that heap is returned late: it levels off near 130. */
const MOST_GROWTH_MIB = 200;

const memoryReport = fileURLToPath(new URL('../../support/report-memory.ts', import.meta.url));

let emulator: Emulator;
let sqs: ReturnType<typeof createSqsClient>;
let folder: string;

beforeAll(async () => {
  emulator = await startSqsEmulator();
  sqs = createSqsClient({
    budget: { connectMs: 10_000, attemptMs: 30_000, attempts: 2 },
    emulator,
  });
  folder = await mkdtemp(join(tmpdir(), 'ten-thousand-letters-'));
  await mkdir(join(folder, '.connector'));
});
afterAll(async () => {
  sqs.destroy();
  await emulator.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A local stack that is nothing but its queues, with so many dead orders. */
async function describeStack(name: string, count: number) {
  const { urls } = await createConnectorQueues(sqs, emulator.endpoint, name);
  const letters = Array.from({ length: count }, (_, index) => ({
    event: letterEvent({
      id: `${index}`,
      deliveryId: `delivery-${index}`,
      kind: 'coupon' as const,
      topic: 'discounts/update',
      body: randomBytes(BODY_BYTES),
    }),
    reason: letterReason({ code: `Code_${index % 7}` }),
  }));
  await parkLetters(sqs, urls.coupons.deadLetterUrl, letters);
  const stack = {
    pid: process.pid,
    stack: 'loyalty-connector-prod',
    stage: 'prod',
    region: 'us-east-1',
    endpoint: emulator.endpoint,
    credentials: { accessKeyId: 'operator', secretAccessKey: 'operator' },
    outputs: {
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
  return urls.coupons;
}

async function run(line: string) {
  const nodeOptions = [`--max-old-space-size=${HEAP_MIB}`, '--import', memoryReport];
  const run = await runCommand(line.split(' '), { folder, nodeOptions });
  if (run.code !== 0) throw new Error(`${line}: ${run.stderr.slice(-2_000)}`);
  const [, kib] = /max rss (\d+) KiB\n$/.exec(run.stderr) ?? [];
  return { ...run, rssMib: Number(kib) / 1024 };
}

describe('ten thousand dead letters', () => {
  it('are listed and replayed in flat memory', async () => {
    await describeStack('few', FEW);
    const listedFew = await run('dead-letters list --json');
    const replayedFew = await run('dead-letters replay --yes --json');
    expect(JSON.parse(replayedFew.stdout)).toMatchObject({ replayed: FEW });

    const coupons = await describeStack('many', MANY);
    const listed = await run('dead-letters list --json');
    const { matching, groups, queues } = JSON.parse(listed.stdout);
    expect(matching).toBe(MANY);
    expect(groups).toHaveLength(7);
    expect(queues).toContainEqual(expect.objectContaining({ family: 'coupons', notSeen: 0 }));
    expect(await countMessages(sqs, coupons.deadLetterUrl)).toBe(MANY);

    const replayed = await run('dead-letters replay --yes --json');
    expect(JSON.parse(replayed.stdout)).toMatchObject({ replayed: MANY, notReached: 0 });
    expect(await countMessages(sqs, coupons.deadLetterUrl)).toBe(0);
    expect(await countMessages(sqs, coupons.url)).toBe(MANY);

    const growth = {
      listing: listed.rssMib - listedFew.rssMib,
      replaying: replayed.rssMib - replayedFew.rssMib,
    };
    expect(growth.listing).toBeLessThan(MOST_GROWTH_MIB);
    expect(growth.replaying).toBeLessThan(MOST_GROWTH_MIB);
  }, 1_200_000);
});
