import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EntityKey } from '../../shared/core/events/event.ts';
import {
  type EntityEntry,
  type EntityWrite,
  type Ledger,
  type LedgerKey,
  ledgerKeyText,
  OUTCOMES_KEPT,
  type PastOutcome,
  type RecordKind,
  readEntry,
} from '../../shared/core/ledger/ledger.ts';

/** `create` returns a ledger without entries. */
export function describeLedgerContract(name: string, create: () => Promise<Ledger>): void {
  describe(`the ledger contract, kept by ${name}`, () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await create();
    });

    const key: EntityKey = {
      shop: 'example.myshopify.com',
      kind: 'order',
      id: '820982911946154508',
    };
    const applied: EntityWrite = {
      version: 1_790_000_000_000,
      appliedKey: 'a'.repeat(64),
      uncertain: false,
      remembered: '{"customer":"ana@example.com"}',
      rules: 'r1',
      service: { total: 1, products: [['p', 1, 0]], completedAt: '', taken: 0 },
      outcomes: [outcome(1)],
      expiresAt: 1_900_000_000,
    };
    const mark = { redactedAt: 1_790_000_500_000, expiresAt: 1_950_000_000 };
    const read = (wanted: LedgerKey = key) => readEntry(ledger, wanted);

    it('has no entry for what was never written', async () => {
      expect((await ledger.readMany([key])).size).toBe(0);
      expect((await ledger.readMany([])).size).toBe(0);
    });

    it('reads back exactly what was written', async () => {
      expect(await ledger.write(key, applied, undefined)).toEqual({ kind: 'written', revision: 1 });
      expect(await read()).toStrictEqual({ ...applied, revision: 1 });
    });

    it('reads back any entry exactly as it was written', async () => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(anyKey, anyEntry, async (some, entry) => {
          count += 1;
          const unique = { ...some, shop: `shop-${count}.myshopify.com` };
          await ledger.write(unique, entry, undefined);
          expect(await read(unique)).toStrictEqual({ ...entry, revision: 1 });
        }),
        { numRuns: 50 },
      );
    });

    it('removes fields that the newer entry does not have', async () => {
      await ledger.write(key, applied, undefined);
      const bare: EntityWrite = { version: 5, uncertain: true, outcomes: [] };
      expect(await ledger.write(key, bare, 1)).toEqual({ kind: 'written', revision: 2 });
      expect(await read()).toStrictEqual({ ...bare, revision: 2 });
    });

    it('refuses a write that was decided on an older revision', async () => {
      await ledger.write(key, applied, undefined);
      await ledger.write(key, { ...applied, version: applied.version + 2 }, 1);
      const late = { ...applied, version: applied.version + 9, appliedKey: 'late' };
      expect(await ledger.write(key, late, 1)).toEqual({ kind: 'conflict' });
      expect(await ledger.write(key, late, undefined)).toEqual({ kind: 'conflict' });
      expect(await read()).toStrictEqual({
        ...applied,
        version: applied.version + 2,
        revision: 2,
      });
    });

    it('refuses a write when the entry was deleted since it was read', async () => {
      expect(await ledger.write(key, applied, 7)).toEqual({ kind: 'conflict' });
      expect(await read()).toBeUndefined();
    });

    it.each([
      ['the first entry', undefined],
      ['a change', 1],
    ])('accepts exactly one of concurrent writes of %s', async (_, readRevision) => {
      if (readRevision !== undefined) await ledger.write(key, applied, undefined);
      const racers = Array.from({ length: 12 }, (_, index) => ({ ...applied, version: index }));
      const results = await Promise.all(
        racers.map((entry) => ledger.write(key, entry, readRevision)),
      );
      const winners = racers.filter((_, index) => results[index]?.kind === 'written');
      expect(winners).toHaveLength(1);
      expect((await read())?.version).toBe(winners[0]?.version);
    });

    it('accepts exactly one of concurrent writes with the same content', async () => {
      const results = await Promise.all(
        Array.from({ length: 8 }, () => ledger.write(key, applied, undefined)),
      );
      expect(results.filter(({ kind }) => kind === 'written')).toHaveLength(1);
    });

    it(`keeps the last ${OUTCOMES_KEPT} outcomes`, async () => {
      const outcomes = Array.from({ length: OUTCOMES_KEPT + 4 }, (_, index) => outcome(index));
      await ledger.write(key, { ...applied, outcomes }, undefined);
      expect((await read())?.outcomes).toStrictEqual(outcomes.slice(4));
    });

    it('marks an entry uncertain and keeps the rest of it', async () => {
      await ledger.write(key, applied, undefined);
      await ledger.markUncertain(key);
      expect(await read()).toStrictEqual({ ...applied, uncertain: true, revision: 2 });
    });

    it('sets the mark without an entry, with a version older than every snapshot', async () => {
      await ledger.markUncertain(key);
      expect(await read()).toStrictEqual({
        version: 0,
        uncertain: true,
        outcomes: [],
        revision: 1,
      });
    });

    it('refuses to clear an uncertain mark that was set after the read', async () => {
      await ledger.write(key, applied, undefined);
      await ledger.markUncertain(key);
      expect(await ledger.write(key, applied, 1)).toEqual({ kind: 'conflict' });
      expect((await read())?.uncertain).toBe(true);
    });

    it('loses neither the marks nor a write when they are concurrent', async () => {
      await ledger.write(key, applied, undefined);
      await Promise.all([
        ledger.markUncertain(key),
        ledger.write(key, { ...applied, uncertain: true, version: 9 }, 1),
        ledger.markUncertain(key),
      ]);
      expect((await read())?.uncertain).toBe(true);
      expect((await read())?.revision).toBeGreaterThanOrEqual(3);
    });

    it('redacts personal data and keeps version, key, what the service holds and outcomes', async () => {
      await ledger.write(key, applied, undefined);
      await ledger.redact([key], mark);
      const { remembered: _, ...kept } = applied;
      expect(await read()).toStrictEqual({ ...kept, ...mark, revision: 2 });
    });

    it('refuses a write that was decided before a redaction', async () => {
      await ledger.write(key, applied, undefined);
      await ledger.redact([key], mark);
      expect(await ledger.write(key, applied, 1)).toEqual({ kind: 'conflict' });
      expect(await read()).not.toHaveProperty('remembered');
    });

    it('redacts many orders, and marks those that have not arrived yet', async () => {
      const keys = Array.from({ length: 25 }, (_, index) => ({ ...key, id: `${index}` }));
      await Promise.all(keys.slice(0, 20).map((one) => ledger.write(one, applied, undefined)));
      await ledger.redact(keys, mark);
      const entries = [...(await ledger.readMany(keys)).values()];
      expect(entries).toHaveLength(25);
      expect(entries.filter((entry) => entry.remembered !== undefined)).toEqual([]);
      const bare = { version: 0, uncertain: false, outcomes: [], revision: 1 };
      expect(await read({ ...key, id: '24' })).toStrictEqual({ ...bare, ...mark });
      expect(await ledger.write({ ...key, id: '24' }, applied, undefined)).toEqual({
        kind: 'conflict',
      });
      // Of whom nothing is known yet: what names them may only be found later.
      const person: LedgerKey = { ...key, kind: 'customer', id: '24' };
      await ledger.redact([person], mark);
      expect(await read(person)).toStrictEqual({ ...bare, ...mark });
      await expect(ledger.redact([], mark)).resolves.toBeUndefined();
    });

    it('reads more keys than fit into one request, and repeated keys once', async () => {
      const keys = Array.from({ length: 230 }, (_, index) => ({ ...key, id: `${index}` }));
      await someAtOnce(keys, (one) =>
        ledger.write(one, { ...applied, version: Number(one.id) }, undefined),
      );
      const entries = await ledger.readMany([...keys, ...keys.slice(0, 50), key]);
      expect(entries.size).toBe(230);
      keys.forEach((one, index) => {
        expect(entries.get(ledgerKeyText(one))?.version).toBe(index);
      });
    });

    it.each([
      ['an emoji', '🎁-10%', '🎁-11%'],
      ['a bar', 'a|b', 'a|c'],
      ['lone surrogates', 'x\ud800', 'x\ud801'],
      ['three thousand characters', `${'é'.repeat(3000)}1`, `${'é'.repeat(3000)}2`],
    ])('keeps codes with %s apart', async (_, one, other) => {
      const coupon = (id: string): EntityKey => ({ shop: key.shop, kind: 'coupon', id });
      await ledger.write(coupon(one), { ...applied, version: 1 }, undefined);
      await ledger.write(coupon(other), { ...applied, version: 2 }, undefined);
      const entries = await ledger.readMany([coupon(one), coupon(other)]);
      expect(entries.get(ledgerKeyText(coupon(one)))?.version).toBe(1);
      expect(entries.get(ledgerKeyText(coupon(other)))?.version).toBe(2);
    });

    describe('the codes of a discount', () => {
      const shop = key.shop;
      const discountId = 'gid://shopify/DiscountCodeNode/77';
      const ofDiscount: EntityWrite = { ...applied, discountId };
      const codesOf = async (discount = discountId, of = shop) => {
        const codes: string[] = [];
        let from: string | undefined;
        let pages = 0;
        do {
          const page = await ledger.listCodes(of, discount, from);
          codes.push(...page.codes);
          from = page.next;
          pages += 1;
        } while (from !== undefined && pages < 100);
        return codes.sort();
      };
      const write = (code: string, entry = ofDiscount, of = shop) =>
        ledger.write({ shop: of, kind: 'coupon', id: code }, entry, undefined);

      it('are listed exactly once, over all pages', async () => {
        const codes = Array.from({ length: 430 }, (_, index) => `CODE-${index}`);
        await someAtOnce(codes, (code) => write(code));
        expect(await codesOf()).toEqual(codes.sort());
      });

      it('are never those of another discount, another shop or no discount', async () => {
        await write('MINE');
        await write('OTHER-DISCOUNT', { ...applied, discountId: `${discountId}8` });
        await write('OTHER-SHOP', ofDiscount, 'other.myshopify.com');
        await write('NONE', applied);
        expect(await codesOf()).toEqual(['MINE']);
        expect(await codesOf('gid://shopify/DiscountCodeNode/404')).toEqual([]);
      });

      it('are listed with any characters', async () => {
        const codes = ['a|b', '🎁', 'x'.repeat(3_000), 'y\ud800', ' '].sort();
        for (const code of codes) await write(code);
        expect(await codesOf()).toEqual(codes);
      });

      it('are still listed after a mark, a redaction and another write', async () => {
        await write('A');
        const coupon: EntityKey = { shop, kind: 'coupon', id: 'A' };
        await ledger.markUncertain(coupon);
        await ledger.redact([coupon], mark);
        await ledger.write(coupon, { ...ofDiscount, version: 9 }, 3);
        expect((await read(coupon))?.discountId).toBe(discountId);
        expect(await codesOf()).toEqual(['A']);
      });
    });

    describe('all entities', () => {
      const scanAll = async () => {
        const found = new Map<string, EntityEntry>();
        let from: string | undefined;
        let pages = 0;
        do {
          const page = await ledger.scanEntities(from);
          for (const { key: one, entry } of page.entries) {
            expect(found.has(ledgerKeyText(one)), 'twice').toBe(false);
            found.set(ledgerKeyText(one), entry);
          }
          from = page.next;
          pages += 1;
        } while (from !== undefined && pages < 100);
        return found;
      };

      it('of every kind come exactly once, over all pages, without records', async () => {
        const kinds = ['order', 'product', 'coupon'] as const;
        const records: readonly RecordKind[] = [
          'customer',
          'redemption',
          'reward-code',
          'till',
          'notice',
          'cursor',
          'audit',
          'control',
          'parked',
          'waiting',
        ];
        const keys = Array.from({ length: 430 }, (_, index): EntityKey => {
          const kind = kinds[index % kinds.length] ?? 'order';
          return { shop: `shop-${index % 3}.myshopify.com`, kind, id: `${index}` };
        });
        for (const kind of records) {
          await ledger.write({ shop: key.shop, kind, id: '1' }, applied, undefined);
          const long = { shop: key.shop, kind, id: 'x'.repeat(3_000) };
          await ledger.write(long, applied, undefined);
        }
        await someAtOnce(keys, (one) =>
          ledger.write(one, { ...applied, version: Number(one.id) }, undefined),
        );
        const found = [...(await scanAll())].map(([text, { version }]) => [text, version] as const);
        const expected = keys.map((one) => [ledgerKeyText(one), Number(one.id)] as const);
        expect(new Map(found)).toEqual(new Map(expected));
      });

      it('are equal to those that are read one by one', async () => {
        await ledger.write(key, applied, undefined);
        expect(await scanAll()).toEqual(new Map([[ledgerKeyText(key), await read()]]));
      });
    });

    it('says when it was made, the same at every call and not later than now', async () => {
      const createdAt = await ledger.createdAt();
      expect(Number.isSafeInteger(createdAt)).toBe(true);
      expect(createdAt).toBeLessThanOrEqual(Date.now());
      await ledger.write(key, applied, undefined);
      expect(await ledger.createdAt()).toBe(createdAt);
    });

    it('keeps kinds and shops apart', async () => {
      await ledger.write(key, applied, undefined);
      expect(await read({ ...key, kind: 'product' })).toBeUndefined();
      expect(await read({ ...key, shop: 'other.myshopify.com' })).toBeUndefined();
    });
  });
}

