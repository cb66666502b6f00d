import { describe, expect, it } from 'vitest';
import type { EntityEntry } from '../../../../shared/core/ledger/ledger.ts';
import type {
  Mapped,
  WantedOrder,
  WantedState,
} from '../../../../shared/core/mapping/wanted-state.ts';
import {
  compareSides,
  type Held,
  type Sides,
} from '../../../../shared/core/reconcile/compare-sides.ts';
import { judgeHeld } from '../../../../shared/core/reconcile/read-orders.ts';

const HOUR_MS = 3_600_000;
const CALLED = Date.parse('2026-10-09T12:00:00.000Z');
const assumptions = {
  readTotals: 'as-sent',
  ordersAreReplaced: true,
  refunds: 'partial-cancel',
} as const;

const order = { OriginalId: '71', IsCompleted: true, OrderTotal: 60, Coupon: 'SUMMER' };
const completed: WantedOrder = {
  kind: 'order',
  id: '71',
  order,
  sold: [],
  changed: false,
  isFine: false,
};
const pending: WantedOrder = { ...completed, order: { ...order, IsCompleted: false } };
const cancelled: WantedOrder = {
  ...completed,
  kind: 'cancelled-order',
  cancellation: { OrderStatus: 'cancelled' },
};

function entryWith(taken: number, changes: Partial<EntityEntry> = {}): EntityEntry {
  const at = new Date(CALLED).toISOString();
  const outcomes = [{ at, outcome: 'applied', version: CALLED, topic: 'orders/updated' }];
  const service = { total: 60_000 + taken, products: [], completedAt: at, taken };
  const entry = { version: CALLED, appliedKey: 'key', uncertain: false, revision: 3 };
  return { ...entry, service, outcomes, ...changes };
}

const held = (changes: object = {}) => ({
  OriginalId: '71',
  State: 2 as const,
  IsCompleted: true,
  IsCancelledOrReturned: false,
  OrderTotal: 60,
  Coupon: 'SUMMER',
  ...changes,
});

const mappedTo = (wanted: WantedState): Mapped => ({ kind: 'wanted', wanted, remember: undefined });

/** The judgement so many hours after the last call. */
function judge(
  wanted: WantedOrder | undefined,
  found: ReturnType<typeof held> | undefined,
  { hours = 25, taken = 0, settings = {}, entry = entryWith(taken), forgottenHours = 0 } = {},
) {
  const now = new Date(CALLED + hours * HOUR_MS);
  const applied = wanted && mappedTo(wanted);
  const forgottenUntil = forgottenHours > 0 ? CALLED + forgottenHours * HOUR_MS : undefined;
  const sent = { id: '71', entry, applied, forgottenUntil };
  return judgeHeld(sent, found, { ...assumptions, ...settings }, now);
}

const judged = (...given: Parameters<typeof judge>) => judge(...given).kind;
const report = (...differences: string[]) => ({ kind: 'report', differences });
const PENDING = { State: 1 as const, IsCompleted: false };
const CANCELLED = { State: 3 as const, IsCancelledOrReturned: true };

