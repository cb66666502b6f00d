import type { StoreEvent } from '../../core/events/event.ts';
import { decodeSnapshot, type EventReading, type ReadEvent } from '../../core/store/store.ts';
import { versionOf } from '../../core/sync/read-snapshot.ts';
import { snapshot, unreadable } from './event-reading.ts';
import { readOrderWebhook } from './read-order-webhook.ts';
import { fanOut, readOtherBody } from './read-other-events.ts';
import { parseJson, routeOf } from './topics.ts';

/**
 * Only a body that the connector sent itself is decoded as a snapshot: a captured webhook cannot pass for
 * one with other headers. The topic chooses the reader, but it comes from an unsigned header: a body that
 * does not have the shape of its topic is unreadable.
 */
export const readShopifyEvent: ReadEvent = (event) => {
  const { origin, body } = event;
  if (origin === 'webhook' && body !== undefined) {
    const parsed = parseJson(body);
    return parsed.kind === 'fault' ? unreadable([parsed.fault]) : readBodyOf(event, parsed.value);
  }
  const read = body && decodeSnapshot(event, body);
  if (read) return { kind: 'snapshot', version: versionOf(read.entity), ...read };
  // The snapshot was too large, has the form of another version, or its feeder knew only the id.
  return event.kind === 'discount' ? fanOut(event.id) : { kind: 'ask-store' };
};

/** Nearly all bodies are orders: what reads the others is a file of its own, which a worker of orders loads when needed. */
function readBodyOf(event: StoreEvent, payload: unknown): EventReading {
  if (event.kind !== 'order' || routeOf(event.topic)?.carries !== 'entity') {
    return readOtherBody(event, payload);
  }
  const read = readOrderWebhook(payload);
  if (read.kind !== 'read') return unreadable(read.faults);
  return snapshot(event, { kind: 'order', order: read.order }, read.order.id);
}
