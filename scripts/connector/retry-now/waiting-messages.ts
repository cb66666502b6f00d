import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { type FoundRecord, listRecords } from '../../../shared/aws/read-ledger.ts';
import { batchesOf } from '../../../shared/core/batch/in-batches.ts';
import { type WaitingMessage, waitingIn } from '../../../shared/core/batch/waiting.ts';
import { changeControl, withoutRefusal } from '../../../shared/core/pause/shop-control.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { QUEUE_OUTPUTS } from '../deployment/queue-outputs.ts';

export interface WaitingInShop extends WaitingMessage {
  readonly shop: string;
}

/** What waits now, of these shops, the next to be tried first; or a part of it, if `most` is exceeded. */
export async function readWaiting(
  { aws, output }: Pick<Deployment, 'aws' | 'output'>,
  shops: readonly string[],
  now: Date,
  most?: number,
): Promise<readonly WaitingInShop[]> {
  const client = new DynamoDB(aws);
  const settings = { client, table: output('LedgerTable'), pause: sleep, random: Math.random };
  const found = await Promise.all(
    shops.map(async (shop) => {
      const records = await listRecords(settings, shop, 'waiting', most);
      return newestAttempts(records).map((waiting) => ({ shop, ...waiting }));
    }),
  );
  return found
    .flat()
    .filter(({ until }) => until > now.getTime())
    .toSorted((one, other) => one.until - other.until);
}

/** Each attempt has a record of its own. */
function newestAttempts(records: readonly FoundRecord[]): readonly WaitingMessage[] {
  const newest = new Map<string, { readonly attempt: number; readonly waiting: WaitingMessage }>();
  for (const { id, entry } of records) {
    const waiting = waitingIn(entry.remembered);
    if (!waiting) continue;
    const attempt = Number(id.slice(id.lastIndexOf('/') + 1));
    const known = newest.get(waiting.messageId);
    if (!known || known.attempt < attempt) newest.set(waiting.messageId, { attempt, waiting });
  }
  return [...newest.values()].map(({ waiting }) => waiting);
}

export interface Woken {
  readonly woken: readonly WaitingInShop[];
  /** Received or settled since they were recorded. */
  readonly gone: number;
}

/** SQS, ChangeMessageVisibilityBatch. */
const MESSAGES_PER_CALL = 10;

/** Ends the waits, and the pause that refused credentials began: without that they would only wait again. */
export async function wake(
  deployment: Deployment,
  waiting: readonly WaitingInShop[],
  afterSeconds = 0,
): Promise<Woken> {
  const ledger = openLedger(deployment);
  for (const shop of new Set(waiting.map((one) => one.shop))) {
    await changeControl(ledger, shop, withoutRefusal);
  }
  const sqs = new SQS(deployment.aws);
  const woken: WaitingInShop[] = [];
  for (const [queue, messages] of Map.groupBy(waiting, (one) => one.queue)) {
    const url = deployment.output(QUEUE_OUTPUTS[queue].queue);
    for (const chunk of batchesOf(messages, MESSAGES_PER_CALL)) {
      const { Failed: failed = [] } = await sqs.changeMessageVisibilityBatch({
        QueueUrl: url,
        Entries: chunk.map(({ receiptHandle }, index) => ({
          Id: String(index),
          ReceiptHandle: receiptHandle,
          VisibilityTimeout: afterSeconds,
        })),
      });
      const refused = failed.find(({ SenderFault }) => !SenderFault);
      if (refused) throw new Error(`SQS could not end a wait: ${refused.Code}`);
      const gone = new Set(failed.map(({ Id }) => Number(Id)));
      woken.push(...chunk.filter((_, index) => !gone.has(index)));
    }
  }
  return { woken, gone: waiting.length - woken.length };
}
