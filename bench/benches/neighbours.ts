import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import { loadConnector } from '../../local/stack/choose-settings.ts';
import { type RunningStack, startStack } from '../../local/stack/running-stack.ts';
import { portsFrom } from '../../local/stack/start-options.ts';
import type { RunningShop } from '../../local/stack/start-sandboxes.ts';
import { synthesize } from '../../local/stack/synthesize.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { AnsweringProcess } from '../answering-process.ts';
import type { Bench, Figure } from '../bench.ts';
import type { AwsReady, AwsTask } from '../load/aws-process.ts';
import { quantileOf, ratiosOf, spreadOf } from '../report/statistics.ts';
import { createOrderWriter, type WriteOrder } from '../traffic/orders.ts';

const AWS = fileURLToPath(new URL('../load/aws-process.ts', import.meta.url));
const SETTINGS = resolve(PACKAGE_FOLDER, 'bench/neighbours.config.ts');
/** As cost.md assumes. */
const ANSWER_MS = 150;
const SLOW_MS = 5_000;
const QUIET_SHOPS = 50;
const QUICK_SHOPS = 20;
const QUIET_PER_SECOND = 5;
/** Ten times what half of the workers can send. More a second would measure how fast two cores emulate AWS. */
const FLOOD_PER_SECOND = 10;
const THROTTLED_PER_SECOND = 2;
const LOOK_EVERY_MS = 200;
/** Each may need a process of the receiver. */
const SENDERS = 4;

/**
 * How long the orders of quiet shops take from the webhook to the call, in turns calm, while one shop floods a slow
 * service and another one is throttled, and while as many orders come from shops with quick services: that much more the
 * machine alone needs. On the local stack, with queues and table in a process of their own.
 */
export const neighbours: Bench = {
  name: 'neighbours',
  async run({ quick }) {
    const [rounds, seconds] = quick ? [1, 8] : [3, 18];
    const folder = mkdtempSync(join(tmpdir(), 'neighbours-'));
    const aws = new AnsweringProcess<AwsReady, never>(AWS, {
      ports: { sqs: 0, dynamodb: 0 },
    } satisfies AwsTask);
    try {
      const stack = await start(folder, await aws.ready);
      try {
        return await measure(stack, rounds, seconds);
      } finally {
        await stack.stop();
      }
    } finally {
      await aws.stop();
      rmSync(folder, { recursive: true });
    }
  },
};

async function start(folder: string, emulators: AwsReady): Promise<RunningStack> {
  return startStack({
    connector: await loadConnector('prod', PACKAGE_FOLDER, SETTINGS),
    assembly: synthesize('prod', folder, { project: PACKAGE_FOLDER, settings: SETTINGS }),
    ports: portsFrom(0),
    emulators,
    onProblem: (problem) => process.stderr.write(`${problem}\n`),
  });
}

async function measure(
  stack: RunningStack,
  rounds: number,
  seconds: number,
): Promise<readonly Figure[]> {
  const traffic = openTraffic(stack, await createOrderWriter());
  const rows: Record<'calm' | 'flooded' | 'busy', (readonly number[])[]> = {
    calm: [],
    flooded: [],
    busy: [],
  };
  // The first round starts the processes of all workers, and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const length = round === 0 ? seconds / 2 : seconds;
    const calm = await traffic.quietOrders(length);
    // Others in each round, because a shop stays busy for a while.
    const flooded = await traffic.besideFlood(stack.shops.slice(round * 2), length);
    const busy = await traffic.besideOthers(length);
    if (round === 0) continue;
    rows.calm.push(calm);
    rows.flooded.push(flooded);
    rows.busy.push(busy);
  }
  const note =
    `${rounds} rounds of ${seconds} s, ${QUIET_PER_SECOND} orders a second of ${QUIET_SHOPS} shops, beside ${FLOOD_PER_SECOND} a second of ` +
    `a shop at ${SLOW_MS / 1_000} s a call and ${THROTTLED_PER_SECOND} of a throttled one; floor: calm; peer: beside as many of quick shops`;
  return [50, 99].map((percent): Figure => {
    const of = (rounds: readonly (readonly number[])[]) =>
      rounds.map((times) => quantileOf(times, percent / 100));
    const [calm, flooded, busy] = [of(rows.calm), of(rows.flooded), of(rows.busy)];
    const { median: value, ...spread } = spreadOf(flooded);
    return {
      key: `neighbours.p${percent}`,
      ...{ value, spread, unit: 'ms', note },
      floor: spreadOf(calm).median,
      ratio: spreadOf(ratiosOf(flooded, calm)),
      peer: spreadOf(busy).median,
      peerRatio: spreadOf(ratiosOf(busy, calm)),
      bar: { kind: 'at-most', limit: 1.5, of: 'ratio' },
    };
  });
}

