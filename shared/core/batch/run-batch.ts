import type { DecodedEvent } from '../events/decode-event.ts';
import { isStoreEvent, type StoreEvent } from '../events/event.ts';
import type { ReceivedMessage } from '../events/queues.ts';
import type { Ledger, LedgerEntry } from '../ledger/ledger.ts';
import { ledgerKeyText } from '../ledger/ledger-key.ts';
import type { EventReading } from '../sync/store-reader.ts';
import { type DelayWorld, delayMessages } from './delay-messages.ts';
import type { Item } from './item.ts';
import { outOfTime } from './out-of-time.ts';
import type { RetryReason } from './outcome.ts';
import { AFTER_UNKNOWN_OUTCOME } from './retry-policy.ts';
import { entityKeyOf, type GroupWork, settleGroup } from './settle-group.ts';
import { correlationOf, errorFields } from './telemetry.ts';

export interface BatchWorld extends GroupWork, DelayWorld {
  readonly decode: (text: string) => DecodedEvent;
  readonly ledger: Ledger;
  /** How many groups are worked on side by side. */
  readonly parallel: number;
  /** Fires early enough before the function's time-out to hand everything back in order. */
  readonly deadline: AbortSignal;
}

/**
 * Works on one batch and returns the ids of the messages that stay on the queue.
 *
 * Groups (entities) are independent: they run side by side and one never affects another. Whatever
 * fails, a group ends in one of two ways: its messages are settled, or all that are left of it are
 * delayed together.
 */
export async function runBatch(
  messages: readonly ReceivedMessage[],
  world: BatchWorld,
): Promise<readonly string[]> {
  const groups = await decodeIntoGroups(messages, world);
  const entries = await readLedger(groups, world);
  const left: string[] = [];
  const waiting = [...groups];

  async function work(): Promise<void> {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const { unsettled, retry } = await workOnGroup(group, entries, world);
      if (retry) left.push(...(await delayMessages(unsettled, retry, world)));
    }
  }
  await Promise.all(Array.from({ length: Math.min(world.parallel, groups.length) }, work));
  return left;
}

async function decodeIntoGroups(
  messages: readonly ReceivedMessage[],
  world: BatchWorld,
): Promise<readonly (readonly Item[])[]> {
  const groups = new Map<string, Item[]>();
  for (const message of messages) {
    const decoded = world.decode(message.body);
    const group = groups.get(message.groupId) ?? [];
    groups.set(message.groupId, group);
    group.push(
      decoded.kind === 'event' && isStoreEvent(decoded.event)
        ? { message, event: decoded.event, reading: readEvent(decoded.event, world) }
        : { message, event: undefined, reading: { kind: 'unreadable', why: whyOf(decoded) } },
    );
  }
  return [...groups.values()];
}

const whyOf = (decoded: DecodedEvent): string =>
  decoded.kind === 'unreadable' ? decoded.why : 'it belongs on another queue';

/** A bug in a reader costs its message a person's look, and the other groups of the batch nothing. */
function readEvent(event: StoreEvent, { read, telemetry }: BatchWorld): EventReading {
  try {
    return read(event);
  } catch (error) {
    telemetry.count('crash');
    telemetry.log('error', 'reading an event broke off', {
      ...correlationOf(event),
      ...errorFields(error),
    });
    return { kind: 'unreadable', why: 'reading it broke off: a fault of the connector' };
  }
}

/** Undefined when the ledger cannot be read: then nothing can be decided for any group. */
async function readLedger(
  groups: readonly (readonly Item[])[],
  world: BatchWorld,
): Promise<ReadonlyMap<string, LedgerEntry> | undefined> {
  const keys = groups.flatMap((group) => {
    const key = entityKeyOf(group);
    return key ? [key] : [];
  });
  if (keys.length === 0) return new Map();
  try {
    return await world.ledger.readMany(keys);
  } catch (error) {
    world.telemetry.log('error', 'the ledger could not be read', errorFields(error));
    return undefined;
  }
}

async function workOnGroup(
  group: readonly Item[],
  entries: ReadonlyMap<string, LedgerEntry> | undefined,
  world: BatchWorld,
): Promise<{ readonly unsettled: readonly Item[]; readonly retry?: RetryReason }> {
  if (!entries) return { unsettled: group, retry: { why: 'ledger-unavailable' } };
  if (world.deadline.aborted) return { unsettled: group, retry: { why: 'out-of-time' } };
  const key = entityKeyOf(group);
  const unsettled = new Set(group);
  try {
    const work = settleGroup(group, key && entries.get(ledgerKeyText(key)), unsettled, world);
    const retry = await Promise.race([work, outOfTime(world.deadline)]);
    return retry ? { unsettled: [...unsettled], retry } : { unsettled: [] };
  } catch (error) {
    // Broken infrastructure, or a bug: caught here and nowhere else.
    world.telemetry.count('crash');
    const event = group.find((item) => item.event)?.event;
    world.telemetry.log('error', 'work on a group broke off', {
      ...(event && correlationOf(event)),
      ...errorFields(error),
    });
    return {
      unsettled: [...unsettled],
      retry: { why: 'broke-off', afterSeconds: AFTER_UNKNOWN_OUTCOME },
    };
  }
}
