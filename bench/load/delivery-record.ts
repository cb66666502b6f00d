import { closeSync, openSync, writeSync } from 'node:fs';
import type { WebhookDelivery } from '../../local/store-sandbox/delivery/sender.ts';
import type { StoreSandbox } from '../../local/store-sandbox/sandbox.ts';

export interface LineFile {
  /** After it returns, the line survives the process. */
  write(line: string): void;
  close(): void;
}

/** Appends to an existing file. */
export function openLineFile(path: string): LineFile {
  const file = openSync(path, 'a');
  return {
    write: (line) => void writeSync(file, `${line}\n`),
    close: () => closeSync(file),
  };
}

/** The result of one webhook, without its body. */
export interface DeliveryRecord {
  readonly shop: string;
  /** Counted by each store. */
  readonly n: number;
  readonly webhookId: string;
  readonly topic: string;
  readonly state: WebhookDelivery['state'];
  readonly attempts: number;
  /** The first attempt, epoch milliseconds. */
  readonly sentAt: number;
  /** The entity's `updated_at`, epoch milliseconds, if the body has it. */
  readonly version?: number;
}

/** Writes the deliveries that were settled since the last call, because the store drops its oldest. */
export function writeDeliveries(
  file: LineFile,
  { shop, deliveries }: Pick<StoreSandbox, 'shop' | 'deliveries'>,
): { write(): void } {
  let written = new Set<number>();
  return {
    write() {
      const settled = deliveries.all().filter(({ state }) => state !== 'waiting');
      for (const one of settled) {
        if (!written.has(one.n)) file.write(JSON.stringify(recordOf(one, shop.domain)));
      }
      written = new Set(settled.map(({ n }) => n));
    },
  };
}

function recordOf(delivery: WebhookDelivery, shop: string): DeliveryRecord {
  const { n, webhookId, topic, state, attempts, body } = delivery;
  const { updated_at: updatedAt } = JSON.parse(body) as { readonly updated_at?: string };
  const version = Date.parse(updatedAt ?? '');
  return {
    shop,
    n,
    webhookId,
    topic,
    state,
    attempts: attempts.length,
    sentAt: Date.parse(attempts[0]?.at ?? ''),
    ...(Number.isFinite(version) && { version }),
  };
}
