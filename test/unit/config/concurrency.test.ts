import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  concurrencyText,
  defaultConcurrency,
  fitConcurrency,
  readConcurrency,
} from '../../../shared/config/concurrency.ts';
import {
  completeDeployment,
  completeStorefront,
  type DeploymentSettings,
} from '../../../shared/config/connector-settings.ts';

const settings = (deployment: DeploymentSettings = {}, hasStorefront = false) => ({
  deployment: completeDeployment(deployment),
  storefront: hasStorefront ? completeStorefront({}) : undefined,
});
const account = (total: number, unreserved = total, own = 0) => ({ total, unreserved, own });
const fitted = (limits: ReturnType<typeof account>, ...given: Parameters<typeof settings>) =>
  fitConcurrency(limits, settings(...given), 'eu-west-1');

describe('the concurrency of a stack', () => {
  it('leaves the receiver two of ten in a new account, where AWS allows no reservation', () => {
    expect(fitted(account(10))).toMatchObject({
      kind: 'fits',
      concurrency: { orders: 2, products: 2, coupons: 2 },
    });
    expect(fitted(account(10))).not.toHaveProperty('concurrency.receiver');
  });

  it('is refused for a storefront in a new account, with the request to make', () => {
    const refused = fitted(account(10), {}, true);
    expect(refused).toMatchObject({ kind: 'refused' });
    const text = refused.kind === 'refused' ? refused.why.join('\n') : '';
    expect(text).toContain('This stack needs 16');
    expect(text).toContain('--quota-code L-B99A9384 --desired-value 1000 --region eu-west-1');
    expect(text).toContain('without the storefront');
    expect(fitted(account(16), {}, true).kind).toBe('fits');
  });

  it('is the default with a reservation under the usual quota', () => {
    expect(fitted(account(1_000))).toMatchObject({
      concurrency: { orders: 10, products: 5, coupons: 5, receiver: 50 },
    });
  });

  it('does not change when the same stack is deployed again', () => {
    const first = fitted(account(160));
    expect(first).toMatchObject({ concurrency: { receiver: 50 } });
    expect(fitted(account(160, 110, 50))).toEqual(first);
  });

  describe('of the storefront', () => {
    const storefrontOf = (total: number, deployment: DeploymentSettings = {}) => {
      const found = fitted(account(total), deployment, true);
      return found.kind === 'fits' ? found.concurrency.storefront : found.kind;
    };

    it('bounds a flood of shoppers or of point events, which could else starve workers and other functions', () => {
      expect(storefrontOf(1_000)).toBe(50);
      expect(storefrontOf(200)).toBe(25);
      // Each address has its least before the receiver has more.
      expect(fitted(account(130), {}, true)).toMatchObject({
        concurrency: { receiver: 10, storefront: 10 },
      });
      expect(storefrontOf(129)).toBeUndefined();
      expect(storefrontOf(16)).toBeUndefined();
      expect(fitted(account(1_000))).not.toHaveProperty('concurrency.storefront');
    });

    it('is what the settings state, or refused', () => {
      const stated = (storefront: number) => ({ maxConcurrency: { storefront } });
      expect(storefrontOf(1_000, stated(200))).toBe(200);
      expect(storefrontOf(510, stated(200))).toBe(200);
      expect(storefrontOf(509, stated(200))).toBe('refused');
      const refused = fitted(account(509), stated(200), true);
      expect(JSON.stringify(refused)).toContain('This stack needs 510');
      // Where the quota is not known, a reservation could fail the deployment.
      expect(defaultConcurrency(settings(stated(200), true))).not.toHaveProperty('storefront');
    });

    it('stands beside a larger reservation of the receiver, which is what the settings state, or refused', () => {
      const stated = { maxConcurrency: { receiver: 200 } };
      const reserved = (total: number, ...rest: [DeploymentSettings, boolean]) => {
        const found = fitted(account(total), ...rest);
        if (found.kind === 'refused') return found.why.join('\n');
        return [found.concurrency.receiver, found.concurrency.storefront];
      };
      expect(reserved(1_000, stated, true)).toEqual([200, 50]);
      expect(reserved(1_000, stated, false)).toEqual([200, undefined]);
      expect(reserved(320, stated, true)).toEqual([200, 10]);
      expect(reserved(319, stated, true)).toContain('This stack needs 320');
      expect(reserved(299, stated, false)).toContain('This stack needs 300');
      expect(reserved(20, stated, false)).toContain('Lower deployment.maxConcurrency');
      expect(defaultConcurrency(settings(stated))).not.toHaveProperty('receiver');
    });

    it('does not change when the same stack is deployed again', () => {
      const first = fitted(account(200), {}, true);
      expect(fitted(account(200, 100, 100), {}, true)).toEqual(first);
    });
  });

  it('has half as many workers of balances as of orders, which keep up with a flash sale', () => {
    const balancesOf = (deployment: DeploymentSettings, total = 1_000, hasStorefront = true) => {
      const found = fitted(account(total), deployment, hasStorefront);
      return found.kind === 'fits' ? found.concurrency.balances : found.kind;
    };
    expect(balancesOf({})).toBe(5);
    expect(balancesOf({ maxConcurrency: { orders: 41 } })).toBe(21);
    expect(balancesOf({ maxConcurrency: { orders: 2 } })).toBe(2);
    expect(balancesOf({ maxConcurrency: { orders: 300 } })).toBe(25);
    expect(balancesOf({ maxConcurrency: { balances: 30 } })).toBe(30);
    expect(balancesOf({}, 16)).toBe(2);
    // They count for the quota: all other numbers are at their least.
    expect(balancesOf({ maxConcurrency: { balances: 3 } }, 16)).toBe('refused');
    expect(balancesOf({ maxConcurrency: { balances: 3 } }, 17)).toBe(3);
    expect(balancesOf({ maxConcurrency: { balances: 30 } }, 1_000, false)).toBeUndefined();
    const found = fitted(account(1_000), {}, true);
    expect(found).toMatchObject({ summary: expect.stringContaining('5 for balances') });
  });

  it('keeps what the settings state, or refuses it by name', () => {
    expect(fitted(account(20), { maxConcurrency: { orders: 9 } })).toMatchObject({
      concurrency: { orders: 9, products: 3, coupons: 4 },
    });
    const tooMany = fitted(account(10), { maxConcurrency: { orders: 9 } });
    expect(JSON.stringify(tooMany)).toContain('Lower deployment.maxConcurrency');
  });

  it('never lets workers take what an address needs, whatever the quota and the settings', () => {
    const workers = fc.option(fc.integer({ min: 2, max: 300 }), { nil: undefined });
    const given = fc.record({
      ...{ orders: workers, products: workers, coupons: workers, balances: workers },
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_500 }),
        fc.integer({ min: 0, max: 1_500 }),
        given,
        fc.boolean(),
        (unreserved, own, maxConcurrency, hasStorefront) => {
          const deployment = {
            maxConcurrency: maxConcurrency as Required<typeof maxConcurrency>,
          } as DeploymentSettings;
          const pool = unreserved + own;
          const result = fitted(account(pool, unreserved, own), deployment, hasStorefront);
          if (result.kind === 'refused') return;
          const { orders, products, coupons, receiver, storefront } = result.concurrency;
          const { balances = 0 } = result.concurrency;
          const reconciles = 2;
          const pages = hasStorefront && storefront === undefined ? 2 + 2 : 0;
          const busy = orders + products + coupons + reconciles + balances + pages;
          const reserved = (receiver ?? 0) + 2 * (storefront ?? 0);
          expect(pool - busy - reserved).toBeGreaterThanOrEqual(receiver === undefined ? 2 : 0);
          if (receiver !== undefined) expect(pool - reserved).toBeGreaterThanOrEqual(100);
          for (const count of [orders, products, coupons, ...(hasStorefront ? [balances] : [])]) {
            expect(count).toBeGreaterThanOrEqual(2);
          }
          const stated = Object.entries(maxConcurrency).filter(
            ([queue, count]) => count !== undefined && (hasStorefront || queue !== 'balances'),
          );
          expect(result.concurrency).toMatchObject(Object.fromEntries(stated));
        },
      ),
    );
  });

  it('travels as a text', () => {
    const concurrency = { ...defaultConcurrency(settings({})), receiver: 7 };
    expect(readConcurrency(concurrencyText(concurrency))).toEqual({
      orders: 10,
      products: 5,
      coupons: 5,
      receiver: 7,
    });
  });
});
