import { setTimeout as sleep } from 'node:timers/promises';
import { type WaitingMessage, waitingIn, waitingKey } from '../../../shared/core/batch/waiting.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import type { WokenMessage } from './waiting-messages.ts';

export interface FollowWorld {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

export interface FollowedMessage extends WokenMessage {
  /** Its newest wait; that of the command itself while no worker has had it since. */
  readonly last: WaitingMessage;
}

const EVERY_MS = 500;

/**
 * Follows messages until each has left its queue, or until none of the others is tried again within the patience.
 * A worker records each new wait, and the end of the last one.
 */
export async function followWoken(
  woken: readonly WokenMessage[],
  { ledger, patienceMs, signal }: FollowWorld,
): Promise<readonly FollowedMessage[]> {
  const endsAt = Date.now() + patienceMs;
  let followed = woken.map((one): FollowedMessage => ({ ...one, last: one }));
  for (;;) {
    followed = await readNext(followed, ledger);
    const open = followed.filter((one) => mayEnd(one, endsAt));
    if (open.length === 0 || signal.aborted || Date.now() >= endsAt) return followed;
    // Thousands of messages are read less often.
    await sleep(EVERY_MS + open.length, undefined, { signal }).catch(() => {});
  }
}

function mayEnd(one: FollowedMessage, endsAt: number): boolean {
  return !one.last.ended && (!waitsAgain(one) || one.last.until < endsAt);
}

/** It was received since it was woken, and has a new receipt handle. */
export const waitsAgain = ({ last, receiptHandle }: FollowedMessage): boolean =>
  !last.ended && last.receiptHandle !== receiptHandle;

async function readNext(
  followed: readonly FollowedMessage[],
  ledger: Pick<Ledger, 'readMany'>,
): Promise<FollowedMessage[]> {
  const keyOf = ({ shop, messageId, receives }: FollowedMessage, later: 0 | 1) =>
    waitingKey(shop, messageId, receives + later);
  const open = followed.filter(({ last }) => !last.ended);
  const entries = await ledger.readMany(open.flatMap((one) => [keyOf(one, 0), keyOf(one, 1)]));
  const waitOf = (one: FollowedMessage, later: 0 | 1) =>
    waitingIn(entries.get(ledgerKeyText(keyOf(one, later)))?.remembered);
  return followed.map((one) => {
    const next = waitOf(one, 1);
    if (next) return { ...one, last: next, receives: one.receives + 1 };
    return { ...one, last: waitOf(one, 0) ?? one.last };
  });
}
