import type { StoreEvent } from '../../core/events/event.ts';
import type { Outcome } from '../../core/events/outcome.ts';
import { correlationOf } from '../../core/events/telemetry.ts';
import { readEntry } from '../../core/ledger/ledger.ts';
import type { WorkerMoments } from '../../core/sync/dependencies.ts';
import { secondsUntil } from './redemption.ts';
import { openIn, redemptionsKey } from './redemption-record.ts';

/**
 * How long an event waits for open redemptions, which end within minutes if no system is down: of the 15 days that the
 * shortest law leaves for a redaction. One that is open for longer needs a person.
 */
const WAITS_SECONDS = 86_400;

const WAITS: Outcome = { kind: 'retry', why: 'redemption-open' };

const mayWait = ({ receivedAt }: StoreEvent, now: Date): boolean =>
  secondsUntil(receivedAt, WAITS_SECONDS, now) > 0;

/**
 * Erases the redemptions of a person, unless one is open: it needs the person's id in the loyalty service
 * to come to its end, and without it points would be spent for nothing. The write is conditional, because
 * a click may begin a redemption after the reading.
 */
export const eraseRedemptions: WorkerMoments['personErased'] = async (
  event,
  customerId,
  mark,
  { ledger, telemetry, now },
) => {
  const key = redemptionsKey({ shop: event.shop, customerId });
  const entry = await readEntry(ledger, key);
  if (!entry) return undefined;
  const { remembered, revision, ...kept } = entry;
  const open = openIn(remembered, now());
  if (open.length > 0 && mayWait(event, now())) return WAITS;
  const written = await ledger.write(key, { ...kept, ...mark }, revision);
  if (written.kind === 'conflict') return WAITS;
  if (open.length > 0) {
    const ids = open.map(({ id }) => id).join(',');
    telemetry.log('error', 'redacted with open redemptions', { ...correlationOf(event), ids });
  }
  return undefined;
};

/** The store refuses a code for a customer who is gone, and the points of its redemption go back to the member. */
export const awaitRedemptions: WorkerMoments['customerMerged'] = async (
  event,
  deletedId,
  { ledger, now },
) => {
  const key = redemptionsKey({ shop: event.shop, customerId: deletedId });
  const kept = await readEntry(ledger, key);
  if (!mayWait(event, now())) return undefined;
  return openIn(kept?.remembered, now()).length > 0 ? WAITS : undefined;
};
