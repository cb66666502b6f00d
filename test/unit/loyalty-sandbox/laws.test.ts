import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  balanceOf,
  codeOf,
  makeCustomer,
  makeOrder,
  openSandbox,
  type Sandbox,
} from '../../support/sandbox-program.ts';

/*
 * Random lives of two customers. The model beside the program knows nothing of records, origins or
 * events: only what each order, change, reward and quiz is worth, in hundredths of points.
 */

interface Model {
  /** Worth of each order by id, with its owner. */
  readonly orders: Map<string, { readonly owner: string; readonly worth: number }>;
  readonly cancelled: Set<string>;
  readonly others: Map<string, number>;
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
    state: fc.constantFrom('open', 'completed', 'completed', 'cancelled'),
  })
  .map(
    ({ id, owner, worth, state }): Step =>
      (sandbox, model) => {
        const answer = sandbox.call('sendOrder', {
          body: makeOrder({
            OriginalId: id,
            Customer: makeCustomer({ OriginalId: owner }),
            OrderTotal: worth / 100,
            IsCompleted: state !== 'open',
            IsCancelledOrReturned: state === 'cancelled',
            OrderCancelledDate: state === 'cancelled' ? date : null,
          }),
        });
        expect(codeOf(answer)).toBe(model.cancelled.has(id) ? 33 : undefined);
        if (answer.HasError) return;
        model.orders.set(id, { owner, worth: state === 'completed' ? worth : 0 });
        if (state === 'cancelled') model.cancelled.add(id);
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
      model.orders.set(id, { owner, worth: 0 });
    },
);

const changeCashback = fc
  .record({
    id: customerId,
    value: hundredths,
    OperationType: fc.constantFrom(0, 1),
    key: fc.nat(9),
  })
  .map(
    ({ id, value, OperationType, key }): Step =>
      (sandbox, model) => {
        const before = balanceOf(sandbox, id);
        const answer = sandbox.call('changeCashback', {
          path: { id },
          body: { Value: value / 100, OperationType, Reason: 'Law', ChangeKey: `k${key}` },
        });
        if (answer.HasError) return;
        const after = balanceOf(sandbox, id);
        const change = OperationType === 0 ? value : -value;
        expect(Math.round((after.cashback - before.cashback) * 100)).toBe(change);
        expect(answer.Result?.CashbackBalance).toBe(after.cashback);
        // How many points a removed amount is worth depends on the records it comes from.
        spend(model, id, Math.round((after.points - before.points) * 100));
        if (OperationType === 0) expect(after.points - before.points).toBeCloseTo(value / 5, 6);
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
    { weight: 3, arbitrary: changeCashback },
    { weight: 3, arbitrary: redeemReward },
    { weight: 1, arbitrary: answerQuiz },
  ),
  { maxLength: 25 },
);

function live(steps: readonly Step[]) {
  const sandbox = openSandbox();
  const model: Model = { orders: new Map(), cancelled: new Set(), others: new Map() };
  for (const step of steps) step(sandbox, model);
  return { sandbox, model };
}

describe('whatever happens to the customers', () => {
  it('the balance is the worth of what happened, to the hundredth', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const { sandbox, model } = live(steps);
        for (const id of ['c1', 'c2']) {
          expect(Math.round(balanceOf(sandbox, id).points * 100)).toBe(expectedPoints(model, id));
        }
      }),
    );
  });

  it('the events alone tell every record and every balance', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const { sandbox } = live(steps);
        const heard = new Map<number, number>();
        const balances = new Map<unknown, number | undefined>();
        for (const { topic, payload } of sandbox.takeEvents()) {
          expect(heard.has(payload.PointId)).toBe(topic !== 'Point_Add');
          if (topic === 'Point_Update') expect(heard.get(payload.PointId)).not.toBe(payload.Points);
          if (topic === 'Point_Removed') heard.delete(payload.PointId);
          else heard.set(payload.PointId, payload.Points);
          balances.set(payload.Customer.OriginalId, payload.PointsBalance.PointsBalance);
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
      fc.property(life, (steps) => {
        const { sandbox } = live(steps);
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

  it('an account lists exactly the records and orders of its customer', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const { sandbox } = live(steps);
        for (const { OriginalId } of sandbox.tables.customers.values()) {
          const account = sandbox.tables.accounts.get(OriginalId);
          const points = [...sandbox.tables.points.values()]
            .filter((row) => row.customerId === OriginalId)
            .map((row) => row.PointId);
          const orders = [...sandbox.tables.orders.values()]
            .filter((row) => row.customerId === OriginalId)
            .map((row) => row.OriginalId);
          expect(account?.pointIds ?? []).toEqual(points);
          expect([...(account?.orderIds ?? [])].sort()).toEqual(orders.sort());
        }
      }),
    );
  });
});
