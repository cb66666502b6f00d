import type { ShopLoad } from '../calls/shop-load.ts';
import { waitFor } from '../calls/shop-pause.ts';
import { decodeEvent } from '../events/decode-event.ts';
import {
  correlationOf,
  groupIdOf,
  type QueuedEvent,
  type ReceivedMessage,
} from '../events/event.ts';
import {
  AFTER_UNKNOWN_OUTCOME_SECONDS,
  type Outcome,
  type RetryReason,
} from '../events/outcome.ts';
import { errorFields } from '../events/telemetry.ts';
import {
  isNewer,
  type Ledger,
  type LedgerEntry,
  type LedgerKey,
  ledgerKeyText,
  NewerItem,
} from '../ledger/ledger.ts';
import { type ConcludeDeps, type DelayDeps, delayMessages, parkMessage } from './delay-or-park.ts';
import { type Item, lastWaitKey, recordEnd, underWayUntil, waitingIn } from './waiting.ts';

/** The messages of a batch with the same group id: one entity, task, customer or redemption. */
export interface Group {
  readonly items: readonly Item[];
  /** Those that must stay on the queue so far. */
  readonly unsettled: Set<Item>;
}

export type Settle<Deps> = (groups: readonly Group[], deps: Deps) => Settling;

interface Settling {
  /** What the work needs of the ledger; read once for all groups. */
  readonly keys: readonly LedgerKey[];
  /**
   * Called with the groups that need not wait, and again with those of busy shops that got their place. Returns the work
   * on one group: it takes from `unsettled` what may leave the queue, and returns why the rest must stay, if it must.
   */
  begin(groups: readonly Group[], entries: ReadonlyMap<string, LedgerEntry>): Work;
}

type Work = (group: Group) => Promise<RetryReason | undefined>;

interface BatchDeps extends DelayDeps {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  /** How many groups of a shop are worked on side by side, and whether they may be now. */
  readonly load: Pick<ShopLoad, 'parallelOf' | 'enter'>;
  /** Fires early enough before the function's time-out to delay what is unfinished. */
  readonly deadline: AbortSignal;
}

/**
 * Works on one batch and returns the ids of the messages that stay on the queue.
 *
 * Groups are independent: they run side by side and one never affects another. A group ends in one of two
 * ways, also when something fails: its messages are settled, or those that are left are delayed together.
 */
export async function runBatch<Deps>(
  messages: readonly ReceivedMessage[],
  deps: BatchDeps & NoInfer<Deps>,
  settle: Settle<Deps>,
): Promise<readonly string[]> {
  const groups = groupMessages(messages);
  const shops = Map.groupBy(groups, (group) => shopOf(group) ?? '');
  const counts = new Map([...shops].map(([shop, own]) => [shop, own.length]));
  const visit = deps.load.enter(counts);
  const left: string[] = [];

  async function putOff(waiting: readonly Group[], retry: RetryReason): Promise<void> {
    const stay = waiting.flatMap(({ unsettled }) => [...unsettled]);
    // Work that the deadline abandoned may still go on; it no longer changes which messages stay.
    for (const { unsettled } of waiting) unsettled.clear();
    left.push(...(await delayMessages(stay, retry, deps)));
  }
  const beginning = begin(
    groups.filter((group) => !hasNewer(group)),
    { ...deps, visit, putOff },
    settle,
  );
  const settleGroup: Work = async (group) => (await beginning)(group);

  async function work(waiting: Group[]): Promise<void> {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const retry = await workInTime(group, settleGroup, deps);
      if (retry) await putOff([group], retry);
    }
  }
  // Each shop has its own share: a call does not wait for those of a slower service.
  const all = [...shops].flatMap(([shop, waiting]) => {
    const parallel = Math.min(deps.load.parallelOf(shop), waiting.length);
    return Array.from({ length: parallel }, () => work(waiting));
  });
  await Promise.all(all);
  await visit.leave();
  return left;
}

function groupMessages(messages: readonly ReceivedMessage[]): readonly Group[] {
  const groups = new Map<string, Item[]>();
  for (const message of messages) {
    const item = readItem(message);
    // The event's own group where there is one: SQS's redrive sends dead letters back in other groups.
    const id = item.event ? groupIdOf(item.event) : message.groupId;
    const group = groups.get(id) ?? [];
    groups.set(id, group);
    group.push(item);
  }
  return [...groups.values()].map((items) => ({ items, unsettled: new Set(items) }));
}

function readItem(message: ReceivedMessage): Item {
  const decoded = decodeEvent(message.body);
  switch (decoded.kind) {
    case 'event':
      return { message, event: decoded.event };
    case 'unreadable':
      return { message, event: undefined, unreadable: decoded.why };
    case 'newer':
      return { message, event: undefined, unreadable: decoded.why, newer: { age: decoded.age } };
  }
}

