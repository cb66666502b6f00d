import { afterEach, describe, expect, it } from 'vitest';
import {
  type LoyaltySandbox,
  startLoyaltySandbox,
} from '../../../local/loyalty-sandbox/sandbox.ts';
import type { PartialSettings } from '../../../local/loyalty-sandbox/settings.ts';
import {
  mergeSettings,
  type TriedStep,
  tryAndUndo,
} from '../../../scripts/connector/set-up/probe.ts';
import { STEPS } from '../../../scripts/connector/set-up/probe-steps.ts';
import { createLoyaltyClient, type LoyaltyClient } from '../../../shared/loyalty/client.ts';

let sandbox: LoyaltySandbox;
afterEach(() => sandbox.stop());

const ID = 'probe-20261005-0a1b2c3d';

/** Without Ctrl-C by default. */
async function probe(
  settings: PartialSettings = {},
  { lastCall = 1_000, prepare }: { lastCall?: number; prepare?: () => void } = {},
) {
  sandbox = await startLoyaltySandbox({ settings });
  prepare?.();
  const { address: baseUrl, credentials } = sandbox;
  const stop = new AbortController();
  let calls = 0;
  /** Ctrl-C comes while the last call is being made. */
  const counted = (client: LoyaltyClient) =>
    new Proxy(client, {
      get(target, name: keyof LoyaltyClient) {
        if (!stop.signal.aborted) calls += 1;
        if (calls > lastCall) stop.abort();
        return target[name];
      },
    });
  const steps: TriedStep[] = [];
  const undone = await tryAndUndo({
    id: ID,
    now: new Date(),
    signal: stop.signal,
    loyalty: counted(createLoyaltyClient({ baseUrl, credentials })),
    waitMs: 0,
    pause: async () => {},
    onTried: (tried) => steps.push(tried),
  });
  const find = (name: string) => steps.find((step) => step.name === name);
  return {
    undone,
    steps,
    calls,
    means: (name: string) => find(name)?.what ?? '',
    settings: mergeSettings(steps),
  };
}

/** What the service still holds of the probe. */
function leftovers() {
  const { orders, coupons, redemptions, customers } = sandbox.state();
  return {
    orders: orders.filter((order) => !order.IsCancelledOrReturned).map((order) => order.OriginalId),
    coupons: coupons.filter((coupon) => coupon.isActive).map((coupon) => coupon.CouponCode),
    redemptions: redemptions.filter((one) => one.canceledAt === null).map((one) => one.OriginalKey),
    customers: customers.filter((customer) => customer.isActive).map((one) => one.OriginalId),
  };
}
const NOTHING = { orders: [], coupons: [], redemptions: [], customers: [] };

