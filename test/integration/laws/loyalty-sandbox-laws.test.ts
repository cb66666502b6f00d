import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, type SandboxSettings } from '../../../local/loyalty-sandbox/settings.ts';
import {
  balanceOf,
  codeOf,
  makeCustomer,
  makeOrder,
  openSandbox,
  type Sandbox,
} from '../../support/sandbox-program.ts';

/*
 * Random lives of two customers under any settings. The model beside the program knows nothing of
 * records, origins or events: only what each order, change, reward and quiz is worth, in hundredths
 * of points.
 */

interface Model {
  readonly settings: SandboxSettings;
  /** Worth of each order by id, with its owner. */
  readonly orders: Map<string, ModelOrder>;
  readonly cancelled: Set<string>;
  readonly others: Map<string, number>;
}

/** `returned`: both flags of the order are true. */
type OrderState = 'open' | 'completed' | 'cancelled' | 'returned';

interface ModelOrder {
  readonly owner: string;
  readonly state: OrderState;
  readonly worth: number;
}

type Step = (sandbox: Sandbox, model: Model) => void;

const customerId = fc.constantFrom('c1', 'c2');
const orderId = fc.constantFrom('o1', 'o2', 'o3');
const hundredths = fc.nat(50_000);
const date = '2026-10-07T09:00:00Z';

const sendOrder = fc
  .record({
    id: orderId,
    owner: customerId,
    worth: hundredths,
    state: fc.constantFrom<OrderState[]>('open', 'completed', 'completed', 'cancelled', 'returned'),
  })
  .map(
    ({ id, owner, worth, state }): Step =>
      (sandbox, model) => {
        const isCompleted = state === 'completed' || state === 'returned';
        const isCancelled = state === 'cancelled' || state === 'returned';
        const answer = sandbox.call('sendOrder', {
          body: makeOrder({
            OriginalId: id,
            Customer: makeCustomer({ OriginalId: owner }),
            OrderTotal: worth / 100,
            IsCompleted: isCompleted,
            OrderCompletedDate: isCompleted ? date : null,
            IsCancelledOrReturned: isCancelled,
            OrderCancelledDate: isCancelled ? date : null,
          }),
        });
        expect(codeOf(answer)).toBe(expectedCode(model, id, owner, state));
        if (answer.HasError) return;
        const isWorth = state === 'completed';
        model.orders.set(id, { owner, state, worth: isWorth ? worthOf(model, worth) : 0 });
        if (isCancelled) model.cancelled.add(id);
        expect(answer.Result?.Customer?.PointsBalance).toBe(expectedPoints(model, owner) / 100);
      },
  );

const cancelOrder = orderId.map(
  (id): Step =>
    (sandbox, model) => {
      const body = { OrderCancelledDate: date };
      const answer = sandbox.call('cancelOrder', { path: { orderId: id }, body });
      if (answer.HasError) return;
      model.cancelled.add(id);
      const owner = model.orders.get(id)?.owner ?? '';
      const { error13 } = model.settings;
      const takesCompleted = error13 === 'both-flags' || error13 === 'never';
      if (!takesCompleted) expect(model.orders.get(id)?.state).toBe('open');
      model.orders.set(id, { owner, state: 'cancelled', worth: 0 });
    },
);

const changeCashback = (largest: number) =>
  fc
    .record({
      id: customerId,
      value: fc.nat(largest),
      OperationType: fc.constantFrom(0, 1),
      key: fc.nat(99),
    })
    .map(
      ({ id, value, OperationType, key }): Step =>
        (sandbox, model) => {
          const before = balanceOf(sandbox, id);
          const signed = OperationType === 0 ? value : -value;
          const answer = sandbox.call('changeCashback', {
            path: { id },
            body: { Value: signed / 100, OperationType, Reason: 'Law', ChangeKey: `k${key}` },
          });
          if (answer.HasError) return;
          const after = balanceOf(sandbox, id);
          const isAddition = OperationType === 0;
          const change = isAddition ? value : -value;
          expect(Math.round((after.cashback - before.cashback) * 100)).toBe(change);
          expect(answer.Result?.CashbackBalance).toBe(after.cashback);
          // How many points a removed amount is worth depends on the records it comes from.
          spend(model, id, Math.round((after.points - before.points) * 100));
          const points = Math.round((after.points - before.points) * 100);
          const { digits, scale } = fractionOf(model.settings.cashbackPerPoint);
          if (isAddition) expect(points).toBe(Number((BigInt(value) * scale) / digits));
          else expect(points).toBeLessThanOrEqual(0);
        },
    );

