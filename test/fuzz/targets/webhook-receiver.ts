import { toHttpRequest, toLambdaAnswer } from '../../../functions/wiring.ts';
import { toFunctionUrlEvent } from '../../../local/harness/webhook-request.ts';
import type { Random } from '../../../local/sandbox-kit/seeded-random.ts';
import { decodeEvent } from '../../../shared/core/events/decode-event.ts';
import {
  countInMinute,
  type ReceiverDependencies,
  receiveDelivery,
} from '../../../shared/core/events/receive-delivery.ts';
import { shopifyDeliveries } from '../../../shared/shopify/webhooks/topics.ts';
import { bodyOf } from '../../fixtures/store-event.ts';
import {
  createMemoryEventQueue,
  createMemoryQueue,
  type MemoryQueue,
} from '../../support/memory-queue.ts';
import {
  chance,
  createCheckedTelemetry,
  expectLaw,
  type FuzzInput,
  type FuzzTarget,
  pick,
} from '../fuzz-target.ts';
import { HOSTILE_KEYS, HOSTILE_TEXTS, makeBody } from '../make-body.ts';
import { SHOP, validWebhooks } from '../valid-webhooks.ts';

const SECRET = 'a-secret-of-the-fuzzing';
const NOW = new Date('2026-10-09T12:00:00Z');

/** From Lambda's request to the message for SQS. */
export function createTarget(): FuzzTarget {
  const output = createCheckedTelemetry('receive-webhook');
  const secrets = {
    get: async () => ({ current: SECRET }),
    refresh: async () => ({ kind: 'unchanged' as const, value: { current: SECRET } }),
  };
  const shops = new Map([
    ['/example-store', { domain: SHOP, secrets, deliveries: shopifyDeliveries }],
  ]);

  function openDeps(): {
    readonly world: ReceiverDependencies;
    readonly queues: readonly MemoryQueue[];
  } {
    const queue = () => createMemoryQueue({ now: () => NOW.getTime() });
    const queues = { orders: queue(), products: queue(), coupons: queue() };
    const world: ReceiverDependencies = {
      shops,
      queue: createMemoryEventQueue(queues),
      telemetry: output.telemetry,
      now: () => NOW,
      countOfEntity: countInMinute(() => NOW),
    };
    return { world, queues: Object.values(queues) };
  }

  return {
    make: makeRequest,
    async run(input) {
      const { world, queues } = openDeps();
      const answer = toLambdaAnswer(await receiveDelivery(toHttpRequest(eventOf(input)), world));
      output.telemetry.flush();
      output.expectValidLines();
      const { statusCode = 0, body = '' } = answer as { statusCode?: number; body?: string };
      expectLaw(
        [200, 400, 401, 405].includes(statusCode),
        `no ${statusCode} while the queue works`,
      );
      expectLaw(body.length < 300, 'an answer does not repeat what was sent');
      const messages = queues.flatMap((queue) => queue.receive({ max: 2 }));
      const accepted = statusCode === 200 && body === 'accepted\n';
      expectLaw(messages.length === (accepted ? 1 : 0), 'what is accepted is in the queue, once');
      for (const message of messages) expectWhole(message.body, input);
      return accepted ? 'accepted' : `status ${statusCode}`;
    },
  };
}

function makeRequest(random: Random): FuzzInput {
  const { topic, body } = pick(random, validWebhooks);
  const parts: Record<string, string> = {
    topic: chance(random, 0.9) ? topic : pick(random, validWebhooks).topic,
    signature: chance(random, 0.93) ? 'right' : pick(random, HOSTILE_TEXTS),
    path: chance(random, 0.95) ? '/example-store' : pick(random, HOSTILE_TEXTS),
    method: chance(random, 0.98) ? 'POST' : pick(random, ['GET', '', 'post', '__proto__']),
    encoding: pick(random, ['base64', 'text', 'text', 'lying']),
  };
  if (chance(random, 0.15)) parts[`header:${pick(random, HEADERS)}`] = headerText(random);
  return { body: makeBody(body, random), parts };
}

const HEADERS = [
  'x-shopify-topic',
  'X-Shopify-Shop-Domain',
  'x-shopify-webhook-id',
  'x-shopify-api-version',
  'x-shopify-triggered-at',
  'shopify-action',
  'shopify-hmac-sha256',
  'x-shopify-hmac-sha256',
  ...HOSTILE_KEYS,
];

function headerText(random: Random): string {
  const text = pick(random, HOSTILE_TEXTS);
  return chance(random, 0.1) ? (text || 'é').repeat(5_000) : text;
}

/** A body as Lambda passes it, and its decoded bytes. */
function handedOver({ body, parts: { encoding } }: FuzzInput) {
  const text = Buffer.from(body).toString(encoding === 'base64' ? 'base64' : 'utf8');
  const isBase64Encoded = encoding !== 'text';
  return { text, isBase64Encoded, bytes: Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8') };
}

/** Signed over the decoded bytes, whatever the flag says, so that the signature is always right. */
function eventOf(input: FuzzInput) {
  const { parts } = input;
  const { signature = '', path = '', method = '', topic = '' } = parts;
  const { text, isBase64Encoded, bytes } = handedOver(input);
  const headers = Object.entries(parts).flatMap(([name, value]) =>
    name.startsWith('header:') ? [[name.slice('header:'.length), value]] : [],
  );
  const event = toFunctionUrlEvent({
    path: path.slice(1),
    shop: SHOP,
    topic,
    webhookId: 'b54557e4',
    triggeredAt: '2026-10-09T12:00:00Z',
    secret: SECRET,
    body: bytes,
    headers: {
      ...(signature !== 'right' && { 'x-shopify-hmac-sha256': signature }),
      ...Object.fromEntries(headers),
    },
  });
  event.requestContext.http.method = method;
  event.rawPath = path;
  return { ...event, body: text, isBase64Encoded };
}

function expectWhole(message: string, input: FuzzInput): void {
  const decoded = decodeEvent(message);
  if (decoded.kind !== 'event') {
    expectLaw(message.includes('"omitted"'), 'only a vast body is left out');
    return;
  }
  const { bytes: sent } = handedOver(input);
  const kept = bodyOf(decoded.event);
  expectLaw(!kept || Buffer.compare(kept, sent) === 0, 'the queue holds the body byte for byte');
  expectLaw(kept !== undefined || sent.length > 600_000, 'a body that fits is carried');
}
