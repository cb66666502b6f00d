import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../shared/loyalty/client.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';

const now = new Date('2026-10-08T12:00:00Z');
const json = { 'content-type': 'application/json' };

/** What the client makes of an answer of the service. */
function read(
  operation: OperationId,
  body: unknown,
  { status = 200, headers = json as Record<string, string>, input = {}, hidden = [''] } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { kind: 'answer', status, headers, text } as const;
  return readAnswer(operation, answer, { input, hidden: () => hidden }, now);
}

const pageOf = (items: unknown) => ({
  ...{ Items: items, TotalItemCount: 1 },
  ...{ PageSize: 10, PageNumber: 1, HasNextPage: false },
});
const tiers = { CurrentTier: { Id: 1 }, NextTiers: [], AllTiers: [{ Id: 1 }] };

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

describe('a business error', () => {
  const of = (operation: OperationId, body: object, options = {}) =>
    read(operation, { HasError: true, ...body }, options);

  it('has its code, name and class in every wrapper', () => {
    const error = { code: 103, name: 'Too_Many_Requests', class: 'throttled' };
    const known = { kind: 'business-error', ...error };
    const whole = { ...known, message: 'Slow', fields: [] };
    expect(of('sendOrder', { ErrorCode: 103, ErrorMessage: 'Slow' })).toEqual(whole);
    expect(of('updateProduct', { ErrorCode: 103, Severity: 2 })).toMatchObject(known);
    const ErrorDescriptions = [
      { Description: 103, Field: 'Price', FieldText: 'the price' },
      { Description: 7, Field: 'Name' },
      { Description: 'x' },
    ];
    const fields = ['Price: the price', 'Name'];
    expect(of('calculateProductPoints', { ErrorDescriptions })).toMatchObject({ ...known, fields });
    const ErrorMessages = ['Refused.', 'Reason: (Too_Many_Requests).'];
    expect(of('createCoupon', { ...pageOf(null), ErrorMessages })).toMatchObject(known);
    expect(of('redeemReward', { ErrorCode: 103 })).toMatchObject(known);
    expect(of('listTiers', { ErrorCode: 103 })).toMatchObject(known);
  });

  it('of code 0 is read like any other code', () => {
    expect(of('sendOrder', { ErrorCode: 0 })).toMatchObject({ name: 'Campaign_InvalidDateRange' });
  });

  it('of an unknown number is rejected, with the number', () => {
    const result = of('sendOrder', { ErrorCode: 4711 });
    expect(result).toMatchObject({ code: 4711, class: 'rejected' });
    expect(result).not.toHaveProperty('name');
  });

  it('without any code is retried', () => {
    const result = of('sendOrder', { ErrorMessage: 'Something failed', ErrorCode: null });
    expect(result).toMatchObject({ class: 'retry', message: 'Something failed' });
    expect(result).not.toHaveProperty('code');
  });

  it('is not recognized by a part of a word', () => {
    const result = of('createCoupon', { ErrorMessages: ['NotAGenericErrorAtAll'] });
    expect(result).not.toHaveProperty('code');
  });

  it('is never recognized by a text of the request: a customer may be called like an error', () => {
    const input = { body: { Customer: { Name: 'ApiExternalCoupon_Not_found' } } };
    const ErrorMessages = ['No customer ApiExternalCoupon_Not_found'];
    expect(of('deactivateCoupon', { ErrorMessages }, { input })).toMatchObject({ class: 'retry' });
    expect(of('deactivateCoupon', { ErrorMessages })).toMatchObject({ code: 57 });
  });

  it('is read from severity 2, with or without HasError', () => {
    const body = { HasError: false, Severity: 2, Code: '12', CodeName: 'BadPrice' };
    const error = { class: 'rejected', message: '12 BadPrice', codeName: 'BadPrice' };
    expect(read('updateProduct', body)).toMatchObject({ kind: 'business-error', ...error });
  });

  it('is never hidden by a warning', () => {
    const body = { HasError: true, Severity: 1, HasWarning: true, ErrorCode: 38 };
    expect(read('updateProduct', body)).toMatchObject({ kind: 'business-error', code: 38 });
  });

  it('has the time to wait', () => {
    const result = of('sendOrder', { ErrorCode: 103 }, { headers: { 'retry-after': '30' } });
    expect(result).toMatchObject({ retryAfterSeconds: 30 });
  });

  it.each([400, 404, 409, 422])('is read with HTTP %d when it has a code', (status) => {
    const result = of('cancelOrder', { ErrorCode: 37 }, { status });
    expect(result).toMatchObject({ kind: 'business-error', code: 37 });
  });

  it.each([400, 409, 422])('of HTTP %d with an envelope is permanent without a code', (status) => {
    const refused = { kind: 'business-error', class: 'rejected' };
    expect(of('cancelOrder', {}, { status })).toMatchObject(refused);
    const envelope = { Severity: 2, Code: '01', CodeName: 'CustomerNotFound' };
    expect(read('changeCashback', envelope, { status })).toMatchObject({ ...refused, code: 59 });
    const without = { kind: 'transport-failure', class: 'rejected' };
    expect(read('cancelOrder', 'no envelope', { status })).toMatchObject(without);
  });

  it('of HTTP 404 without a code may be a wrong address', () => {
    expect(of('cancelOrder', {}, { status: 404 })).toMatchObject({ reason: 'not-found' });
  });

  it.each<[OperationId, string, object]>([
    ['changeCashback', 'CustomerNotFound', { code: 59, class: 'rejected' }],
    ['changeCashback', 'ChangeKeyAlreadyExists', { code: 66, class: 'done' }],
    ['changePoints', 'ChangeKeyAlreadyExists', { code: 66, class: 'done' }],
    ['sendOrder', 'ChangeKeyAlreadyExists', { code: 66, class: 'rejected' }],
    ['cancelRedemption', 'AlreadyCanceled', { code: 74, class: 'done' }],
    ['cancelRedemptionByKey', 'AlreadyCanceled', { code: 74, class: 'done' }],
    ['sendOrder', 'TooManyRequests', { code: 103, class: 'throttled' }],
    ['sendOrder', 'GenericError', { code: 77, class: 'retry' }],
  ])('of %s without a number is read from CodeName %s', (operation, CodeName, expected) => {
    expect(of(operation, { Code: '09', CodeName })).toMatchObject(expected);
  });

  it('with an unknown CodeName is a permanent refusal by that name, not retried for days', () => {
    const result = of('partiallyCancelOrder', { Code: '09', CodeName: 'CancelKeyAlreadyUsed' });
    expect(result).toMatchObject({ class: 'rejected', codeName: 'CancelKeyAlreadyUsed' });
    expect(result).not.toHaveProperty('code');
    // Many errors end so: none of them is meant.
    expect(of('sendOrder', { CodeName: 'NotFound' })).not.toHaveProperty('code');
  });

  it.each([401, 403, 429, 500, 503])('never overrules HTTP %d', (status) => {
    const result = of('cancelOrder', { ErrorCode: 37 }, { status });
    expect(result).toMatchObject({ kind: 'transport-failure', status });
  });
});

