import { describe, expect, expectTypeOf, it } from 'vitest';
import { readServiceOrder } from '../../../../shared/aws/ledger-item.ts';
import type { EntityKey } from '../../../../shared/core/events/event.ts';
import {
  entityKeyFrom,
  type Ledger,
  type LedgerKey,
  ledgerKeyText,
  type RecordKey,
  rememberedForm,
  type WriteOf,
} from '../../../../shared/core/ledger/ledger.ts';
import type { mapSnapshot } from '../../../../shared/core/mapping/map-snapshot.ts';
import type { readSnapshot } from '../../../../shared/core/sync/read-snapshot.ts';
import type { syncEntity } from '../../../../shared/core/sync/sync-entity.ts';

const SHOP = 'example.myshopify.com';

describe('entities and records', () => {
  it('are two types: what maps, reads or syncs an entity takes no record', () => {
    expectTypeOf<RecordKey>().not.toExtend<EntityKey>();
    expectTypeOf<EntityKey>().not.toExtend<RecordKey>();
    expectTypeOf<EntityKey | RecordKey>().toEqualTypeOf<LedgerKey>();
    expectTypeOf<Parameters<typeof mapSnapshot>[0]>().toEqualTypeOf<EntityKey>();
    expectTypeOf<Parameters<typeof readSnapshot>[0]>().toEqualTypeOf<EntityKey>();
    expectTypeOf<Parameters<typeof syncEntity>[0]>().toEqualTypeOf<EntityKey>();
    const notice: RecordKey<'notice'> = { shop: SHOP, kind: 'notice', id: 'data-request/1' };
    // @ts-expect-error a deleted notice must not be mapped to a removed coupon
    const key: Parameters<typeof mapSnapshot>[0] = notice;
    expect(key).toBe(notice);
  });

  it('are written as what they hold: a record has no discount and is never history', () => {
    expectTypeOf<WriteOf<EntityKey>>().toHaveProperty('discountId');
    expectTypeOf<WriteOf<RecordKey>>().not.toHaveProperty('discountId');
    expectTypeOf<WriteOf<RecordKey>>().not.toHaveProperty('history');
    const write = (ledger: Ledger, notice: RecordKey) =>
      // @ts-expect-error no record belongs to a discount
      ledger.write(notice, { version: 0, uncertain: false, outcomes: [], discountId: '7' }, 1);
    expect(write).toBeTypeOf('function');
  });

  it('have one text each, from which only entities are read back', () => {
    const coupon: EntityKey = { shop: SHOP, kind: 'coupon', id: 'a|b' };
    expect(ledgerKeyText(coupon)).toBe(`coupon|${SHOP}|a|b`);
    expect(entityKeyFrom(ledgerKeyText(coupon))).toEqual(coupon);
    expect(entityKeyFrom(`coupon|${SHOP}`)).toBeUndefined();
    for (const kind of ['customer', 'redemption', 'reward-code', 'notice', 'cursor'] as const) {
      expect(entityKeyFrom(ledgerKeyText({ shop: SHOP, kind, id: '1' }))).toBeUndefined();
    }
  });
});

describe('what the ledger remembers', () => {
  it('is written with the letter of its kind and the version of its form', () => {
    const texts = (['order', 'product', 'customer', 'redemption', 'cursor'] as const).map((kind) =>
      rememberedForm<object>(kind, 1).write({ a: 1 }),
    );
    expect(texts).toEqual(['o1{"a":1}', 'p1{"a":1}', 'b1{"a":1}', 'r1{"a":1}', 's1{"a":1}']);
    expect(rememberedForm('customer', 1).read('b1{"a":1}')).toEqual({ a: 1 });
  });

  it.each([[undefined], ['b2{"a":1}'], ['b1{"a"'], ['']])('is nothing in %s', (text) => {
    expect(rememberedForm('customer', 1).read(text)).toBeUndefined();
  });
});

const sent = {
  ...{ completedAt: '2026-10-09T11:00:00Z', placedAt: '2026-10-09T10:00:00Z' },
  ...{ total: 5000, products: [['7', 5000, 0]], taken: 0 },
};
const step = { sum: 100, value: 100, products: [['7', 100]] };

describe('what the service holds of an order', () => {
  it.each([
    [sent],
    [{ total: 5000, products: [], taken: 0 }],
    [{ ...sent, rest: 'hash', products: [], taken: 100, step }],
    [{ ...sent, id: '#1001', theirs: -700, ended: true }],
    [{ ...sent, step: { ...step, products: [], searchedFrom: 300 } }],
  ])('is read as it was written: %j', (value) => {
    expect(readServiceOrder(value)).toBe(value);
  });

  // An amount that is misread takes points from a customer: then the service is asked instead.
  it.each([
    [undefined],
    [{ taken: 0 }],
    [{ ...sent, taken: undefined }],
    [{ ...sent, taken: 0.5 }],
    [{ ...sent, total: '5000' }],
    [{ ...sent, completedAt: 7 }],
    [{ ...sent, id: 7 }],
    [{ ...sent, rest: 7 }],
    [{ ...sent, theirs: '7' }],
    [{ ...sent, products: {} }],
    [{ ...sent, products: ['7'] }],
    [{ ...sent, products: [['7', 5000]] }],
    [{ ...sent, products: [['7', 5000, 0.5]] }],
    [{ ...sent, products: [...sent.products, ['8', 'x', 0]] }],
    [{ ...sent, step: { ...step, sum: '7' } }],
    [{ ...sent, step: { ...step, value: '100' } }],
    [{ ...sent, step: { ...step, products: [['7', 100, 0]] } }],
    [{ ...sent, step: { ...step, products: undefined } }],
    [{ ...sent, step: { ...step, searchedFrom: 0.5 } }],
  ])('is unknown in any other form: %j', (value) => {
    expect(readServiceOrder(value)).toBeUndefined();
  });
});
