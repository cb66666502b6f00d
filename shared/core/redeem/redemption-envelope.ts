import * as v from 'valibot';
import { escapeToAscii } from '../events/ascii.ts';
import type { RedemptionEvent } from './redemption-event.ts';

const VERSION = 1;

const isoTime = v.pipe(
  v.string(),
  v.check((text) => Number.isFinite(Date.parse(text))),
);

const envelope = v.object({
  v: v.literal(VERSION),
  kind: v.literal('redemption'),
  shop: v.string(),
  id: v.pipe(v.string(), v.regex(/^[A-Z0-9]{12}$/)),
  customerId: v.pipe(v.string(), v.regex(/^\d{1,20}$/)),
  topic: v.picklist(['redeem', 'point-event', 'operator']),
  deliveryId: v.string(),
  receivedAt: isoTime,
});

export function encodeRedemption(event: RedemptionEvent): string {
  return escapeToAscii(JSON.stringify({ v: VERSION, ...event }));
}

/** Undefined for whatever else is on the queue, which is then judged as a balance. */
export function decodeRedemption(text: string): RedemptionEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = v.safeParse(envelope, value, { abortEarly: true });
  if (!parsed.success) return undefined;
  const { v: _, ...event } = parsed.output;
  return event;
}
