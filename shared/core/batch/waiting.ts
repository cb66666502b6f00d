import type { EventAge } from '../events/decode-event.ts';
import {
  type QueuedEvent,
  type QueueFamily,
  queueFamilyOf,
  type ReceivedMessage,
} from '../events/event.ts';
import {
  AFTER_UNKNOWN_OUTCOME_SECONDS,
  isHeldBack,
  isPlanned,
  type Outcome,
  queuedAt,
  type RetryReason,
  waitsForTurn,
} from '../events/outcome.ts';
import { errorFields, type Telemetry } from '../events/telemetry.ts';
import { type Ledger, type LedgerWrite, type RecordKey, rememberedForm } from '../ledger/ledger.ts';

/**
 * One message that waits for its next attempt. SQS shows neither why a message waits nor until when, and only
 * the receipt handle can end its wait: with it an operator's command does.
 * See docs/decisions/0008-waits-and-dead-letters-are-listed-from-the-ledger.md.
 */
export interface WaitingMessage {
  readonly queue: QueueFamily;
  readonly about: Pick<QueuedEvent, 'kind' | 'id'>;
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly waitsFor: WaitsFor;
  /** The name of the reason in the log. */
  readonly why: RetryReason['why'];
  /** Epoch milliseconds: when it was put on its queue, and when it is tried again. */
  readonly since: number;
  readonly until: number;
  /** How often it had failed. */
  readonly tries: number;
  /** Epoch milliseconds: until then an earlier call may still be executed. */
  readonly notBefore?: number;
  /** What became of it after the wait, unless it waits again. */
  readonly ended?: Exclude<Outcome['kind'], 'retry'>;
}

/** A message and the event it carries; `unreadable` says why its envelope could not be read. */
export type Item = {
  readonly message: ReceivedMessage;
  /** Set when the ledger was read for the batch. Undefined if it did not wait, or that is not known. */
  lastWait?: { readonly waiting: WaitingMessage; readonly revision: number };
} & (
  | { readonly event: QueuedEvent }
  | {
      readonly event: undefined;
      readonly unreadable: string;
      /** Of a message of a newer release. Where it does not say its age, SQS itself ends the retries. */
      readonly newer?: { readonly age: EventAge | undefined };
    }
);

export type WaitsFor =
  /** The loyalty service is down, too slow, or answers with a fault of its own. */
  | 'loyalty'
  | 'store'
  | 'throttled'
  /** Credentials, scopes or an address are refused. */
  | 'misconfigured'
  /** An operator paused it. */
  | 'paused'
  /** A fault of the connector or of AWS. */
  | 'connector'
  /** Something that may take hours without any fault. */
  | 'patience'
  /** The next step has its time, and no command can end this wait. */
  | 'planned';

const CONNECTOR: ReadonlySet<RetryReason['why']> = new Set([
  ...(['ledger-unavailable', 'dead-letter-queue-unavailable', 'newer-release'] as const),
  ...(['broke-off', 'overtaken', 'tokens-unreachable', 'credentials-unreachable'] as const),
]);

/** They wait for something that may take hours without any fault. */
export const PATIENT: ReadonlySet<RetryReason['why']> = new Set([
  'customer-not-found',
  'redemption-open',
  'not-cancelled',
]);

function waitsFor(retry: RetryReason): WaitsFor {
  if (retry.pausedBy === 'operator') return 'paused';
  if (retry.misconfigured) return 'misconfigured';
  if (retry.throttled) return 'throttled';
  if (isPlanned(retry)) return 'planned';
  if (PATIENT.has(retry.why) || waitsForTurn(retry)) return 'patience';
  if (CONNECTOR.has(retry.why)) return 'connector';
  return retry.unanswered ? 'store' : 'loyalty';
}

const form = rememberedForm<WaitingMessage>('waiting', 1);

export function waitingKey(shop: string, messageId: string, receives: number) {
  return { shop, kind: 'waiting', id: `${messageId}/${receives}` } satisfies RecordKey<'waiting'>;
}

/** Of a message that was received before; read with the batch. */
export function lastWaitKey({ message, event }: Item): RecordKey<'waiting'> | undefined {
  const { messageId, attempts } = message;
  return event && attempts > 1 ? waitingKey(event.shop, messageId, attempts - 1) : undefined;
}