describe('probe', () => {
  it('tries every step, finds the settings that follow, and undoes everything', async () => {
    const found = await probe();
    expect(found.steps.map(({ name }) => name)).toEqual(Object.keys(STEPS));
    expect(found.settings).toEqual({
      loyalty: {
        assumptions: {
          ordersAreReplaced: true,
          refunds: 'partial-cancel',
          readTotals: 'as-sent',
          raiseAfterPartialCancel: 'send-gross',
          couponsAreReplaced: true,
        },
      },
      rules: { enrolment: 'unstated', couponForEveryone: 'send' },
      storefront: { posCustomerId: 'store-id' },
    });
    expect(leftovers()).toEqual(NOTHING);
    expect(new Set(found.undone.map(({ verdict }) => verdict))).toEqual(new Set(['pass']));
  });

  it('names everything it makes after itself, and sends no message to a person', async () => {
    await probe();
    const { orders, coupons, redemptions, customers } = sandbox.state();
    const names = [
      ...[...orders, ...customers].map((one) => one.OriginalId),
      ...coupons.map((one) => one.CouponCode),
      ...redemptions.map((one) => one.OriginalKey),
    ];
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) expect(name).toContain(ID);
    for (const { Email } of customers)
      expect(Email ?? `${ID}@example.com`).toBe(`${ID}@example.com`);
    expect(sandbox.state().products).toEqual([]);
  });

  it.each<[string, PartialSettings, object]>([
    ['a sent order is final', { repeatedOrder: 'refuse' }, { ordersAreReplaced: false }],
    [
      'a completed order can only be sent again as cancelled',
      { error13: 'cancel-completed' },
      { completedOrdersTakeTheCancelledMark: true },
    ],
    [
      'a completed order cannot be cancelled at all',
      { error13: 'return-completed' },
      { completedOrdersTakeTheCancelledMark: false },
    ],
    [
      'a read total shows the parts',
      { readTotal: 'less-partial-cancels' },
      { readTotals: 'less-partial-cancels' },
    ],
    [
      'a higher total changes no points',
      { changedTotal: 'keeps-points' },
      { raiseAfterPartialCancel: 'park' },
    ],
    ['a used key has a number', { usedCancelKey: 'envelope-error' }, { usedCancelKeyError: 97 }],
    ['errors have no number', { envelope: 'A-without-numbers' }, { ordersAreReplaced: true }],
    ['envelope B', { envelope: 'B' }, { ordersAreReplaced: true }],
  ])('follows the service in loyalty.assumptions: %s', async (_, settings, assumptions) => {
    const found = await probe(settings);
    expect(found.settings.loyalty?.assumptions).toMatchObject(assumptions);
  });

  it.each<[string, PartialSettings, object]>([
    [
      'customers take no part by themselves',
      { enrolledByDefault: false },
      { enrolment: 'everyone' },
    ],
    ['a coupon needs a customer', { requireCouponCustomer: true }, { couponForEveryone: 'skip' }],
  ])('follows the service in rules: %s', async (_, settings, rules) => {
    const found = await probe(settings);
    expect(found.settings.rules).toMatchObject(rules);
    expect(leftovers()).toEqual(NOTHING);
  });

  it('follows the service in storefront: the id of the store is not taken', async () => {
    const found = await probe({ posCustomerId: 'email-or-document' });
    expect(found.settings.storefront).toEqual({ posCustomerId: 'email-or-document' });
  });

  it.each<[string, PartialSettings, string, RegExp]>([
    ['points stay', { changedTotal: 'keeps-points' }, 'resend', /but its points stay/],
    ['points follow', {}, 'resend', /and its points follow/],
    ['points come days later', { daysToWaitToGrantPoints: 3 }, 'resend', /No points came in time/],
    ['a used key', {}, 'partial-cancel', /A used key is refused .*cancel-key-used/],
    ['its number', { usedCancelKey: 'envelope-error' }, 'partial-cancel', /A used key .*error 97/],
    ['a late cancel', { lateCancel: true }, 'cancel', /shows later/],
    ['the first result', {}, 'redeem', /returns the first result and spends once/],
    ['another answer', { repeatedRedeem: 'refuse' }, 'redeem', /spends once, .*looks it up/],
    ['no result', { repeatedRedeem: 'null-result' }, 'redeem', /spends once, .*looks it up/],
    ['a PIN', { challenge: 'enforced' }, 'redeem', /was not accepted.*PIN/],
    ['no points', { daysToWaitToGrantPoints: 3 }, 'redeem', /Not tried/],
    [
      'two members',
      {},
      'two-members',
      /takes two .* address, and takes .* finds the first of them/,
    ],
    [
      'one',
      { sharedIdentity: 'refused' },
      'two-members',
      /does not take two .*, and does not take/,
    ],
  ])('says what it saw: %s', async (_, settings, step, means) => {
    const found = await probe(settings);
    expect(found.means(step)).toMatch(means);
  });

  it('does not say that a document is one member’s where the service takes it for none', async () => {
    const operation = 'upsertCustomer';
    const prepare = () =>
      sandbox.faults.add({ kind: 'business-error', code: 7, operation, after: 1 });
    const found = await probe({}, { prepare });
    expect(found.means('two-members')).toMatch(
      /takes two .* address, and did not say whether it takes two with one document/,
    );
  });

  it('does not say that a key spends once where the points cannot be read', async () => {
    const operation = 'getCustomerPoints';
    const prepare = () => sandbox.faults.add({ kind: 'http-500', operation });
    const found = await probe({}, { prepare });
    expect(found.means('redeem')).toMatch(/^IT IS NOT KNOWN WHETHER A REPEATED KEY SPENDS/);
  });

  it('looks a redemption up as the connector does, and reports an unknown key without error 87', async () => {
    const operation = 'updateRewardMetadata';
    const prepare = () =>
      sandbox.faults.add({ kind: 'business-error', code: 7, operation, after: 1 });
    const found = await probe({}, { prepare });
    expect(found.means('redeem')).toMatch(
      /spends once\. .*unknown key is not answered with error 87/,
    );
    const [lookUp] = sandbox.journal.entries({ operation });
    expect(lookUp?.body).toMatchObject({ Metadatas: [] });
  });

  it('concludes no setting from a service that fails', async () => {
    const found = await probe({}, { prepare: () => sandbox.faults.add({ kind: 'http-503' }) });
    expect(found.settings).toEqual({});
    expect(found.undone.every(({ verdict }) => verdict === 'fail')).toBe(true);
    expect(found.undone.every(({ fix }) => fix !== undefined)).toBe(true);
  });

  it('undoes what was made when it is interrupted before any of its calls', async () => {
    let calls = 0;
    for (let last = 0; last <= calls; last += 1) {
      const found = await probe({}, { lastCall: last });
      calls = found.calls;
      expect(leftovers(), `after call ${last}`).toEqual(NOTHING);
      await sandbox.stop();
    }
    expect(calls).toBeGreaterThan(20);
  });

  it('undoes an order and a redemption whose answers were lost', async () => {
    const lose = (operation: 'sendOrder' | 'redeemRewardByKey') => () =>
      sandbox.faults.add({ kind: 'reset-after', operation, count: 50 });
    await probe({}, { prepare: lose('sendOrder') });
    expect(sandbox.state().orders.length).toBeGreaterThan(2);
    expect(leftovers()).toEqual(NOTHING);
    await sandbox.stop();
    await probe({}, { prepare: lose('redeemRewardByKey') });
    expect(sandbox.state().redemptions).toHaveLength(1);
    expect(leftovers()).toEqual(NOTHING);
  });

  it('reports what could not be undone, with what a person can do, and undoes the rest', async () => {
    const found = await probe(
      {},
      { prepare: () => sandbox.faults.add({ kind: 'http-503', operation: 'deactivateCoupon' }) },
    );
    expect(found.undone.filter(({ verdict }) => verdict === 'fail')).toEqual([
      {
        verdict: 'fail',
        what: `coupon ${ID}: NOT UNDONE (HTTP 503)`,
        fix: 'Set it inactive in the panel of the service.',
      },
    ]);
    expect(leftovers()).toEqual({ ...NOTHING, coupons: [ID] });
  });

  it('repeats an undo that got no answer', async () => {
    const operation = 'changeCustomerStatus';
    const prepare = () => sandbox.faults.add({ kind: 'http-503', operation, count: 2 });
    await probe({}, { prepare });
    expect(leftovers()).toEqual(NOTHING);
  });
});
