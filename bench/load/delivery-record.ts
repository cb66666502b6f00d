import { closeSync, openSync, writeSync } from 'node:fs';
import type { WebhookDelivery } from '../../local/store-sandbox/delivery/post-webhook.ts';
import type { StoreSandbox } from '../../local/store-sandbox/sandbox.ts';

export interface LineFile {
  /** When this returns, the line outlives the process. */
  write(line: string): void;
  close(): void;
}

/** Goes on at the end of what is there. */
export function openLineFile(path: string): LineFile {
  const file = openSync(path, 'a');
  return {
    write: (line) => void writeSync(file, `${line}\n`),
    close: () => closeSync(file),
  };
}

/** What became of one webhook, without its body. */
export interface DeliveryRecord {
  readonly n: number;
  readonly webhookId: string;
  readonly topic: string;
  readonly state: WebhookDelivery['state'];
  readonly attempts: number;
  /** When it was first sent, epoch milliseconds. */
  readonly sentAt: number;
  /** Its entity's own `updated_at`, epoch milliseconds, where the body has it. */
  readonly version?: number;
}

/** Writes down what the store has settled since: it forgets its oldest deliveries. */
export function writeDeliveries(
  file: LineFile,
  deliveries: StoreSandbox['deliveries'],
): { write(): void } {
  let written = new Set<number>();
  return {
    write() {
      const settled = deliveries.all().filter(({ state }) => state !== 'waiting');
      for (const one of settled) {
        if (!written.has(one.n)) file.write(JSON.stringify(recordOf(one)));
      }
      written = new Set(settled.map(({ n }) => n));
    },
  };
}

function recordOf(delivery: WebhookDelivery): DeliveryRecord {
  const { n, webhookId, topic, state, attempts, body } = delivery;
  const { updated_at: updatedAt } = JSON.parse(body) as { readonly updated_at?: string };
  const version = Date.parse(updatedAt ?? '');
  return {
    n,
    webhookId,
    topic,
    state,
    attempts: attempts.length,
    sentAt: Date.parse(attempts[0]?.at ?? ''),
    ...(Number.isFinite(version) && { version }),
  };
}
