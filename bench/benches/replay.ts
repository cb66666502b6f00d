import { fileURLToPath } from 'node:url';
import { SQS } from '@aws-sdk/client-sqs';
import { surveyLetters } from '../../scripts/connector/ground/letters/read-letters.ts';
import {
  letterReaderOf,
  newTally,
  replayLetters,
} from '../../scripts/connector/ground/letters/replay-letters.ts';
import { awsSettings } from '../../scripts/connector/ground/session/deployment.ts';
import { createSqsDeadLetterQueue, createSqsEventQueue } from '../../shared/aws/sqs-queues.ts';
import { AnsweringProcess } from '../answering-process.ts';
import type { Bench } from '../bench.ts';

const QUEUES = fileURLToPath(new URL('./letters-to-replay.ts', import.meta.url));
const SHOP = 'example-store.myshopify.com';
const LETTERS = 10_000;
const LETTERS_QUICK = 500;

/** How many dead letters per second are listed and replayed, with the emulated SQS in its own process. */
export const replay: Bench = {
  name: 'replay',
  async run({ quick }) {
    const count = quick ? LETTERS_QUICK : LETTERS;
    const task: ReplayTask = { count, shop: SHOP };
    const queues = new AnsweringProcess<ReplayQueues, never>(QUEUES, task);
    try {
      const credentials = { accessKeyId: 'bench', secretAccessKey: 'bench' };
      const { endpoint, url, deadLetterUrl } = await queues.ready;
      const client = new SQS(awsSettings({ region: 'us-east-1', endpoint, credentials }));
      const letters = createSqsDeadLetterQueue(client, deadLetterUrl, 'products');
      const signal = new AbortController().signal;

      // Until the last dead letter, without the second that long polling waits on the empty queue.
      let lastAt = 0;
      const letterIds = new Set<string>();
      const listStart = performance.now();
      await surveyLetters({
        queues: [letters],
        signal,
        onLetters: (some) => {
          for (const { letterId } of some) letterIds.add(letterId);
        },
        onProgress: () => {
          lastAt = performance.now();
        },
      });
      const listSeconds = (lastAt - listStart) / 1000;

      const tally = newTally();
      const replayStart = performance.now();
      await replayLetters(
        { letterIds, by: 'bench' },
        {
          queues: [letters],
          replayQueue: createSqsEventQueue(client, { products: url }),
          retire: async () => {},
          ...letterReaderOf([{ domain: SHOP, platform: 'shopify' }]),
          now: () => new Date(),
          signal,
          onReplayed: () => {
            lastAt = performance.now();
          },
        },
        tally,
      );
      const replaySeconds = (lastAt - replayStart) / 1000;
      if (tally.replayed !== count) throw new Error(`${tally.replayed} of ${count} were replayed`);
      client.destroy();
      const note = `${count} dead letters of 2 KB, emulated SQS beside it`;
      return [
        { key: 'replay.list', value: count / listSeconds, unit: 'dead letters/s', note },
        { key: 'replay.rate', value: count / replaySeconds, unit: 'dead letters/s', note },
      ];
    } finally {
      await queues.stop();
    }
  },
};

export interface ReplayTask {
  readonly count: number;
  readonly shop: string;
}

export interface ReplayQueues {
  readonly endpoint: string;
  readonly url: string;
  readonly deadLetterUrl: string;
}
