import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

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
  /** Of the process of the backfill, from its start to its end. */
  readonly peakBytes: number;
  readonly fileBytes: number;
  readonly calls: { readonly store: number; readonly queue: number; readonly ledger: number };
}

const STORE = fileURLToPath(new URL('./store-process.ts', import.meta.url));
const AWS = fileURLToPath(new URL('./aws-process.ts', import.meta.url));
const FEED = fileURLToPath(new URL('./feed-process.ts', import.meta.url));

/** One backfill, each part in a new process. */
export async function measureBackfill(orders: number): Promise<FeedMeasure> {
  const store = await start<FeedTask['store']>(STORE, [String(orders)]);
  const aws = await start<FeedTask['aws']>(AWS, []);
  try {
    const task: FeedTask = { store: store.message, aws: aws.message };
    const feed = await start<FeedMeasure>(FEED, [JSON.stringify(task)]);
    feed.stop();
    return feed.message;
  } finally {
    store.stop();
    aws.stop();
  }
}

/** Starts a process and waits for its only message. */
function start<Message>(
  file: string,
  args: readonly string[],
): Promise<{ readonly message: Message; stop(): void }> {
  const child = fork(file, [...args], { execArgv: [] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.once('message', (message) => {
      const stop = () => {
        if (child.connected) child.disconnect();
      };
      resolve({ message: message as Message, stop });
    });
  });
}
