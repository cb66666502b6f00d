import fc from 'fast-check';
import { parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { bulkProblem } from '../../../../local/store-sandbox/graphql/bulk-operations.ts';
import { adminSchema } from '../../../../shared/shopify/admin/schema/admin-schema.ts';
import { type BulkKind, bulkQuery } from '../../../../shared/shopify/bulk/bulk-operation.ts';

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
