import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../../shared/loyalty/operations.ts';
import { pageOf, read, tiers } from '../../../support/read-answer.ts';

describe('a success', () => {
  it.each<[OperationId, object, unknown]>([
    ['sendOrder', { HasError: false, Result: { Id: 1 } }, { Id: 1 }],
    ['cancelOrder', { HasError: false, Result: { isCanceled: true } }, { isCanceled: true }],
    ['calculateProductPoints', { HasError: false, Result: [{ Id: '1' }] }, [{ Id: '1' }]],
    ['createCoupon', { ...pageOf([{ Code: 'X' }]), HasError: false }, pageOf([{ Code: 'X' }])],
    ['deactivateCoupon', { ...pageOf(null), HasError: false, ErrorMessages: [] }, pageOf([])],
    ['listRewardConfigurations', { ...pageOf([]), HasError: false }, pageOf([])],
    ['listQuizzes', { HasError: false, Result: [{ Id: 1 }] }, [{ Id: 1 }]],
    ['listQuizzes', { HasError: false, Result: null }, []],
  ])('of %s is read from its wrapper', (operation, body, value) => {
    expect(read(operation, body)).toEqual({ kind: 'success', value });
  });

  it('of a redemption and of the tiers is read without a wrapper', () => {
    const value = pageOf([{ Id: 7 }]);
    const input = { path: { id: 7 } };
    expect(read('redeemReward', value, { input })).toEqual({ kind: 'success', value });
    expect(read('listTiers', tiers)).toEqual({ kind: 'success', value: tiers });
  });

  it('of a product is read in both shapes, and never without the product', () => {
    const current = { Code: '00', CodeName: 'Ok', Severity: 0, HasWarning: false };
    const older = { HasError: false, ErrorMessage: null, ErrorCode: null, Result: { Title: 'x' } };
    for (const body of [older, { ...older, ...current }]) {
      expect(read('updateProduct', body)).toEqual({ kind: 'success', value: { Title: 'x' } });
      const without = read('updateProduct', { ...body, Result: null });
      expect(without).toMatchObject({ kind: 'transport-failure', reason: 'not-the-contract' });
    }
  });

  it('with a warning keeps the code and its name', () => {
    const Result = { Title: 'x' };
    const outcome = { HasWarning: true, Severity: 1, Code: '07', CodeName: 'Old' };
    const body = { HasError: false, ...outcome, Result };
    const warning = { kind: 'warning', value: Result, code: '07', codeName: 'Old' };
    expect(read('updateProduct', body)).toEqual(warning);
    const unnamed = { ...warning, code: undefined, codeName: undefined };
    expect(read('updateProduct', { ...body, Code: null, CodeName: null })).toEqual(unnamed);
  });
});

