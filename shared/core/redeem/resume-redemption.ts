import type { Outcome } from '../batch/outcome.ts';
import { correlationOf } from '../batch/telemetry.ts';
import type { RedemptionEvent } from '../events/event.ts';
import { retryStore } from '../sync/store-reader.ts';
import { type CompensationWorld, canBeCompensated, compensate } from './compensate.ts';
import { type CodeWorld, makeCode } from './make-code.ts';
import { type BookWorld, type OpenBook, openBook } from './open-book.ts';
import type { Redemption } from './redemption.ts';
import { findRedemption } from './redemption-book.ts';

export type ResumeWorld = BookWorld & CodeWorld & CompensationWorld;

/**
 * Finishes one redemption from the state that it is in. The message stays on the queue until the
 * connector can do no more.
 */
export async function resumeRedemption(
  event: RedemptionEvent,
  world: ResumeWorld,
): Promise<Outcome> {
  const { shop, customerId, id } = event;
  const book = openBook({ shop, customerId }, world);
  const redemption = await book.change((found) => ({ value: findRedemption(found, id) }));
  // Redacted, or an intent that was never executed.
  if (!redemption) return { kind: 'handled', how: 'redemption-gone' };
  switch (redemption.state.at) {
    case 'intended':
    case 'calling':
      return { kind: 'retry', why: 'redemption-in-progress' };
    case 'unknown':
      return awaitEvent(event, redemption, world);
    case 'redeemed':
    case 'lost':
      return makeOrCompensate(book, id, world);
    case 'compensating':
      return compensate(book, redemption, world);
    case 'ready':
    case 'used':
    case 'refused':
    case 'compensated':
      return { kind: 'handled', how: 'redemption-settled' };
  }
}

/** Events usually come within seconds; a later one still settles its redemption. */
const AWAIT_EVENT_MS = 10 * 60_000;

/** A point event may settle it; if none comes, a person must. */
function awaitEvent(
  event: RedemptionEvent,
  { intendedAt }: Redemption,
  { telemetry, now }: ResumeWorld,
): Outcome {
  if (now().getTime() - Date.parse(intendedAt) <= AWAIT_EVENT_MS) {
    return { kind: 'retry', why: 'redemption-unknown' };
  }
  telemetry.count('notice', { why: 'redemption-pending' });
  telemetry.log('error', 'no event says whether a reward was redeemed: a person must find out', {
    ...correlationOf(event),
    customerId: event.customerId,
  });
  return { kind: 'handled', how: 'redemption-pending' };
}

async function makeOrCompensate(book: OpenBook, id: string, world: ResumeWorld): Promise<Outcome> {
  const made = await makeCode(book, id, world);
  switch (made.kind) {
    case 'settled':
      return { kind: 'handled', how: 'redemption-ready' };
    case 'lost':
      return canBeCompensated(made.redemption, world)
        ? compensate(book, made.redemption, world)
        : { kind: 'rejected', reason: 'rejected', why: made.why };
    case 'unavailable':
      return retryStore(made);
  }
}