const redeemReward = fc.record({ id: customerId, reward: fc.constantFrom('1', '2', '3') }).map(
  ({ id, reward }): Step =>
    (sandbox, model) => {
      const cost = { 1: 10_000, 2: 20_000, 3: 5_000 }[reward] ?? 0;
      const known = sandbox.tables.customers.get(id) !== undefined;
      const answer = sandbox.call('redeemReward', {
        path: { id: reward },
        body: { CustomerId: id },
      });
      const affordable = known && expectedPoints(model, id) >= cost;
      expect(codeOf(answer) === undefined).toBe(affordable);
      if (affordable) spend(model, id, -cost);
    },
);

const answerQuiz = customerId.map(
  (id): Step =>
    (sandbox, model) => {
      const body = [
        { QuizQuestionId: 11, OptionIds: [101] },
        { QuizQuestionId: 12, OpenAnswer: 'Blue' },
      ];
      const answer = sandbox.call('answerQuiz', { query: { customerId: id }, body });
      spend(model, id, (answer.Result?.PointsAwarded ?? 0) * 100);
    },
);

/** As whole numbers: value = digits / scale. */
function fractionOf(value: number): { readonly digits: bigint; readonly scale: bigint } {
  return { digits: BigInt(Math.round(value * 10_000)), scale: 10_000n };
}

/** What an order of so many hundredths earns. */
function worthOf({ settings }: Model, hundredthsOfTotal: number): number {
  const { digits, scale } = fractionOf(settings.pointsPerUnit);
  return Number((BigInt(hundredthsOfTotal) * digits) / scale);
}

function expectedCode(model: Model, id: string, owner: string, state: OrderState) {
  const { settings, orders, cancelled } = model;
  const before = orders.get(id);
  if (cancelled.has(id)) return 33;
  if (before && settings.repeatedOrder === 'refuse') return 36;
  const isReturn = before?.state === 'completed' && state !== 'completed' && state !== 'open';
  if (isReturn && settings.error13 === 'return-completed') return 13;
  if (state === 'returned' && settings.error13 === 'both-flags') return 13;
  const isOther = [...orders.values()].some((order) => order.owner !== owner);
  return isOther && settings.uniqueEmail ? 118 : undefined;
}

function spend(model: Model, id: string, change: number): void {
  model.others.set(id, (model.others.get(id) ?? 0) + change);
}

function expectedPoints({ orders, others }: Model, id: string): number {
  const earned = [...orders.values()].filter(({ owner }) => owner === id);
  return earned.reduce((sum, { worth }) => sum + worth, others.get(id) ?? 0);
}

const life = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: sendOrder },
    { weight: 1, arbitrary: cancelOrder },
    { weight: 3, arbitrary: changeCashback(50_000) },
    { weight: 3, arbitrary: redeemReward },
    { weight: 1, arbitrary: answerQuiz },
  ),
  { maxLength: 25 },
);

/** Of four decimals at most, so that the model can count with whole numbers. */
const decimal = (least: number, most: number) =>
  fc.oneof(
    fc.integer({ min: least * 10_000, max: most * 10_000 }).map((n) => n / 10_000),
    fc.constantFrom(least, most, 1),
  );

const settings = fc
  .record(
    {
      pointsPerUnit: decimal(0, 100),
      cashbackPerPoint: decimal(0.0001, 100),
      pointsValidDays: fc.integer({ min: 1, max: 36_500 }),
      repeatedOrder: fc.constantFrom('replace', 'replace', 'refuse'),
      error13: fc.constantFrom('both-flags', 'cancel-completed', 'return-completed', 'never'),
      envelope: fc.constantFrom('A', 'B'),
      productAnswer: fc.constantFrom('current', 'older'),
      requireDocumentOrEmail: fc.boolean(),
      documentAlphanumericOnly: fc.boolean(),
      uniqueEmail: fc.constantFrom(false, false, true),
      uniqueDocument: fc.boolean(),
      birthdayIsFinal: fc.boolean(),
      requireCouponCustomer: fc.boolean(),
    } satisfies { [K in keyof SandboxSettings]?: fc.Arbitrary<SandboxSettings[K]> },
    { requiredKeys: [] },
  )
  .map((given): SandboxSettings => ({ ...defaultSettings, ...given }));

const lives = fc.tuple(fc.oneof(fc.constant(defaultSettings), settings), life);

