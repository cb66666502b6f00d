import { fileURLToPath } from 'node:url';
import { AnsweringProcess } from '../../answering-process.ts';

export interface FeedTask {
  readonly store: {
    readonly address: string;
    readonly domain: string;
    readonly accessToken: string;
  };
  readonly aws: { readonly sqs: string; readonly dynamoDb: string; readonly queueUrl: string };
}

export interface FeedMeasure {
  readonly sent: number;
  readonly seconds: number;
  /** What the process of the backfill holds at its end, without garbage. */
  readonly heapBytes: number;
  /** Query cost points of the store. */
  readonly points: number;
  readonly calls: { readonly store: number; readonly queue: number; readonly ledger: number };
}

const STORE = fileURLToPath(new URL('./store-process.ts', import.meta.url));
const AWS = fileURLToPath(new URL('./aws-process.ts', import.meta.url));
const FEED = fileURLToPath(new URL('./feed-process.ts', import.meta.url));

/** One backfill, each part in a new process. */
export async function measureBackfill(orders: number): Promise<FeedMeasure> {
  const store = new AnsweringProcess<FeedTask['store'], never>(STORE, orders);
  const aws = new AnsweringProcess<FeedTask['aws'], never>(AWS, {});
  try {
    const task: FeedTask = { store: await store.ready, aws: await aws.ready };
    const feed = new AnsweringProcess<FeedMeasure, never>(FEED, task);
    const measure = await feed.ready;
    await feed.stop();
    return measure;
  } finally {
    await store.stop();
    await aws.stop();
  }
}
