import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type {
  Changed,
  DiscountPage,
  ScanAnswer,
  ScannedKind,
  ScanPage,
  Span,
  Store,
  StoreAnswer,
  StoreScan,
} from '../../shared/core/store/store.ts';

/** A store, and the merchant's actions in it at given times. */
export interface StoreUnderTest {
  readonly shop: string;
  /** Another one, which is empty. */
  readonly otherShop: string;
  readonly store: Store & StoreScan;
  /** Returns the id. */
  placeOrder(at: number): Promise<string>;
  changeOrder(id: string, at: number): unknown;
  createProduct(at: number): Promise<string>;
  createDiscount(at: number, codes: readonly string[]): Promise<string>;
  createAutomaticDiscount(at: number): Promise<string>;
  /** Of a code, the code itself. */
  remove(kind: ScannedKind | 'coupon', id: string): unknown;
  setNow(at: number): unknown;
  grantAllOrders(granted: boolean): unknown;
  /** `refusing` no longer accepts our credentials. */
  turn(how: 'well' | 'ill' | 'refusing'): unknown;
}

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-10-09T12:00:00Z');
const minute = (count: number) => NOON + count * 60_000;

/** `create` returns an empty store. */
export function describeStoreContract(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(`the store contract, kept by ${name}`, () => {
    let subject: StoreUnderTest;
    let store: Store & StoreScan;
    beforeEach(async () => {
      subject = await create();
      ({ store } = subject);
    });

    const scans: Record<ScannedKind, (span: Span, after?: string) => ReturnType<PageOf>> = {
      order: (span, after) => store.changedOrders(subject.shop, span, after),
      product: (span, after) => store.changedProducts(subject.shop, span, after),
      discount: (span, after) => store.changedDiscounts(subject.shop, span, after),
    };
    const makers: Record<ScannedKind, (at: number) => Promise<string>> = {
      order: (at) => subject.placeOrder(at),
      product: (at) => subject.createProduct(at),
      discount: (at) => subject.createDiscount(at, [`CODE-${at}`]),
    };
    const scan = (kind: ScannedKind, span: Span) => scanPages(scans[kind], span);
    const idsOf = (changed: readonly Changed<unknown>[]) => changed.map(({ id }) => id);

    describe.each(['order', 'product', 'discount'] as const)('%ss', (kind) => {
      it('come exactly once, in the order of their change, over all pages', async () => {
        const ids: string[] = [];
        for (let i = 0; i < 24; i += 1) ids.push(await makers[kind](minute(i)));
        const { changed, pages } = await scan(kind, { from: undefined, until: minute(60) });
        expect(idsOf(changed)).toEqual(ids);
        expect(changed.map(({ updatedAt }) => Date.parse(updatedAt))).toEqual(
          ids.map((_, index) => minute(index)),
        );
        if (kind === 'order') expect(pages).toBeGreaterThan(1);
      });

      it('come only from the span, including both ends', async () => {
        const ids: string[] = [];
        for (const at of [0, 10, 20, 30, 40]) ids.push(await makers[kind](minute(at)));
        const { changed } = await scan(kind, { from: minute(10), until: minute(30) });
        expect(idsOf(changed)).toEqual(ids.slice(1, 4));
        const none = await scan(kind, { from: minute(41), until: minute(50) });
        expect(none.changed).toEqual([]);
      });

      it('are reported as absent only when they are', async () => {
        const [kept, lost] = [await makers[kind](minute(0)), await makers[kind](minute(1))];
        await subject.remove(kind, lost);
        expect(await store.findAbsent(subject.shop, kind, [kept, lost, '404'])).toEqual({
          kind: 'found',
          value: new Set([lost, '404']),
        });
        expect(await store.findAbsent(subject.shop, kind, [])).toEqual(found(new Set()));
        const { changed } = await scan(kind, { from: undefined, until: minute(60) });
        expect(idsOf(changed)).toEqual([kept]);
      });
    });

    it('returns each as if it was read alone', async () => {
      const order = await subject.placeOrder(minute(0));
      const product = await subject.createProduct(minute(1));
      const discount = await subject.createDiscount(minute(2), ['ONE', 'TWO']);
      const span = { from: undefined, until: minute(60) };
      const orders = await scanPages(scans.order, span);
      expect(await store.readOrder(subject.shop, order)).toEqual(
        found(changedValue(orders, order)),
      );
      const products = await scanPages(scans.product, span);
      expect(await store.readProduct(subject.shop, product)).toEqual(
        found(changedValue(products, product)),
      );
      const discounts = await scanPages(scans.discount, span);
      expect(await store.readDiscount(subject.shop, discount)).toEqual(
        found(changedValue(discounts, discount)),
      );
    });

    it('returns the current state and caches nothing', async () => {
      const id = await subject.placeOrder(minute(0));
      const first = value(await store.readOrder(subject.shop, id));
      await subject.changeOrder(id, minute(1));
      const { updatedAt } = value(await store.readOrder(subject.shop, id));
      expect([first.updatedAt, updatedAt].map(Date.parse)).toEqual([minute(0), minute(1)]);
    });

    /** What the store answers about each of them, and about those of the same ids elsewhere. */
    const read = async (shop: string, [order, product, discount, code]: readonly string[]) => [
      await store.readOrder(shop, order ?? ''),
      await store.readProduct(shop, product ?? ''),
      await store.readDiscount(shop, discount ?? ''),
      await store.readCoupon(shop, code ?? ''),
    ];
    const makeAll = async () => [
      await subject.placeOrder(minute(0)),
      await subject.createProduct(minute(0)),
      await subject.createDiscount(minute(0), ['AUTUMN10']),
      'AUTUMN10',
    ];
    const allGone = Array(4).fill({ kind: 'gone' });

    it('returns gone for what never existed and for what was deleted, and never throws', async () => {
      const made = await makeAll();
      const [order = '', product = '', discount = ''] = made;
      expect((await read(subject.shop, made)).map(({ kind }) => kind)).toEqual(
        Array(4).fill('found'),
      );
      await subject.remove('order', order);
      await subject.remove('product', product);
      await subject.remove('discount', discount);
      expect(await read(subject.shop, made)).toEqual(allGone);
      expect(await read(subject.shop, ['1', '1', '1', 'NEVER'])).toEqual(allGone);
    });

    it('distinguishes equal ids of different kinds, and the entities of two shops', async () => {
      const made = await makeAll();
      const [order = '', product = ''] = made;
      expect(await read(subject.shop, [product, order, order, order])).toEqual(allGone);
      expect(await read(subject.otherShop, made)).toEqual(allGone);
    });

    describe('the codes of a discount', () => {
      it.each([1, 50, 51, 120])(
        'come exactly once each, over all pages: %i of them',
        async (count) => {
          const codes = Array.from({ length: count }, (_, index) => `CODE-${index}`);
          const id = await subject.createDiscount(minute(0), codes);
          await subject.createDiscount(minute(0), ['STRANGER']);
          const pages = await readPages(store, subject.shop, id);
          expect(pages.flatMap(codesOf).toSorted()).toEqual(codes.toSorted());
          expect(pages.every(({ automatic }) => automatic === false)).toBe(true);
        },
      );

      it('of an automatic discount are an empty list', async () => {
        const id = await subject.createAutomaticDiscount(minute(0));
        const pages = await readPages(store, subject.shop, id);
        expect(pages).toEqual([{ automatic: true, coupons: [] }]);
      });

      it('no longer include a removed one, and the discount stays', async () => {
        const id = await subject.createDiscount(minute(0), ['KEPT', 'LOST']);
        await subject.remove('coupon', 'LOST');
        expect(await store.readCoupon(subject.shop, 'LOST')).toEqual({ kind: 'gone' });
        expect((await readPages(store, subject.shop, id)).map(codesOf)).toEqual([['KEPT']]);
        await subject.remove('coupon', 'KEPT');
        const pages = await readPages(store, subject.shop, id);
        expect(pages).toEqual([{ automatic: false, coupons: [] }]);
      });

      it('are found in any case, in the spelling of the store', async () => {
        await subject.createDiscount(minute(0), ['AUTUMN10']);
        const answer = await store.readCoupon(subject.shop, 'Autumn10');
        expect(answer).toMatchObject({ value: { code: 'AUTUMN10' } });
      });

      it('are found with any characters', async () => {
        const codes = fc.uniqueArray(anyCode, {
          ...{ minLength: 20, maxLength: 20, selector: (code) => code.toLowerCase() },
        });
        await fc.assert(
          fc.asyncProperty(codes, async (all) => {
            subject = await create();
            await subject.createDiscount(minute(0), all);
            for (const code of all) {
              const answer = await subject.store.readCoupon(subject.shop, code);
              expect(answer).toMatchObject({ value: { code } });
            }
          }),
          { numRuns: 1 },
        );
      });
    });

    it('answers again after it has recovered', async () => {
      const made = await makeAll();
      await subject.turn('ill');
      await read(subject.shop, made);
      await subject.turn('well');
      expect((await read(subject.shop, made)).map(({ kind }) => kind)).toEqual(
        Array(4).fill('found'),
      );
    });

    it.each([
      ['', {}, 14],
      [' by creation, in its order', { by: 'creation' }, 16],
    ] as const)('skips nothing in the span while entities change%s', async (_, by, stay) => {
      const ids: string[] = [];
      for (let i = 0; i < 16; i += 1) ids.push(await subject.placeOrder(minute(i)));
      const span = { from: minute(0), until: minute(30), ...by };
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = value(await store.changedOrders(subject.shop, span, after));
        seen.push(...idsOf(page.changed));
        after = page.next;
        // Changed entities move behind the end of a span of changes, both read and unread ones.
        for (const id of [seen.at(-1), ids[14]]) {
          if (id !== undefined) await subject.changeOrder(id, minute(50 + seen.length));
        }
      } while (after !== undefined);
      expect(seen.filter((id) => ids.indexOf(id) < stay)).toEqual(ids.slice(0, stay));
    });

    it('returns the first codes of a discount, and the cursor of the others', async () => {
      const codes = Array.from({ length: 120 }, (_, index) => `CODE-${index}`);
      const id = await subject.createDiscount(minute(0), codes);
      const { changed } = await scan('discount', { from: undefined, until: minute(60) });
      const seen: string[] = [];
      let page = changedValue({ changed }, id) as DiscountPage;
      for (;;) {
        seen.push(...page.coupons.map(({ code }) => code));
        if (page.next === undefined) break;
        page = value(await store.readDiscount(subject.shop, id, page.next));
      }
      expect(seen.toSorted()).toEqual(codes.toSorted());
    });

    it('omits discounts without codes', async () => {
      await subject.createAutomaticDiscount(minute(0));
      const { changed } = await scan('discount', { from: undefined, until: minute(60) });
      expect(changed).toEqual([]);
    });

    it('hides old orders without the scope, and reports that it does', async () => {
      const old = await subject.placeOrder(NOON);
      const young = await subject.placeOrder(NOON + 30 * DAY_MS);
      await subject.setNow(NOON + 70 * DAY_MS);
      const span = { from: undefined, until: NOON + 70 * DAY_MS };
      expect(await store.seesAllOrders(subject.shop)).toEqual(found(true));
      expect(idsOf((await scan('order', span)).changed)).toEqual([old, young]);
      await subject.grantAllOrders(false);
      expect(await store.seesAllOrders(subject.shop)).toEqual(found(false));
      expect(idsOf((await scan('order', span)).changed)).toEqual([young]);
      expect(await store.findAbsent(subject.shop, 'order', [old, young])).toEqual(
        found(new Set([old])),
      );
    });

    it.each(['ill', 'refusing'] as const)(
      'never reports a missing answer as an empty page, or as gone: %s',
      async (how) => {
        const made = await makeAll();
        await subject.turn(how);
        const span = { from: undefined, until: minute(60) };
        const expected = {
          kind: 'unavailable',
          // A name for metrics, not the text of an error.
          why: expect.stringMatching(/^[a-z0-9-]+$/),
          ...(how === 'refusing' && { misconfigured: true }),
        };
        for (const answer of await read(subject.shop, made)) {
          expect(answer).toMatchObject(expected);
          if (how === 'ill') expect(answer).not.toHaveProperty('misconfigured', true);
        }
        for (const kind of ['order', 'product', 'discount'] as const) {
          expect(await scans[kind](span)).toMatchObject(expected);
          expect(await store.findAbsent(subject.shop, kind, ['1'])).toMatchObject(expected);
        }
        expect(await store.seesAllOrders(subject.shop)).toMatchObject(expected);
        expect(await store.overriddenDiscounts(subject.shop)).toMatchObject(expected);
      },
    );
  });
}

