import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  askAgain,
  deduplicationIdOf,
  groupIdOf,
  hashBody,
} from '../../shared/core/events/event.ts';
import { onePartApart } from '../support/one-part-apart.ts';

const ALLOWED = /^[\x21-\x7e]{1,128}$/;
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 100, maxLength: 300 }),
  fc.constantFrom('', '"', ',', '","', '/', '\ud800', '\ud801', 'a', 'b'),
);
const kinds = fc.constantFrom('order', 'product', 'coupon', 'discount', 'customer', 'shop');
/** A shop's domain holds no slash. */
const shops = fc.stringMatching(/^[a-z0-9.-]{1,90}$/);

describe('the group of an event', () => {
  it('is one that SQS takes', () => {
    fc.assert(
      fc.property(shops, kinds, anyText, (shop, kind, id) => {
        expect(groupIdOf({ shop, kind, id, topic: '' })).toMatch(ALLOWED);
      }),
    );
  });

  it('differs where only the shop, the kind or the id differs', () => {
    fc.assert(
      fc.property(onePartApart({ shop: shops, kind: kinds, id: anyText }), ([one, other]) => {
        const groupOf = (key: typeof one) => groupIdOf({ ...key, topic: '' });
        expect(groupOf(one)).not.toBe(groupOf(other));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['an order', 'order', 1],
    ['a redemption, whose first message may be delayed for minutes', 'redemption', 2],
  ] as const)('for two senders about %s', (_, kind, groups) => {
    const groupOf = (topic: string) => groupIdOf({ shop: 'shop', kind, id: '1', topic });
    expect(new Set(['a', 'b'].map(groupOf)).size).toBe(groups);
  });

  it('can be read by an operator', () => {
    expect(groupIdOf({ shop: 'example.myshopify.com', kind: 'order', id: '42', topic: '' })).toBe(
      'example.myshopify.com/order/42',
    );
  });

  it.each(['🎁', 'ten percent', 'é', 'a'.repeat(200), '\ud800'])('hides the code %j', (id) => {
    const group = groupIdOf({ shop: 'example.myshopify.com', kind: 'coupon', id, topic: '' });
    expect(group).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(group).not.toBe(
      groupIdOf({ shop: 'example.myshopify.com', kind: 'coupon', id: `${id}.`, topic: '' }),
    );
  });
});

describe('the deduplication id of an event', () => {
  it('is one that SQS takes', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (shop, topic, deliveryId) => {
        expect(deduplicationIdOf({ shop, topic, deliveryId })).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  it('differs where only the shop, the topic, the delivery or the replays differ', () => {
    const replays = fc.array(fc.record({ at: anyText, by: anyText }), { maxLength: 2 });
    const parts = { shop: anyText, topic: anyText, deliveryId: anyText, replays };
    fc.assert(
      fc.property(onePartApart(parts), ([one, other]) => {
        expect(deduplicationIdOf(one)).not.toBe(deduplicationIdOf(other));
      }),
      { numRuns: 1_000 },
    );
  });

  it('differs where only the moment or the person of a replay differs', () => {
    fc.assert(
      fc.property(onePartApart({ at: anyText, by: anyText }), (pair) => {
        const [one, other] = pair.map((replay) =>
          deduplicationIdOf({ shop: 's', topic: 't', deliveryId: 'd', replays: [replay] }),
        );
        expect(one).not.toBe(other);
      }),
    );
  });

  it('never depends on where one part ends and the next begins', () => {
    const idOf = (shop: string, topic: string) =>
      deduplicationIdOf({ shop, topic, deliveryId: 'd' });
    for (const between of ['', ',', '","']) {
      expect(idOf(`a${between}b`, 'c')).not.toBe(idOf('a', `b${between}c`));
    }
  });

  it('is new whenever the delivery is asked for again', () => {
    const first = { shop: 's', topic: 't', deliveryId: 'first' };
    const again = askAgain(first, new Date(1));
    const oneMore = askAgain(again, new Date(2));
    const ids = [first, again, oneMore].map(deduplicationIdOf);
    expect(new Set(ids).size).toBe(3);
  });

  it('ignores what a retry of the same delivery changes', () => {
    const delivery = { shop: 's', topic: 't', deliveryId: 'd' };
    const retried = { ...delivery, receivedAt: 'later', body: new Uint8Array(1) };
    expect(deduplicationIdOf(retried)).toBe(deduplicationIdOf(delivery));
    expect(deduplicationIdOf({ ...delivery, replays: [] })).toBe(deduplicationIdOf(delivery));
  });
});

it('names a body without an entity by all of its bytes', () => {
  expect(hashBody(new Uint8Array([1, 2]))).not.toBe(hashBody(new Uint8Array([1, 3])));
  expect(hashBody(new Uint8Array())).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
});