/** How often it has failed, this time included. Without a record of its last wait every receive counts. */
export function triesOf({ message: { attempts }, lastWait }: Item, retry: RetryReason): number {
  const before = lastWait?.waiting.tries ?? attempts - 1;
  return isHeldBack(retry) ? before : before + 1;
}

/** Epoch milliseconds: until when a call that was made for one of them may still be executed. */
export function underWayUntil(delayed: readonly Item[]): number {
  return Math.max(0, ...delayed.map(({ lastWait }) => lastWait?.waiting.notBefore ?? 0));
}

/** Longer than a command follows what it woke, and than DynamoDB needs to have the next attempt read it. */
const KEPT_SECONDS = 3_600;

/**
 * One new item for each attempt, which expires after the wait: nothing has to be deleted. Rejects when the
 * ledger does. The first wait for a place is not recorded: it lasts seconds, and the other shops wait until all of the
 * backlog before them was put off. A failure after it waits as a second one.
 */
export async function recordWaiting(
  delayed: readonly Item[],
  retry: RetryReason,
  { begins, seconds }: { readonly begins: Date; readonly seconds: number },
  ledger: Pick<Ledger, 'write'>,
): Promise<void> {
  // Out of time, none is left for this.
  if (retry.why === 'out-of-time') return;
  const at = begins.getTime();
  const until = at + seconds * 1_000;
  const ours = retry.mayHaveHappened ? at + AFTER_UNKNOWN_OUTCOME_SECONDS * 1_000 : 0;
  const notBefore = Math.max(ours, underWayUntil(delayed));
  await Promise.all(
    delayed.map(async (one) => {
      const { message, event } = one;
      const { messageId, receiptHandle, attempts } = message;
      if (!event || (retry.why === 'shop-busy' && attempts === 1)) return;
      const waiting: WaitingMessage = {
        queue: queueFamilyOf(event.kind),
        about: { kind: event.kind, id: event.id },
        ...{ messageId, receiptHandle, waitsFor: waitsFor(retry), why: retry.why },
        ...{ since: queuedAt(event), until, tries: triesOf(one, retry) },
        ...(notBefore > at && { notBefore }),
      };
      const key = waitingKey(event.shop, messageId, attempts);
      await ledger.write(key, entryOf(waiting, until), undefined);
    }),
  );
}

/**
 * By the command that ended its wait, or heard from SQS that it is over: nobody waits for the recorded moment any
 * more, even if no worker records the end, because it received the message more than once since.
 */
export async function recordWoken(
  shop: string,
  waiting: WaitingMessage,
  { until, receives, revision }: Readonly<Record<'until' | 'receives' | 'revision', number>>,
  ledger: Pick<Ledger, 'write'>,
): Promise<void> {
  const key = waitingKey(shop, waiting.messageId, receives);
  await ledger.write(key, entryOf({ ...waiting, until }, waiting.until), revision);
}

/** For the command that woke the message. */
export async function recordEnd(
  { message, event, lastWait }: Item,
  ended: NonNullable<WaitingMessage['ended']>,
  deps: {
    readonly ledger: Pick<Ledger, 'write'>;
    readonly telemetry: Telemetry;
    readonly now: () => Date;
  },
): Promise<void> {
  if (!event || !lastWait) return;
  const { waiting, revision } = lastWait;
  const key = waitingKey(event.shop, message.messageId, message.attempts - 1);
  const entry = entryOf({ ...waiting, ended }, deps.now().getTime());
  try {
    const written = await deps.ledger.write(key, entry, revision);
    // Since it was read, only the command that woke the message may have written it, once: `recordWoken`.
    if (written.kind !== 'written') await deps.ledger.write(key, entry, revision + 1);
  } catch (error) {
    // Only a command that follows the message does not know of it.
    deps.telemetry.log('warn', 'the end of a wait could not be recorded', errorFields(error));
  }
}

function entryOf(waiting: WaitingMessage, until: number): LedgerWrite {
  return form.entry(waiting, 0, { expiresAt: Math.ceil(until / 1_000) + KEPT_SECONDS });
}

/** Undefined for what a newer release wrote. */
export function waitingIn(remembered: string | undefined): WaitingMessage | undefined {
  return form.read(remembered);
}
