import type { RetryReason } from '../batch/outcome.ts';
import { correlationOf, errorFields, type Telemetry } from '../batch/telemetry.ts';
import type { BalanceEvent } from '../events/event.ts';
import { firstDeliveryId } from '../events/message-ids.ts';
import type { EventQueue } from '../events/queues.ts';
import { matchSpending } from './match-spending.ts';
import { type BookWorld, openBook } from './open-book.ts';
import { isMaking } from './redemption-state.ts';

export interface SpendingWorld extends BookWorld {
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
}

/** Every event counts here, also one with an older balance. Returns why all of them must come back. */
export async function noticeSpendings(
  events: readonly BalanceEvent[],
  world: SpendingWorld,
): Promise<RetryReason | undefined> {
  for (const event of events) {
    try {
      await noticeSpending(event, world);
    } catch (error) {
      world.telemetry.log('error', 'the points of a redemption could not be recorded', {
        ...correlationOf(event),
        ...errorFields(error),
      });
      return { why: 'redemptions-unavailable' };
    }
  }
  return undefined;
}

/** Records the spent points with the redemption that they are of. May be repeated. */
async function noticeSpending(event: BalanceEvent, world: SpendingWorld): Promise<void> {
  const { shop, id: customerId, spent, eventDate } = event;
  if (spent === undefined) return;
  const by = firstDeliveryId(event);
  const spending = { by, points: Number(spent), at: eventDate };
  const spentFor = await openBook({ shop, customerId }, world).change((found, now) => {
    const matched = matchSpending(found, spending, now);
    if (matched.kind === 'none') return { value: undefined };
    const { redemption, book } = matched;
    const line = { id: redemption.id, outcome: redemption.state.at, why: 'point-event' };
    return { book, line, value: redemption };
  });
  if (!spentFor || !isMaking(spentFor.state)) return;
  await world.queue.send({
    kind: 'redemption',
    shop,
    id: spentFor.id,
    customerId,
    topic: 'point-event',
    deliveryId: `${spentFor.id}/${by}`,
    receivedAt: world.now().toISOString(),
  });
}
