import { brotliCompressSync, constants } from 'node:zlib';
import { hashBody, isEntityKind, type QueuedEvent } from './event.ts';
import { ENVELOPE_VERSION } from './formats.ts';

// Separate from decoding: the receiver's cold start should not load a schema library.

/** The SQS message body of an event: ASCII, and never too long. */
export function encodeEvent(event: QueuedEvent): string {
  const body =
    'body' in event && event.body ? (carryBody(event.body) ?? omitBody(event.body)) : undefined;
  // JSON leaves out what is undefined.
  return escapeToAscii(JSON.stringify({ v: ENVELOPE_VERSION, ...event, body }));
}

/**
 * A body that no message can hold is left out, and the worker reads the entity from the store. Where the store cannot
 * be asked (no entity was found in the body, or it is about a person or the shop), the message reaches a person as
 * unreadable. No signed webhook above 1 MB after compression that is not an entity is known to exist.
 */
const omitBody = (body: Uint8Array) => ({
  omitted: { bytes: body.length, sha256: hashBody(body) },
});

/** Whether the store can be asked for what the body says. */
export function canBeReadFromStore(
  { kind, id }: Pick<QueuedEvent, 'kind' | 'id'>,
  bodyHash: string,
) {
  return (kind === 'discount' || isEntityKind(kind)) && id !== bodyHash;
}

/**
 * The text with everything but printable ASCII as `\uXXXX`. SQS refuses some Unicode characters in
 * bodies and attributes alike (its SendMessage page), and a refused delivery would be repeated
 * until the subscription dies. In the output of JSON.stringify, such characters stand in strings
 * only, so there the result is the same JSON.
 */
export function escapeToAscii(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

type BodyForm = { readonly text: string } | { readonly brotli: string };

/** SQS allows 1 MiB with attributes: the rest is for the envelope and a dead letter's reason. */
const CARRIED_MAX_CHARS = 1_000_000;

/** Measured: up to here, escaping is cheaper than compressing for sender and reader together. */
const TEXT_MAX_BYTES = 2_048;

/**
 * Measured on order-shaped JSON of 8 KB to 6 MB: brotli at quality 1 takes two thirds of the time of
 * gzip at level 1 and leaves a sixth less. zstd is better still, but experimental in Node 24.
 */
const FAST_QUALITY = 1;
/**
 * Short text as it is, all else compressed; `undefined` when it fits in no message.
 * See docs/decisions/0006-messages-and-items-carry-a-version-and-newer-ones-wait.md.
 */
export function carryBody(body: Uint8Array): BodyForm | undefined {
  if (body.length <= TEXT_MAX_BYTES) {
    const text = readUtf8(body);
    if (text !== undefined) return { text };
  }
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: FAST_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  const brotli = brotliCompressSync(body, { params }).toString('base64');
  return brotli.length <= CARRIED_MAX_CHARS ? { brotli } : undefined;
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readUtf8(body: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(body);
  } catch {
    return undefined;
  }
}
