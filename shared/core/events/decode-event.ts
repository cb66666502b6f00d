import * as v from 'valibot';
import { pointTopics } from '../../loyalty/operations.ts';
import type { EventHead, Meaning, QueuedEvent } from './event.ts';
import { ENVELOPE_VERSION } from './formats.ts';
import {
  canBeReadFromStore,
  DEFAULT_MAX_BODY_BYTES,
  HEAD_BYTES,
  readCarriedBody,
} from './message-body.ts';

/** `why` quotes nothing of the message: it goes into logs and attributes. */
export type DecodedEvent =
  | { readonly kind: 'event'; readonly event: QueuedEvent }
  | { readonly kind: 'unreadable'; readonly why: string }
  /** Written by a newer release. */
  | { readonly kind: 'newer'; readonly why: string; readonly age: EventAge | undefined };

/** From when the retry window counts. */
export type EventAge = Pick<EventHead, 'receivedAt' | 'replays'>;

const isoTime = v.pipe(
  v.string(),
  v.check((text) => Number.isFinite(Date.parse(text))),
);

const wholeBody = v.union([
  // The most frequent form first: the library describes in full why each earlier form does not fit.
  v.object({ brotli: v.string() }),
  v.object({ text: v.string() }),
  v.object({ bytes: v.string() }),
]);
const carriedBody = v.union([
  ...wholeBody.options,
  v.object({
    omitted: v.object({ bytes: v.number(), sha256: v.string(), head: v.exactOptional(v.string()) }),
  }),
]);

const CLAIMS = [
  'changed',
  'deleted',
  'code-added',
  'code-removed',
  'merged',
  'data-requested',
  'customer-redaction',
  'shop-redaction',
  'app-removed',
] as const satisfies readonly Meaning['claim'][];
const ORIGINS = [
  'webhook',
  'fan-out',
  'reconcile',
  'backfill',
] as const satisfies readonly Meaning['origin'][];

const head = {
  shop: v.string(),
  deliveryId: v.string(),
  receivedAt: isoTime,
  replays: v.exactOptional(v.array(v.object({ at: v.string(), by: v.string() }))),
};
const numericId = v.pipe(v.string(), v.regex(/^\d{1,20}$/));
const decimal = v.pipe(v.string(), v.regex(/^-?\d{1,13}(?:\.\d{1,9})?$/));

const storeEvent = v.object({
  ...head,
  kind: v.picklist(['order', 'product', 'coupon', 'member', 'discount', 'customer', 'shop']),
  id: v.string(),
  topic: v.string(),
  claim: v.picklist(CLAIMS),
  origin: v.picklist(ORIGINS),
  triggeredAt: v.exactOptional(v.string()),
  apiVersion: v.exactOptional(v.string()),
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
  topic: v.picklist([...pointTopics, 'unnamed']),
  eventDate: isoTime,
  points: decimal,
  cashback: decimal,
});

const balanceRequest = v.object({
  ...head,
  kind: v.literal('balance'),
  id: numericId,
  topic: v.picklist(['visit', 'repair']),
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
  topic: v.picklist(['redeem', 'point-event', 'operator']),
});

export function decodeEvent(
  text: string,
  { maxBodyBytes = DEFAULT_MAX_BODY_BYTES }: { readonly maxBodyBytes?: number } = {},
): DecodedEvent {
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
  if (version > ENVELOPE_VERSION) return newer(envelope, version);
  // Messages outlive a release by up to 14 days: a version once written is always read. A version of
  // another form gets a reader of its own here.
  return readEnvelope(envelope, maxBodyBytes);
}

const eventAge = v.object({ receivedAt: isoTime, replays: head.replays });

function newer(envelope: object, version: number): DecodedEvent {
  const age = v.safeParse(eventAge, envelope);
  return {
    kind: 'newer',
    why: `the message has envelope version ${version}, written by a newer release than this one, which reads up to ${ENVELOPE_VERSION}`,
    age: age.success ? age.output : undefined,
  };
}

function readEnvelope(envelope: object, maxBytes: number): DecodedEvent {
  const kind = 'kind' in envelope ? envelope.kind : undefined;
  if (kind === 'balance' || kind === 'redemption') {
    const ofBalance = 'eventDate' in envelope ? balanceEvent : balanceRequest;
    const form = kind === 'balance' ? ofBalance : redemptionEvent;
    const parsed = v.safeParse(form, envelope, { abortEarly: true });
    return parsed.success ? { kind: 'event', event: parsed.output } : unusable(parsed.issues);
  }
  if (kind === 'point-event') {
    const parsed = v.safeParse(pointEvent, envelope, { abortEarly: true });
    if (!parsed.success) return unusable(parsed.issues);
    const read = readCarriedBody(parsed.output.body, maxBytes);
    if (read.kind === 'unreadable') return unreadable(`the message cannot be used: ${read.why}`);
    return { kind: 'event', event: { ...parsed.output, body: read.body } };
  }
  const parsed = v.safeParse(storeEvent, envelope, { abortEarly: true });
  if (!parsed.success) return unusable(parsed.issues);
  const { body: carried, ...fields } = parsed.output;
  if (carried === undefined) return { kind: 'event', event: { ...fields, body: undefined } };
  if ('omitted' in carried) {
    const { bytes, sha256 } = carried.omitted;
    if (canBeReadFromStore(fields, sha256)) {
      return { kind: 'event', event: { ...fields, body: undefined } };
    }
    return unreadable(
      `a body of ${bytes} bytes was too large to carry and the store cannot be asked for it; the message keeps its first ${HEAD_BYTES} bytes`,
    );
  }
  const read = readCarriedBody(carried, maxBytes);
  return read.kind === 'body'
    ? { kind: 'event', event: { ...fields, body: read.body } }
    : unreadable(`the message cannot be used: ${read.why}`);
}

function unusable(
  issues: readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]],
): DecodedEvent {
  return unreadable(`the message has no usable ${v.getDotPath(issues[0]) ?? 'envelope'}`);
}

function unreadable(why: string): DecodedEvent {
  return { kind: 'unreadable', why };
}
