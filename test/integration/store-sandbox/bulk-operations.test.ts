import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { bulkProblem } from '../../../local/store-sandbox/graphql/bulk-operations.ts';

// The file of a bulk operation is compared with the Admin API by test/integration/backfill/bulk-readers.test.ts.
it.each([
  [
    'a connection in a list',
    '{ orders { edges { node { id refunds { id refundLineItems { edges { node { quantity } } } } } } } }',
  ],
  [
    'six connections',
    '{ orders { edges { node { id a: lineItems { edges { node { id } } } b: lineItems { edges { node { id } } } c: lineItems { edges { node { id } } } d: lineItems { edges { node { id } } } e: lineItems { edges { node { id } } } } } } }',
  ],
  ['no connection', '{ shop { name } }'],
  ['two roots', '{ orders { edges { node { id } } } products { edges { node { id } } } }'],
])('a bulk query is refused as by Shopify: %s', (_, query) => {
  expect(bulkProblem(parse(query))).toEqual(expect.any(String));
});
