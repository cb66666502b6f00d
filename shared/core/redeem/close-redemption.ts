import type { EventQueue } from '../events/queues.ts';
import { applyStep, type BookWorld, openBook } from './open-book.ts';
import type { Redemption } from './redemption.ts';
import { type Customer, findRedemption } from './redemption-book.ts';
import { advance } from './redemption-state.ts';

/** What a person found out, or did, in the loyalty service. */
export type ClosedAs = 'refused' | 'cancelled';

export type Closing =
  | { readonly kind: 'closed' | 'not-allowed'; readonly redemption: Redemption }
  | { readonly kind: 'not-found' };

/** What closing would do, without doing it. */
export function foreseeClosing(
  redemption: Redemption | undefined,
  as: ClosedAs,
  now: Date,
): Closing {
  if (!redemption) return { kind: 'not-found' };
  // Repeated after a failure, it sends the message that may be missing.
  const closed =
    redemption.state.at === as ? redemption : advance(redemption, { kind: 'close', as }, now);
  return closed ? { kind: 'closed', redemption: closed } : { kind: 'not-allowed', redemption };
}

/** Closes a redemption that needs a person. The worker deletes its code, if the store has one. */
export async function closeRedemption(
  customer: Customer,
  id: string,
  as: ClosedAs,
  world: BookWorld & { readonly queue: EventQueue },
): Promise<Closing> {
  const book = openBook(customer, world);
  const foreseen = foreseeClosing(findRedemption(await book.read(), id), as, world.now());
  if (foreseen.kind !== 'closed') return foreseen;
  const closed = await applyStep(book, id, { kind: 'close', as });
  if (!closed) return { kind: 'not-found' };
  if (closed.state.at !== as) return { kind: 'not-allowed', redemption: closed };
  const receivedAt = world.now().toISOString();
  await world.queue.send({
    ...customer,
    kind: 'redemption',
    id,
    topic: 'operator',
    deliveryId: `operator/${id}/${receivedAt}`,
    receivedAt,
  });
  return { kind: 'closed', redemption: closed };
}
