import * as v from 'valibot';
import { pointTopics } from '../../loyalty/point-topics.ts';
import { escapeToAscii } from '../events/ascii.ts';
import type { BalanceEvent } from './balance-event.ts';

/** `why` is free of anything out of the message: it goes into logs and attributes. */
export type DecodedBalance =
  | { readonly kind: 'event'; readonly event: BalanceEvent }
  | { readonly kind: 'unreadable'; readonly why: string };

const VERSION = 1;

const isoTime = v.pipe(
  v.string(),
  v.check((text) => Number.isFinite(Date.parse(text))),
);
const decimal = v.pipe(v.string(), v.regex(/^-?\d{1,13}(?:\.\d{1,9})?$/));

/** The version and the kind together tell it from a store event, whose envelopes count on their own. */
const envelope = v.object({
  v: v.literal(VERSION),
  kind: v.literal('balance'),
  shop: v.string(),
  id: v.pipe(v.string(), v.regex(/^\d{1,20}$/)),
  topic: v.picklist(pointTopics),
  deliveryId: v.string(),
  eventDate: isoTime,
  points: decimal,
  cashback: decimal,
  spent: v.exactOptional(decimal),
  receivedAt: isoTime,
});

export function encodeBalance(event: BalanceEvent): string {
  return escapeToAscii(JSON.stringify({ v: VERSION, ...event }));
}

export function decodeBalance(text: string): DecodedBalance {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'unreadable', why: 'the message is not JSON' };
  }
  const parsed = v.safeParse(envelope, value, { abortEarly: true });
  if (!parsed.success) {
    const field = v.getDotPath(parsed.issues[0]) ?? 'envelope';
    return { kind: 'unreadable', why: `the message has no usable ${field}` };
  }
  const { v: _, ...event } = parsed.output;
  return { kind: 'event', event };
}