/** Hundreds of connections at once would time out on a busy machine. */
async function someAtOnce<T>(all: readonly T[], work: (one: T) => Promise<unknown>) {
  for (let start = 0; start < all.length; start += 20) {
    await Promise.all(all.slice(start, start + 20).map(work));
  }
}

function outcome(index: number): PastOutcome {
  return {
    at: new Date(1_790_000_000_000 + index).toISOString(),
    outcome: index % 2 ? 'applied' : 'skipped',
    version: index,
    topic: 'orders/updated',
    ...(index % 2 ? {} : { why: 'guest' }),
  };
}

const anyOutcome = fc.record(
  {
    at: fc.string(),
    outcome: fc.string(),
    version: fc.nat(),
    topic: fc.string(),
    why: fc.string(),
    origin: fc.constant('reconcile' as const),
    counts: fc.nat(),
  },
  { requiredKeys: ['at', 'outcome', 'version', 'topic'], noNullPrototype: true },
);

const anyKey = fc.record(
  {
    shop: fc.constant(''),
    kind: fc.constantFrom('order', 'product', 'coupon', 'cursor'),
    id: fc.string({ unit: 'binary' }),
  },
  { noNullPrototype: true },
);

const anyProduct = fc.tuple(fc.string(), fc.nat(), fc.nat());