/** Printable, and without white space at the ends, which stores trim. */
const anyCode = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((code) => code.trim() === code && code !== '');

type PageOf = (span: Span, after?: string) => Promise<ScanAnswer<ScanPage<unknown>>>;

const found = <Value>(one: Value): StoreAnswer<Value> => ({ kind: 'found', value: one });

function value<Value>(answer: StoreAnswer<Value>): Value {
  if (answer.kind === 'found') return answer.value;
  throw new Error(`the store says ${JSON.stringify(answer)}`);
}

async function scanPages(page: PageOf, span: Span) {
  const changed: Changed<unknown>[] = [];
  let after: string | undefined;
  let pages = 0;
  do {
    const { changed: more, next } = value(await page(span, after));
    changed.push(...more);
    after = next;
    pages += 1;
  } while (after !== undefined && pages < 100);
  return { changed, pages };
}

function changedValue({ changed }: { changed: readonly Changed<unknown>[] }, id: string): unknown {
  return changed.find((one) => one.id === id)?.value;
}

const codesOf = ({ coupons }: Pick<DiscountPage, 'coupons'>) => coupons.map(({ code }) => code);

async function readPages(store: Store, shop: string, discountId: string) {
  const pages = [];
  let from: string | undefined;
  do {
    const { next, ...page } = value(await store.readDiscount(shop, discountId, from));
    pages.push(page);
    from = next;
  } while (from !== undefined && pages.length < 1_000);
  return pages;
}
