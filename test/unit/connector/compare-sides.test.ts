import { describe, expect, it } from 'vitest';
import {
  askService,
  heldIn,
  judgeSides,
  type Sides,
} from '../../../scripts/connector/ground/compare/sides.ts';
import {
  judgeBalances,
  judgeRedemptions,
  redemptionsTable,
  rowsOf,
  tryAgain,
} from '../../../scripts/connector/repair/redemptions.ts';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { idempotencyKey } from '../../../shared/core/mapping/wanted-state.ts';
import { transportFailure } from '../../../shared/loyalty/result.ts';
import type { Redemption } from '../../../shared/rewards/redeem/redemption.ts';
import { lineOf } from '../../fixtures/order-spec.ts';
import { neverSent, rules, storeOrder } from '../../fixtures/store-entities.ts';
import { openInProcessLoyalty } from '../../support/in-process-loyalty.ts';

const order = storeOrder();
const mapped = mapOrder(order, rules, neverSent);

/** An order that was sent, unless the changes say otherwise. */
function sides(changes: Partial<Sides>): Sides {
  return {
    key: { shop: 'example-store.myshopify.com', kind: 'order', id: order.id },
    ...{ entry: undefined, store: { kind: 'found', value: { kind: 'order', order } }, mapped },
    ...{
      changedAt: Date.parse(order.updatedAt),
      copies: [],
      isObserved: false,
      held: { kind: 'absent' },
      doubt: undefined,
      assumptions: { readTotals: 'as-sent' },
    },
    ...changes,
  };
}
const AMOUNT = 'amount that counts';

it.each(['order', 'coupon', 'member'] as const)(
  'a service that does not have a %s says so, and is not taken for one that cannot be asked',
  async (kind) => {
    const { client } = openInProcessLoyalty(() => new Date('2026-10-09T12:00:00Z'));
    const key = { shop: 'example-store.myshopify.com', kind, id: 'nobody' } as const;
    expect(await askService(client, key)).toEqual({ kind: 'absent' });
  },
);

