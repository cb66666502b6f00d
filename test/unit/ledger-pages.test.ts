import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { readAudit } from '../../scripts/connector/ground/session/audit-records.ts';
import { createDynamoDbLedger } from '../../shared/aws/dynamodb-ledger.ts';
import { toItem } from '../../shared/aws/ledger-item.ts';
import { listNotices, readLetters, readLettersAbout } from '../../shared/aws/read-ledger.ts';
import { writeSummary } from '../../shared/core/batch/dead-letter.ts';
import type { EntityKey } from '../../shared/core/events/event.ts';
import type { LedgerKey } from '../../shared/core/ledger/ledger.ts';
import { letterEvent, letterReason } from '../support/parked-letters.ts';

const SHOP = 'example.myshopify.com';
const NOW = new Date('2026-10-09T12:10:00.000Z');

type Item = Record<string, AttributeValue>;

/**
 * A table whose scans and queries end after one item, then with none, then with the rest: DynamoDB ends a
 * page where it likes, and only a missing key says that it was the last ("Paginating table query results").
 */
function openTable(items: readonly Item[]) {
  const keyOf = ({ entity }: Item) => entity?.S ?? '';
  const asked: (Item | undefined)[] = [];
  const pages = [items.slice(0, 1), [], items.slice(1)];
  const nextPage = async ({ ExclusiveStartKey }: { readonly ExclusiveStartKey?: Item }) => {
    const number = asked.push(ExclusiveStartKey) - 1;
    const before = number === 0 ? undefined : `${keyOf(items[0] ?? {})}#${number}`;
    expect(ExclusiveStartKey && keyOf(ExclusiveStartKey)).toBe(before);
    const isLast = number === pages.length - 1;
    const last = { ...items[0], entity: { S: `${keyOf(items[0] ?? {})}#${number + 1}` } };
    return { Items: pages[number], ...(!isLast && { LastEvaluatedKey: last }) };
  };
  const client = {
    query: nextPage,
    scan: nextPage,
    batchGetItem: async ({ RequestItems }: { RequestItems: Record<string, { Keys: Item[] }> }) => {
      const wanted = RequestItems.ledger?.Keys.map(keyOf);
      return { Responses: { ledger: items.filter((item) => wanted?.includes(keyOf(item))) } };
    },
  } as never;
  const settings = { client, table: 'ledger', pause: async () => {}, random: () => 0.5 };
  return { settings, ledger: createDynamoDbLedger({ client, table: 'ledger' }) };
}

const plain = { version: 1, uncertain: false, outcomes: [] };
const itemOf = (key: LedgerKey, more = {}) => toItem(key, { ...plain, ...more }, 1, 'w');

async function inAllPages<Page extends { readonly next?: string }>(
  read: (from: string | undefined) => Promise<Page>,
): Promise<readonly Page[]> {
  const page = await read(undefined);
  const pages = [page];
  for (let { next } = page; next !== undefined; next = pages.at(-1)?.next) {
    pages.push(await read(next));
  }
  return pages;
}

describe('a list that DynamoDB gives in short and empty pages is read to its end', () => {
  it('all entities', async () => {
    const keys = ['1', '2', '3'].map((id): EntityKey => ({ shop: SHOP, kind: 'order', id }));
    const { ledger } = openTable(keys.map((key) => itemOf(key)));
    const pages = await inAllPages((from) => ledger.scanEntities(from));
    expect(pages.flatMap(({ entries }) => entries.map(({ key }) => key))).toEqual(keys);
  });

  it('the codes of a discount', async () => {
    const codes = ['A', 'B', 'C'];
    const { ledger } = openTable(
      codes.map((id) => itemOf({ shop: SHOP, kind: 'coupon', id }, { discountId: '7' })),
    );
    const pages = await inAllPages((from) => ledger.listCodes(SHOP, '7', from));
    expect(pages.flatMap((page) => page.codes)).toEqual(codes);
  });

  it('the notices of a shop', async () => {
    const ids = ['1', '2', '3'];
    const { settings } = openTable(
      ids.map((id) => itemOf({ shop: SHOP, kind: 'notice', id: `data-request/${id}` })),
    );
    expect((await listNotices(settings, SHOP)).map(({ id }) => id)).toEqual(ids);
  });

  describe('dead letters', () => {
    async function openLetters() {
      const ids = ['a', 'b', 'c'];
      const items: Item[] = [];
      const write = async (key: LedgerKey, entry: object) => {
        items.push(itemOf(key, entry));
        return { kind: 'written', revision: 1 } as const;
      };
      for (const messageId of ids) {
        const facts = { ...letterReason(), family: 'orders' as const };
        await writeSummary({ messageId, body: '' }, letterEvent(), facts, { write } as never);
      }
      return { ids, ...openTable(items) };
    }

    it('of a list', async () => {
      const { ids, settings } = await openLetters();
      const found: string[] = [];
      for await (const page of readLetters(settings, { since: 0, now: NOW })) {
        found.push(...page.map(({ letterId }) => letterId));
      }
      expect(found).toEqual(ids);
    });

    it('about one order', async () => {
      const { ids, settings } = await openLetters();
      const letters = await readLettersAbout(settings, letterEvent(), NOW);
      expect(letters.map(({ letterId }) => letterId)).toEqual(ids);
    });
  });
});

it('the records of operators are read once of every month, also from the 31st back', async () => {
  const months: string[] = [];
  const query = async ({
    ExpressionAttributeValues: asked,
  }: {
    ExpressionAttributeValues: Item;
  }) => {
    months.push(/operators-(\d{4}-\d\d)/.exec(asked[':listing']?.S ?? '')?.[1] ?? '');
    return {};
  };
  const { settings } = openTable([]);
  const [since, until] = [new Date('2026-09-10T00:00:00Z'), new Date('2026-12-31T12:00:00Z')];
  const span = { since, until, now: until };
  const client = { query } as never;
  for await (const one of readAudit({ ...settings, client }, span)) expect(one).toBeUndefined();
  // Those of people, and those of workflows.
  const expected = ['2026-12', '2026-11', '2026-10', '2026-09'].flatMap((one) => [one, one]);
  expect(months).toEqual(expected);
});
