import { setTimeout as sleep } from 'node:timers/promises';
import type { ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import type { WaitingMessage } from '../../../shared/core/batch/waiting.ts';
import {
  batchesOf,
  type EntityKey,
  type QueueDepth,
  queueFamilyOf,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import { isNewer, type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import {
  isHolding,
  type PauseStatus,
  pauseText,
  readPauses,
  resumeSuggestion,
} from '../ground/checks/read-pauses.ts';
import {
  FOR_WHAT,
  MOST_SHOWN_WAITS,
  readWaiting,
  whysText,
} from '../ground/checks/waiting-messages.ts';
import {
  type Hold,
  isResult,
  judgeOutcomes,
  outcomesOf,
  type Result,
} from '../ground/compare/outcomes.ts';
import { openSending, type Portion, type Progress, sendPortions } from '../ground/compare/send.ts';
import { readSummaries } from '../ground/letters/read-letters.ts';
import type { ReplayedLetter } from '../ground/letters/replay-letters.ts';
import { type Deployment, openLedger, openLists } from '../ground/session/deployment.ts';
import { openSourceQueues } from '../ground/session/queues.ts';
import { localUser } from '../ground/session/read-caller.ts';
import type { Session } from '../ground/session/session.ts';
import { STATUS } from '../ground/terminal/document.ts';
import { counted, utcText } from '../ground/terminal/text.ts';

export interface Ended {
  readonly result: Result;
  readonly held?: Hold;
}

export function judgeEnded(ended: readonly Ended[]) {
  const outcomes = outcomesOf(ended.map(({ result }) => result));
  return { outcomes, ...judgeOutcomes(outcomes, ended.find((one) => one.held)?.held) };
}

export interface FollowedLetter extends ReplayedLetter, Ended {
  readonly again?: ListedDeadLetter;
}

export interface FollowDeps {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly depth: QueueDepth;
  /** All dead letters that were parked since then, or more. */
  readonly lettersSince: (since: Date) => Promise<readonly ListedDeadLetter[]>;
  /** What a pause or an outage keeps on its queue for now. */
  readonly holds: (
    pending: readonly ReplayedLetter[],
  ) => Promise<ReadonlyMap<ReplayedLetter, Hold>>;
  readonly by: string;
  readonly signal: AbortSignal;
  readonly onProgress: (ended: number, underway: number, held: Hold | undefined) => void;
  readonly everyMs?: number;
}

const EVERY_MS = 2_000;
const PATIENCE_MS = 15 * 60_000;
const KEYS_AT_ONCE = 500;

/** Of an operator and of AWS. */
const CLOCKS_DIFFER_MS = 15 * 60_000;

/**
 * Follows messages until the queues have let go of them all, or until a pause or an outage holds all that are left; the
 * answer is in the order in which they were sent. An outcome that changes nothing (superseded, unchanged at the same
 * version) leaves no line in the ledger, so the last word is with the queues: what they no longer hold is settled, or is
 * a dead letter again, which is listed before its message leaves.
 */
export async function followReplayed(
  replayed: readonly ReplayedLetter[],
  deps: FollowDeps,
): Promise<readonly FollowedLetter[]> {
  const { everyMs = EVERY_MS, signal } = deps;
  const endMs = performance.now() + PATIENCE_MS;
  const families = [...new Set(replayed.map(({ family }) => family))];
  const outcomes = new Map<ReplayedLetter, Result>();
  const taken = new Set<string>();
  let emptyRounds = 0;
  for (;;) {
    const depths = await Promise.all(families.map((family) => deps.depth.of(family)));
    const depth = depths.reduce((sum, { ready, hidden }) => sum + ready + hidden, 0);
    emptyRounds = depth === 0 ? emptyRounds + 1 : 0;
    await takeOutcomes(replayed, { outcomes, taken }, deps.ledger);
    const again = await findAgain(replayed, deps);
    const isPending = (one: ReplayedLetter) =>
      !again.has(one) && (outcomes.get(one) ?? 'failing') === 'failing';
    const pending = replayed.filter(isPending);
    const held = await deps.holds(pending);
    deps.onProgress(replayed.length - pending.length, depth, [...held.values()][0]);
    const isOver =
      pending.every((one) => held.has(one)) ||
      // SQS counts roughly: only two empty counts in a row are believed.
      emptyRounds >= 2 ||
      signal.aborted ||
      performance.now() >= endMs;
    if (isOver) {
      const otherwise = emptyRounds >= 2 ? 'settled' : 'underway';
      return replayed.map((letter) => {
        const dead = again.get(letter);
        if (dead) return { ...letter, result: 'failing', again: dead };
        const hold = held.get(letter);
        return {
          ...{ ...letter, result: outcomes.get(letter) ?? otherwise },
          ...(hold && { held: hold }),
        };
      });
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {});
  }
}

async function takeOutcomes(
  replayed: readonly ReplayedLetter[],
  { outcomes, taken }: { outcomes: Map<ReplayedLetter, Result>; taken: Set<string> },
  ledger: Pick<Ledger, 'readMany'>,
): Promise<void> {
  const pending = replayed.filter((letter) => letter.key && !outcomes.has(letter));
  for (const some of batchesOf(pending, KEYS_AT_ONCE)) {
    const entries = await ledger.readMany(some.flatMap(({ key }) => key ?? []));
    for (const letter of some) {
      const entity = letter.key ? ledgerKeyText(letter.key) : '';
      if (isNewer(entries, entity)) continue;
      const { redactedAt = 0 } = entries.get(entity) ?? {};
      if (letter.kind === 'customer' && redactedAt >= Date.parse(letter.at)) {
        outcomes.set(letter, 'handled');
        continue;
      }
      // The first since the replay, and each for one dead letter only: of two dead letters of an entity the
      // second often changes nothing, and leaves no line.
      const since = entries
        .get(entity)
        ?.outcomes.find(({ at }) => at >= letter.at && !taken.has(`${at} ${entity}`));
      if (!since) continue;
      taken.add(`${since.at} ${entity}`);
      outcomes.set(letter, resultOf(since.outcome));
    }
  }
}

/** An outcome of a name that this release does not know is one, too. */
export const resultOf = (outcome: string): Result =>
  outcome === 'rejected' ? 'failing' : isResult(outcome) ? outcome : 'settled';

/** Dead letters that carry one of these replays as their last. */
async function findAgain(
  replayed: readonly ReplayedLetter[],
  { lettersSince, by }: FollowDeps,
): Promise<ReadonlyMap<ReplayedLetter, ListedDeadLetter>> {
  const [first = ''] = replayed.map(({ at }) => at).toSorted();
  const letters = await lettersSince(new Date(Date.parse(first) - CLOCKS_DIFFER_MS));
  const open = Map.groupBy(replayed, ({ at, id }) => `${at} ${id}`);
  const again = new Map<ReplayedLetter, ListedDeadLetter>();
  for (const letter of letters) {
    const last = letter.event?.replays?.at(-1);
    const ours = last?.by === by && open.get(`${last.at} ${letter.event?.id}`)?.shift();
    if (ours) again.set(ours, letter);
  }
  return again;
}

/** What is left of them is found by planning again. Few enough that what was sent before an interruption is known. */
const EVENTS_AT_ONCE = 10;

async function* portionsOf(events: readonly StoreEvent[]): AsyncGenerator<Portion<number>> {
  for (const [index, some] of batchesOf(events, EVENTS_AT_ONCE).entries()) {
    const family = queueFamilyOf(some[0]?.kind ?? 'order');
    const take = async (from: number, to: number) => some.slice(from, to);
    yield { family, count: some.length, events: take, next: index + 1 };
  }
}

/** Events of one kind. Not followed where they are not to be, or where the sending was interrupted. */
export async function sendAndFollow(
  session: Pick<Session, 'terminal' | 'interruption'>,
  deployment: Deployment,
  events: readonly StoreEvent[],
  {
    wait = true,
    onSent,
  }: { readonly wait?: boolean | undefined; readonly onSent: (sent: number) => void },
): Promise<{ readonly sent: number; readonly followed: readonly FollowedLetter[] }> {
  const signal = session.interruption();
  const progress = session.terminal.progress('Sending:', events.length);
  const state: Progress<number> = { place: 0, sent: 0, savedAt: '' };
  const { sent } = await sendPortions({ state, revision: 0 }, () => portionsOf(events), {
    ...openSending(deployment, [queueFamilyOf(events[0]?.kind ?? 'order')], signal),
    save: async (_, revision) => revision,
    onProgress(now) {
      onSent(now.sent);
      progress.report(now.sent);
    },
  });
  if (!wait || sent === 0 || sent < events.length) return { sent, followed: [] };
  session.interruption('No longer following; the messages stay on the queue.');
  const asSent = events.map(({ shop, kind, id, receivedAt: at }) => {
    const key = { shop, kind, id } as EntityKey;
    return { family: queueFamilyOf(kind), key, shop, kind, id, at };
  });
  return { sent, followed: await followAll(session, deployment, asSent, signal) };
}

export async function followAll(
  session: Pick<Session, 'terminal'>,
  deployment: Deployment,
  replayed: readonly ReplayedLetter[],
  signal: AbortSignal,
): Promise<readonly FollowedLetter[]> {
  const families = [...new Set(replayed.map(({ family }) => family))];
  const progress = session.terminal.progress('Waiting for outcomes:', replayed.length);
  const followed = await followReplayed(replayed, {
    ...{ by: localUser(), signal, ledger: openLedger(deployment) },
    depth: openSourceQueues(deployment, families).depth,
    lettersSince: (since) =>
      readSummaries(openLists(deployment), new Date(), { since: since.getTime() }),
    holds: (pending) => readHolds(deployment, pending),
    onProgress(ended, underway, held) {
      const waits = held ? `. ${held.what}` : '';
      progress.report(ended, `${counted(underway, 'message')} on the queues${waits}`);
    },
  });
  return followed;
}

/** Those that something holds, such as a pause; undefined of none. */
export async function heldNow(
  deployment: Deployment,
  replayed: readonly ReplayedLetter[],
): Promise<readonly FollowedLetter[] | undefined> {
  const holds = await readHolds(deployment, replayed);
  const held = [...holds].map(
    ([one, hold]) => ({ ...one, result: 'underway', held: hold }) as const,
  );
  return held.length > 0 ? held : undefined;
}

/** Shorter waits are waited for. */
const SHORT_MS = 10_000;

export const heldByPause = (pause: PauseStatus): Hold => ({
  what: `A pause holds what was sent. ${pauseText(pause)}`,
  next: [resumeSuggestion(pause)],
});

export const heldByWait = ({
  waitsFor,
  why,
  until,
}: Pick<WaitingMessage, 'waitsFor' | 'why' | 'until'>): Hold => ({
  what: `Waiting ${FOR_WHAT[waitsFor]}${whysText([why])}; next attempt at ${utcText(until)} UTC`,
  next: [STATUS],
});

/** By the pauses, and by the waits that workers write down. */
async function readHolds(
  deployment: Deployment,
  pending: readonly ReplayedLetter[],
): Promise<ReadonlyMap<ReplayedLetter, Hold>> {
  const now = new Date();
  const shops = [...new Set(pending.map(({ shop }) => shop))];
  const known = deployment.connector.shops.filter(({ domain }) => shops.includes(domain));
  const pauses = await readPauses(openLedger(deployment), known, now);
  const waiting = await readWaiting(deployment, shops, now, MOST_SHOWN_WAITS);
  const holdOf = (letter: ReplayedLetter): Hold | undefined => {
    const pause = pauses.find((one) => isHolding(one, { ...letter, queue: letter.family }));
    if (pause && pause.by !== 'service') return heldByPause(pause);
    const wait = waiting.find(
      ({ shop, about }) =>
        shop === letter.shop && about.kind === letter.kind && about.id === letter.id,
    );
    return wait && wait.until - now.getTime() >= SHORT_MS ? heldByWait(wait) : undefined;
  };
  return new Map(
    pending.flatMap((letter) => {
      const hold = holdOf(letter);
      return hold ? [[letter, hold] as const] : [];
    }),
  );
}
