import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionsOf } from '../../../../shared/shopify/admin/admin-store.ts';
import {
  failure,
  readAnswer,
  unavailable,
} from '../../../../shared/shopify/admin/client/admin-answer.ts';
import { type Ask, createThrottle } from '../../../../shared/shopify/admin/client/admin-client.ts';

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

function cost(requestedQueryCost: number, currentlyAvailable: number, restoreRate = 50) {
  return {
    requestedQueryCost,
    throttleStatus: { maximumAvailable: 1000, currentlyAvailable, restoreRate },
  };
}

describe('the bucket of query cost points', () => {
  it('lets every query pass before the store has stated its points', () => {
    const throttle = createThrottle();
    expect(throttle.take('Order', 0)).toBe(0);
    throttle.note('Order', undefined, 0);
    throttle.note('Order', { throttleStatus: { maximumAvailable: 'many' } }, 0);
    expect(throttle.take('Order', 0)).toBe(0);
  });

  it('counts the cost of queries that are not answered yet', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(100, 250), 0);
    expect(throttle.take('Order', 0)).toBe(0);
    expect(throttle.take('Order', 0)).toBe(0);
    expect(throttle.take('Order', 0)).toBe(1000);
    expect(throttle.take('Order', 1000)).toBe(0);
  });

  it('leaves the reserve to other processes', () => {
    const throttle = createThrottle(0.5);
    throttle.note('Order', cost(100, 650), 0);
    expect(throttle.take('Order', 0)).toBe(0);
    // 550 are left, of which 500 are the reserve: 50 points more take a second.
    expect(throttle.take('Order', 0)).toBe(1000);
    expect(throttle.take('Order', 1000)).toBe(0);
  });

  it('never fills above its maximum', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(600, 900), 0);
    expect(throttle.take('Order', 3_600_000)).toBe(0);
    expect(throttle.take('Order', 3_600_000)).toBe(4000);
  });

  it('lets a query pass that costs more than the maximum, so that the store refuses it', () => {
    const throttle = createThrottle();
    throttle.note('Order', cost(5000, 1000), 0);
    expect(throttle.take('Order', 0)).toBe(0);
  });

  it('never waits longer than refilling takes, and lets no query pass without its points', () => {
    const anyCost = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(anyCost, fc.nat(1000), fc.integer({ min: 1, max: 2000 }), (asked, left, rate) => {
        const throttle = createThrottle();
        throttle.note('Order', cost(asked, left, rate), 0);
        const wait = throttle.take('Order', 0);
        expect(wait === 0).toBe(left >= asked);
        if (wait > 0) expect(throttle.take('Order', wait)).toBe(0);
      }),
    );
  });
});
