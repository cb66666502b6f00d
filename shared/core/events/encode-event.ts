import { ENVELOPE_VERSION } from '../formats.ts';
import { isEntityKind } from '../ledger/ledger-key.ts';
import type { PointEvent, QueuedEvent, StoreEvent } from './event.ts';
import { type CarriedBody, carryBody, escapeToAscii, omitBody } from './message-body.ts';
import { hashBody } from './message-ids.ts';

// Separate from decoding: the receiver's cold start should not load a schema library.

/** The SQS message body of an event: ASCII, and never too long. */
export function encodeEvent(event: QueuedEvent): string {
  const body = 'body' in event && event.body ? carry(event, event.body) : undefined;
  // JSON leaves out what is undefined.
  return escapeToAscii(JSON.stringify({ v: ENVELOPE_VERSION, ...event, body }));
}

/**
 * A body that no message can hold is left out, and the worker reads the entity from the store. Where
 * the store cannot be asked (no entity was found in the body, or it is about a person or the shop), the
 * message reaches a person as unreadable, with the body's length, hash and first `HEAD_BYTES`. Keeping
 * such a body whole would need another place for bodies, for a signed webhook above 1 MB after
 * compression that is not an entity: none is known to exist.
 */
function carry(event: StoreEvent | PointEvent, body: Uint8Array): CarriedBody {
  const carried = carryBody(body);
  if (carried) return carried;
  return omitBody(body, !canBeReadFromStore(event, hashBody(body)));
}

/** Whether the store can be asked for what the body says. */
export function canBeReadFromStore(
  { kind, id }: Pick<QueuedEvent, 'kind' | 'id'>,
  bodyHash: string,
) {
  return (kind === 'discount' || isEntityKind(kind)) && id !== bodyHash;
}
