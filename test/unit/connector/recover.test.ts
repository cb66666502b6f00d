import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Deployment } from '../../../scripts/connector/deployment/deployment.ts';
import {
  copyLedger,
  findGoLive,
  type RecoverOptions,
  recover,
} from '../../../scripts/connector/recover/recover.ts';
import type { Session } from '../../../scripts/connector/session/session.ts';
import { BadArguments } from '../../../scripts/connector/terminal/exit.ts';
import { ITEM } from '../../../shared/aws/ledger-item.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';

it.each<[string, RecoverOptions]>([
  [
    'to copy for one shop, because a table holds all',
    { from: 'restored', shop: 'one.myshopify.com' },
  ],
  ['to replace items without a table to copy from', { replace: true }],
])('recover refuses %s, before anything is looked at', async (_, options) => {
  await expect(recover({} as Session, options)).rejects.toThrow(BadArguments);
});

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

const [SECRET_MADE, BEGAN, TABLE_MADE] = [1_000_000, 2_000_000, 3_000_000];

/** Secrets Manager, which says when the secret was made. */
const secrets = createServer((_, response) => {
  response.setHeader('content-type', 'application/x-amz-json-1.1');
  response.end(JSON.stringify({ CreatedDate: SECRET_MADE / 1_000 }));
});
beforeAll(() => new Promise<void>((done) => secrets.listen(0, '127.0.0.1', done)));
afterAll(() => secrets.close());

function found(recorded: number | undefined, given?: number) {
  const { port } = secrets.address() as AddressInfo;
  const credentials = { accessKeyId: 'id', secretAccessKey: 'key' };
  const aws = { endpoint: `http://127.0.0.1:${port}`, region: 'eu-west-1', credentials };
  const deployment = { aws, output: () => 'prefix' } as unknown as Deployment;
  const shop = { domain: 'one.myshopify.com', path: 'one', rules: {} } as unknown as Shop;
  const control = { operator: {}, past: [], ...(recorded !== undefined && { goLive: recorded }) };
  const ledger = { createdAt: async () => TABLE_MADE };
  return findGoLive(deployment, shop, given, control, ledger);
}

describe('go-live of a ledger that is recovered', () => {
  it('is what it says since an earlier table, although the secrets are older than the program', async () => {
    expect(await found(BEGAN)).toEqual({ at: BEGAN, from: 'the ledger' });
  });

  it.each([undefined, TABLE_MADE])(
    'is the date of the secrets where it was set anew with the table (%s)',
    async (recorded) => {
      expect((await found(recorded)).at).toBe(SECRET_MADE);
    },
  );

  it('is what the operator says', async () => {
    expect(await found(BEGAN, 5)).toEqual({ at: 5, from: '--go-live' });
  });
});