describe('an answer that reports no error and no success', () => {
  const finding = (operation: OperationId, body: object, input = {}) => {
    const result = read(operation, body, { input });
    if (result.kind !== 'business-error') throw new Error(JSON.stringify(result));
    return [result.finding, result.class];
  };
  const inA = (Result: object) => ({ HasError: false, Severity: 0, Code: '00', Result });
  const inB = (Result: object) => ({ HasError: false, Result });

  it.each(['partiallyCancelOrder', 'partiallyCancelPosOrder'] as const)(
    '%s: a used CancelKey stands in RefundErrorDetails of an answer that says success',
    (operation) => {
      const used = (isCanceled: boolean) => ({
        isCanceled,
        RefundErrorDetails: { Code: 'X', Message: 'Used', Field: 'CancelKey' },
      });
      for (const body of [inA(used(true)), inB(used(false))]) {
        expect(finding(operation, body)).toEqual(['cancel-key-used', 'rejected']);
      }
    },
  );

  it.each(['cancelOrder', 'cancelPosOrder', 'cancelRedemption', 'cancelRedemptionByKey'] as const)(
    '%s: what does not say that it is cancelled is not cancelled',
    (operation) => {
      for (const body of [inA({ isCanceled: false, IsCanceled: false }), inB({})]) {
        expect(finding(operation, body)).toEqual(['not-cancelled', 'retry']);
      }
    },
  );

  it('completeOrder: what does not say that it is completed is not completed', () => {
    const found = finding('completeOrder', inB({ IsCompleted: false }));
    expect(found).toEqual(['not-completed', 'retry']);
  });

  it.each(['partiallyCancelOrder', 'partiallyCancelPosOrder'] as const)(
    '%s: isCanceled may be false on success, RefundErrorDetails decide',
    (operation) => {
      const value = { isCanceled: false, RefundErrorDetails: null };
      expect(read(operation, inA(value))).toEqual({ kind: 'success', value });
      const refused = { isCanceled: true, RefundErrorDetails: { Message: 'Too much' } };
      expect(finding(operation, inA(refused))).toEqual(['refund-refused', 'rejected']);
      const message = 'The service refused to cancel this part of the order. Too much';
      expect(read(operation, inA(refused))).toMatchObject({ message });
    },
  );

  it('a points result of a customer who does not exist, or with an Error text', () => {
    const unknown = { CustomerExists: false, PointsBalance: 0, Error: '' };
    const failed = { CustomerExists: true, PointsBalance: 5, Error: 'Something' };
    for (const body of [inA(unknown), inB(unknown)]) {
      expect(finding('changeCashback', body)).toEqual(['customer-does-not-exist', 'rejected']);
    }
    expect(finding('getCustomerPoints', unknown)).toEqual(['customer-does-not-exist', 'rejected']);
    expect(finding('changeCashback', inB(failed))).toEqual(['points-error', 'rejected']);
    expect(finding('getCustomerPoints', failed)).toEqual(['points-error', 'rejected']);
  });

  it('a redemption whose items do not hold the asked reward, or hold it disabled', () => {
    const input = { path: { id: 7 } };
    for (const items of [[], null, [{ Id: 8, Enabled: true }]]) {
      expect(finding('redeemReward', pageOf(items), input)).toEqual(['reward-missing', 'retry']);
    }
    const disabled = pageOf([{ Id: 7, Enabled: false, DisabledReason: 'No' }]);
    expect(finding('redeemReward', disabled, input)).toEqual(['reward-disabled', 'retry']);
  });

  it('a redemption with "Not enough points" in ErrorMessages is refused', () => {
    const input = { path: { id: 7 } };
    for (const Items of [[], [{ Id: 7, Enabled: true }]]) {
      const body = { ...pageOf(Items), ErrorMessages: ['Not enough points'] };
      const refused = { kind: 'business-error', class: 'rejected', message: 'Not enough points' };
      expect(read('redeemReward', body, { input })).toMatchObject(refused);
    }
  });

  it.each<[OperationId, object]>([
    ['getOrder', { OriginalId: 'o1', ErrorMessage: 'No such order' }],
    ['listAvailableRewards', { Rewards: [], ErrorMessages: ['No customer'] }],
    ['getRedeemedReward', { Id: 1, IsCanceled: false, ErrorCode: 87 }],
    ['getCustomerPoints', { CustomerExists: true, HasError: true }],
    ['startChallenge', { Success: true, Severity: 2 }],
  ])('a bare object of %s that is really a failure', (operation, body) => {
    expect(read(operation, body)).toMatchObject({ kind: 'business-error' });
  });

  it.each<[OperationId, object]>([
    ['getOrder', { OriginalId: 'o1' }],
    ['listAvailableRewards', { Rewards: [] }],
    ['getRedeemedReward', { Id: 1, IsCanceled: false }],
    ['getCustomerPoints', { CustomerExists: true, PointsBalance: 3 }],
    ['listTiers', tiers],
    ['startChallenge', { Success: true }],
  ])('%s is read bare and in envelope A or B', (operation, value) => {
    for (const body of [value, inA(value), inB(value)]) {
      expect(read(operation, body)).toEqual({ kind: 'success', value });
    }
  });

  it('of one object that comes bare may be none: no content, or null', () => {
    const absent = { kind: 'transport-failure', reason: 'not-found', mayHaveHappened: false };
    expect(read('getOrder', '', { status: 204 })).toMatchObject(absent);
    expect(read('getOrder', 'null')).toMatchObject(absent);
    expect(read('getOrder', '')).toMatchObject({ reason: 'not-the-contract' });
    expect(read('sendOrder', '', { status: 204 })).toMatchObject({ reason: 'not-the-contract' });
  });
});
