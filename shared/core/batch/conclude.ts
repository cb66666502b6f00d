import type { Pauses } from '../calls/shop-pause.ts';
import type { EventAge } from '../events/decode-event.ts';
import type { QueuedEvent, ReceivedMessage, SourceQueue } from '../events/event.ts';
import {
  isHeldBack,
  isRetryWindowOver,
  type Outcome,
  queuedAt,
  type Rejection,
  type RetryReason,
  retryDelaySeconds,
  verdictOn,
} from '../events/outcome.ts';
import { correlationOf, errorFields, type Telemetry } from '../events/telemetry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type DeadLetters, writeSummary } from './dead-letter.ts';
import { type LastWait, PATIENT, recordEnd, recordWaiting, triesOf } from './waiting.ts';

/** A message and the event it carries; `unreadable` says why its envelope could not be read. */
export type Item = {
  readonly message: ReceivedMessage;
  /** Known once the ledger was read for the batch; undefined: it did not wait, or that is not known. */
  lastWait?: LastWait | undefined;
} & (
  | { readonly event: QueuedEvent }
  | {
      readonly event: undefined;
      readonly unreadable: string;
      /** Of a message of a newer release. Where it does not say its age, SQS itself ends the retries. */
      readonly newer?: { readonly age: EventAge | undefined };
    }
);

