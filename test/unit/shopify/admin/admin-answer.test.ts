import { describe, expect, it } from 'vitest';
import { questionsOf } from '../../../../shared/shopify/admin/admin-store.ts';
import {
  failure,
  readAnswer,
  unavailable,
} from '../../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../../shared/shopify/admin/client/admin-client.ts';

const SHOP = 'example-store.myshopify.com';

/** A store that answers every query with the same data. */
function storeAnswering(data: unknown) {
  const ask: Ask = async () => ({ kind: 'data', data: data as never });
  return questionsOf(
    () => ask,
    () => ({}),
  );
}

const unreadable = { kind: 'unavailable', why: 'unreadable-answer' };

describe('an answer that differs from the schema', () => {
  it('counts as unavailable and throws nothing', async () => {
    expect(await storeAnswering({ order: {} }).readOrder(SHOP, '1')).toEqual(unreadable);
    expect(await storeAnswering({ product: 7 }).readProduct(SHOP, '1')).toEqual(unreadable);
    const discount = { codeDiscountNodeByCode: { codeDiscount: null } };
    expect(await storeAnswering(discount).readCoupon(SHOP, 'X')).toEqual(unreadable);
    expect(await storeAnswering({}).seesAllOrders(SHOP)).toEqual(unreadable);
    expect(await storeAnswering({ nodes: null }).findAbsent(SHOP, 'order', ['1'])).toEqual(
      unreadable,
    );
  });

  it('still shows the error code of a refusal whose field is not text', () => {
    const field = ['metafields', { toString: null }, '0'];
    const data = { metafieldsSet: { userErrors: [{ field, code: 'INVALID' }] } };
    const answer = { status: 200, retryAfter: undefined };
    expect(readAnswer(answer, { data }, 'mutation')).toEqual({
      kind: 'user-errors',
      errors: [{ field: 'metafields.0', code: 'INVALID' }],
    });
  });

  it('makes a scan skip one entity, not the page', async () => {
    const gid = 'gid://shopify/Product/1';
    const updatedAt = '2026-10-09T11:00:00Z';
    const products = {
      nodes: [
        { id: gid, updatedAt },
        {
          id: 'gid://shopify/Product/2',
          updatedAt,
          title: 'Shirt',
          media: { nodes: [] },
          priceRangeV2: { minVariantPrice: { amount: '1' } },
        },
      ],
      pageInfo: { hasNextPage: false, endCursor: null },
    };
    const span = { from: undefined, until: Date.parse(updatedAt) };
    const walked = await storeAnswering({ products }).changedProducts(SHOP, span, undefined);
    expect(walked).toMatchObject({
      kind: 'found',
      value: {
        changed: [
          { id: '1', value: undefined },
          { id: '2', value: { title: 'Shirt' } },
        ],
      },
    });
  });
});

it('reports a refused query, so that a scan drops a cursor that is no longer valid', () => {
  expect(unavailable(failure('query-refused'))).toMatchObject({
    why: 'query-refused',
    queryRefused: true,
  });
  expect(unavailable(failure('time-out'))).toEqual({ kind: 'unavailable', why: 'time-out' });
});
