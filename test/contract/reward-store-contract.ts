import { describe, expect, it } from 'vitest';
import type { BalanceStore } from '../../shared/rewards/balances/point-balance.ts';
import type { RewardStore, WantedCode } from '../../shared/rewards/redeem/reward-store.ts';

export interface BalanceStoreUnderTest {
  readonly store: BalanceStore;
  readonly shop: string;
  /** Customers of the shop; more than fit into one call. */
  readonly customers: readonly string[];
  /** The customer's current balance; undefined means none. */
  held(customerId: string, field: 'points' | 'cashback' | 'tier'): string | undefined;
}

export function describeBalanceStore(name: string, open: () => BalanceStoreUnderTest): void {
  const change = (customerId: string, points: string) => ({ customerId, points, cashback: '0.5' });

  describe(`the contract of a balance store, kept by ${name}`, () => {
    it('writes any number of customers, with a result for each', async () => {
      const { store, shop, customers, held } = open();
      const changes = customers.map((id, index) => change(id, String(index)));
      expect(await store.writeBalances(shop, changes)).toEqual(
        customers.map(() => ({ kind: 'written' })),
      );
      expect(customers.map((id) => held(id, 'points'))).toEqual(
        customers.map((_, index) => String(index)),
      );
      expect(await store.writeBalances(shop, [])).toEqual([]);
    });

    it('writes the others when some are unknown, with results in the order of the changes', async () => {
      const { store, shop, customers, held } = open();
      const [first = '', second = ''] = customers;
      const written = await store.writeBalances(shop, [
        change('999000999', '1'),
        change(first, '11'),
        change('999000998', '1'),
        change(second, '12'),
      ]);
      expect(written.map(({ kind }) => kind)).toEqual([
        'unknown-customer',
        'written',
        'unknown-customer',
        'written',
      ]);
      expect([held(first, 'points'), held(second, 'points')]).toEqual(['11', '12']);
    });

    it('sets a tier, keeps it where it is undefined, and deletes it where it is null', async () => {
      const { store, shop, customers, held } = open();
      const [id = ''] = customers;
      await store.writeBalances(shop, [{ ...change(id, '1'), tier: 'Gold' }]);
      expect(held(id, 'tier')).toBe('Gold');
      await store.writeBalances(shop, [change(id, '2')]);
      expect(held(id, 'tier')).toBe('Gold');
      for (let times = 0; times < 2; times += 1) {
        const taken = await store.writeBalances(shop, [{ ...change(id, '3'), tier: null }]);
        expect(taken).toEqual([{ kind: 'written' }]);
        expect(held(id, 'tier')).toBeUndefined();
      }
    });
  });
}

export interface RewardStoreUnderTest {
  readonly store: RewardStore;
  readonly shop: string;
  readonly customers: readonly [string, string];
  /** Now, by the store's clock. */
  since(): Date;
  /** A discount of the merchant's own. */
  makeForeign(code: string): void;
  /** Uses the code as its customer; throws when the store refuses. */
  use(code: string, customerId: string): void;
}

const WANTED: Omit<WantedCode, 'customerId' | 'code'> = {
  title: '5 off (TESTREDEEM01)',
  kind: 'fixed',
  value: 5,
  startsAt: '2026-01-01T00:00:00.000Z',
  combines: false,
};