export interface ConcludeWorld {
  readonly deadLetters: DeadLetters;
  readonly ledger: Pick<Ledger, 'write'>;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

export interface DelayWorld extends ConcludeWorld {
  readonly source: SourceQueue;
  readonly random: () => number;
  readonly retryWindowDays: number;
  /** Other shops use the same queue. */
  readonly hasNeighbours: boolean;
  readonly pauses: Pauses;
  /** What is retried for longer than this raises an alarm. */
  readonly stuckAfterMinutes: number;
}

/**
 * Reports the outcome and parks a rejected message. Takes the message from `unsettled` when it may leave
 * the queue; returns why it must stay, if it must.
 */
export async function conclude(
  item: Item,
  outcome: Outcome,
  unsettled: Set<Item>,
  world: ConcludeWorld,
): Promise<RetryReason | undefined> {
  if (item.event) reportOutcome(item.event, outcome, world);
  const verdict = verdictOn(outcome);
  if (verdict.kind === 'delay') return verdict.retry;
  // The deadline abandoned this work: the message was handed back, and the next worker judges it.
  if (verdict.kind === 'park' && !unsettled.has(item)) return undefined;
  if (verdict.kind === 'park' && !(await parkMessage(item, verdict.rejection, world))) {
    return { why: 'dead-letter-queue-unavailable' };
  }
  unsettled.delete(item);
  if (outcome.kind !== 'rejected' && outcome.kind !== 'retry') {
    await noteEnd(item, outcome.kind, world);
  }
  return undefined;
}

async function noteEnd(
  item: Item,
  ended: Parameters<typeof recordEnd>[1],
  world: ConcludeWorld,
): Promise<void> {
  try {
    await recordEnd(item, ended, world);
  } catch (error) {
    // Only a command that follows the message does not know of it.
    world.telemetry.log('warn', 'the end of a wait could not be recorded', errorFields(error));
  }
}

function reportOutcome(
  event: QueuedEvent,
  outcome: Outcome,
  { telemetry, now }: ConcludeWorld,
): void {
  // Reported where the message is delayed or parked.
  if (outcome.kind === 'retry' || outcome.kind === 'rejected') return;
  telemetry.count(outcome.kind, {
    kind: event.kind,
    ...(outcome.kind === 'skipped' && { why: outcome.why }),
    ...(outcome.kind === 'handled' && { why: outcome.how }),
  });
  telemetry.log('info', outcome.kind, {
    ...correlationOf(event),
    ...(outcome.kind === 'skipped' && { why: outcome.why }),
    ...(outcome.kind === 'handled' && { how: outcome.how }),
    ...(outcome.kind === 'applied' && { calls: outcome.calls.join(',') }),
  });
  const happened = happenedAt(event);
  if (outcome.kind === 'applied' && Number.isFinite(happened)) {
    telemetry.count('latency-ms', { kind: event.kind }, now().getTime() - happened);
  }
}

/** NaN when the event does not say. */
function happenedAt(event: QueuedEvent): number {
  if ('eventDate' in event) return Date.parse(event.eventDate);
  return 'triggeredAt' in event ? Date.parse(event.triggeredAt ?? '') : Number.NaN;
}

/** True when the dead-letter queue holds the message: only then may it leave its own queue. */
async function parkMessage(
  item: Item,
  { reason, why, code }: Rejection,
  world: ConcludeWorld,
): Promise<boolean> {
  const { message, event } = item;
  const { deadLetters, ledger, telemetry, now } = world;
  const given = { reason, why, ...(code && { code }) };
  const fields = { ...(event && correlationOf(event)), ...given };
  const letter = { ...given, attempts: message.attempts, at: now().toISOString() };
  try {
    await deadLetters.park(message, letter);
  } catch (error) {
    telemetry.log('error', 'could not be parked, stays on its queue', {
      ...fields,
      ...errorFields(error),
    });
    return false;
  }
  telemetry.count('rejected', { ...(event && { kind: event.kind }), code: code ?? reason });
  telemetry.log('error', 'parked in the dead-letter queue', fields);
  try {
    await writeSummary(message, event, { ...letter, family: deadLetters.family }, ledger);
  } catch (error) {
    // It is parked all the same; lists only count it.
    telemetry.log('warn', 'a letter has no summary', { ...fields, ...errorFields(error) });
  }
  await noteEnd(item, 'rejected', world);
  return true;
}

/** Parks what must not wait any longer, delays the rest; returns the ids that stay on the queue. */
export async function delayMessages(
  unsettled: readonly Item[],
  retry: RetryReason,
  world: DelayWorld,
): Promise<readonly string[]> {
  const stay: Item[] = [];
  // Its shop waits anyway; as dead letters its messages take no room from the others.
  const isShopWaiting = retry.pausedBy !== undefined || retry.misconfigured === true;
  const makesRoom = world.hasNeighbours && isShopWaiting && (await world.source.isCrowded());
  for (const item of unsettled) {
    const age = item.event ?? item.newer?.age;
    // Out of tokens, nothing was tried: a long backlog must not park what only waited for its turn.
    const over =
      retry.why !== 'out-of-tokens' &&
      age &&
      isRetryWindowOver(age, world.retryWindowDays, world.now(), world.pauses);
    const rejection: Rejection = over
      ? {
          reason: retry.why === 'newer-release' ? retry.why : 'retry-window-over',
          why: `gave up after ${world.retryWindowDays} days of retries; last reason: ${retry.why}`,
        }
      : { reason: 'made-room', why: `its queue was full of messages that wait: ${retry.why}` };
    const leaves = over || (makesRoom && item.event);
    if (!leaves || !(await parkMessage(item, rejection, world))) stay.push(item);
  }
  if (stay.length === 0) return [];

  const receives = Math.max(...stay.map(({ message }) => message.attempts));
  const tries = Math.max(...stay.map((item) => triesOf(item, retry)));
  const seconds = retryDelaySeconds({ ...retry, receives, tries }, world.random);
  for (const { event } of stay) {
    if (retry.pausedBy && event) {
      const waitedMs = world.now().getTime() - queuedAt(event);
      if (waitedMs > PAUSED_LONG_DAYS * 86_400_000) world.telemetry.count('paused-long');
    } else {
      world.telemetry.count('retried', { why: retry.why, ...(event && { kind: event.kind }) });
    }
    if (event && isStuck(event, retry, world)) world.telemetry.count('stuck', { why: retry.why });
    world.telemetry.log(retry.pausedBy ? 'info' : 'warn', 'will be tried again', {
      ...(event && correlationOf(event)),
      why: retry.why,
      afterSeconds: seconds,
      attempts: receives,
      tries,
      heldBack: isHeldBack(retry),
    });
  }
  if (retry.misconfigured) world.telemetry.count('misconfigured', { why: retry.why });
  if (retry.throttled) world.telemetry.count('throttled', { why: retry.why });
  const kept = stay.map(({ message }) => message);
  // Before SQS counts the seconds: a message must not come back before its record says.
  const begins = world.now();
  try {
    await world.source.delay(kept, seconds);
  } catch (error) {
    // Harmless: they come back after the queue's own visibility instead.
    world.telemetry.log('warn', 'the delay could not be set', errorFields(error));
  }
  try {
    await recordWaiting(stay, retry, { begins, seconds }, world.ledger);
  } catch (error) {
    // They wait all the same; only "status" and "retry-now" do not know of them.
    world.telemetry.log('warn', 'a wait could not be recorded', errorFields(error));
  }
  return kept.map(({ messageId }) => messageId);
}

/** SQS deletes a message after 14 days, and its own age of the queue leaves out what was received often. */
const PAUSED_LONG_DAYS = 7;

/**
 * SQS leaves a message that is received repeatedly and not deleted out of the age of its queue ("Available
 * CloudWatch metrics for Amazon SQS"): only a count of our own shows retries that go on. Time in which an
 * operator paused the shop does not count.
 */
function isStuck(event: QueuedEvent, retry: RetryReason, world: DelayWorld): boolean {
  if (retry.pausedBy === 'operator' || PATIENT.has(retry.why)) return false;
  return isRetryWindowOver(event, world.stuckAfterMinutes / 1440, world.now(), world.pauses);
}
