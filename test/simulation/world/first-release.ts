import type { MemoryLedger } from '../../../local/harness/memory-ledger.ts';
import { encodeEvent } from '../../../shared/core/events/encode-event.ts';
import { isStoreEvent, type QueuedEvent } from '../../../shared/core/events/event.ts';
import type { EntityEntry } from '../../../shared/core/ledger/ledger.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger-key.ts';
import { meaningOf } from '../../../shared/shopify/webhooks/topics.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SHOP } from './connector.ts';
import type { LivingStore } from './living-store.ts';
import type { Queues } from './queues.ts';

interface FirstReleaseWorld {
  readonly kernel: Kernel;
  readonly queues: Queues;
  readonly store: LivingStore;
  readonly ledger: Pick<MemoryLedger, 'entries'>;
}

/**
 * In some runs the program began under 0.1.0 and is upgraded at this moment. Until then messages have the form of
 * 0.1.0, and at this moment the ledger loses what 0.1.0 did not keep. Returns the orders that lost something: what was
 * refunded of them without a line may count as ignored by 0.1.0.
 */
export function upgradeFromFirstRelease(
  upgradeAt: number,
  { kernel, queues, store, ledger }: FirstReleaseWorld,
): ReadonlySet<string> {
  const { time, journal } = kernel;
  const upgraded = new Set<string>();
  journal.play('upgrade from 0.1.0');
  queues.encode = encodeAsFirstRelease;
  time.at(upgradeAt, () => {
    journal.note(upgradeAt, () => 'a person upgrades from 0.1.0');
    queues.encode = encodeEvent;
    const entries = ledger.entries as Map<string, EntityEntry>;
    for (const { id, refunds } of store.world.rows.orders.values()) {
      const text = ledgerKeyText({ shop: SHOP, kind: 'order', id });
      const entry = entries.get(text);
      // 0.1.0 took no part of an order back.
      if (!entry || refunds.length > 0 || entry.amounts?.step || entry.amounts?.taken) continue;
      entries.set(text, asFirstRelease(entry));
      upgraded.add(id);
    }
  });
  return upgraded;
}

/** It kept neither amounts nor a revision of the rules. */
function asFirstRelease({ amounts: _, rules: __, ...kept }: EntityEntry): EntityEntry {
  return kept;
}

/** Only a topic, where it says as much as claim and origin do. */
function encodeAsFirstRelease(event: QueuedEvent): string {
  if (!isStoreEvent(event)) return encodeEvent(event);
  const { claim, origin, ...first } = event;
  const meant = meaningOf(event);
  const isSaid = meant.claim === claim && meant.origin === origin;
  return encodeEvent(isSaid ? (first as QueuedEvent) : event);
}