describe('a status', () => {
  it.each([
    [301, 'misconfigured', 'misconfigured', true],
    [303, 'misconfigured', 'misconfigured', true],
    [400, 'refused', 'rejected', false],
    [401, 'misconfigured', 'misconfigured', false],
    [403, 'forbidden', 'misconfigured', false],
    [404, 'not-found', 'retry', false],
    [408, 'unavailable', 'retry', true],
    [413, 'refused', 'rejected', false],
    [422, 'refused', 'rejected', false],
    [429, 'throttled', 'throttled', false],
    [500, 'unavailable', 'retry', true],
    [503, 'unavailable', 'retry', true],
    [999, 'not-the-contract', 'retry', true],
  ])('of %d is %s, class %s, may have happened: %s', (status, reason, errorClass, may) => {
    // A body of a success does not change that.
    const result = read('sendOrder', { HasError: false, Result: {} }, { status });
    const failure = { reason, class: errorClass, mayHaveHappened: may, status };
    expect(result).toMatchObject({ kind: 'transport-failure', ...failure });
  });

  it.each([
    ['120', 120],
    ['0', 0],
    ['Thu, 08 Oct 2026 12:01:00 GMT', 60],
    ['Thu, 08 Oct 2026 11:00:00 GMT', 0],
    ['99999999999999999999', 86_400],
    ['Fri, 08 Oct 2100 12:00:00 GMT', 86_400],
  ])('with Retry-After %s says to wait %d seconds', (header, seconds) => {
    for (const status of [429, 503]) {
      const result = read('sendOrder', '', { status, headers: { 'retry-after': header } });
      expect(result).toMatchObject({ retryAfterSeconds: seconds });
    }
  });

  it.each(['', 'soon', '-5', '1.5', '1e3', 'x GMT', '2026-10-08'])(
    'with Retry-After %j says nothing about waiting',
    (header) => {
      const result = read('sendOrder', '', { status: 429, headers: { 'retry-after': header } });
      expect(result).not.toHaveProperty('retryAfterSeconds');
    },
  );
});