describe('the comparison of one order', () => {
  it.each([
    ['EUR', 12.5, '12.50'],
    ['BHD', 12.345, '12.345'],
    ['JPY', 1250, '1250'],
  ])('shows amounts with the decimals of their currency: %s', (currency, total, text) => {
    const held = { kind: 'order', order: { OriginalId: order.id, OrderTotal: total } } as const;
    const store = {
      kind: 'found',
      value: { kind: 'order', order: { ...order, currency } },
    } as const;
    const { rows } = judgeSides(sides({ store, held }));
    expect(rows.find(({ field }) => field === AMOUNT)?.service).toBe(text);
  });

  it.each([
    ['as it was sent', 'as-sent', 50, 'In the service: 50.00 sent − 20.00 taken back = 30.00.'],
    ['less what was taken back', 'less-partial-cancels', 30, undefined],
  ] as const)(
    'agrees after a refund where the service shows the total %s',
    (_, readTotals, total, detail) => {
      const refunded = storeOrder({ amountRefundedCents: 2_000, fulfilledAfterDays: 1 });
      const entry = {
        ...{ version: 1, uncertain: false, outcomes: [], revision: 1, appliedKey: 'key' },
        service: { total: 50_000, products: [], completedAt: '', taken: 20_000 },
      };
      const held = {
        kind: 'order',
        order: { OriginalId: order.id, OrderTotal: total, State: 2, Coupon: null },
      } as const;
      const back = mapOrder(refunded, rules, neverSent);
      const compared = judgeSides(
        sides({ mapped: back, entry, held, assumptions: { readTotals } }),
      );
      expect(compared.kind).toBe('ok');
      // No coupon on both sides says nothing.
      expect(compared.rows.map(({ field }) => field)).not.toContain('coupon');
      expect(compared.rows.find(({ field }) => field === AMOUNT)).toEqual({
        ...{ field: AMOUNT, store: '30.00', ledger: '30.00', service: '30.00', differs: false },
        ...(detail !== undefined && { detail }),
      });
    },
  );

  it.each([
    ['never sent', undefined, undefined, /Not sent yet\.$/],
    ['sent otherwise', 'key', 'applied', /Something else changed since it was sent/],
    ['refused since', 'key', 'rejected', /an earlier state was sent\. The connector gave up/],
    ['dropped since', 'key', 'dropped', /it is sent only after it changes/],
  ])('says what became of a state that agrees and was %s', (_, appliedKey, outcome, said) => {
    const at = '2026-10-09T12:00:00.000Z';
    const entry = {
      ...{ version: 1, uncertain: false, revision: 1, ...(appliedKey && { appliedKey }) },
      outcomes: outcome ? [{ at, outcome, version: Number.MAX_SAFE_INTEGER, topic: '' }] : [],
    };
    const held = { OriginalId: order.id, OrderTotal: 50, IsCompleted: false, Coupon: null };
    const compared = judgeSides(sides({ entry, held: { kind: 'order', order: held } }));
    expect(compared.rows.filter(({ differs }) => differs)).toEqual([]);
    expect(compared).toMatchObject({ kind: 'ok', what: expect.stringMatching(said) });
  });

  it.each([
    ['the state that the store has', 0, 'given-up', 'dropped'],
    ['a newer one, whose event is on its way', 1, 'given-up', 'dropped'],
    ['an earlier one', -1, 'not-sent', 'not-sent'],
    ['a body that could not be read', -Date.parse(order.updatedAt), 'given-up', 'dropped'],
  ])(
    'says that the connector gave up, or a person dropped it, of %s',
    (_, later, rejected, dropped) => {
      const version = Date.parse(order.updatedAt) + later;
      const findings = ['rejected', 'dropped'].map((outcome) => {
        const outcomes = [{ at: '2026-10-09T12:00:00.000Z', outcome, version, topic: '' }];
        const entry = { version: 1, uncertain: false, revision: 1, outcomes };
        return judgeSides(sides({ entry })).finding;
      });
      expect(findings).toEqual([rejected, dropped]);
    },
  );

  it('does not tell where what was taken back is not known', () => {
    const refunded = storeOrder({
      lines: [lineOf(1000, { quantity: 10, takenBack: 3 })],
      fulfilledAfterDays: 1,
    });
    const wanted = mapOrder(refunded, rules, neverSent);
    if (wanted.kind !== 'wanted' || wanted.wanted.kind !== 'order') throw new Error('not wanted');
    const held = { OriginalId: refunded.id, OrderTotal: 100, IsCompleted: true, Coupon: null };
    const at = '2026-10-09T12:00:00.000Z';
    const entry = {
      version: 1,
      uncertain: false,
      appliedKey: idempotencyKey(wanted.wanted),
      outcomes: [{ at, outcome: 'applied', version: 1, topic: 'orders/updated' }],
      service: { total: 100_000, products: [], completedAt: at, taken: 30_000 },
      revision: 1,
    };
    const compare = (known: typeof entry | undefined, until: number) =>
      judgeSides(
        sides({
          ...{ mapped: wanted, entry: known, held: { kind: 'order', order: held } },
          doubt: { since: 0, until },
        }),
      ).kind;
    expect(compare(entry, Date.parse(at))).toBe('ok');
    // Restored since.
    expect(compare(entry, Date.parse(at) + 1)).toBe('unknown');
    // Lost.
    expect(compare(undefined, 0)).toBe('unknown');
  });

  it('shows what the ledger holds as a hash alone', () => {
    if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'order') throw new Error('not wanted');
    const wanted = { ...mapped.wanted, order: { ...mapped.wanted.order, Coupon: 'SUMMER10' } };
    const coupon = (appliedKey: string) => {
      const entry = {
        ...{ version: 1, uncertain: false, outcomes: [], revision: 1 },
        ...{ appliedKey, service: { total: 50_000, products: [], taken: 0 } },
      };
      const held = { kind: 'order', order: { OriginalId: order.id, Coupon: 'SUMMER10' } } as const;
      const { rows } = judgeSides(sides({ mapped: { ...mapped, wanted }, entry, held }));
      return rows.find(({ field }) => field === 'coupon')?.ledger;
    };
    expect(coupon(idempotencyKey(wanted))).toBe('SUMMER10');
    expect(coupon('other')).toBe('an earlier state was sent');
  });

  it('does not say that a store did not answer that refused to', () => {
    const store = (misconfigured: boolean) => {
      const read = { kind: 'unavailable', why: 'unauthorized', misconfigured } as const;
      return judgeSides(sides({ store: read, mapped: undefined })).rows[0]?.store;
    };
    expect([store(true), store(false)]).toEqual(['refuses to answer', 'did not answer']);
  });

  it('shows no amounts of a cancelled order: only its state is compared', () => {
    if (mapped.kind !== 'wanted' || mapped.wanted.kind !== 'order') throw new Error('not wanted');
    const wanted = { ...mapped.wanted, kind: 'cancelled-order', cancellation: {} } as const;
    const held = { OriginalId: order.id, OrderTotal: 29.25, State: 3 } as const;
    const { kind, rows } = judgeSides(
      sides({ mapped: { ...mapped, wanted }, held: { kind: 'order', order: held } }),
    );
    expect(kind).toBe('ok');
    expect(rows.map(({ field }) => field)).toEqual(['state']);
  });

  it('says of the code of a reward that it is a redemption', () => {
    const skip = { kind: 'skip', why: 'reward-coupon' } as const;
    const { kind, what } = judgeSides(sides({ mapped: skip }));
    expect(kind).toBe('ok');
    expect(what).toMatch(/for a redeemed reward\. .* has no coupon of this code\.$/);
  });

  it('takes HTTP 404 for an absent order', () => {
    const message = 'HTTP 404.';
    const getOrder = transportFailure('not-found', { mayHaveHappened: false, message });
    const found = () => ({ kind: 'cannot-be-read' }) as const;
    expect(heldIn(getOrder, 37, found)).toEqual({ kind: 'absent' });
  });
});

