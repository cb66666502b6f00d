import { type QueuedEvent, type QueueFamily, queueFamilyOf } from '../events/event.ts';
import type { ReceivedMessage } from '../events/queues.ts';
import type { Ledger, LedgerWrite } from '../ledger/ledger.ts';
import type { RecordKey } from '../ledger/ledger-key.ts';
import { rememberedForm } from '../ledger/remembered-form.ts';
import type { RetryReason } from './outcome.ts';
import { queuedAt } from './retry-policy.ts';

/**
 * One message that waits for its next attempt. SQS shows neither why a message waits nor until when, and only
 * the receipt handle can end its wait: with it an operator's command does.
 * See docs/decisions/0070-what-waits-is-recorded.md.
 */
export interface WaitingMessage {
  readonly queue: QueueFamily;
  /** What the message is about. */
  readonly about: Pick<QueuedEvent, 'kind' | 'id'>;
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly waitsFor: WaitsFor;
  /** The name of the reason in the log. */
  readonly why: RetryReason['why'];
  /** Epoch milliseconds: when it was put on its queue, and when it is tried again. */
  readonly since: number;
  readonly until: number;
}

export const WAITS_FOR = [
  /** The loyalty service is down, too slow, or answers with a fault of its own. */
  'loyalty',
  'store',
  /** The loyalty service asked for fewer calls. */
  'throttled',
  /** Credentials, scopes or an address are refused. */
  'misconfigured',
  /** An operator paused it. */
  'paused',
  /** A fault of the connector or of AWS. */
  'connector',
  /** Something that may take hours without any fault. */
  'patience',
] as const;

export type WaitsFor = (typeof WAITS_FOR)[number];

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
  if (PATIENT.has(retry.why) || retry.why === 'out-of-tokens') return 'patience';
  if (CONNECTOR.has(retry.why)) return 'connector';
  return retry.unanswered ? 'store' : 'loyalty';
}

const form = rememberedForm<WaitingMessage>('waiting', 1);

interface Delayed {
  readonly message: ReceivedMessage;
  readonly event: QueuedEvent | undefined;
}

/**
 * One new item for each attempt, which expires with the wait: nothing has to be read or deleted.
 * Rejects when the ledger does.
 */
export async function recordWaiting(
  delayed: readonly Delayed[],
  retry: RetryReason,
  seconds: number,
  { ledger, now }: { readonly ledger: Pick<Ledger, 'write'>; readonly now: () => Date },
): Promise<void> {
  // Out of time, none is left for this.
  if (retry.why === 'out-of-time') return;
  const until = now().getTime() + seconds * 1_000;
  await Promise.all(
    delayed.map(async ({ message, event }) => {
      if (!event) return;
      const { messageId, receiptHandle, attempts } = message;
      const id = `${messageId}/${attempts}`;
      const key: RecordKey<'waiting'> = { shop: event.shop, kind: 'waiting', id };
      const remembered = form.write({
        queue: queueFamilyOf(event.kind),
        about: { kind: event.kind, id: event.id },
        ...{ messageId, receiptHandle, waitsFor: waitsFor(retry), why: retry.why },
        ...{ since: queuedAt(event), until },
      });
      const entry: LedgerWrite = {
        ...{ version: 0, uncertain: false, remembered, outcomes: [] },
        expiresAt: Math.ceil(until / 1_000),
      };
      await ledger.write(key, entry, undefined);
    }),
  );
}

/** Undefined: a newer release wrote it. */
export function waitingIn(remembered: string | undefined): WaitingMessage | undefined {
  return form.read(remembered);
}
