import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { copyLedger } from '../../../scripts/connector/recover/copy-ledger.ts';
import { ITEM } from '../../../shared/aws/ledger-item.ts';

type Item = Record<string, AttributeValue>;
type Put = { readonly Item: Item; readonly ConditionExpression?: string };

const SHOP = 'one.myshopify.com';
const itemOf = (kind: string, id: string, text: string): Item => ({
  [ITEM.key]: { S: `${kind}|${SHOP}|${id}` },
  text: { S: text },
});

/** Pages of one item. */
function tables(from: readonly Item[], to: readonly Item[]) {
  const held = new Map(to.map((item) => [item[ITEM.key]?.S, item]));
  const client = {
    async scan({ ExclusiveStartKey: after }: { ExclusiveStartKey?: Item }) {
      const at = Number(after?.at?.N ?? 0);
      const last = at + 1 < from.length && { LastEvaluatedKey: { at: { N: String(at + 1) } } };
      return { Items: from.slice(at, at + 1), ...last };
    },
    async putItem({ Item: item, ConditionExpression: isNew }: Put) {
      const key = item[ITEM.key]?.S;
      if (isNew && held.has(key)) {
        throw Object.assign(new Error(), { name: 'ConditionalCheckFailedException' });
      }
      held.set(key, item);
    },
  };
  const texts = () => Object.fromEntries([...held].map(([key, { text }]) => [key, text?.S]));
  return { client: client as unknown as Parameters<typeof copyLedger>[0], texts };
}

const OLD = [
  itemOf('order', '1', 'old'),
  itemOf('control', 'calls', 'old'),
  itemOf('order', '2', 'old'),
];
const NEW = [itemOf('order', '1', 'new'), itemOf('control', 'calls', 'new')];

it.each([
  [false, 'new', 1],
  [true, 'old', 2],
])(
  'copies all pages, and what pauses a shop never (replaces: %s)',
  async (replaces, first, copied) => {
    const { client, texts } = tables(OLD, NEW);
    const names = { from: 'from', to: 'to', replaces };
    const signal = new AbortController().signal;
    expect(await copyLedger(client, names, signal)).toEqual({ read: 2, copied });
    expect(texts()).toEqual({
      [`order|${SHOP}|1`]: first,
      [`order|${SHOP}|2`]: 'old',
      [`control|${SHOP}|calls`]: 'new',
    });
  },
);

it('copies nothing where it is interrupted while workers may still be at work', async () => {
  const { client } = tables(OLD, NEW);
  const names = { from: 'from', to: 'to', replaces: true };
  expect(await copyLedger(client, names, AbortSignal.abort())).toEqual({ read: 0, copied: 0 });
});
