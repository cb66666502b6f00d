import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import {
  contract,
  makeCustomer,
  makeOrder,
  openSandbox,
  openSandboxWithPoints,
} from '../../support/sandbox-program.ts';

const coupon = {
  OriginalId: 'k1',
  CouponCode: 'AUTUMN10',
  CouponType: 1,
  CouponValue: 10,
  ValidDateStart: '2026-10-01T00:00:00Z',
  CustomerId: 'c1',
  Customer: makeCustomer(),
};

/** A good request for each operation that has a body, to be spoiled in a few places. */
const goodBodies: Partial<Record<OperationId, object>> = {
  updateProduct: { OriginalId: 'p1', Title: 'x', ProductBrand: {}, ProductCategory: { Name: 'y' } },
  calculateProductPoints: [{ Id: 'p1', Price: 5 }],
  redeemReward: { CustomerId: 'c1' },
  sendOrder: makeOrder({ Products: [{ Title: 'x' }], Metadatas: [{ Name: 'a' }], Branch: {} }),
  createCoupon: coupon,
  changeCashback: { Value: 1, OperationType: 0, Reason: 'r', ChangeKey: 'k' },
  listTiers: { CustomerId: 'c1' },
  updateRewardMetadata: { OriginalKey: 'redeem-1', Metadatas: [{ Name: 'a', Value: 'b' }] },
  cancelPosOrder: { OrderCancelledDate: '2026-10-08T00:00:00Z', OrderStatus: 'x' },
  cancelOrder: { OrderCancelledDate: '2026-10-08T00:00:00Z', OrderStatus: 'x' },
  answerQuiz: [
    { QuizQuestionId: 11, OptionIds: [101] },
    { QuizQuestionId: 12, OpenAnswer: 'x' },
  ],
};

const parts = fc.oneof(
  fc.jsonValue(),
  fc.anything(),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom('9999-12-31T23:59:59-23:59', '0000-01-01T00:00:00Z', '2026-02-30T00:00:00Z'),
);

/** Replaces parts of the value, at any depth. */
function spoil(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null) {
    return fc.oneof({ weight: 4, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: parts });
  }
  if (Array.isArray(value)) return fc.tuple(...value.map(spoil));
  const fields = Object.entries(value).map(([name, part]) => [
    name,
    fc.oneof(
      { weight: 5, arbitrary: fc.constant(part) },
      { weight: 1, arbitrary: spoil(part) },
      { weight: 1, arbitrary: parts },
    ),
  ]);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
}

const idText = fc.oneof(
  fc.constantFrom('c1', 'p1', 'o1', 'funding', 'AUTUMN10', '1', '4', '__proto__', '', ' '),
  fc.string({ unit: 'binary' }),
);

const request = (operation: OperationId) =>
  fc.record({
    path: fc.record({ id: idText, orderId: idText, code: idText }, { requiredKeys: [] }),
    query: fc.record(
      { customerId: idText, IsActive: idText, PageNumber: idText, PageSize: idText },
      { requiredKeys: [] },
    ),
    body: fc.oneof(fc.constant(undefined), parts, {
      weight: 4,
      arbitrary: spoil(goodBodies[operation] ?? {}),
    }),
  });

describe('any request whatsoever', () => {
  it.each(contract.operations.map(({ operationId }) => operationId))(
    'gets an answer within the contract from %s, and changes nothing when refused',
    (operation) => {
      fc.assert(
        fc.property(fc.array(request(operation), { minLength: 1, maxLength: 5 }), (requests) => {
          const sandbox = openSandboxWithPoints(500);
          sandbox.call('createCoupon', { body: coupon });
          sandbox.call('redeemReward', { path: { id: '1' }, body: { CustomerId: 'c1' } });
          const open = makeOrder({ IsCompleted: false, OrderCompletedDate: null });
          sandbox.call('sendOrder', { body: open });
          for (const asked of requests) {
            sandbox.callUnchecked(operation, asked);
            sandbox.call(operation, asked);
          }
        }),
        { numRuns: 60 },
      );
    },
  );

  it('never repeats a value of the request in an error', () => {
    const secret = 'robin-4711';
    for (const { operationId } of contract.operations) {
      const path = { id: secret, orderId: secret, code: secret };
      const query = { customerId: secret, PageSize: secret, IsActive: secret };
      for (const body of [
        secret,
        { OriginalId: secret, CustomerId: secret, ChangeKey: secret, OriginalKey: secret },
        makeOrder({
          OriginalId: 'x',
          OrderTotal: secret,
          Customer: makeCustomer({ Name: [secret] }),
        }),
        { ...coupon, OriginalId: 'y', Customer: undefined, CustomerId: secret },
      ]) {
        const answer = openSandbox().call(operationId, { path, query, body });
        if ('HasError' in answer && answer.HasError) {
          expect(JSON.stringify(answer)).not.toContain(secret);
        }
      }
    }
  });
});
