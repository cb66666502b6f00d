import { firstDeliveryId } from '../events/ask-again.ts';
import type { BalanceEvent } from '../events/event.ts';
import type { EventQueue } from '../events/queues.ts';
import { matchSpending } from './match-spending.ts';
import { type BookWorld, openBook } from './open-book.ts';
import { isMaking } from './redemption-state.ts';

export interface SpendingWorld extends BookWorld {
  readonly queue: EventQueue;
}

/** Tells the redemption that an event is about of its points. May be repeated. */
export async function noticeSpending(event: BalanceEvent, world: SpendingWorld): Promise<void> {
  const { shop, id: customerId, spent, eventDate } = event;
  if (spent === undefined) return;
  const by = firstDeliveryId(event);
  const spending = { by, points: Number(spent), at: eventDate };
  const told = await openBook({ shop, customerId }, world).change((found, now) => {
    const matched = matchSpending(found, spending, now);
    if (matched.kind === 'none') return { value: undefined };
    const { redemption, book } = matched;
    const line = { id: redemption.id, outcome: redemption.state.at, why: 'point-event' };
    return { book, line, value: redemption };
  });
  if (!told || !isMaking(told.state)) return;
  await world.queue.send({
    kind: 'redemption',
    shop,
    id: told.id,
    customerId,
    topic: 'point-event',
    deliveryId: `${told.id}/${by}`,
    receivedAt: world.now().toISOString(),
  });
}
