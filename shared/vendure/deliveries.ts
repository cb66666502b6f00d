import { createHmac } from 'node:crypto';
import type { StoreEvent } from '../core/events/event.ts';
import {
  type Deliveries,
  findHeader,
  isHmac,
  whichSigned,
} from '../core/events/receive-delivery.ts';
import type { EventReading, ReadEvent } from '../core/store/store.ts';
import { decodeSnapshot, versionOf } from '../core/store/store.ts';

/** How far the sender's clock may differ: a captured event is of no use after it. */
const WINDOW_SECONDS = 300;

export const TIMESTAMP = 'x-loyalty-timestamp';
export const SIGNATURE = 'x-loyalty-signature';

/** What `doctor` sends to test the address. */
export const PROBE_KIND = 'probe';

export const KINDS: ReadonlyMap<string, StoreEvent['kind']> = new Map([
  ['order', 'order'],
  ['product', 'product'],
  ['promotion', 'discount'],
  ['customer', 'member'],
]);

interface Event {
  readonly id: string;
  readonly kind: string;
  readonly entityId: string;
  readonly change: 'changed' | 'deleted';
  readonly at: string;
}

/** The small events of the plugin on the merchant's server: each names an entity, and the store is asked for it. */
export const vendureDeliveries: Deliveries = {
  /** Too old: captured, or a clock is wrong. The plugin signs again when it tries again. */
  maySign(headers, now) {
    const timestamp = findHeader(headers, TIMESTAMP) ?? '';
    const isInTime =
      /^\d{1,12}$/.test(timestamp) &&
      Math.abs(now.getTime() / 1000 - Number(timestamp)) <= WINDOW_SECONDS;
    return isInTime && isHmac(findHeader(headers, SIGNATURE));
  },

  check({ headers, body }, secrets) {
    const [timestamp = '', signature = ''] = [TIMESTAMP, SIGNATURE].map((name) =>
      findHeader(headers, name),
    );
    return whichSigned(secrets, signature, (secret) => sign(secret, timestamp, body));
  },

  identify({ body }) {
    const event = readEvent(body);
    if (!event) return { kind: 'refused', status: 400, why: 'not an event of the plugin' };
    const kind = KINDS.get(event.kind);
    if (!kind) {
      const isProbe = event.kind === PROBE_KIND;
      return { kind: 'not-ours', text: 'not a kind of this connector', isProbe };
    }
    // Vendure has no other request to erase a person.
    const isErasure = kind === 'member' && event.change === 'deleted';
    return {
      kind: 'event',
      event: {
        ...(isErasure
          ? { kind: 'customer', claim: 'customer-redaction' }
          : { kind, claim: event.change }),
        id: event.entityId,
        topic: `${event.kind}/${event.change}`,
        deliveryId: event.id,
        triggeredAt: event.at,
      },
    };
  },

  isProbe: ({ body }) => readEvent(body)?.kind === PROBE_KIND,
};

export function sign(secret: string, timestamp: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('base64');
}

const TEXT = /^[\w:.-]{1,64}$/;

function readEvent(body: Uint8Array): Event | undefined {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    const { id, kind, entityId, change, at } = value as Event;
    const isWhole =
      [id, kind, entityId].every((text) => typeof text === 'string' && TEXT.test(text)) &&
      (change === 'changed' || change === 'deleted') &&
      typeof at === 'string' &&
      Number.isFinite(Date.parse(at));
    return isWhole ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the connector itself read is a snapshot; of everything else the store is asked. */
export const readVendureEvent: ReadEvent = (event): EventReading => {
  const read = event.origin !== 'webhook' && event.body && decodeSnapshot(event, event.body);
  if (read) return { kind: 'snapshot', version: versionOf(read.entity), ...read };
  if (event.claim === 'customer-redaction') {
    return { kind: 'task', task: { kind: 'redact', customerId: event.id, orderIds: [] } };
  }
  const isCurrent = true;
  return event.kind === 'discount'
    ? { kind: 'task', task: { kind: 'fan-out', discountId: event.id, isCurrent } }
    : { kind: 'ask-store', isCurrent };
};
