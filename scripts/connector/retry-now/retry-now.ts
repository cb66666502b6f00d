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
import { openLedger } from '../deployment/deployment.ts';
import { type Document, type Suggestion, text, type Verdict } from '../document/document.ts';
import { line } from '../document/line.ts';
import { pauseText, readPauses, resumeSuggestion } from '../pause/read-pauses.ts';
import {
  FOR_WHAT,
  readWaiting,
  type WokenMessage,
  wake,
  wokenTexts,
} from '../pause/waiting-messages.ts';
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

const DEAD_LETTERS: Suggestion = { label: 'See them', line: line('dead-letters list') };
const STATUS: Suggestion = { label: 'See what waits', line: line('status') };

/** Find what waits → record who → end its wait → say what still holds it → follow it to its outcome. */
export async function retryNow(session: Session, options: RetryNowOptions): Promise<Document> {
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
  const left = found.length - meant.length;
  const others = left === 0 ? [] : [text(`${counted(left, 'other')} wait.`)];
  if (meant.length === 0) {
    const data = { woken: 0, gone: 0, left, pauses: [] };
    return { title: 'No such message waits: nothing was changed', blocks: others, data };
  }
  const ledger = openLedger(deployment);
  // Read before: waking ends a pause after refused credentials, and the next refusal begins one that is its outcome.
  const pauses = (await readPauses(ledger, shops, new Date())).filter(
    (pause) => pause.by === 'operator' || pause.why !== 'misconfigured',
  );
  const { woken, gone } = await wake(deployment, meant);
  recorded.count({ woken: woken.length });
  const free = woken.filter(({ shop }) => !pauses.some((pause) => pause.shop === shop));
  const ends =
    signal && endsOf(await followWoken(free, { ledger, patienceMs: wait * 1_000, signal }));
  const held = woken.length - free.length;
  return {
    title: 'Try again now what waits',
    ...(ends && { verdict: verdictOf(ends, held, new Date()) }),
    blocks: [
      ...wokenTexts(woken).map((one) => text(one)),
      ...(gone > 0 ? [text(`${counted(gone, 'other')} had been tried or settled meanwhile.`)] : []),
      ...(pauses.length > 0
        ? [
            {
              ...({ kind: 'findings', title: 'They wait on, because the shop is paused' } as const),
              findings: pauses.map((pause) => ({
                ...({ tone: 'waits', what: pauseText(pause) } as const),
                next: [resumeSuggestion(pause)],
              })),
            } as const,
          ]
        : []),
      ...others,
    ],
    next: nextOf(ends),
    data: { woken: woken.length, gone, left, pauses, ...(ends && { ends }) },
  };
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

/** `held`: those that a pause of their shop holds. */
function verdictOf(ends: Ends, held: number, now: Date): Verdict {
  const { sent, notNeeded, deadLetters, waiting, noOutcome } = ends;
  const again = waiting.map(({ messages, waitsFor, whys, nextTry }) => {
    const inTime = spanText(Math.max(Date.parse(nextTry) - now.getTime(), 0));
    return `${messages} ${messages === 1 ? 'waits' : 'wait'} again ${FOR_WHAT[waitsFor]} (${whys.join(', ')}), next try in ${inTime}`;
  });
  const parts = [
    sent > 0 && `${sent} sent`,
    notNeeded > 0 && `${notNeeded} without anything to send`,
    deadLetters > 0 && `${deadLetters} refused, now dead letters`,
    held > 0 && `${held} held by a pause`,
    noOutcome > 0 && `${noOutcome} without an outcome yet`,
    ...again,
  ].filter((part) => part !== false);
  const isOver = waiting.length === 0 && noOutcome + held === 0;
  const kind = deadLetters > 0 ? 'action required' : isOver ? 'well' : 'waits';
  return { kind, what: `${parts.join('; ') || 'All had left their queues before'}.` };
}

function nextOf(ends: Ends | undefined): readonly Suggestion[] {
  if (ends && ends.deadLetters > 0) return [DEAD_LETTERS];
  const isOpen = !ends || ends.waiting.length + ends.noOutcome > 0;
  return isOpen ? [STATUS] : [];
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
