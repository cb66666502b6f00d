import { setTimeout as sleep } from 'node:timers/promises';
import {
  type WaitingMessage,
  type WaitsFor,
  waitingIn,
  waitingKey,
} from '../../../shared/core/batch/waiting.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { isHolding, readPauses } from '../ground/checks/read-pauses.ts';
import {
  readWaiting,
  type WokenMessage,
  wake,
  wokenTexts,
} from '../ground/checks/waiting-messages.ts';
import { shopsOf } from '../ground/session/arguments.ts';
import { openLedger } from '../ground/session/deployment.ts';
import type { Session } from '../ground/session/session.ts';
import { type Document, text } from '../ground/terminal/document.ts';
import { countedWith } from '../ground/terminal/text.ts';
import { type Ended, heldByPause, heldByWait, judgeEnded, resultOf } from './follow-letters.ts';

export interface RetryNowOptions {
  readonly shop?: string;
  readonly queue?: QueueFamily;
  readonly reason?: WaitsFor;
  /** Seconds. */
  readonly wait?: number;
}

/** Longer than an earlier call holds a message back. */
const PATIENCE_SECONDS = 60;

/** Find what waits → record who → end its wait → say what still holds it → follow it to its outcome. */
export async function retryNow(session: Session, options: RetryNowOptions): Promise<Document> {
  const deployment = await session.findDeployment();
  const shops = shopsOf(deployment.connector, options.shop);
  const domains = shops.map(({ domain }) => domain);
  const { queue, reason, wait = PATIENCE_SECONDS } = options;
  const signal = session.interruption('Following no longer; the messages are on their queues.');
  const recorded = await session.beginChange(deployment);
  const found = await readWaiting(deployment, domains, new Date());
  const meant = found.filter(
    (one) =>
      one.waitsFor !== 'planned' &&
      (queue === undefined || one.queue === queue) &&
      (reason === undefined || one.waitsFor === reason),
  );
  const left = found.length - meant.length;
  const others = left === 0 ? [] : [text(`${countedWith(left, 'other message', 'wait')}.`)];
  if (meant.length === 0) {
    recorded.count({ woken: 0 });
    const data = { woken: 0, gone: 0, left, outcomes: {} };
    return { title: 'No such message waits: nothing was changed', blocks: others, data };
  }
  const ledger = openLedger(deployment);
  // Read before: waking ends a pause after refused credentials, and the next refusal begins one that is its outcome.
  const pauses = (await readPauses(ledger, shops, new Date())).filter(
    (pause) => pause.by !== 'service' || pause.why !== 'misconfigured',
  );
  const { woken, gone } = await wake(deployment, meant);
  const pauseOf = (one: WokenMessage) => pauses.find((pause) => isHolding(pause, one));
  const free = woken.filter((one) => !pauseOf(one));
  recorded.count({ woken: free.length, held: woken.length - free.length });
  const texts = wokenTexts(free);
  const progress = session.terminal.progress('tried again', free.length);
  const report = (done: number) => progress.report(done, texts.join(' '));
  const followed = await followWoken(free, ledger, Date.now() + wait * 1_000, signal, report);
  progress.end();
  const ended: readonly Ended[] = [
    ...followed.map(endOf),
    ...woken.flatMap((one): readonly Ended[] => {
      const pause = pauseOf(one);
      return pause ? [{ result: 'underway', held: heldByPause(pause) }] : [];
    }),
    // SQS refuses the receipt handle of a message that was received again, deleted, or is visible.
    ...Array<Ended>(gone).fill({ result: 'gone' }),
  ];
  const { verdict, next, outcomes } = judgeEnded(ended);
  const isOpen = ended.some(({ result, held }) => result === 'underway' && !held);
  return {
    title: 'Try again now what waits',
    verdict,
    blocks: [...(isOpen ? texts.map((words) => text(words)) : []), ...others],
    next,
    data: { woken: woken.length, gone, left, outcomes },
  };
}

function endOf(message: FollowedMessage): Ended {
  const { last } = message;
  if (last.ended) return { result: resultOf(last.ended) };
  return { result: 'underway', ...(waitsAgain(message) && { held: heldByWait(last) }) };
}

interface FollowedMessage extends WokenMessage {
  /** Its newest wait; that of the command itself while no worker has had it since. */
  readonly last: WaitingMessage;
}

const EVERY_MS = 500;

/**
 * Follows messages until each has left its queue, or until none of the others is tried again before `endsAt`. A worker
 * records each new wait, and the end of the last one.
 */
async function followWoken(
  woken: readonly WokenMessage[],
  ledger: Pick<Ledger, 'readMany'>,
  endsAt: number,
  signal: AbortSignal,
  report: (done: number) => void,
): Promise<readonly FollowedMessage[]> {
  let followed = woken.map((one): FollowedMessage => ({ ...one, last: one }));
  for (;;) {
    const keys = followed.flatMap(({ shop, messageId, receives }) => [
      waitingKey(shop, messageId, receives),
      waitingKey(shop, messageId, receives + 1),
    ]);
    const entries = await ledger.readMany(keys);
    const waits = keys.map((key) => waitingIn(entries.get(ledgerKeyText(key))?.remembered));
    followed = followed.map((one, index) => {
      const [known = one.last, next] = waits.slice(2 * index, 2 * index + 2);
      return next ? { ...one, last: next, receives: one.receives + 1 } : { ...one, last: known };
    });
    const open = followed.filter((one) => mayEnd(one, endsAt));
    report(followed.length - open.length);
    if (open.length === 0 || signal.aborted || Date.now() >= endsAt) return followed;
    // Thousands of messages are read less often.
    await sleep(EVERY_MS + open.length, undefined, { signal }).catch(() => {});
  }
}

function mayEnd(one: FollowedMessage, endsAt: number): boolean {
  return !one.last.ended && (!waitsAgain(one) || one.last.until < endsAt);
}

/** It was received since it was woken, and has a new receipt handle. */
const waitsAgain = ({ last, receiptHandle }: FollowedMessage): boolean =>
  !last.ended && last.receiptHandle !== receiptHandle;