describe('a body outside the contract', () => {
  const valid = { HasError: false, Result: { Id: 1 } };
  const ofOtherKey = { RewardId: 1, OriginalKey: 'other' };
  it.each<[string, OperationId, unknown]>([
    ['empty', 'sendOrder', ''],
    ['HTML', 'sendOrder', '<html><body>robin.sample@example.com</body></html>'],
    ['truncated JSON', 'sendOrder', JSON.stringify(valid).slice(0, -1)],
    ['an array', 'sendOrder', [valid]],
    ['a string', 'sendOrder', JSON.stringify('ok')],
    ['null', 'sendOrder', null],
    ['without HasError', 'sendOrder', { Result: { Id: 1 } }],
    ['HasError of another type', 'sendOrder', { ...valid, HasError: 'false' }],
    ['without Result', 'sendOrder', { HasError: false }],
    ['with a null Result', 'sendOrder', { HasError: false, Result: null }],
    ['with a list for Result', 'sendOrder', { HasError: false, Result: [{}] }],
    ['with an object for a list', 'calculateProductPoints', valid],
    ['with no list', 'calculateProductPoints', { HasError: false, Result: null }],
    ['with a list of numbers', 'listQuizzes', { HasError: false, Result: [1] }],
    ['with a text for a product', 'updateProduct', { HasError: false, Result: 'ok' }],
    ['with a severity beyond 2', 'updateProduct', { ...valid, Severity: 3 }],
    ['with a severity in words', 'updateProduct', { ...valid, Severity: 'Warning' }],
    ['a page without items', 'createCoupon', { ...pageOf(undefined), HasError: false }],
    ['a page without HasError', 'createCoupon', pageOf([])],
    ['an unnumbered page', 'createCoupon', { ...pageOf([]), HasError: false, PageSize: '9' }],
    ['a page that hides the next', 'redeemReward', { ...pageOf([]), HasNextPage: null }],
    ['a redemption with an odd HasError', 'redeemReward', { ...pageOf([]), HasError: 0 }],
    ['tiers whose current one is no object', 'listTiers', { ...tiers, CurrentTier: 1 }],
    ['tiers without a list', 'listTiers', { ...tiers, AllTiers: undefined }],
    ['an empty envelope where tiers are due', 'listTiers', { HasError: false, Result: null }],
    ['points that do not say that the customer exists', 'getCustomerPoints', { PointsBalance: 5 }],
    ['a cashback change that does not say so', 'changeCashback', { HasError: false, Result: {} }],
    ['an order without an id', 'getOrder', { OrderTotal: 5 }],
    ['a redeemed reward without its state', 'getRedeemedReward', { Id: 5 }],
    ['a redemption without its id', 'redeemRewardByKey', { HasError: false, Result: {} }],
    ['a redemption of another key', 'redeemRewardByKey', { HasError: false, Result: ofOtherKey }],
    ['available rewards without a list', 'listAvailableRewards', { HasRewards: true }],
    ['a challenge without its outcome', 'validateChallenge', { Message: 'Well' }],
  ])('%s: retried and not quoted', (_, operation, body) => {
    const result = read(operation, body);
    const failure = { reason: 'not-the-contract', class: 'retry', mayHaveHappened: true };
    expect(result).toMatchObject({ kind: 'transport-failure', ...failure, status: 200 });
    expect(JSON.stringify(result)).not.toContain('robin');
  });

  it('is described by its size and type', () => {
    const page = read('sendOrder', '<html>é</html>', { headers: { 'content-type': 'text/html' } });
    const message = 'HTTP 200 with 15 bytes of text/html: not a JSON object.';
    expect(page).toMatchObject({ message });
    const headers = { 'content-type': 'text/robin-sample' };
    const odd = read('sendOrder', 'x', { headers, hidden: ['Robin-Sample'] });
    expect(odd).toMatchObject({ message: 'HTTP 200 with 1 bytes of text/***: not a JSON object.' });
    const empty = read('sendOrder', ' ', { status: 204, headers: {} });
    expect(empty).toMatchObject({ message: 'HTTP 204 with 1 bytes of no stated type: empty.' });
  });
});

