import {
  type Woken,
  type WokenMessage,
  waitsIn,
  wakeAll,
} from '../../scripts/connector/ground/checks/waiting-messages.ts';
import type { QueueFamily } from '../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../shared/core/ledger/ledger.ts';
import type { MemoryLedger } from './memory-ledger.ts';
import type { MemoryQueue } from './memory-queue.ts';

interface MemoryWorld {
  readonly shop: string;
  readonly ledger: Pick<MemoryLedger, 'entries'>;
  readonly queues: Readonly<Partial<Record<QueueFamily, MemoryQueue>>>;
  /** Of the operator's machine. */
  readonly now: Date;
}

/** `loyalty-connector retry-now` over a ledger and queues in memory. */
export function retryNow(
  { shop, ledger, queues, now }: MemoryWorld,
  calls: Pick<Ledger, 'readMany' | 'write'>,
): Promise<Woken> {
  const prefix = ledgerKeyText({ shop, kind: 'waiting', id: '' });
  const records = [...ledger.entries]
    .filter(([text]) => text.startsWith(prefix))
    .map(([text, entry]) => ({ id: text.slice(prefix.length), entry }));
  const endWaits = async (queue: QueueFamily, waits: readonly WokenMessage[]) => {
    const over = waits.filter(({ receiptHandle, inSeconds }) => {
      try {
        queues[queue]?.changeVisibility(receiptHandle, inSeconds);
        return false;
      } catch {
        return true;
      }
    });
    return new Set(over);
  };
  return wakeAll(waitsIn(shop, records, now), { ledger: calls, now, endWaits });
}