function live([given, steps]: readonly [SandboxSettings, readonly Step[]]) {
  const sandbox = openSandbox({ settings: given });
  const model: Model = {
    settings: given,
    orders: new Map(),
    cancelled: new Set(),
    others: new Map(),
  };
  for (const step of steps) step(sandbox, model);
  return { sandbox, model };
}

describe('whatever happens to the customers', () => {
  it('the balance is the worth of what happened, to the hundredth', () => {
    fc.assert(
      fc.property(lives, (lived) => {
        const { sandbox, model } = live(lived);
        for (const id of ['c1', 'c2']) {
          expect(Math.round(balanceOf(sandbox, id).points * 100)).toBe(expectedPoints(model, id));
        }
      }),
    );
  });

  it('a cashback change is made in full, however little or much a point is worth', () => {
    const enter: Step = (sandbox) => {
      for (const id of ['c1', 'c2']) {
        const Customer = makeCustomer({ OriginalId: id });
        sandbox.call('sendOrder', { body: makeOrder({ OriginalId: id, OrderTotal: 0, Customer }) });
      }
    };
    // Much of it worth less than a hundredth of a point. What happens is checked at each step.
    const changes = fc.array(changeCashback(200), { minLength: 10, maxLength: 20 });
    fc.assert(
      fc.property(settings, changes, (given, steps) => {
        live([given, [enter, ...steps]]);
      }),
    );
  });

  it('the events alone give every record and every balance', () => {
    fc.assert(
      fc.property(lives, (lived) => {
        const { sandbox } = live(lived);
        const heard = new Map<number, number>();
        const balances = new Map<unknown, number | undefined>();
        for (const { topic, payload } of sandbox.takeEvents()) {
          const isKnown = heard.has(payload.PointId);
          // Spending is a record of its own, below zero unless a hundredth of cashback is worth less than one of a point.
          const isSpending = topic === 'Point_Removed' && !isKnown;
          if (isSpending) expect(payload.Points).toBeLessThanOrEqual(0);
          else expect(isKnown).toBe(topic !== 'Point_Add');
          if (topic === 'Point_Update') expect(heard.get(payload.PointId)).not.toBe(payload.Points);
          if (topic === 'Point_Removed' && isKnown) heard.delete(payload.PointId);
          else heard.set(payload.PointId, payload.Points);
          balances.set(payload.Customer.Id, payload.PointsBalance.PointsBalance);
        }
        const records = [...sandbox.tables.points.values()];
        expect([...heard].sort()).toEqual(
          records.map((row) => [row.PointId, row.pointsHundredths / 100]).sort(),
        );
        for (const [id, points] of balances) {
          expect(points).toBe(balanceOf(sandbox, String(id)).points);
        }
      }),
    );
  });

  it('points taken away are fully explained by their origins, which belong to the customer', () => {
    fc.assert(
      fc.property(lives, (lived) => {
        const { sandbox } = live(lived);
        for (const row of sandbox.tables.points.values()) {
          const used = row.origins.reduce((sum, origin) => sum + origin.usedPointsHundredths, 0);
          const usedCashback = row.origins.reduce((sum, o) => sum + o.usedCashbackHundredths, 0);
          expect(used).toBe(Math.max(0, -row.pointsHundredths));
          expect(usedCashback).toBe(Math.max(0, -row.cashbackHundredths));
          for (const { PointId, usedPointsHundredths, usedCashbackHundredths } of row.origins) {
            const origin = sandbox.tables.points.get(String(PointId));
            if (origin) expect(origin.customerId).toBe(row.customerId);
            expect(Math.min(usedPointsHundredths, usedCashbackHundredths)).toBeGreaterThanOrEqual(
              0,
            );
          }
        }
      }),
    );
  });

  it('a customer is found with exactly the records and orders of his', () => {
    fc.assert(
      fc.property(lives, (lived) => {
        const { sandbox } = live(lived);
        const { tables } = sandbox;
        for (const id of ['c1', 'c2', 'nobody']) {
          expect(tables.pointsByCustomer.of(id)).toEqual(
            [...tables.points.values()].filter((row) => row.customerId === id),
          );
          const orders = [...tables.orders.values()].filter((row) => row.customerId === id);
          expect(new Set(tables.ordersByCustomer.of(id))).toEqual(new Set(orders));
          expect(tables.ordersByCustomer.count(id)).toBe(orders.length);
        }
      }),
    );
  });
});