const PIN = '4711';
const input = { body: { TransactionId: 'sale-1', Code: PIN } };

describe('the answer of a challenge', () => {
  it.each([
    ['bare', { Success: true, Code: PIN }],
    ['in envelope B', { HasError: false, Result: { Success: true, Code: PIN } }],
    ['with a warning', { HasError: false, Severity: 1, Code: PIN, Result: { Success: true } }],
    ['not sent', { Success: false, ErrorMessage: 'No SMS', Code: PIN }],
    ['as an error', { HasError: true, Severity: 2, Code: PIN, ErrorMessage: 'Sorry' }],
    ['as nothing that is known', { Code: PIN, Something: { Code: PIN } }],
  ])('never brings the PIN: %s', (_, body) => {
    for (const operation of ['startChallenge', 'validateChallenge'] as const) {
      expect(JSON.stringify(read(operation, body, { input: { body: {} } }))).not.toContain(PIN);
    }
  });

  it('that asks for a phone number is a value, with an ErrorMessage beside it', () => {
    const body = {
      Success: false,
      ErrorMessage: 'No phone',
      FriendlyErrorMessage: 'Ask for it',
      ShouldInformPhone: true,
      Code: null,
    };
    expect(read('startChallenge', body)).toMatchObject({
      kind: 'success',
      value: { Success: false, ShouldInformPhone: true, FriendlyErrorMessage: 'Ask for it' },
    });
  });

  it('is no success beside an ErrorMessage', () => {
    const body = { Success: true, ErrorMessage: 'The PIN could not be checked' };
    expect(read('validateChallenge', body, { input })).toMatchObject({ kind: 'business-error' });
  });

  it('is no success under another TransactionId', () => {
    const validate = (TransactionId: string | null, Success = true) =>
      read('validateChallenge', { Success, TransactionId }, { input });
    expect(validate('sale-1')).toMatchObject({ kind: 'success', value: { Success: true } });
    expect(validate(null)).toMatchObject({ kind: 'success', value: { Success: true } });
    expect(validate('sale-2')).toMatchObject({ reason: 'not-the-contract' });
    expect(validate('sale-2', false)).toMatchObject({ value: { Success: false } });
  });
});