/** One of its messages was written by a newer release: all wait, in their order, for a worker that reads it. */
function hasNewer({ items }: Group): boolean {
  return items.some((item) => !item.event && item.newer);
}

async function workInTime(
  group: Group,
  settleGroup: Work,
  { deadline, telemetry }: BatchDeps,
): Promise<RetryReason | undefined> {
  if (hasNewer(group)) return { why: 'newer-release' };
  if (deadline.aborted) return { why: 'out-of-time' };
  try {
    return await Promise.race([settleGroup(group), outOfTime(deadline)]);
  } catch (error) {
    if (error instanceof NewerItem) return { why: 'newer-release' };
    // Broken infrastructure, or a bug: caught here and nowhere else.
    telemetry.count('crash');
    const event = group.items.find((item) => item.event)?.event;
    telemetry.log('error', 'work on a group broke off', {
      ...(event && correlationOf(event)),
      ...errorFields(error),
    });
    return { why: 'broke-off', afterSeconds: AFTER_UNKNOWN_OUTCOME_SECONDS, mayHaveHappened: true };
  }
}

/** The abandoned work may still be calling: its messages wait as after any time-out. */
function outOfTime(deadline: AbortSignal): Promise<RetryReason> {
  const unknown = { afterSeconds: AFTER_UNKNOWN_OUTCOME_SECONDS, mayHaveHappened: true };
  return new Promise((resolve) => {
    const give = () => resolve({ why: 'out-of-time', ...unknown });
    deadline.addEventListener('abort', give, { once: true });
  });
}

interface BeginDeps {
  readonly visit: ReturnType<ShopLoad['enter']>;
  /** All of them together. */
  readonly putOff: (groups: readonly Group[], retry: RetryReason) => Promise<void>;
}

/**
 * One read for all groups, with the shops' control records and the last waits. A group of a paused shop only
 * waits, and one for which an earlier call may still be executed: a person may have ended its wait. So does one of a
 * busy shop that holds its share of the workers.
 */
async function begin<Deps>(
  groups: readonly Group[],
  deps: BatchDeps & BeginDeps & Deps,
  settle: Settle<Deps>,
): Promise<Work> {
  const { ledger, pauses, telemetry, now, visit } = deps;
  // Of what waits anyway nothing is read but a last wait: a backlog must be put off faster than it comes.
  const served = groups.filter((group) => !visit.refused.has(shopOf(group) ?? ''));
  const shops = shopsOf(served);
  const settling = settle(served, deps);
  let entries: ReadonlyMap<string, LedgerEntry>;
  try {
    const waits = groups.flatMap(({ items }) => items.flatMap((item) => lastWaitKey(item) ?? []));
    const controls = [...shops].map(pauses.keyOf);
    entries = await ledger.readMany([...controls, ...waits, ...visit.keys, ...settling.keys]);
  } catch (error) {
    telemetry.log('error', 'the ledger could not be read', errorFields(error));
    return async () => ({ why: 'ledger-unavailable' });
  }
  // First: a control record of a newer release ends the work on the batch here.
  for (const { items } of groups) for (const item of items) learnLastWait(item, entries);
  pauses.learn(shops, entries, now());
  const pauseOf = (group: Group) => {
    const shop = shopOf(group);
    const pause = shop === undefined ? undefined : pauses.of(shop, now());
    return pause && waitFor(pause, now());
  };
  // Decided once: what was not begun cannot be worked on when its wait is over meanwhile.
  const held = new Map(
    groups.flatMap((group) => {
      const retry = pauseOf(group) ?? callUnderWay(group, entries, now());
      return retry ? [[group, retry] as const] : [];
    }),
  );
  const others = groups.filter((group) => !held.has(group));
  const needPlace = new Set(
    others.filter((group) => visit.needsPlace(shopOf(group) ?? '', entries)),
  );
  // First, so that no shop waits for the place of another one.
  const work = settling.begin(
    others.filter((group) => !needPlace.has(group)),
    entries,
  );
  const placed = beginWithPlaces([...needPlace]);
  return async (group) => {
    if (needPlace.has(group)) return (await placed)(group);
    return held.get(group) ?? pauseOf(group) ?? work(group);
  };

  async function beginWithPlaces(asking: readonly Group[]): Promise<Work> {
    const refused = await visit.take(shopsOf(asking), entries, deps.source.isCrowded);
    const busy = new Set(asking.filter((group) => refused.has(shopOf(group) ?? '')));
    const putOff = busy.size > 0 ? deps.putOff([...busy], { why: 'shop-busy' }) : undefined;
    const work = settling.begin(
      asking.filter((group) => !busy.has(group)),
      entries,
    );
    return async (group) => {
      if (!busy.has(group)) return pauseOf(group) ?? work(group);
      await putOff;
      return undefined;
    };
  }
}