export function describeRewardStore(name: string, open: () => RewardStoreUnderTest): void {
  describe(`the contract of a reward store, kept by ${name}`, () => {
    it('creates a code once for any number of calls', async () => {
      const { store, shop, customers } = open();
      const wanted = { ...WANTED, code: 'ONCE-1', customerId: customers[0] };
      const made = await store.makeCode(shop, wanted);
      expect(made).toMatchObject({ kind: 'made' });
      expect(await store.makeCode(shop, wanted)).toEqual(made);
    });

    it('creates one code for concurrent calls', async () => {
      const { store, shop, customers } = open();
      const wanted = { ...WANTED, code: 'RACE-1', customerId: customers[0] };
      const all = await Promise.all(Array.from({ length: 4 }, () => store.makeCode(shop, wanted)));
      expect(new Set(all.map((one) => one.kind === 'made' && one.discountId)).size).toBe(1);
    });

    it('never accepts a code of another discount as its own', async () => {
      const { store, shop, customers, makeForeign } = open();
      const [one, other] = customers;
      makeForeign('FOREIGN-1');
      const wanted = { ...WANTED, code: 'foreign-1', customerId: one };
      expect(await store.makeCode(shop, wanted)).toEqual({ kind: 'taken' });
      const mine = { ...WANTED, code: 'MINE-1', customerId: one };
      expect(await store.makeCode(shop, mine)).toMatchObject({ kind: 'made' });
      expect(await store.makeCode(shop, { ...mine, customerId: other })).toEqual({ kind: 'taken' });
      const second = { ...mine, title: '5 off (TESTREDEEM02)' };
      expect(await store.makeCode(shop, second)).toEqual({ kind: 'taken' });
    });

    it.each([
      ['percent', 12.5],
      ['free-shipping', 0],
    ] as const)('makes a code of the kind %s, and counts its uses', async (kind, value) => {
      const { store, shop, customers, use } = open();
      const code = `USED-${kind}`;
      const wanted = { ...WANTED, code, customerId: customers[0], kind, value };
      const made = await store.makeCode(shop, wanted);
      const id = made.kind === 'made' ? made.discountId : '';
      expect(await store.readUses(shop, [id])).toEqual({ kind: 'read', uses: new Map([[id, 0]]) });
      use(code, customers[0]);
      expect(await store.readUses(shop, [id])).toEqual({ kind: 'read', uses: new Map([[id, 1]]) });
    });

    it('names the codes of one customer’s orders since then, of no other and none before', async () => {
      const { store, shop, customers, use } = open();
      const [one, other] = customers;
      for (const [code, customerId] of [
        ['NAMED-1', one],
        ['NAMED-2', other],
      ] as const) {
        await store.makeCode(shop, { ...WANTED, code, customerId, title: code });
        use(code, customerId);
      }
      const since = async (moment: Date) => {
        const read = await store.readOrderCodes(shop, one, moment);
        return read.kind === 'read' ? read.codes.map((code) => code.toUpperCase()) : read;
      };
      expect(await since(new Date(0))).toContain('NAMED-1');
      expect(await since(new Date(0))).not.toContain('NAMED-2');
      expect(await since(new Date('2100-01-01'))).toEqual([]);
    });

    it('returns no prices of a product that it does not sell', async () => {
      const { store, shop } = open();
      expect(await store.readPrices(shop, '999000999')).toEqual({ kind: 'absent' });
    });

    it('finds and deletes only a code of its own', async () => {
      const { store, shop, customers, makeForeign } = open();
      const wanted = { ...WANTED, code: 'LATE-1', customerId: customers[0] };
      expect(await store.findCode(shop, wanted)).toEqual({ kind: 'absent' });
      makeForeign('LATE-1');
      expect(await store.findCode(shop, wanted)).toEqual({ kind: 'absent' });
      const own = { ...wanted, code: 'LATE-2' };
      const made = await store.makeCode(shop, own);
      const discountId = made.kind === 'made' ? made.discountId : '';
      expect(await store.findCode(shop, { ...own, code: 'late-2' })).toEqual({
        ...{ kind: 'found', discountId },
      });
      const others = { ...own, customerId: customers[1] };
      expect(await store.findCode(shop, others)).toEqual({ kind: 'absent' });
      expect(await store.deleteCode(shop, discountId)).toEqual({ kind: 'deleted' });
      expect(await store.findCode(shop, own)).toEqual({ kind: 'absent' });
    });

    it('reads the credits that it gave since a moment, in one currency, to the second', async () => {
      const { store, shop, customers, since } = open();
      const [customerId, other] = customers;
      const shopRead = await store.readCreditShop(shop);
      const currency = shopRead.kind === 'read' ? shopRead.currency : '';
      const account = { customerId, currency, since: since() };
      expect(await store.readCredits(shop, account)).toEqual({ kind: 'read', credits: [] });
      const wanted = { customerId, currency, amount: 12.5, expiresAt: '2099-03-04T05:06:07.000Z' };
      const made = await store.credit(shop, wanted);
      const id = made.kind === 'credited' ? made.transactionId : '';
      await store.credit(shop, { ...wanted, customerId: other });
      const read = await store.readCredits(shop, account);
      const credits = read.kind === 'read' ? read.credits : [];
      expect(credits).toMatchObject([{ id, amount: '12.5' }]);
      expect(Date.parse(credits[0]?.expiresAt ?? '')).toBe(Date.parse(wanted.expiresAt));
      // Repeated, it credits again.
      await store.credit(shop, wanted);
      expect(await store.readCredits(shop, account)).toMatchObject({ credits: [{}, {}] });
      const later = { ...account, since: new Date(since().getTime() + 60_000) };
      expect(await store.readCredits(shop, later)).toEqual({ kind: 'read', credits: [] });
      const usd = { ...account, currency: 'USD' };
      expect(await store.readCredits(shop, usd)).toEqual({ kind: 'read', credits: [] });
      const nobody = { ...account, customerId: '999000999' };
      expect(await store.readCredits(shop, nobody)).toEqual({ kind: 'read', credits: [] });
    });

    it('returns no uses of a code that does not exist', async () => {
      const { store, shop } = open();
      const gone = 'gid://shopify/DiscountCodeNode/999000999';
      expect(await store.readUses(shop, [gone])).toEqual({ kind: 'read', uses: new Map() });
    });
  });
}
