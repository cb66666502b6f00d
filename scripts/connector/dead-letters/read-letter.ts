import { decodeBalance } from '../../../shared/core/balances/balance-envelope.ts';
import type { DeadLetter } from '../../../shared/core/events/dead-letter.ts';
import type { StoreEvent } from '../../../shared/core/events/store-event.ts';
import type { TracedEvent } from '../../../shared/core/events/traced-event.ts';
import { decodeRedemption } from '../../../shared/core/redeem/redemption-envelope.ts';
import { decodeMessage } from '../../../shared/shopify/webhooks/read-event.ts';

/** A dead letter and the event in it, as far as this release can read it. */
export interface ReadLetter extends DeadLetter {
  /** What it is about, whichever queue it comes from. */
  readonly about: TracedEvent | undefined;
  /** Undefined for what is no event of the store, and when not even the envelope can be read. */
  readonly event: StoreEvent | undefined;
  readonly undecodable: string | undefined;
}

export function readLetter(letter: DeadLetter): ReadLetter {
  if (letter.family === 'balances') return readStorefrontLetter(letter);
  const decoded = decodeMessage(letter.body);
  return decoded.kind === 'event'
    ? { ...letter, about: decoded.event, event: decoded.event, undecodable: undefined }
    : { ...letter, about: undefined, event: undefined, undecodable: decoded.why };
}

/** What it says of a balance stays in the body. */
function readStorefrontLetter(letter: DeadLetter): ReadLetter {
  const balance = decodeBalance(letter.body);
  const found = decodeRedemption(letter.body) ?? (balance.kind === 'event' && balance.event);
  if (!found) {
    const undecodable = balance.kind === 'unreadable' ? balance.why : undefined;
    return { ...letter, about: undefined, event: undefined, undecodable };
  }
  const { shop, kind, id, topic, deliveryId, receivedAt } = found;
  const about = { shop, kind, id, topic, deliveryId, receivedAt };
  return { ...letter, about, event: undefined, undecodable: undefined };
}
