import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { ReadSettings } from '../../../shared/aws/read-ledger.ts';
import { readLetters } from '../../../shared/aws/read-letters.ts';
import {
  DEAD_LETTER_DAYS,
  type ListedLetter,
  type SummarizedLetter,
} from '../../../shared/core/batch/dead-letter.ts';
import type { Deployment } from '../deployment/deployment.ts';

type Place = Pick<Deployment, 'aws' | 'output'>;

export function openSummaries({ aws, output }: Place): ReadSettings {
  const client = new DynamoDB(aws);
  return { client, table: output('LedgerTable'), pause, random: Math.random };
}

interface Known {
  readonly letters: Map<string, SummarizedLetter>;
  /** Epoch milliseconds: up to when each list was read. */
  readonly open: number;
  readonly gone: number;
}

/** What this process has read: a console asks again every few seconds, and then reads only what is new. */
const known = new Map<string, Known>();

/** Longer than a worker takes to write a summary, and the index to show it. */
const OVERLAP_MS = 2 * 60_000;
/** The clock of an operator dates what is gone. AWS refuses requests of one that is wrong by more than this. */
const CLOCKS_DIFFER_MS = 15 * 60_000;

/** All letters that have a summary, the newest first. `onProgress` says how many were read so far. */
export async function readSummaries(
  settings: ReadSettings,
  { aws }: Pick<Deployment, 'aws'>,
  now: Date,
  onProgress: (read: number) => void = () => {},
): Promise<readonly SummarizedLetter[]> {
  const key = JSON.stringify([aws.region, aws.endpoint, aws.profile, settings.table]);
  const { letters, open, gone } = known.get(key) ?? {
    ...{ letters: new Map<string, SummarizedLetter>(), open: 0, gone: now.getTime() },
  };
  let newest = open;
  for await (const some of readLetters(settings, 'open', { since: open - OVERLAP_MS, now })) {
    for (const letter of some) {
      letters.set(letter.letterId, letter);
      newest = Math.max(newest, letter.at);
    }
    onProgress(letters.size);
  }
  // Read after the open ones: what leaves in between is in both.
  let left = gone;
  for await (const some of readLetters(settings, 'gone', { since: gone - CLOCKS_DIFFER_MS, now })) {
    for (const letter of some) {
      letters.delete(letter.letterId);
      if (letter.gone) left = Math.max(left, Date.parse(letter.gone.at));
    }
  }
  const oldest = now.getTime() - DEAD_LETTER_DAYS * 86_400_000;
  for (const { letterId, at } of letters.values()) if (at < oldest) letters.delete(letterId);
  // The next read begins there, even if thousands came or left in one minute and none since.
  const settled = now.getTime() - CLOCKS_DIFFER_MS;
  const upTo = { open: Math.max(newest, settled), gone: Math.max(left, settled) };
  // Only now: a read that failed half-way has left some out.
  known.set(key, { letters, ...upTo });
  return [...letters.values()].toSorted(newestFirst);
}

export function newestFirst(one: ListedLetter, other: ListedLetter): number {
  return other.at - one.at || (one.letterId < other.letterId ? 1 : -1);
}
