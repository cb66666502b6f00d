import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store, StoreAnswer } from '../../shared/core/store/store.ts';
import type { StoreCoupon, StoreOrder, StoreProduct } from '../../shared/store/store-entities.ts';
import { amount, storeCoupon, storeOrder, storeProduct } from '../fixtures/store-entities.ts';

/** A store, and the merchant's actions in it. */
export interface StoreUnderTest {
  readonly store: Store;
  putOrder(shop: string, order: StoreOrder): unknown;
  putProduct(shop: string, product: StoreProduct): unknown;
  /** Together with its discount. */
  putCoupon(shop: string, coupon: StoreCoupon): unknown;
  putAutomaticDiscount(shop: string, id: string): unknown;
  remove(shop: string, kind: 'order' | 'product' | 'coupon' | 'discount', id: string): unknown;
  /** `refusing` no longer accepts our credentials. */
  turn(how: 'well' | 'ill' | 'refusing'): unknown;
}

const SHOP = 'example-store.myshopify.com';
const OTHER = 'second-store.myshopify.com';
const DISCOUNT = '1688847450345';

/** Every field is set, also those that webhooks do not have. */
const order: StoreOrder = {
  ...storeOrder({ fulfilledAfterDays: 1, tipCents: 300, taxPercent: 20 }),
  id: '820982911946154508',
  source: 'pos',
  pointOfSale: true,
  card: { brand: 'Visa', type: 'credit' },
  location: { id: '655441491', name: 'Harbour Street' },
  staff: { id: '799407056', name: 'till 4' },
  couponCodes: ['AUTUMN10'],
  noteAttributes: [{ name: 'gift', value: 'yes' }],
  metafields: [{ owner: 'customer', namespace: 'facts', key: 'club', value: 'gold' }],
};
const product = storeProduct();

