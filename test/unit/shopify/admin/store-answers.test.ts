import type { GraphQLEnumType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { questionsOf } from '../../../../shared/shopify/admin/admin-store.ts';
import { createAccessTokens } from '../../../../shared/shopify/admin/client/access-token.ts';
import { readStatus } from '../../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../../shared/shopify/admin/client/admin-client.ts';
import { countEntities } from '../../../../shared/shopify/admin/pages.ts';
import { readCoupon } from '../../../../shared/shopify/admin/read-discounts.ts';
import { adminSchema } from '../../../../shared/shopify/admin/schema/admin-schema.ts';
import { readDefinitions } from '../../../../shared/shopify/admin/write-balances.ts';
import { askShop } from '../../../../shared/shopify/commands.ts';
import { discountNode, redeemCode, rootWithDiscounts } from '../../../fixtures/discount-node.ts';
import { type AdminRoot, askIn } from '../../../support/admin-execution.ts';

const SHOP = 'example-store.myshopify.com';
const storeOf = (ask: Ask) =>
  questionsOf(
    () => ask,
    () => ({}),
  );
const personOf = (root: AdminRoot) => askShop(askIn(root), SHOP);
const metafields = (values: Readonly<Record<string, string>>) => ({
  nodes: Object.entries(values).map(([key, value]) => ({ key, value })),
});

describe('each value of an answer', () => {
  it.each<
    [what: string, root: AdminRoot, read: (root: AdminRoot) => Promise<unknown>, value: object]
  >([
    [
      'the prices of a product',
      {
        product: {
          status: 'ACTIVE',
          priceRangeV2: { minVariantPrice: { amount: '10' }, maxVariantPrice: { amount: '30' } },
        },
      },
      (root) => storeOf(askIn(root)).readPrices(SHOP, '1'),
      { lowest: 10, highest: 30 },
    ],
    [
      'a code beside others of its discount, one of which has its letters',
      rootWithDiscounts(
        discountNode({}, [
          redeemCode({ code: 'OTHER', asyncUsageCount: 1 }),
          redeemCode({ code: 'Robin', asyncUsageCount: 2 }),
          redeemCode({ code: 'ROBIN', asyncUsageCount: 3 }),
        ]),
      ),
      (root) => readCoupon(askIn(root), 'ROBIN'),
      { value: { code: 'ROBIN', timesUsed: 3 } },
    ],
    [
      'the balance that a customer sees',
      {
        customer: {
          metafields: metafields({
            ...{ points: '1', cashback: '2.5', tier: 'Gold', expiring_points: '3' },
            expires_at: '2026-12-24T00:00:00Z',
          }),
        },
      },
      (root) => personOf(root).balanceOf?.('1', 'loyalty') ?? Promise.reject(),
      {
        value: {
          ...{ points: 1, cashback: 2.5, tier: 'Gold' },
          expiring: { points: 3, at: '2026-12-24T00:00:00Z' },
        },
      },
    ],
    ...(['order', 'product', 'customer'] as const).map(
      (kind, at): [string, AdminRoot, (root: AdminRoot) => Promise<unknown>, object] => [
        `what is no more than a ${kind} of that id`,
        {
          nodes: ({ ids }: { ids: readonly string[] }) =>
            ids.map((id, index) =>
              index === at ? { __typename: id.split('/').at(-2), id } : null,
            ),
        },
        (root) => personOf(root).byId('7'),
        { value: [{ kind, id: '7' }] },
      ],
    ),
    [
      'the orders of a name, the exact one first and each once',
      {
        orders: {
          nodes: ['EN1007', '#1007', '#1007-A'].map((name, index) => ({
            ...{ id: `gid://shopify/Order/${index}`, name },
          })),
        },
      },
      (root) => personOf(root).ordersNamed('1007'),
      { value: [{ name: '#1007' }, { name: 'EN1007' }, { name: '#1007-A' }] },
    ],
    [
      'which definitions are open, to themes and to accounts',
      {
        metafieldDefinitions: {
          nodes: [
            ['points', 'number_decimal', 'PUBLIC_READ', 'READ'],
            ['cashback', 'number_decimal', 'PUBLIC_READ', 'NONE'],
            ['tier', 'single_line_text_field', 'NONE', 'READ'],
            ['expires_at', 'date', 'PUBLIC_READ', 'READ'],
          ].map(([key, name, storefront, customerAccount]) => ({
            ...{ key, type: { name }, access: { storefront, customerAccount } },
          })),
        },
      },
      (root) => readDefinitions(askIn(root), 'loyalty'),
      {
        states: [
          ...[{ state: 'fine' }, { state: 'closed' }, { state: 'closed' }, { state: 'missing' }],
          { state: 'other-type' },
        ],
      },
    ],
  ])('is its own: %s', async (_, root, read, value) => {
    expect(await read(root)).toMatchObject(value);
  });
});

it('a status says whether to wait, and for whom', () => {
  const reasons = [401, 402, 403, 404, 408, 418, 423, 429, 430, 301, 500, 503].map((status) => [
    ...[status, readStatus(status, '2').reason],
  ]);
  expect(reasons).toEqual([
    ...[
      [401, 'unauthorized'],
      [402, 'shop-frozen'],
      [403, 'forbidden'],
      [404, 'shop-not-found'],
    ],
    ...[
      [408, 'server-error'],
      [418, 'query-refused'],
      [423, 'shop-locked'],
      [429, 'throttled'],
    ],
    ...[
      [430, 'throttled'],
      [301, 'redirected'],
      [500, 'server-error'],
      [503, 'server-error'],
    ],
  ]);
});

it('a token that was refused late costs nothing where a newer one is in use', async () => {
  let bought = 0;
  const credentials = { kind: 'client-credentials', clientId: 'a', clientSecret: 'b' } as const;
  const read = async () => credentials;
  const tokens = createAccessTokens({
    secret: { get: read, refresh: read },
    now: () => 0,
    requestToken: async () => ({
      ...{ kind: 'token', accessToken: `token-${++bought}`, validSeconds: 86_400 },
    }),
  });
  await tokens.get();
  tokens.refuse('token-1');
  expect(await tokens.get()).toMatchObject({ accessToken: 'token-2' });
  tokens.refuse('token-1');
  expect(await tokens.get()).toMatchObject({ accessToken: 'token-2' });
});

it('what is counted is searched for in whole seconds, both ends included', async () => {
  const asked: unknown[] = [];
  const ask = (async (_: unknown, variables: unknown) => {
    asked.push(variables);
    return { kind: 'data', data: { ordersCount: { count: 7 } } };
  }) as Ask;
  const [from, until] = [
    Date.parse('2026-10-01T00:00:00.900Z'),
    Date.parse('2026-10-02T10:00:00.900Z'),
  ];
  expect(await countEntities(ask, 'order', { from, until, by: 'creation' })).toMatchObject({
    value: 7,
  });
  await countEntities(ask, 'order', { from: undefined, until });
  expect(asked).toEqual([
    { search: "created_at:>='2026-10-01T00:00:00Z' AND created_at:<='2026-10-02T10:00:00Z'" },
    { search: "updated_at:<='2026-10-02T10:00:00Z'" },
  ]);
});

const at = (day: number) => `2026-10-${String(day).padStart(2, '0')}T00:00:00Z`;
const SINCE = new Date(at(5));

/** What a list of the store's needs of an entry of that day, and how the list is read, as days again. */
const NEWEST_FIRST: Readonly<
  Record<
    string,
    readonly [
      root: (entries: unknown) => AdminRoot,
      entry: (day: number) => object,
      read: (ask: Ask) => Promise<readonly unknown[]>,
    ]
  >
> = {
  'the codes of a customer’s orders': [
    (orders) => ({ customer: { orders } }),
    (day) => ({ createdAt: at(day), discountCodes: [`${day}`] }),
    async (ask) => {
      const read = await storeOf(ask).readOrderCodes(SHOP, '1', SINCE);
      return read.kind === 'read' ? read.codes : [read.why];
    },
  ],
  'what was given as store credit': [
    (transactions) => {
      const account = { id: 'gid://shopify/StoreCreditAccount/1', transactions };
      const balance = (currencyCode: string) => ({ balance: { currencyCode } });
      return {
        storeCreditConfiguration: { storeCreditEnabled: true },
        customer: {
          storeCreditAccounts: {
            nodes: [
              { ...account, ...balance('USD'), transactions: connectionOf([]) },
              { ...account, ...balance('EUR') },
            ],
          },
        },
        storeCreditAccount: account,
      };
    },
    (day) => ({ ...creditOf(`${day}`, 'ADJUSTMENT'), createdAt: at(day) }),
    async (ask) => {
      const account = { customerId: '1', currency: 'EUR', since: SINCE };
      const read = await storeOf(ask).readCredits(SHOP, account);
      return read.kind === 'read' ? read.credits.map(({ id }) => id) : [read.why];
    },
  ],
  'the customers who changed': [
    (customers) => ({ customers }),
    (day) => ({ id: `gid://shopify/Customer/${day}`, createdAt: at(1), updatedAt: at(day) }),
    async (ask) => {
      const found: string[] = [];
      const span = { from: SINCE.getTime(), until: Date.parse(at(30)) };
      for (let after: string | undefined, isLast = false; !isLast; isLast = after === undefined) {
        const page = await storeOf(ask).changedMembers(SHOP, span, after);
        if (page.kind !== 'found') return [page.why];
        found.push(...page.value.changed.map(({ id }) => id));
        after = page.value.next;
      }
      return found;
    },
  ],
};

const creditOf = (id: string, event: string) => ({
  ...{ __typename: 'StoreCreditAccountCreditTransaction', id, event, createdAt: at(9) },
  ...{ amount: { amount: '5' }, expiresAt: null },
});

/** A field with these pages; it counts how many were asked for. */
function connectionOf(pages: readonly (readonly object[])[], asked = { pages: 0 }) {
  return ({ after }: { readonly after?: string | null }) => {
    asked.pages += 1;
    const place = after ? Number(after) : 0;
    const hasNextPage = place + 1 < pages.length;
    return { nodes: pages[place] ?? [], pageInfo: { hasNextPage, endCursor: `${place + 1}` } };
  };
}

describe.each(Object.entries(NEWEST_FIRST))('%s', (_, [rootWith, entry, read]) => {
  it.each([
    ['ends within a page', [[9, 8], [7, 4], [3]], ['9', '8', '7'], 2],
    ['begins with an older one', [[4, 3], [2]], [], 1],
    ['ends with the last page', [[9], [8, 7], [6, 5]], ['9', '8', '7', '6', '5'], 3],
    ['has an empty page', [[], [9], [4]], ['9'], 3],
  ])(
    'are read to the first that is too old, and no further, where that %s',
    async (__, days, found, pages) => {
      const asked = { pages: 0 };
      const entries = connectionOf(
        days.map((page) => page.map(entry)),
        asked,
      );
      expect(await read(askIn(rootWith(entries)))).toEqual(found);
      expect(asked.pages).toBe(pages);
    },
  );
});

it('of the events of store credit, those that orders and payments cause are no gifts', async () => {
  const events = adminSchema().getType('StoreCreditSystemEvent') as GraphQLEnumType;
  const names = events.getValues().map(({ name }) => name);
  const [rootWith, , read] = NEWEST_FIRST['what was given as store credit'] ?? [];
  const given = await read?.(
    askIn(rootWith?.(connectionOf([names.map((name) => creditOf(name, name))])) ?? {}),
  );
  expect(names.filter((name) => !given?.includes(name)).toSorted()).toEqual([
    ...['ORDER_CANCELLATION', 'ORDER_PAYMENT', 'ORDER_REFUND', 'PAYMENT_FAILURE'],
    ...['PAYMENT_RETURNED', 'TAX_FINALIZATION'],
  ]);
});