function learnLastWait(item: Item, entries: ReadonlyMap<string, LedgerEntry>): void {
  const key = lastWaitKey(item);
  if (!key || isNewer(entries, ledgerKeyText(key))) return;
  const entry = entries.get(ledgerKeyText(key));
  const waiting = waitingIn(entry?.remembered);
  if (entry && waiting) item.lastWait = { waiting, revision: entry.revision };
}

function callUnderWay(
  { items }: Group,
  entries: ReadonlyMap<string, LedgerEntry>,
  now: Date,
): RetryReason | undefined {
  const keys = items.flatMap((item) => lastWaitKey(item) ?? []);
  if (keys.some((key) => isNewer(entries, ledgerKeyText(key)))) {
    // It may say that a call is under way.
    return { why: 'newer-release', afterSeconds: AFTER_UNKNOWN_OUTCOME_SECONDS };
  }
  const afterSeconds = Math.ceil((underWayUntil(items) - now.getTime()) / 1_000);
  return afterSeconds > 0 ? { why: 'call-under-way', afterSeconds } : undefined;
}

const shopsOf = (groups: readonly Group[]) =>
  new Set(groups.flatMap((group) => shopOf(group) ?? []));

function shopOf({ items }: Group): string | undefined {
  return items.find(({ event }) => event)?.event?.shop;
}

/**
 * Reports the outcome and parks a rejected message: the only place that decides what an outcome means for the
 * message. Removes it from `unsettled` once it may leave the queue; returns why it must stay, if it must. What stays is
 * delayed, or parked after too long: `delayMessages`.
 */
export async function conclude(
  item: Item,
  outcome: Outcome,
  unsettled: Set<Item>,
  deps: ConcludeDeps,
): Promise<RetryReason | undefined> {
  switch (outcome.kind) {
    case 'retry':
      return outcome;
    case 'rejected':
      // The deadline abandoned this work: the message was handed back, and the next worker judges it.
      if (!unsettled.has(item)) return undefined;
      if (!(await parkMessage(item, outcome, deps))) {
        return { why: 'dead-letter-queue-unavailable' };
      }
      unsettled.delete(item);
      return undefined;
    case 'applied':
    case 'unchanged':
    case 'superseded':
    case 'skipped':
    case 'handled':
      if (item.event) reportEnd(item.event, item, outcome, deps);
      unsettled.delete(item);
      await recordEnd(item, outcome.kind, deps);
      return undefined;
  }
}

/** One after the other, until one must stay. */
export async function settleEach(
  { items, unsettled }: Group,
  work: (item: Item) => Outcome | Promise<Outcome>,
  deps: ConcludeDeps,
): Promise<RetryReason | undefined> {
  for (const item of items) {
    const retry = await conclude(item, await work(item), unsettled, deps);
    if (retry) return retry;
  }
  return undefined;
}

function reportEnd(
  event: QueuedEvent,
  { message: { messageId, attempts }, lastWait }: Item,
  outcome: Exclude<Outcome, { kind: 'retry' | 'rejected' }>,
  { telemetry, now }: ConcludeDeps,
): void {
  telemetry.count(outcome.kind, {
    kind: event.kind,
    ...(outcome.kind === 'skipped' && { why: outcome.why }),
    ...(outcome.kind === 'handled' && { why: outcome.how }),
  });
  telemetry.log('info', outcome.kind, {
    ...correlationOf(event),
    ...(outcome.kind === 'skipped' && { why: outcome.why }),
    ...(outcome.kind === 'handled' && { how: outcome.how }),
    ...(outcome.kind === 'applied' && {
      ...{ calls: outcome.calls.join(','), state: outcome.state, again: outcome.again },
    }),
    // One that waited: by its id, `audit` finds how long.
    ...(attempts > 1 && { messageId }),
  });
  const happened = happenedAt(event);
  // A person held it, not the connector.
  const wasHeld = event.replays !== undefined || lastWait?.waiting.waitsFor === 'paused';
  if (outcome.kind === 'applied' && Number.isFinite(happened) && !wasHeld) {
    telemetry.count('latency-ms', { kind: event.kind }, now().getTime() - happened);
  }
}

/** NaN when the event does not say. */
function happenedAt(event: QueuedEvent): number {
  return 'triggeredAt' in event ? Date.parse(event.triggeredAt ?? '') : Number.NaN;
}
