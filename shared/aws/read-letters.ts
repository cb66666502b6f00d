import { letterIn, letterKey, type SummarizedLetter } from '../core/batch/dead-letter.ts';
import type { EventHead } from '../core/events/event.ts';
import { type LetterList, ledgerKeyText } from '../core/ledger/ledger.ts';
import {
  ITEM,
  itemKeyOf,
  LETTERS_INDEX,
  type LedgerItem,
  lettersAboutText,
} from './ledger-item.ts';
import { type ReadSettings, readItems, readListing } from './read-ledger.ts';

/**
 * All letters of a list since that moment, the newest first, one page of DynamoDB (1 MB) after the other. Eventually
 * consistent. Without what expired and is not deleted yet.
 */
export async function* readLetters(
  { client, table }: Pick<ReadSettings, 'client' | 'table'>,
  list: LetterList,
  { since, now }: { /** Epoch milliseconds. */ readonly since: number; readonly now: Date },
): AsyncGenerator<readonly SummarizedLetter[]> {
  let from: LedgerItem | undefined;
  do {
    const { Items: items = [], LastEvaluatedKey: last } = await client.query({
      TableName: table,
      IndexName: LETTERS_INDEX,
      KeyConditionExpression: '#list = :list AND #place >= :since',
      ExpressionAttributeNames: { '#list': ITEM.letterList, '#place': ITEM.letterPlace },
      ExpressionAttributeValues: {
        ':list': { S: list },
        ':since': { S: new Date(Math.max(since, 0)).toISOString() },
      },
      ScanIndexForward: false,
      ...(from && { ExclusiveStartKey: from }),
    });
    yield items.flatMap((item) => toLetter(item, now));
    from = last;
  } while (from);
}

/** The letters about one entity or other thing, the newest first. */
export async function readLettersAbout(
  settings: ReadSettings,
  about: Pick<EventHead, 'shop' | 'kind' | 'id'>,
  now: Date,
): Promise<readonly SummarizedLetter[]> {
  const keys = await readListing(settings, lettersAboutText(about));
  const items = await readItems(settings, keys);
  return items
    .flatMap((item) => toLetter(item, now))
    .filter(({ gone }) => !gone)
    .toSorted((one, other) => other.at - one.at);
}

/** These letters, also those that left the queue. */
export async function readLettersById(
  settings: ReadSettings,
  letterIds: readonly string[],
  now: Date,
): Promise<readonly SummarizedLetter[]> {
  const keys = letterIds.map((id) => itemKeyOf(ledgerKeyText(letterKey(id))));
  return (await readItems(settings, keys)).flatMap((item) => toLetter(item, now));
}

const KEY_PREFIX = ledgerKeyText(letterKey(''));

function toLetter(item: LedgerItem, now: Date): readonly SummarizedLetter[] {
  const key = item[ITEM.key]?.S ?? '';
  const isOver = Number(item[ITEM.expiresAt]?.N) * 1_000 <= now.getTime();
  if (isOver || !key.startsWith(KEY_PREFIX)) return [];
  const letter = letterIn(key.slice(KEY_PREFIX.length), item[ITEM.remembered]?.S);
  return letter ? [letter] : [];
}
