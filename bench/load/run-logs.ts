import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DeliveryRecord } from './delivery-record.ts';

/** The outcome of a webhook by the message of the log line. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  applied: 'applied',
  unchanged: 'unchanged',
  superseded: 'superseded',
  skipped: 'skipped',
  handled: 'handled',
  'parked in the dead-letter queue': 'dead',
};

export type Outcome = 'applied' | 'unchanged' | 'superseded' | 'skipped' | 'handled' | 'dead';

/** One webhook that the connector has accepted, with what the logs of connector and store say about it. */
export interface AcceptedWebhook {
  readonly id: string;
  readonly shop: string;
  readonly kind: string;
  readonly entityId: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  readonly sentAt?: number;
  readonly version?: number;
  /** Undefined when there is no log line. */
  readonly outcome?: Outcome;
  /** The time of that line. */
  readonly endedAt?: number;
}

export interface RunLogs {
  readonly accepted: readonly AcceptedWebhook[];
  /** Webhooks that failed at every try of the store. */
  readonly givenUp: readonly DeliveryRecord[];
  /** Deliveries that took more than one try. */
  readonly resent: number;
  readonly retries: number;
  /** Entities that reconcile found missing or out of date. */
  readonly healed: number;
}

interface Line {
  readonly message?: string;
  readonly service?: string;
  readonly at?: string;
  readonly correlationId?: string;
  readonly shop?: string;
  readonly kind?: string;
  readonly id?: string;
}

/** Reads the logs that functions and store wrote during the run. */
export async function readRunLogs(files: {
  readonly log: string;
  readonly deliveries: string;
}): Promise<RunLogs> {
  const received = new Map<string, AcceptedWebhook>();
  const ended = new Map<string, { readonly outcome: Outcome; readonly endedAt: number }>();
  let retries = 0;
  let healed = 0;
  for await (const line of linesOf<Line>(files.log)) {
    const {
      message = '',
      service = '',
      correlationId: id = '',
      shop = '',
      kind = '',
      id: entityId = '',
    } = line;
    const at = Date.parse(line.at ?? '');
    if (service === 'receive-webhook' && message === 'received') {
      if (!received.has(id)) received.set(id, { id, shop, kind, entityId, receivedAt: at });
    }
    if (message === 'will be tried again') retries += 1;
    if (message === 'sent by reconciling') healed += 1;
    const outcome = OUTCOMES[message];
    // A webhook may have several outcomes; `applied` wins.
    if (outcome && ended.get(id)?.outcome !== 'applied') ended.set(id, { outcome, endedAt: at });
  }
  const deliveries = new Map<string, DeliveryRecord>();
  for await (const one of linesOf<DeliveryRecord>(files.deliveries)) {
    deliveries.set(`${one.shop} ${one.n}`, one);
  }
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

/** Skips incomplete lines, which a killed process may have left. */
async function* linesOf<Line>(path: string): AsyncIterable<Line> {
  for await (const text of createInterface({ input: createReadStream(path) })) {
    if (!text.startsWith('{')) continue;
    try {
      yield JSON.parse(text) as Line;
    } catch {}
  }
}