describe('what the service holds of an order', () => {
  it('is the same', () => {
    expect(judge(completed, held())).toEqual({ kind: 'same' });
    expect(judge(pending, held(PENDING))).toEqual({ kind: 'same' });
    expect(judge(cancelled, held(CANCELLED))).toEqual({ kind: 'same' });
    // A cancellation of an unknown order is done.
    expect(judge(cancelled, undefined)).toEqual({ kind: 'same' });
    // The program decided not to count it.
    expect(judge(completed, held({ State: 4 }))).toEqual({ kind: 'same' });
    // Either field says it.
    expect(judge(completed, held({ IsCompleted: false }))).toEqual({ kind: 'same' });
    expect(judge(completed, held({ State: undefined }))).toEqual({ kind: 'same' });
    expect(judge(cancelled, held({ State: 3 }))).toEqual({ kind: 'same' });
    expect(judge(cancelled, held({ IsCancelledOrReturned: true }))).toEqual({ kind: 'same' });
    // Nothing else counts of a cancelled order.
    expect(judge(cancelled, held({ ...CANCELLED, OrderTotal: 1 }))).toEqual({ kind: 'same' });
    expect(judge(completed, held({ OrderTotal: undefined }))).toEqual({ kind: 'same' });
    // Codes are the same in either case, and the service may round.
    expect(judge(completed, held({ Coupon: 'summer', OrderTotal: 60.004 }))).toEqual({
      kind: 'same',
    });
  });

  it('is compared after what was taken, as the setting says', () => {
    expect(judge(completed, held({ OrderTotal: 100 }), { taken: 40_000 })).toEqual({
      kind: 'same',
    });
    const settings = { readTotals: 'less-partial-cancels' } as const;
    expect(judge(completed, held(), { taken: 40_000, settings })).toEqual({ kind: 'same' });
    expect(judge(completed, held(), { taken: 40_000 })).toEqual(report('amount'));
    expect(judge(completed, held({ OrderTotal: 100 }), { taken: 40_000, settings })).toEqual(
      report('amount'),
    );
  });

  it('is reported where the coupon differs, or the amount is too high, at any time', () => {
    for (const hours of [1, 25]) {
      expect(judge(completed, held({ OrderTotal: 61 }), { hours })).toEqual(report('amount'));
      expect(judge(completed, held({ Coupon: null }), { hours })).toEqual(report('coupon'));
    }
  });

  it('is healed where the total is neither wanted nor explained, at any time', () => {
    const late = held({ OrderTotal: 45 });
    for (const hours of [1, 25]) {
      expect(judged(completed, late, { hours })).toBe('heal');
      expect(judged(completed, held({ OrderTotal: 45, Coupon: null }))).toBe('heal');
      // No points were given for it: it may be too high, too.
      for (const OrderTotal of [45, 75]) {
        expect(judged(pending, held({ ...PENDING, OrderTotal }), { hours })).toBe('heal');
      }
    }
    const after = { taken: 40_000 };
    expect(judged(completed, held({ OrderTotal: 85 }), after)).toBe('heal');
    const settings = { readTotals: 'less-partial-cancels' } as const;
    expect(judged(completed, late, { ...after, settings })).toBe('heal');
  });

  it('is lowered only where the settings say that a lower total takes points back', () => {
    const settings = { refunds: 'resend' } as const;
    expect(judged(completed, held({ OrderTotal: 75 }), { settings })).toBe('heal');
    const taken = { settings, taken: 40_000 };
    expect(judge(completed, held({ OrderTotal: 115 }), taken)).toEqual(report('amount'));
  });

  it('is reported where reconciling has sent it again already', () => {
    const [line] = entryWith(0).outcomes;
    const entry = entryWith(0, { outcomes: line ? [{ ...line, origin: 'reconcile' }] : [] });
    expect(judge(completed, held({ OrderTotal: 45 }), { entry })).toEqual(report('amount'));
  });

  it('is reported where the service takes no second send', () => {
    const settings = { ordersAreReplaced: false };
    expect(judge(completed, held({ OrderTotal: 45 }), { settings })).toEqual(report('amount'));
  });

  it('is healed where only the state was lost, a day after the last call', () => {
    for (const [wanted, found] of [
      [completed, undefined],
      [completed, held(PENDING)],
      [pending, undefined],
      [cancelled, held()],
      [cancelled, held(PENDING)],
    ] as const) {
      expect(judge(wanted, found, { hours: 23.9 })).toEqual({ kind: 'waits' });
      expect(judged(wanted, found, { hours: 24 })).toBe('heal');
      // A ledger that was restored does not know the calls from before.
      expect(judged(wanted, found, { hours: 33.9, forgottenHours: 10 })).toBe('waits');
      expect(judged(wanted, found, { hours: 34, forgottenHours: 10 })).toBe('heal');
    }
    // A cancellation takes everything, no matter what was taken before and how orders are replaced.
    const settings = { ordersAreReplaced: false };
    expect(judged(cancelled, held(), { taken: 40_000, settings })).toBe('heal');
    // A late call of the time when it was pending.
    const both = held({ ...PENDING, OrderTotal: 61 });
    expect(judge(completed, both, { hours: 23.9 })).toEqual({ kind: 'waits' });
    expect(judged(completed, both)).toBe('heal');
  });

  it('is reported where sending again could take points or give too many', () => {
    expect(judge(completed, held(CANCELLED))).toEqual(report('state'));
    expect(judge(pending, held())).toEqual(report('state'));
    expect(judge(completed, undefined, { taken: 40_000 })).toEqual(report('absent'));
    const settings = { ordersAreReplaced: false };
    expect(judge(completed, held(PENDING), { settings })).toEqual(report('state'));
    expect(judged(completed, undefined, { settings })).toBe('heal');
  });

  it('is compared with the ledger where the rules have changed since, and only reported', () => {
    expect(judge(undefined, held())).toEqual({ kind: 'same' });
    expect(judge(undefined, held({ OrderTotal: 61 }))).toEqual(report('amount'));
    expect(judge(undefined, held({ Coupon: 'ANOTHER' }))).toEqual({ kind: 'same' });
    expect(judge(undefined, undefined)).toEqual(report('absent'));
    const ended = entryWith(0, { service: { total: 0, products: [], taken: 0, ended: true } });
    expect(judge(undefined, held(), { entry: ended })).toEqual(report('state'));
    // It is not known what was sent.
    const { service: _, ...older } = entryWith(0);
    expect(judge(undefined, held(PENDING), { entry: older })).toEqual({ kind: 'same' });
  });

  it('counts the day from the last call, not from the last event', () => {
    const line = (hours: number, outcome: string) => ({
      ...{ at: new Date(CALLED + hours * HOUR_MS).toISOString(), outcome },
      ...{ version: CALLED, topic: 'orders/updated' },
    });
    const hours = 30;
    const quiet = entryWith(0, { outcomes: [line(0, 'applied'), line(29, 'unchanged')] });
    expect(judged(completed, undefined, { hours, entry: quiet })).toBe('heal');
    for (const outcome of ['applied', 'rejected']) {
      const called = entryWith(0, { outcomes: [line(0, 'applied'), line(29, outcome)] });
      expect(judge(completed, undefined, { hours, entry: called })).toEqual({ kind: 'waits' });
    }
    // The call is older than all lines that are kept.
    const forgotten = entryWith(0, { outcomes: [line(5, 'unchanged'), line(29, 'unchanged')] });
    expect(judged(completed, undefined, { hours, entry: forgotten })).toBe('heal');
  });
});