/** `create` returns an empty store. */
export function describeStoreContract(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(`the store contract, kept by ${name}`, () => {
    let subject: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      subject = await create();
      ({ store } = subject);
    });

    it('returns every field of an entity', async () => {
      const coupon = storeCoupon({ endsAt: '2026-12-31T00:00:00.000Z', useLimit: 100 });
      await subject.putOrder(SHOP, order);
      await subject.putProduct(SHOP, product);
      await subject.putCoupon(SHOP, coupon);
      expect(await store.readOrder(SHOP, order.id)).toStrictEqual(found(order));
      expect(await store.readProduct(SHOP, product.id)).toStrictEqual(found(product));
      expect(await store.readCoupon(SHOP, coupon.code)).toStrictEqual(found(coupon));
    });

    it('returns the current state and caches nothing', async () => {
      await subject.putOrder(SHOP, order);
      await store.readOrder(SHOP, order.id);
      const later = { ...order, updatedAt: '2026-10-10T00:00:00.000Z', subtotal: amount('1') };
      await subject.putOrder(SHOP, later);
      expect(await store.readOrder(SHOP, order.id)).toStrictEqual(found(later));
    });

    it('returns gone for what never existed and for what was deleted, and never throws', async () => {
      await subject.putOrder(SHOP, order);
      await subject.putProduct(SHOP, product);
      await subject.putCoupon(SHOP, storeCoupon());
      await subject.remove(SHOP, 'order', order.id);
      await subject.remove(SHOP, 'product', product.id);
      await subject.remove(SHOP, 'discount', DISCOUNT);
      for (const id of [order.id, '1']) expect(await store.readOrder(SHOP, id)).toEqual(gone);
      for (const id of [product.id, '1']) expect(await store.readProduct(SHOP, id)).toEqual(gone);
      for (const code of ['AUTUMN10', 'NEVER']) {
        expect(await store.readCoupon(SHOP, code)).toEqual(gone);
      }
      for (const id of [DISCOUNT, '1']) expect(await store.readDiscount(SHOP, id)).toEqual(gone);
    });

    it('distinguishes equal ids of different kinds', async () => {
      await subject.putOrder(SHOP, { ...order, id: '7' });
      await subject.putAutomaticDiscount(SHOP, '8');
      expect(await store.readProduct(SHOP, '7')).toEqual(gone);
      expect(await store.readDiscount(SHOP, '7')).toEqual(gone);
      expect(await store.readCoupon(SHOP, '7')).toEqual(gone);
      expect(await store.readOrder(SHOP, '8')).toEqual(gone);
    });

    it('never returns the entity of another shop', async () => {
      await subject.putOrder(SHOP, order);
      await subject.putProduct(SHOP, product);
      await subject.putCoupon(SHOP, storeCoupon());
      expect(await store.readOrder(OTHER, order.id)).toEqual(gone);
      expect(await store.readProduct(OTHER, product.id)).toEqual(gone);
      expect(await store.readCoupon(OTHER, 'AUTUMN10')).toEqual(gone);
      expect(await store.readDiscount(OTHER, DISCOUNT)).toEqual(gone);
    });

    describe('the codes of a discount', () => {
      it.each([1, 50, 51, 120])(
        'come exactly once each, over all pages: %i of them',
        async (count) => {
          const coupons = Array.from({ length: count }, (_, index) =>
            storeCoupon({ code: `CODE-${index}`, codeId: String(5_000 + index) }),
          );
          for (const coupon of coupons) await subject.putCoupon(SHOP, coupon);
          await subject.putCoupon(SHOP, storeCoupon({ code: 'STRANGER', discountId: '99' }));
          const pages = await readPages(store, DISCOUNT);
          const all = pages.flatMap((page) => page.coupons);
          expect(all).toHaveLength(count);
          expect(new Map(all.map((coupon) => [coupon.code, coupon]))).toEqual(
            new Map(coupons.map((coupon) => [coupon.code, coupon])),
          );
          expect(pages.every(({ automatic }) => automatic === false)).toBe(true);
        },
      );

      it('of an automatic discount are an empty list', async () => {
        await subject.putAutomaticDiscount(SHOP, DISCOUNT);
        expect(await readPages(store, DISCOUNT)).toEqual([{ automatic: true, coupons: [] }]);
      });

      it('no longer include a removed one, and the discount stays', async () => {
        await subject.putCoupon(SHOP, storeCoupon({ code: 'KEPT', codeId: '1' }));
        await subject.putCoupon(SHOP, storeCoupon({ code: 'LOST', codeId: '2' }));
        await subject.remove(SHOP, 'coupon', 'LOST');
        expect(await store.readCoupon(SHOP, 'LOST')).toEqual(gone);
        const [page] = await readPages(store, DISCOUNT);
        expect(page?.coupons.map(({ code }) => code)).toEqual(['KEPT']);
        await subject.remove(SHOP, 'coupon', 'KEPT');
        expect(await readPages(store, DISCOUNT)).toEqual([{ automatic: false, coupons: [] }]);
      });

      it('are found in any case, in the spelling of the store', async () => {
        await subject.putCoupon(SHOP, storeCoupon({ code: 'AUTUMN10' }));
        const found = await store.readCoupon(SHOP, 'Autumn10');
        expect(found).toMatchObject({ value: { code: 'AUTUMN10' } });
      });

      it('are found with any characters', async () => {
        await fc.assert(
          fc.asyncProperty(anyCode, async (code) => {
            await subject.putCoupon(SHOP, storeCoupon({ code }));
            expect(await store.readCoupon(SHOP, code)).toMatchObject({ value: { code } });
          }),
          { numRuns: 20 },
        );
      });
    });

    describe('a store that cannot answer', () => {
      const questions: readonly ((store: Store) => Promise<StoreAnswer<unknown>>)[] = [
        (asked) => asked.readOrder(SHOP, order.id),
        (asked) => asked.readProduct(SHOP, product.id),
        (asked) => asked.readCoupon(SHOP, 'AUTUMN10'),
        (asked) => asked.readDiscount(SHOP, DISCOUNT),
      ];

      it('returns unavailable, and never gone', async () => {
        await subject.turn('ill');
        for (const ask of questions) {
          const answer = await ask(store);
          expect(answer).toMatchObject({
            kind: 'unavailable',
            // A name for metrics, not the text of an error.
            why: expect.stringMatching(/^[a-z0-9-]+$/),
          });
          expect(answer).not.toHaveProperty('misconfigured', true);
        }
      });

      it('reports that a person must act when it refuses the credentials', async () => {
        await subject.turn('refusing');
        for (const ask of questions) {
          expect(await ask(store)).toMatchObject({ kind: 'unavailable', misconfigured: true });
        }
      });

      it('answers again after it has recovered', async () => {
        await subject.putOrder(SHOP, order);
        await subject.turn('ill');
        await store.readOrder(SHOP, order.id);
        await subject.turn('well');
        expect(await store.readOrder(SHOP, order.id)).toStrictEqual(found(order));
      });
    });
  });
}

/** Printable, and without white space at the ends, which stores trim. */
const anyCode = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((code) => code.trim() === code && code !== '');

const gone = { kind: 'gone' };
const found = <Value>(value: Value): StoreAnswer<Value> => ({ kind: 'found', value });

async function readPages(store: Store, discountId: string) {
  const pages = [];
  let from: string | undefined;
  do {
    const answer = await store.readDiscount(SHOP, discountId, from);
    if (answer.kind !== 'found') throw new Error(`the discount is ${answer.kind}`);
    const { next, ...page } = answer.value;
    pages.push(page);
    from = next;
  } while (from !== undefined && pages.length < 1_000);
  return pages;
}
