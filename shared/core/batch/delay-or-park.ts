import { OLDEST_MESSAGE_MINUTES } from '../../config/metrics.ts';
import type { Pauses } from '../calls/shop-pause.ts';
import { correlationOf, type QueuedEvent, type SourceQueue } from '../events/event.ts';
import {
  isHeldBack,
  isPlanned,
  isRetryWindowOver,
  queuedAt,
  type Rejection,
  type RetryReason,
  retryDelaySeconds,
  waitsForTurn,
} from '../events/outcome.ts';
import { errorFields, LOG_LINES, type Telemetry } from '../events/telemetry.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type DeadLetters, writeSummary } from './dead-letter.ts';
import { type Item, PATIENT, recordEnd, recordWaiting, triesOf } from './waiting.ts';

export interface ConcludeDeps {
  readonly deadLetters: DeadLetters;
  readonly ledger: Pick<Ledger, 'write'>;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

export interface DelayDeps extends ConcludeDeps {
  readonly source: SourceQueue;
  readonly random: () => number;
  readonly retryWindowDays: number;
  /** Other shops use the same queue. */
  readonly hasNeighbours: boolean;
  readonly pauses: Pauses;
}

/** True when the dead-letter queue holds the message: only then may it leave its own queue. */
export async function parkMessage(
  item: Item,
  { reason, why, code }: Rejection,
  deps: ConcludeDeps,
): Promise<boolean> {
  const { message, event } = item;
  const { deadLetters, ledger, telemetry, now } = deps;
  const given = { reason, why, ...(code && { code }) };
  const { messageId } = message;
  const fields = { ...(event && correlationOf(event)), ...given, messageId };
  const parked = { ...given, attempts: message.attempts, at: now().toISOString() };
  try {
    await deadLetters.park(message, parked);
  } catch (error) {
    telemetry.log('error', 'could not be parked, stays on its queue', {
      ...fields,
      ...errorFields(error),
    });
    return false;
  }
  telemetry.count('rejected', { ...(event && { kind: event.kind }), code: code ?? reason });
  telemetry.log('error', LOG_LINES.parked, fields);
  try {
    await writeSummary(message, event, { ...parked, family: deadLetters.family }, ledger);
  } catch (error) {
    // It is parked all the same; lists only count it.
    telemetry.log('warn', 'a dead letter has no summary', { ...fields, ...errorFields(error) });
  }
  await recordEnd(item, 'rejected', deps);
  return true;
}

/** Parks what must not wait any longer, delays the rest; returns the ids that stay on the queue. */
export async function delayMessages(
  unsettled: readonly Item[],
  retry: RetryReason,
  deps: DelayDeps,
): Promise<readonly string[]> {
  const stay: Item[] = [];
  // Its shop waits anyway; as dead letters its messages take no room from the others.
  const isShopWaiting = retry.pausedBy !== undefined || retry.misconfigured === true;
  const makesRoom = deps.hasNeighbours && isShopWaiting && (await deps.source.isCrowded());
  for (const item of unsettled) {
    const rejection = endOfWait(item, retry, makesRoom, deps);
    if (!rejection || !(await parkMessage(item, rejection, deps))) stay.push(item);
  }
  if (stay.length === 0) return [];

  const receives = Math.max(...stay.map(({ message }) => message.attempts));
  const tries = Math.max(...stay.map((item) => triesOf(item, retry)));
  const seconds = retryDelaySeconds({ ...retry, receives, tries }, deps.random);
  // Nothing failed, and nothing is to be repaired.
  const isWell = retry.pausedBy !== undefined || isPlanned(retry);
  const said = isPlanned(retry) ? LOG_LINES.planned : LOG_LINES.retried;
  for (const { event, message } of stay) {
    if (!isWell) {
      deps.telemetry.count('retried', { why: retry.why, ...(event && { kind: event.kind }) });
    }
    if (event && hasWaited(LONG_DAYS, event, deps)) deps.telemetry.count('waits-long');
    if (event && isStuck(event, retry, deps)) deps.telemetry.count('stuck', { why: retry.why });
    deps.telemetry.log(isWell ? 'info' : 'warn', said, {
      ...(event && correlationOf(event)),
      why: retry.why,
      afterSeconds: seconds,
      attempts: receives,
      tries,
      heldBack: isHeldBack(retry),
      messageId: message.messageId,
    });
  }
  if (retry.misconfigured) deps.telemetry.count('misconfigured', { why: retry.why });
  if (retry.throttled) deps.telemetry.count('throttled', { why: retry.why });
  const kept = stay.map(({ message }) => message);
  // Before SQS counts the seconds: a message must not come back before its record says.
  const begins = deps.now();
  try {
    await deps.source.delay(kept, seconds);
  } catch (error) {
    // Harmless: they come back after the queue's own visibility instead.
    deps.telemetry.log('warn', 'the delay could not be set', errorFields(error));
  }
  try {
    await recordWaiting(stay, retry, { begins, seconds }, deps.ledger);
  } catch (error) {
    // They wait all the same; only "status" and "retry-now" do not know of them.
    deps.telemetry.log('warn', 'a wait could not be recorded', errorFields(error));
  }
  return kept.map(({ messageId }) => messageId);
}

/** SQS deletes a message after 14 days, and its own age of the queue leaves out what was received often. */
const LONG_DAYS = 7;
/** A message that waits comes back at least every hour and a half. */
const LAST_DAY = 13;

type Age = Parameters<typeof queuedAt>[0];

const hasWaited = (days: number, age: Age, { now }: Pick<DelayDeps, 'now'>): boolean =>
  now().getTime() - queuedAt(age) >= days * 86_400_000;

/** Why it is parked instead of waiting again; undefined if it may wait. */
function endOfWait(
  item: Item,
  { why }: RetryReason,
  makesRoom: boolean,
  deps: DelayDeps,
): Rejection | undefined {
  const { retryWindowDays, now, pauses } = deps;
  const age = item.event ?? item.newer?.age;
  // Nothing was tried: a long backlog must not park what only waited for its turn.
  if (!waitsForTurn({ why }) && age && isRetryWindowOver(age, retryWindowDays, now(), pauses)) {
    return {
      reason: why === 'newer-release' ? why : 'retry-window-over',
      why: `gave up after ${retryWindowDays} days of retries; last reason: ${why}`,
    };
  }
  if (age && hasWaited(LAST_DAY, age, deps)) {
    return {
      reason: 'would-expire',
      why: `waited for ${LAST_DAY} days, and SQS deletes a message after 14; last reason: ${why}`,
    };
  }
  if (!makesRoom || !item.event) return undefined;
  return { reason: 'made-room', why: `too many messages were waiting on its queue: ${why}` };
}

/**
 * SQS leaves a message that is received repeatedly and not deleted out of the age of its queue ("Available
 * CloudWatch metrics for Amazon SQS"): only a count of our own shows retries that go on. Time in which an
 * operator paused the shop, and before it, does not count.
 */
function isStuck(event: QueuedEvent, retry: RetryReason, deps: DelayDeps): boolean {
  if (retry.pausedBy === 'operator' || PATIENT.has(retry.why)) return false;
  return isRetryWindowOver(event, OLDEST_MESSAGE_MINUTES / 1440, deps.now(), deps.pauses);
}