const heldAs = (changes: object): Held => ({ kind: 'order', order: held(changes) });

function compare(changes: Partial<Sides>) {
  const sides = { mapped: mappedTo(completed), entry: entryWith(0), held: heldAs({}) };
  return compareSides({ ...sides, assumptions, ...changes });
}

describe('the sides of an order', () => {
  it('say what is not known', () => {
    const ledger = (entry: EntityEntry | undefined) => compare({ entry }).figures.ledger;
    expect(ledger(undefined)).toBeUndefined();
    expect(ledger(entryWith(40_000))).toEqual({ state: 'completed', amount: 60_000 });
    const { service: _, ...older } = entryWith(0);
    expect(ledger(older)).toMatchObject({ amount: undefined });
    const ended = entryWith(0, { service: { total: 0, products: [], taken: 0, ended: true } });
    expect(ledger(ended)).toMatchObject({ state: 'cancelled' });
    expect(compare({ held: { kind: 'absent' } }).figures.service).toBeUndefined();
  });

  it('do not differ in what is not known', () => {
    const differences = (changes: object) => compare({ held: heldAs(changes) }).differences;
    expect(differences({ OrderTotal: undefined, Coupon: undefined })).toEqual([]);
    expect(differences({ OrderTotal: 59.99, Coupon: null })).toEqual(['amount', 'coupon']);
  });

  it.each<[string, Partial<Sides>, string[]]>([
    ['store', { mapped: undefined }, []],
    ['store', { mapped: undefined, held: heldAs({ OrderTotal: 61 }) }, ['amount']],
    ['service', { held: { kind: 'not-read' } }, []],
    ['service', { held: { kind: 'unknown', why: 'HTTP 500.' } }, []],
  ])('never agree where the %s was not read (%#)', (side, changes, differences) => {
    const { finding, ...compared } = compare(changes);
    expect(finding).toBe(`${side}-not-read`);
    expect(compared.differences).toEqual(differences);
  });

  it('agree where both were read', () => {
    expect(compare({}).finding).toBe('agree');
  });
});

describe('what the service holds of a coupon', () => {
  const coupon = { CouponCode: 'A', CouponValue: 10.5, CouponType: 1 } as const;
  const usable = { kind: 'coupon', id: 'A', coupon: { ...coupon, IsUsed: false } } as const;
  const used = { kind: 'coupon', id: 'A', coupon: { ...coupon, IsUsed: true } } as const;
  const inactive = { kind: 'inactive-coupon', id: 'A' } as const;

  it.each([
    [usable, { ...coupon, IsUsed: false }, []],
    [usable, undefined, ['absent']],
    [usable, { ...coupon, IsUsed: true }, ['state']],
    [usable, { ...coupon, CouponValue: 11 }, ['value']],
    [usable, { ...coupon, CouponType: 2 }, ['type']],
    // What one side does not say is no difference.
    [usable, { CouponCode: 'A', CouponValue: null, CouponType: null }, []],
    [{ ...usable, coupon: { ...usable.coupon, CouponType: null } }, coupon, []],
    // Nothing else counts of a coupon that is over, and it need not be there.
    [used, { ...coupon, IsUsed: true, CouponValue: 11, CouponType: 2 }, []],
    [used, { ...coupon, IsUsed: false }, ['state']],
    [used, undefined, []],
    [inactive, { ...coupon, IsUsed: true }, []],
    [inactive, { ...coupon, IsUsed: false }, ['state']],
    [inactive, undefined, []],
  ])(
    'a coupon of the store, %j, differs from the service’s, %j, in %j',
    (wanted, found, differences) => {
      const held = found ? { kind: 'coupon', coupon: found } : { kind: 'absent' };
      const mapped = mappedTo(wanted as WantedState);
      expect(compare({ mapped, entry: undefined, held: held as Held }).differences).toEqual(
        differences,
      );
    },
  );
});
