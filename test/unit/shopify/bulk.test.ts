import fc from 'fast-check';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { bulkProblem, JsonlWriter } from '../../../local/store-sandbox/graphql/bulk-operations.ts';
import { adminSchema } from '../../../shared/shopify/admin/schema/admin-schema.ts';
import { type BulkKind, bulkQuery } from '../../../shared/shopify/bulk/bulk-operation.ts';
import {
  type BulkEntity,
  type BulkLine,
  type BulkPlace,
  FILE_START,
  NotGrouped,
  readEntities,
  readGroups,
} from '../../../shared/shopify/bulk/read-entities.ts';

async function* linesOf(text: string, from = 0): AsyncGenerator<BulkLine> {
  let end = from;
  for (const line of text.slice(from).split('\n')) {
    end += line.length + 1;
    if (line !== '') yield { text: line, end };
  }
}

async function collect<T>(all: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

const anyTree = fc.array(fc.nat({ max: 6 }), { maxLength: 12 }).map((sizes) => ({
  orders: {
    nodes: sizes.map((size, owner) => ({
      id: `gid://shopify/Order/${owner}`,
      lines: { nodes: Array.from({ length: size }, (_, n) => ({ __typename: 'LineItem', n })) },
    })),
  },
}));

function write(data: object, grouped: boolean): string {
  const writer = new JsonlWriter(grouped);
  writer.add(data as Record<string, unknown>);
  return Buffer.concat(writer.end().pieces).toString();
}

describe('the lines of a bulk file', () => {
  it('are grouped into owners and their children', async () => {
    await fc.assert(
      fc.asyncProperty(anyTree, async (data) => {
        const groups = await collect(readGroups(linesOf(write(data, true))));
        const expected = data.orders.nodes.map(({ id, lines }) => ({ id, lines: lines.nodes }));
        expect(groups.map(({ owner, children }) => ({ id: owner.id, lines: children }))).toEqual(
          expected,
        );
      }),
    );
  });

  it('are refused where they are not grouped, because an owner may be incomplete', async () => {
    const data = { orders: { nodes: [owner(1), owner(2)] } };
    await expect(collect(readGroups(linesOf(write(data, false))))).rejects.toThrow(NotGrouped);
  });

  it('are refused where they are not JSON, without quoting them', async () => {
    const lines = linesOf('{"id":"a"}\n{"email":"someone@exam');
    await expect(collect(readGroups(lines))).rejects.toThrow(
      /^the file has a line that is not JSON$/,
    );
  });
});

const owner = (n: number) => ({
  id: `gid://shopify/Order/${n}`,
  lines: { nodes: [{ __typename: 'LineItem', n }] },
});

const discount = (id: number, codes: number) => ({
  id: `gid://shopify/DiscountCodeNode/${id}`,
  codeDiscount: {
    __typename: 'DiscountCodeFreeShipping',
    status: 'ACTIVE',
    createdAt: '2026-10-01T00:00:00Z',
    updatedAt: '2026-10-01T00:00:00Z',
    startsAt: '2026-10-01T00:00:00Z',
    endsAt: null,
    usageLimit: null,
    appliesOncePerCustomer: false,
    tags: [],
    context: { __typename: 'DiscountBuyerSelectionAll' },
    codes: {
      nodes: Array.from({ length: codes }, (_, n) => ({
        __typename: 'DiscountRedeemCode',
        id: `gid://shopify/DiscountRedeemCode/${id}${n}`,
        code: `C${id}-${n}`,
        asyncUsageCount: 0,
      })),
    },
  },
});

const codeOf = (one: BulkEntity) =>
  one.kind === 'entity' && one.entity.kind === 'coupon' ? one.entity.coupon.code : one.kind;

describe('the codes of a bulk file', () => {
  it('are read from any place, each exactly once', async () => {
    const anyDiscounts = fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(anyDiscounts, fc.nat(), async (sizes, stop) => {
        const nodes = sizes.map((size, id) => discount(id, size));
        const text = write({ codeDiscountNodes: { nodes } }, true);
        const read = (place: BulkPlace) =>
          collect(readEntities('discounts', linesOf(text, place.byte), place));
        const all = await read(FILE_START);
        expect(all.map(codeOf)).toEqual(
          sizes.flatMap((size, id) => Array.from({ length: size }, (_, n) => `C${id}-${n}`)),
        );
        if (all.length === 0) return;
        const first = all.slice(0, stop % all.length);
        const rest = await read(first.at(-1)?.next ?? FILE_START);
        expect([...first, ...rest].map(codeOf)).toEqual(all.map(codeOf));
      }),
    );
  });
});

const anyEnrichment = fc.record({
  card: fc.boolean(),
  locationNames: fc.boolean(),
  staffNames: fc.boolean(),
  localizedFields: fc.boolean(),
  metafields: fc.array(
    fc.record({
      owner: fc.constantFrom('order' as const, 'customer' as const),
      namespace: fc.string({ minLength: 1 }).map((text) => text.replaceAll('.', '_')),
      key: fc.string({ minLength: 1 }),
    }),
    { maxLength: 5 },
  ),
});

const kinds: readonly BulkKind[] = ['orders', 'products', 'discounts'];

describe('a bulk query', () => {
  it('fits Shopify’s schema and the rules of bulk queries with any enrichment', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.string(),
        anyEnrichment,
        (kind, search, enrichment) => {
          const document = parse(bulkQuery(kind, search, enrichment));
          expect(validate(adminSchema(), document)).toEqual([]);
          expect(bulkProblem(document)).toBeUndefined();
        },
      ),
      { numRuns: 100 },
    );
  });

  it('has at most five connections with the whole enrichment', () => {
    const all = {
      card: true,
      locationNames: true,
      staffNames: true,
      localizedFields: true,
      metafields: [{ owner: 'order', namespace: 'a', key: 'b' }],
    } as const;
    for (const kind of kinds) {
      expect(bulkQuery(kind, '', all).match(/edges/g)?.length).toBeLessThanOrEqual(5);
    }
  });
});