const known = {
  ...{ points: 120, cashback: 0, tier: 'Gold' },
  expiring: { points: 20, at: '2026-12-01T00:00:00Z' },
};

describe('the redemptions of a customer', () => {
  const at = '2026-12-01T00:00:00.000Z';
  const redemption = { state: { at: 'calling', attempts: 1 }, intendedAt: at } as Redemption;
  const judge = (one: Redemption) => judgeRedemptions([{ redemption: one }], new Date(at))?.kind;

  it('are not well while one is not finished', () => {
    expect(judge(redemption)).toBe('pending');
    expect(judge({ ...redemption, stuck: 'look-up-refused' })).toBe('action required');
    expect(judge({ ...redemption, state: { at: 'refused', why: 'refused' } })).toBeUndefined();
  });

  it('are under way since their beginning, and can be tried before their next try', () => {
    const since = '2026-12-01T00:05:00.000Z';
    const wait = { waitsFor: 'loyalty', until: Date.parse(since), queue: 'balances' };
    const one = { redemption: { ...redemption, terms: {}, since }, wait } as never;
    const [row] = redemptionsTable([one], new Date(at)).rows;
    expect(row?.cells).toContainEqual({ at });
    expect(row?.detail).toContain('Waiting for the loyalty service; next try at 2026-12-01 00:05');
    expect(tryAgain([one])).toMatchObject([{ line: { command: 'retry-now' } }]);
    const planned = { redemption, wait: { ...wait, waitsFor: 'planned' } } as never;
    expect(tryAgain([planned])).toEqual([]);
  });
});

describe('the balance of a customer, side by side', () => {
  it('marks no difference between sides that agree, or that do not answer', () => {
    const rows = rowsOf({ store: known, ledger: known, service: { none: 'no answer' } });
    expect(rows.map(({ differs }) => differs)).toEqual([false, false, false, false]);
    expect(rows[0]).toMatchObject({ field: 'Points', values: [120, 120, 'no answer'] });
  });

  it('marks what differs, also where one side has none', () => {
    const service = { ...known, points: 150, tier: null };
    const rows = rowsOf({ store: known, ledger: known, service });
    expect(rows.filter(({ differs }) => differs).map(({ field }) => field)).toEqual([
      'Points',
      'Tier',
    ]);
  });

  it.each(['store', 'ledger'])('is not well where the %s differs', (side) => {
    const sides = { store: known, ledger: known, service: known };
    expect(judgeBalances({ ...sides, [side]: { ...known, points: 150 } })?.kind).toBe('pending');
  });

  it('compares the points that expire by their number and day', () => {
    const later = { points: 20, at: '2026-12-01T23:59:59' };
    const rows = rowsOf({
      ...{ store: { ...known, expiring: later }, ledger: known },
      service: { ...known, expiring: { ...later, at: '2026-12-02T00:00:00Z' } },
    });
    expect(rows[3]).toEqual({
      field: 'Next to expire',
      values: ['20 on 2026-12-01', '20 on 2026-12-01', '20 on 2026-12-02'],
      differs: true,
    });
  });
});
