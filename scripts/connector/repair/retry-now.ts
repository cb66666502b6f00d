import { setTimeout as sleep } from 'node:timers/promises';
import {
  type WaitingMessage,
  type WaitsFor,
  waitingIn,
  waitingKey,
} from '../../../shared/core/batch/waiting.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { isHolding, readPauses, shownPause } from '../ground/checks/read-pauses.ts';
import {
  FOR_WHAT,
  readWaiting,
  type WokenMessage,
  wake,
  whysText,
  wokenTexts,
} from '../ground/checks/waiting-messages.ts';
import { shopsOf } from '../ground/session/arguments.ts';
import { openLedger } from '../ground/session/deployment.ts';
import type { Session } from '../ground/session/session.ts';
import { type Document, type Suggestion, text, type Verdict } from '../ground/terminal/document.ts';
import { line } from '../ground/terminal/line.ts';
import { countedWith } from '../ground/terminal/text.ts';

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
    const data = { woken: 0, gone: 0, left, pauses: [] };
    return { title: 'No such message waits: nothing was changed', blocks: others, data };
  }
  const ledger = openLedger(deployment);
  // Read before: waking ends a pause after refused credentials, and the next refusal begins one that is its outcome.
  const pauses = (await readPauses(ledger, shops, new Date())).filter(
    (pause) => pause.by !== 'service' || pause.why !== 'misconfigured',
  );
  const { woken, gone } = await wake(deployment, meant);
  const holding = pauses.filter((pause) => woken.some((one) => isHolding(pause, one)));
  const free = woken.filter((one) => !holding.some((pause) => isHolding(pause, one)));
  const held = woken.length - free.length;
  recorded.count({ woken: free.length, held });
  const texts = wokenTexts(free);
  const progress = session.terminal.progress('tried again', free.length);
  const report = (done: number) => progress.report(done, texts.join(' '));
  const followed = await followWoken(free, ledger, Date.now() + wait * 1_000, signal, report);
  progress.end();
  const ends = [
    ...endsOf(followed),
    ...Array<End>(held).fill(HELD),
    ...Array<End>(gone).fill(GONE),
  ];
  const pausesBlock = { kind: 'findings', findings: holding.map(shownPause) } as const;
  return {
    title: 'Try again now what waits',
    verdict: verdictOf(ends),
    blocks: [
      ...(held > 0 ? [pausesBlock] : []),
      ...(ends.includes(OPEN) ? texts.map((words) => text(words)) : []),
      ...others,
    ],
    next: [
      ...(ends.some(({ tone }) => tone === 'bad') ? [LETTERS] : []),
      ...(ends.some(({ tone }) => tone !== 'well') ? [STATUS] : []),
    ],
    data: { woken: woken.length, gone, left, pauses: holding, ends: countedEnds(ends) },
  };
}

const LETTERS: Suggestion = { label: 'See why they were refused', line: line('dead-letters list') };
const STATUS: Suggestion = { label: 'See what waits, and what is wrong', line: line('status') };

/** What became of one entity: the worst or, if all is well, the most that was done. */
interface End {
  /** `bad`: it is a dead letter now. `waits`: it is still on its queue. */
  readonly tone: 'bad' | 'unknown' | 'waits' | 'well';
  readonly what: string;
}

/** SQS refuses the receipt handle of a message that was received again, deleted, or is visible. */
const GONE: End = {
  tone: 'unknown',
  what: 'received or finished meanwhile, with an outcome that is not known',
};
const HELD: End = { tone: 'waits', what: 'held by a pause' };
const OPEN: End = { tone: 'waits', what: 'without an outcome yet' };
const SENT: End = { tone: 'well', what: 'sent' };
const DONE: End = { tone: 'well', what: 'done' };
const NOTHING: End = { tone: 'well', what: 'without anything to send' };

/** A change that is settled with a later one of the same entity has nothing to send itself. */
function endsOf(followed: readonly FollowedMessage[]): readonly End[] {
  const entities = Map.groupBy(followed, ({ shop, about }) => `${shop} ${about.kind} ${about.id}`);
  return [...entities.values()].map((messages) => {
    const ends = messages.map(endOf);
    const ofTone = (tone: End['tone']) => ends.find((one) => one.tone === tone);
    const isWell = ends.every(({ tone }) => tone === 'well');
    const best = [SENT, DONE].find((one) => ends.includes(one)) ?? NOTHING;
    return isWell ? best : (ofTone('bad') ?? ofTone('unknown') ?? ofTone('waits') ?? best);
  });
}

function endOf(message: FollowedMessage): End {
  const { ended, waitsFor, why } = message.last;
  switch (ended) {
    case 'applied':
      return SENT;
    case 'handled':
      return DONE;
    case 'rejected':
      return { tone: 'bad', what: 'refused: now in the dead letters' };
    case undefined: {
      const again = `tried, waiting again ${FOR_WHAT[waitsFor]}${whysText([why])}`;
      return waitsAgain(message) ? { tone: 'waits', what: again } : OPEN;
    }
    default:
      return NOTHING;
  }
}

function countedEnds(ends: readonly End[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(ends, ({ what }) => what);
  return Object.fromEntries([...groups].map(([what, some]) => [what, some.length]));
}

function verdictOf(ends: readonly End[]): Verdict {
  const parts = Object.entries(countedEnds(ends)).map(([what, many]) => `${many} ${what}`);
  const what = `${parts.join('; ')}.`;
  const has = (tone: End['tone']) => ends.some((one) => one.tone === tone);
  if (has('bad')) return { kind: 'action required', what };
  if (has('unknown')) return { kind: 'not known', what };
  return { kind: has('waits') ? 'waits' : 'well', what };
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
