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
const QUIET_PER_SECOND = 5;
/** Ten times what half of the workers can send. More a second would measure how fast two cores emulate AWS. */
const FLOOD_PER_SECOND = 10;
const THROTTLED_PER_SECOND = 2;
const LOOK_EVERY_MS = 200;
/** Each may need a process of the receiver. */
const SENDERS = 4;
/** Of the quiet orders, so many change as soon as they were sent. */
const CHANGED_EVERY = 5;

/**
 * How long the orders of quiet shops take from the webhook to the call, in turns calm, while one shop floods a slow
 * service and another one is throttled. A change that comes during the call waits until the whole batch of it ends: that
 * is the lock. On the local stack, with queues and table in a process of their own.
 */
export const neighbours: Bench = {
  name: 'neighbours',
  async run({ quick }) {
    const [rounds, seconds] = quick ? [1, 8] : [4, 30];
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
  const measured: Record<'calm' | 'flooded', QuietTimes>[] = [];
  // The first round starts the processes of all workers, and is not counted.
  for (let round = 0; round <= rounds; round += 1) {
    const length = round === 0 ? seconds / 2 : seconds;
    const calm = await traffic.quietOrders(length);
    // Others in each round, because a shop stays busy for a while.
    const flooded = await traffic.besideFlood(stack.shops.slice(round * 2), length);
    if (round > 0) measured.push({ calm, flooded });
  }
  const note =
    `${rounds} rounds of ${seconds} s, ${QUIET_PER_SECOND} orders a second of ${QUIET_SHOPS} shops, beside ${FLOOD_PER_SECOND} a second of ` +
    `a shop at ${SLOW_MS / 1_000} s a call and ${THROTTLED_PER_SECOND} of a throttled one; floor: calm`;
  const bar = { limit: 1.5, of: 'ratio' } as const;
  /** Of all rounds together: the 99th percentile of one alone is nearly its slowest order. The spread is theirs. */
  const figure = (key: string, of: keyof QuietTimes, percent: number): Omit<Figure, 'bar'> => {
    const each = (beside: keyof (typeof measured)[0]) =>
      measured.map((round) => quantileOf(round[beside][of], percent / 100));
    const all = (beside: keyof (typeof measured)[0]) =>
      quantileOf(
        measured.flatMap((round) => round[beside][of]),
        percent / 100,
      );
    const [value, floor] = [all('flooded'), all('calm')];
    return {
      ...{ key: `neighbours.${key}`, value, floor, unit: 'ms', note },
      spread: spreadOf(each('flooded')),
      ratio: { ...spreadOf(ratiosOf(each('flooded'), each('calm'))), median: value / floor },
    };
  };
  return [
    { ...figure('p50', 'first', 50), bar },
    { ...figure('p99', 'first', 99), bar },
    figure('lock', 'changed', 90),
  ];
}

/** Milliseconds from the webhook to the arrival of the call, of each order, and of each change during a call. */
type QuietTimes = Readonly<Record<'first' | 'changed', readonly number[]>>;

function openTraffic(stack: RunningStack, writeOrder: WriteOrder) {
  const quiet = stack.shops.slice(-QUIET_SHOPS);
  for (const { loyalty } of quiet) loyalty.faults.add({ kind: 'latency', ms: ANSWER_MS });
  /** Epoch milliseconds of the webhooks of each order. */
  const sentAt = new Map<string, readonly number[]>();
  let lastId = 7_000_000_000_000;

  /** A new order, or a change of one. */
  async function send(
    { shop, webhookAddress, webhookSecret }: RunningShop,
    id = ++lastId,
  ): Promise<void> {
    const before = sentAt.get(String(id)) ?? [];
    // The store writes whole seconds.
    const updatedAt = new Date(Date.now() + before.length * 1_000);
    const subtotal = `${10 + before.length}.50`;
    const body = Buffer.from(writeOrder({ id, updatedAt, subtotal, lines: 1 }));
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
    sentAt.set(String(id), [...before, Date.now()]);
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

  /** The shop of each quiet order, and when each of its calls arrived. */
  function quietCalls() {
    const all = quiet.flatMap((shop) =>
      shop.loyalty.journal.entries({ operation: 'sendOrder' }).map(({ at, body }) => {
        const { OriginalId: id } = body as { readonly OriginalId: string };
        return { id, shop, at: Date.parse(at) };
      }),
    );
    return Map.groupBy(all, ({ id }) => id);
  }

  async function quietOrders(seconds: number): Promise<QuietTimes> {
    for (const { loyalty } of quiet) loyalty.journal.clear();
    const sending = [sendEvenly(quiet, QUIET_PER_SECOND, seconds)];
    const changed = new Set<string>();
    for (;;) {
      await sleep(LOOK_EVERY_MS);
      const calls = quietCalls();
      for (const [id, [first]] of calls) {
        if (!first || changed.has(id) || Number(id) % CHANGED_EVERY !== 0) continue;
        changed.add(id);
        sending.push(send(first.shop, Number(id)));
      }
      const isChanged = [...changed].every((id) => calls.get(id)?.length === 2);
      if (!isChanged || calls.size < QUIET_PER_SECOND * seconds) continue;
      await Promise.all(sending);
      const took = (id: string, index: number) =>
        (calls.get(id)?.[index]?.at ?? Number.NaN) - (sentAt.get(id)?.[index] ?? Number.NaN);
      return {
        first: [...calls.keys()].map((id) => took(id, 0)),
        changed: [...changed].map((id) => took(id, 1)),
      };
    }
  }

  async function besideFlood(
    [flooding, throttled]: readonly RunningShop[],
    seconds: number,
  ): Promise<QuietTimes> {
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

  return { quietOrders, besideFlood };
}
