import { setTimeout as sleep } from 'node:timers/promises';
import {
  type WaitingMessage,
  type WaitsFor,
  waitingIn,
  waitingKey,
} from '../../../shared/core/batch/waiting.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { shopsOf } from '../arguments.ts';
import { nextCommand, openLedger } from '../deployment/deployment.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { pauseText, readPauses, resumeText } from '../pause/read-pauses.ts';
import { FOR_WHAT, readWaiting, type WokenMessage, wake } from '../pause/waiting-messages.ts';
import type { Session } from '../session.ts';
import { counted, spanText } from '../terminal/text.ts';

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
export async function retryNow(session: Session, options: RetryNowOptions): Promise<ExitCode> {
  const { terminal, json } = session;
  const deployment = await session.findDeployment();
  const shops = shopsOf(deployment.connector, options.shop);
  const { queue, reason, wait = PATIENCE_SECONDS } = options;
  const signal =
    wait > 0
      ? session.interruption('Following no longer; the messages are on their queues.')
      : undefined;
  const recorded = await session.beginChange(deployment);
  const found = await readWaiting(
    deployment,
    shops.map(({ domain }) => domain),
    new Date(),
  );
  const meant = found.filter(
    (one) =>
      (queue === undefined || one.queue === queue) &&
      (reason === undefined || one.waitsFor === reason),
  );
  if (meant.length === 0) {
    const others = found.length === 0 ? '' : ` ${counted(found.length, 'other')} wait.`;
    if (json) terminal.json({ woken: 0, gone: 0, left: found.length, pauses: [] });
    else terminal.line(`No such message waits.${others}`);
    return EXIT.fine;
  }
  const ledger = openLedger(deployment);
  // Read before: waking ends a pause after refused credentials, and the next refusal begins one that is its outcome.
  const pauses = (await readPauses(ledger, shops, new Date())).filter(
    (pause) => pause.by === 'operator' || pause.why !== 'misconfigured',
  );
  const { woken, gone } = await wake(deployment, meant);
  recorded.count({ woken: woken.length });
  if (!json) {
    for (const line of wokenTexts(woken)) terminal.line(line);
    if (gone > 0) terminal.line(`${counted(gone, 'other')} had been tried or settled meanwhile.`);
    for (const pause of pauses) {
      terminal.line(`They wait on, because the shop is paused. ${pauseText(pause)}`);
      terminal.line(`  ${nextCommand(deployment, resumeText(pause))}`);
    }
  }
  const free = woken.filter(({ shop }) => !pauses.some((pause) => pause.shop === shop));
  const followed = signal
    ? await followWoken(free, { ledger, patienceMs: wait * 1_000, signal })
    : [];
  const ends = endsOf(followed);
  if (json) {
    const left = found.length - meant.length;
    terminal.json({ woken: woken.length, gone, left, pauses, ...(signal && { ends }) });
  } else {
    for (const line of endTexts(ends, new Date())) terminal.line(line);
    const isOpen = !signal || !isAllOver(ends);
    const look = ends.deadLetters > 0 ? 'dead-letters list' : isOpen && 'status --watch';
    if (look && pauses.length === 0) {
      terminal.line(`Next, look: ${nextCommand(deployment, look)}`);
    }
  }
  if (ends.deadLetters > 0) return EXIT.failed;
  return isAllOver(ends) && free.length === woken.length ? EXIT.fine : EXIT.waiting;
}

/**
 * `11 messages are tried again now: orders 9, coupons 2.` And those that a call without an answer holds back.
 */
export function wokenTexts(woken: readonly WokenMessage[], when = 'now'): readonly string[] {
  const byQueue = [...Map.groupBy(woken, ({ queue }) => queue)];
  const parts = byQueue.map(([queue, messages]) => `${queue} ${messages.length}`);
  const list = parts.length === 0 ? '' : `: ${parts.join(', ')}`;
  const are = woken.length === 1 ? 'is' : 'are';
  const text = `${counted(woken.length, 'message')} ${are} tried again ${when}${list}.`;
  const late = woken.filter(({ isHeldBack }) => isHeldBack);
  if (late.length === 0) return [text];
  const longest = Math.max(...late.map(({ inSeconds }) => inSeconds));
  const rest = `${late.length} of them in up to ${longest} s: the last call had no answer, and the service may still execute it, after a newer one.`;
  return [text, rest];
}

/** What became of the messages, by number. */
interface Ends {
  readonly sent: number;
  /** They left the queue, and nothing had to be sent. */
  readonly notNeeded: number;
  readonly deadLetters: number;
  /** They were tried, and wait again. */
  readonly waiting: readonly {
    readonly messages: number;
    readonly waitsFor: WaitsFor;
    readonly whys: readonly string[];
    /** ISO 8601. */
    readonly nextTry: string;
  }[];
  /** No worker has ended its work on them. */
  readonly noOutcome: number;
}

function endsOf(followed: readonly FollowedMessage[]): Ends {
  const ended = followed.flatMap(({ last }) => last.ended ?? []);
  const sent = ended.filter((how) => how === 'applied').length;
  const deadLetters = ended.filter((how) => how === 'rejected').length;
  const again = followed.filter(waitsAgain).map(({ last }) => last);
  const waiting = [...Map.groupBy(again, ({ waitsFor }) => waitsFor)].map(([waitsFor, some]) => ({
    ...{ messages: some.length, waitsFor, whys: [...new Set(some.map(({ why }) => why))] },
    nextTry: new Date(Math.min(...some.map(({ until }) => until))).toISOString(),
  }));
  return {
    ...{ sent, deadLetters, notNeeded: ended.length - sent - deadLetters, waiting },
    noOutcome: followed.length - ended.length - again.length,
  };
}

const isAllOver = ({ waiting, noOutcome }: Ends): boolean =>
  waiting.length === 0 && noOutcome === 0;

function endTexts(ends: Ends, now: Date): readonly string[] {
  const { sent, notNeeded, deadLetters, waiting, noOutcome } = ends;
  const parts = [
    sent > 0 && `${sent} sent`,
    notNeeded > 0 && `${notNeeded} without anything to send`,
    deadLetters > 0 && `${deadLetters} refused, now dead letters`,
    noOutcome > 0 && `${noOutcome} without an outcome yet`,
  ].filter((part) => part !== false);
  return [
    ...(parts.length > 0 ? [`${parts.join(', ')}.`] : []),
    ...waiting.map(({ messages, waitsFor, whys, nextTry }) => {
      const wait = messages === 1 ? 'waits' : 'wait';
      const inTime = spanText(Math.max(Date.parse(nextTry) - now.getTime(), 0));
      return `${counted(messages, 'message')} ${wait} again ${FOR_WHAT[waitsFor]} (${whys.join(', ')}), next try in ${inTime}.`;
    }),
  ];
}

interface FollowDeps {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

interface FollowedMessage extends WokenMessage {
  /** Its newest wait; that of the command itself while no worker has had it since. */
  readonly last: WaitingMessage;
}

const EVERY_MS = 500;

/**
 * Follows messages until each has left its queue, or until none of the others is tried again within the patience.
 * A worker records each new wait, and the end of the last one.
 */
async function followWoken(
  woken: readonly WokenMessage[],
  { ledger, patienceMs, signal }: FollowDeps,
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
const waitsAgain = ({ last, receiptHandle }: FollowedMessage): boolean =>
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
