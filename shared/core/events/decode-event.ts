import { brotliDecompressSync } from 'node:zlib';
import * as v from 'valibot';
import { pointTopics } from '../../loyalty/operations.ts';
import { CLAIMS, ENTITY_KINDS, type EventHead, ORIGINS, type QueuedEvent } from './event.ts';
import { ENVELOPE_VERSION } from './formats.ts';
import { canBeReadFromStore } from './message-body.ts';

/** `why` quotes nothing of the message: it goes into logs and attributes. */
export type DecodedEvent =
  | { readonly kind: 'event'; readonly event: QueuedEvent }
  | { readonly kind: 'unreadable'; readonly why: string }
  /** Written by a newer release. */
  | { readonly kind: 'newer'; readonly why: string; readonly age: EventAge | undefined };

/** From when the retry window counts. */
export type EventAge = Pick<EventHead, 'receivedAt' | 'replays'>;

/** The largest request a Lambda can receive is 6 MB. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

export function decodeEvent(text: string): DecodedEvent {
  let envelope: unknown;
  try {
    envelope = JSON.parse(text);
  } catch {
    // The error quotes the text, which may hold personal data.
    return unreadable('the message is not JSON');
  }
  if (typeof envelope !== 'object' || envelope === null || !('v' in envelope)) {
    return unreadable('the message is not an envelope of this connector');
  }
  const version = envelope.v;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
    return unreadable('the message has no envelope version that was ever written');
  }
  if (version > ENVELOPE_VERSION) {
    const age = v.safeParse(eventAge, envelope);
    return {
      kind: 'newer',
      why: `the message has envelope version ${version}, written by a newer release than this one, which reads up to ${ENVELOPE_VERSION}`,
      age: age.success ? age.output : undefined,
    };
  }
  // Messages outlive a release by up to 14 days: a version once written is always read. A version of
  // another form gets a reader of its own here.
  return readEnvelope(envelope);
}

function readEnvelope(envelope: object): DecodedEvent {
  const parsed = v.safeParse(formOf(envelope), envelope, { abortEarly: true });
  if (!parsed.success) {
    const [issue] = parsed.issues;
    return unreadable(`the message has no usable ${v.getDotPath(issue) ?? 'envelope'}`);
  }
  const { output } = parsed;
  if (output.kind === 'balance' || output.kind === 'redemption') {
    return { kind: 'event', event: output };
  }
  if (output.kind === 'point-event') {
    const body = readBody(output.body);
    return body instanceof Uint8Array ? { kind: 'event', event: { ...output, body } } : body;
  }
  const { body: carried, ...fields } = output;
  if (carried === undefined) return { kind: 'event', event: { ...fields, body: undefined } };
  if ('omitted' in carried) {
    const { bytes, sha256 } = carried.omitted;
    if (canBeReadFromStore(fields, sha256)) {
      return { kind: 'event', event: { ...fields, body: undefined } };
    }
    return unreadable(
      `a body of ${bytes} bytes was too large to carry and the store cannot be asked for it`,
    );
  }
  const body = readBody(carried);
  return body instanceof Uint8Array ? { kind: 'event', event: { ...fields, body } } : body;
}

function formOf(envelope: object) {
  switch ('kind' in envelope && envelope.kind) {
    case 'balance':
      return balanceEvent;
    case 'redemption':
      return redemptionEvent;
    case 'point-event':
      return pointEvent;
    default:
      return storeEvent;
  }
}

function readBody(carried: v.InferOutput<typeof wholeBody>): Uint8Array | DecodedEvent {
  if ('text' in carried) return new TextEncoder().encode(carried.text);
  const bytes = Buffer.from(carried.brotli, 'base64');
  // Buffer skips what is not base64: count, or a damaged body would pass for a whole one.
  if (bytes.length !== Buffer.byteLength(carried.brotli, 'base64')) {
    return unusable('its body is not base64');
  }
  try {
    return viewOf(brotliDecompressSync(bytes, { maxOutputLength: MAX_BODY_BYTES }));
  } catch (error) {
    const isTooLarge =
      error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return isTooLarge
      ? unusable(`its body expands beyond ${MAX_BODY_BYTES} bytes`)
      : unusable('its compressed body is damaged');
  }
}

/** A plain array over the same memory: a Buffer would compare and print differently. */
function viewOf({ buffer, byteOffset, length }: Buffer): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}

const unusable = (why: string) => unreadable(`the message cannot be used: ${why}`);

function unreadable(why: string): DecodedEvent {
  return { kind: 'unreadable', why };
}

const isoTime = v.pipe(
  v.string(),
  v.check((text) => Number.isFinite(Date.parse(text))),
);

const wholeBody = v.union([
  // The most frequent form first: the library describes in full why each earlier form does not fit.
  v.object({ brotli: v.string() }),
  v.object({ text: v.string() }),
]);
const carriedBody = v.union([
  ...wholeBody.options,
  v.object({ omitted: v.object({ bytes: v.number(), sha256: v.string() }) }),
]);

const head = {
  shop: v.string(),
  deliveryId: v.string(),
  receivedAt: isoTime,
  replays: v.exactOptional(v.array(v.object({ at: v.string(), by: v.string() }))),
};
const eventAge = v.object({ receivedAt: isoTime, replays: head.replays });
const numericId = v.pipe(v.string(), v.regex(/^\d{1,20}$/));

const storeEvent = v.object({
  ...head,
  kind: v.picklist([...ENTITY_KINDS, 'discount', 'customer', 'shop']),
  id: v.string(),
  topic: v.string(),
  claim: v.picklist(CLAIMS),
  origin: v.picklist(ORIGINS),
  triggeredAt: v.exactOptional(v.string()),
  cursor: v.exactOptional(v.string()),
  history: v.exactOptional(v.boolean()),
  newRules: v.exactOptional(v.boolean()),
  force: v.exactOptional(v.boolean()),
  body: v.exactOptional(carriedBody),
});

const balanceEvent = v.object({
  ...head,
  kind: v.literal('balance'),
  id: numericId,
  topic: v.picklist([...pointTopics, 'unnamed', 'visit', 'repair']),
  triggeredAt: v.exactOptional(v.string()),
});

const pointEvent = v.object({
  ...head,
  kind: v.literal('point-event'),
  id: v.string(),
  topic: v.literal('unnamed'),
  body: wholeBody,
});

const redemptionEvent = v.object({
  ...head,
  kind: v.literal('redemption'),
  id: v.pipe(v.string(), v.regex(/^[A-Z0-9]{12}$/)),
  customerId: numericId,
  topic: v.picklist(['redeem', 'operator']),
});