const anyServiceOrder = fc.record(
  {
    id: fc.string(),
    placedAt: fc.string(),
    completedAt: fc.string(),
    total: fc.nat(),
    products: fc.array(anyProduct, { maxLength: 3 }),
    rest: fc.string(),
    taken: fc.nat(),
    theirs: fc.integer(),
    ended: fc.constant(true as const),
    step: fc.record(
      {
        sum: fc.nat(),
        value: fc.nat(),
        products: fc.array(fc.tuple(fc.string(), fc.nat()), { maxLength: 3 }),
        searchedFrom: fc.nat(),
      },
      { requiredKeys: ['sum', 'value', 'products'], noNullPrototype: true },
    ),
  },
  { requiredKeys: ['total', 'products', 'taken'], noNullPrototype: true },
);

const anyEntry: fc.Arbitrary<EntityWrite> = fc.record(
  {
    version: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    appliedKey: fc.string({ minLength: 1 }),
    uncertain: fc.boolean(),
    remembered: fc.string({ minLength: 1, unit: 'grapheme' }),
    discountId: fc.string(),
    history: fc.constant(true),
    service: anyServiceOrder,
    rules: fc.string({ maxLength: 12 }),
    redactedAt: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    outcomes: fc.array(anyOutcome, { maxLength: OUTCOMES_KEPT }),
    expiresAt: fc.nat(),
  },
  { requiredKeys: ['version', 'uncertain', 'outcomes'], noNullPrototype: true },
);
