import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DeliveryRecord } from './delivery-record.ts';

/** How a worker may end the work on a webhook, by the line that says so. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  applied: 'applied',
  unchanged: 'unchanged',
  superseded: 'superseded',
  skipped: 'skipped',
  handled: 'handled',
  'parked in the dead-letter queue': 'dead',
};

export type Outcome = 'applied' | 'unchanged' | 'superseded' | 'skipped' | 'handled' | 'dead';

/** One webhook that the connector has accepted, and what its log and the store's say of it. */
export interface AcceptedWebhook {
  readonly id: string;
  readonly kind: string;
  readonly entityId: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly sentAt?: number;
  readonly version?: number;
  /** Undefined: no line says how it ended. */
  readonly outcome?: Outcome;
  /** When that line was written. */
  readonly endedAt?: number;
}

export interface Told {
  readonly accepted: readonly AcceptedWebhook[];
  /** Webhooks that the store gave up after all of its retries. */
  readonly givenUp: readonly DeliveryRecord[];
  /** Deliveries that took more than one try. */
  readonly resent: number;
  readonly retries: number;
  /** What reconciling has asked for because no webhook had told of it. */
  readonly healed: number;
}

interface Line {
  readonly message?: string;
  readonly service?: string;
  readonly at?: string;
  readonly correlationId?: string;
  readonly kind?: string;
  readonly id?: string;
}

/** Reads what functions and store have written down during the run. */
export async function readTold(files: {
  readonly log: string;
  readonly deliveries: string;
}): Promise<Told> {
  const received = new Map<string, AcceptedWebhook>();
  const ended = new Map<string, { readonly outcome: Outcome; readonly endedAt: number }>();
  let retries = 0;
  let healed = 0;
  for await (const line of linesOf<Line>(files.log)) {
    const {
      message = '',
      service = '',
      correlationId: id = '',
      kind = '',
      id: entityId = '',
    } = line;
    const at = Date.parse(line.at ?? '');
    if (service === 'receive-webhook' && message === 'received') {
      if (!received.has(id)) received.set(id, { id, kind, entityId, receivedAt: at });
    }
    if (message === 'will be tried again') retries += 1;
    if (message === 'sent for by reconciling') healed += 1;
    const outcome = OUTCOMES[message];
    // A webhook may be worked on more than once; that it was applied is what is told of it then.
    if (outcome && ended.get(id)?.outcome !== 'applied') ended.set(id, { outcome, endedAt: at });
  }
  const deliveries = new Map<number, DeliveryRecord>();
  for await (const one of linesOf<DeliveryRecord>(files.deliveries)) deliveries.set(one.n, one);
  const sent = new Map<string, DeliveryRecord>();
  for (const one of deliveries.values()) sent.set(one.webhookId, one);
  return {
    accepted: [...received.values()].map((webhook) => {
      const { sentAt, version } = sent.get(webhook.id) ?? {};
      return {
        ...webhook,
        ...(sentAt !== undefined && { sentAt }),
        ...(version !== undefined && { version }),
        ...ended.get(webhook.id),
      };
    }),
    givenUp: [...deliveries.values()].filter(({ state }) => state === 'failed'),
    resent: [...deliveries.values()].filter(({ attempts }) => attempts > 1).length,
    retries,
    healed,
  };
}

/** Lines that are not whole are left out: a killed process may have left half of one. */
async function* linesOf<Line>(path: string): AsyncIterable<Line> {
  for await (const text of createInterface({ input: createReadStream(path) })) {
    if (!text.startsWith('{')) continue;
    try {
      yield JSON.parse(text) as Line;
    } catch {}
  }
}
