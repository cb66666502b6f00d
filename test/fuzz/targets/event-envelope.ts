import { brotliCompressSync, constants } from 'node:zlib';
import type { Random } from '../../../local/sandbox-kit/seeded-random.ts';
import { decodeEvent, MAX_BODY_BYTES } from '../../../shared/core/events/decode-event.ts';
import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import { bodyOf } from '../../fixtures/store-event.ts';
import { chance, expectLaw, type FuzzInput, type FuzzTarget, pick } from '../fuzz-target.ts';
import { makeBody, toTree, writeTree } from '../make-body.ts';
import { SHOP, validWebhooks } from '../valid-webhooks.ts';

/** A few bytes that decompress to sixty megabytes. */
const BOMB = brotliCompressSync(Buffer.alloc(60_000_000), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
}).toString('base64');

/** Any message on a worker's queue. */
export function createTarget(): FuzzTarget {
  const valid = validWebhooks.map(({ topic, body }) =>
    toTree(
      JSON.parse(
        encodeEvent({
          shop: SHOP,
          kind: 'order',
          id: '5512345678901',
          claim: 'changed',
          origin: 'webhook',
          topic,
          deliveryId: 'b54557e4',
          receivedAt: '2026-10-09T12:00:00.000Z',
          replays: [{ at: '2026-10-09T12:00:00.000Z', by: 'operator' }],
          body: Buffer.from(writeTree(body)),
        }),
      ),
    ),
  );
  const make = (random: Random): FuzzInput => {
    if (chance(random, 0.002)) return { body: bomb(random), parts: {} };
    return { body: makeBody(pick(random, valid), random), parts: {} };
  };
  return {
    make,
    async run({ body }) {
      const decoded = decodeEvent(Buffer.from(body).toString('utf8'));
      if (decoded.kind !== 'event') {
        expectLaw(decoded.why.length < 300, 'a reason is short');
        return decoded.kind;
      }
      const bytes = bodyOf(decoded.event)?.length ?? 0;
      expectLaw(bytes <= MAX_BODY_BYTES, 'no body is larger than a request can be');
      return 'event';
    },
  };
}

function bomb(random: Random): Uint8Array {
  const cut = chance(random, 0.5)
    ? BOMB
    : BOMB.slice(0, Math.floor((random() * BOMB.length) / 4) * 4);
  const envelope = { v: 1, shop: SHOP, kind: 'order', id: '1', topic: 'orders/create' };
  const times = { deliveryId: 'x', receivedAt: '2026-10-09T12:00:00.000Z' };
  return Buffer.from(JSON.stringify({ ...envelope, ...times, body: { brotli: cut } }));
}