function openTraffic(stack: RunningStack, writeOrder: WriteOrder) {
  const quick = stack.shops.slice(-QUICK_SHOPS - QUIET_SHOPS);
  const [quiet, others] = [quick.slice(-QUIET_SHOPS), quick.slice(0, QUICK_SHOPS)];
  for (const { loyalty } of quick) loyalty.faults.add({ kind: 'latency', ms: ANSWER_MS });
  /** Epoch milliseconds of each webhook of the quiet shops, by the order's id. */
  const sentAt = new Map<string, number>();
  let lastId = 7_000_000_000_000;

  async function send({ shop, webhookAddress, webhookSecret }: RunningShop): Promise<void> {
    const id = ++lastId;
    const body = Buffer.from(writeOrder({ id, updatedAt: new Date(), lines: 1 }));
    const { headers } = toFunctionUrlEvent({
      path: shop.path,
      shop: shop.domain,
      topic: 'orders/updated',
      webhookId: randomUUID(),
      triggeredAt: new Date().toISOString(),
      secret: webhookSecret,
      body,
    });
    const { host: _, ...sent } = headers as Readonly<Record<string, string>>;
    sentAt.set(String(id), Date.now());
    // As the store does, sooner: on a busy machine the receiver may exceed its time-out.
    for (;;) {
      const answer = await fetch(webhookAddress, { method: 'POST', headers: sent, body });
      await answer.bytes();
      if (answer.status === 200) return;
      if (answer.status !== 503) throw new Error(`a webhook was answered with ${answer.status}`);
    }
  }

  /** At an even pace. */
  async function sendEvenly(to: readonly RunningShop[], perSecond: number, seconds: number) {
    const began = performance.now();
    const sent = new Set<Promise<void>>();
    for (let index = 0; index < perSecond * seconds; index += 1) {
      await sleep(Math.max(began + (index * 1_000) / perSecond - performance.now(), 1));
      if (sent.size === SENDERS) await Promise.race(sent);
      const shop = to[index % to.length];
      if (!shop) throw new Error('there is no shop that sends');
      const one: Promise<void> = send(shop).finally(() => sent.delete(one));
      sent.add(one);
    }
    await Promise.all(sent);
  }

  /** Milliseconds from the webhook to the arrival of the call, of each order. */
  async function quietOrders(seconds: number): Promise<readonly number[]> {
    for (const { loyalty } of quiet) loyalty.journal.clear();
    await sendEvenly(quiet, QUIET_PER_SECOND, seconds);
    for (;;) {
      const calls = quiet.flatMap(({ loyalty }) =>
        loyalty.journal.entries({ operation: 'sendOrder' }),
      );
      const times = calls.map(({ at, body }) => {
        const { OriginalId } = body as { readonly OriginalId: string };
        return Date.parse(at) - (sentAt.get(OriginalId) ?? Number.NaN);
      });
      if (times.length >= QUIET_PER_SECOND * seconds) return times;
      await sleep(LOOK_EVERY_MS);
    }
  }

  async function besideFlood(
    [flooding, throttled]: readonly RunningShop[],
    seconds: number,
  ): Promise<readonly number[]> {
    if (!flooding || !throttled) throw new Error('there are too few shops');
    flooding.loyalty.faults.add({ kind: 'latency', ms: SLOW_MS });
    throttled.loyalty.faults.add({ kind: 'http-429', retryAfterSeconds: 5 });
    // Its service was slow already, and the connector knows.
    await send(flooding);
    while (flooding.loyalty.journal.entries().length === 0) await sleep(LOOK_EVERY_MS);
    const [times] = await Promise.all([
      quietOrders(seconds),
      sendEvenly([flooding], FLOOD_PER_SECOND, seconds),
      sendEvenly([throttled], THROTTLED_PER_SECOND, seconds),
    ]);
    flooding.loyalty.faults.clear();
    throttled.loyalty.faults.clear();
    // The next round begins without a backlog, and without calls that are still under way.
    await stack.sqs.send(new PurgeQueueCommand({ QueueUrl: stack.outputs.OrdersQueueUrl }));
    await sleep(SLOW_MS);
    return times;
  }

  async function besideOthers(seconds: number): Promise<readonly number[]> {
    const perSecond = FLOOD_PER_SECOND + THROTTLED_PER_SECOND;
    const sent = sendEvenly(others, perSecond, seconds);
    const [times] = await Promise.all([quietOrders(seconds), sent]);
    return times;
  }

  return { quietOrders, besideFlood, besideOthers };
}
