import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import { readAnswer } from '../../../shared/loyalty/read-answer.ts';

const now = new Date('2026-10-08T12:00:00Z');
const json = { 'content-type': 'application/json' };

function read(
  operation: OperationId,
  body: unknown,
  { status = 200, headers = json as Record<string, string>, input = {}, hidden = [''] } = {},
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readAnswer(
    operation,
    { kind: 'answer', status, headers, text },
    { input, hidden: () => hidden },
    now,
  );
}

const pageOf = (items: unknown) => ({
  Items: items,
  TotalItemCount: 1,
  PageSize: 10,
  PageNumber: 1,
  HasNextPage: false,
});
const tiers = { CurrentTier: { Id: 1 }, NextTiers: [], AllTiers: [{ Id: 1 }] };

describe('a success', () => {
  it.each<[OperationId, object, unknown]>([
    ['sendOrder', { HasError: false, Result: { Id: 1 } }, { Id: 1 }],
    ['cancelOrder', { HasError: false, Result: { isCanceled: true } }, { isCanceled: true }],
    ['calculateProductPoints', { HasError: false, Result: [{ Id: '1' }] }, [{ Id: '1' }]],
    [
      'createCoupon',
      { ...pageOf([{ CouponCode: 'X' }]), HasError: false },
      pageOf([{ CouponCode: 'X' }]),
    ],
    ['deactivateCoupon', { ...pageOf(null), HasError: false, ErrorMessages: [] }, pageOf([])],
    ['listRewardConfigurations', { ...pageOf([]), HasError: false }, pageOf([])],
    ['listQuizzes', { HasError: false, Result: [{ Id: 1 }] }, [{ Id: 1 }]],
    ['listQuizzes', { HasError: false, Result: null }, []],
  ])('of %s is read from its wrapper', (operation, body, value) => {
    expect(read(operation, body)).toEqual({ kind: 'success', value });
  });

  it('of a redemption and of the tiers is read without a wrapper', () => {
    const value = pageOf([{ Id: 7 }]);
    expect(read('redeemReward', value)).toEqual({ kind: 'success', value });
    expect(read('listTiers', tiers)).toEqual({ kind: 'success', value: tiers });
  });

  it('of a product is read in both shapes, with or without a product', () => {
    const current = { Code: '00', CodeName: 'Ok', Severity: 0, HasWarning: false };
    const older = { HasError: false, ErrorMessage: null, ErrorCode: null, Result: { Title: 'x' } };
    for (const body of [older, { ...older, ...current }]) {
      expect(read('updateProduct', body)).toEqual({ kind: 'success', value: { Title: 'x' } });
      expect(read('updateProduct', { ...body, Result: null })).toMatchObject({ value: null });
    }
  });

  it('with a warning keeps the code and its name', () => {
    const body = { HasError: false, HasWarning: true, Severity: 1, Code: '07', CodeName: 'Old' };
    const warning = { kind: 'warning', value: null, code: '07', codeName: 'Old' };
    expect(read('updateProduct', body)).toEqual(warning);
    expect(read('updateProduct', { ...body, Code: null, CodeName: null })).toEqual({
      ...warning,
      code: undefined,
      codeName: undefined,
    });
  });
});

describe('a business error', () => {
  const of = (operation: OperationId, body: object, options = {}) =>
    read(operation, { HasError: true, ...body }, options);

  it('has its code, name and class in every wrapper', () => {
    const known = {
      kind: 'business-error',
      code: 103,
      name: 'Too_Many_Requests',
      class: 'throttled',
    };
    expect(of('sendOrder', { ErrorCode: 103, ErrorMessage: 'Slow' })).toEqual({
      ...known,
      message: 'Slow',
      fields: [],
    });
    expect(of('updateProduct', { ErrorCode: 103, Severity: 2 })).toMatchObject(known);
    const ErrorDescriptions = [
      { Description: 103, Field: 'Price', FieldText: 'the price' },
      { Description: 7, Field: 'Name' },
      { Description: 'x' },
    ];
    expect(of('calculateProductPoints', { ErrorDescriptions })).toMatchObject({
      ...known,
      fields: ['Price: the price', 'Name'],
    });
    const ErrorMessages = ['Refused.', 'Reason: (Too_Many_Requests).'];
    expect(of('createCoupon', { ...pageOf(null), ErrorMessages })).toMatchObject(known);
    expect(of('redeemReward', { ErrorCode: 103 })).toMatchObject(known);
    expect(of('listTiers', { ErrorCode: 103 })).toMatchObject(known);
  });

  it('has the class of its operation', () => {
    const ErrorCode = 33;
    expect(of('cancelPosOrder', { ErrorCode })).toMatchObject({ class: 'done' });
    expect(of('sendOrder', { ErrorCode })).toMatchObject({ class: 'rejected' });
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
    expect(of('createCoupon', { ErrorMessages: ['NotAGenericErrorAtAll'] })).not.toHaveProperty(
      'code',
    );
  });

  it('is never recognized by a text of the request: a customer may be called like an error', () => {
    const input = { body: { Customer: { Name: 'ApiExternalCoupon_Not_found' } } };
    const ErrorMessages = ['No customer ApiExternalCoupon_Not_found'];
    expect(of('deactivateCoupon', { ErrorMessages }, { input })).toMatchObject({ class: 'retry' });
    expect(of('deactivateCoupon', { ErrorMessages })).toMatchObject({ code: 57 });
  });

  it('is read from severity 2, with or without HasError', () => {
    const body = { HasError: false, Severity: 2, Code: '12', CodeName: 'BadPrice' };
    expect(read('updateProduct', body)).toMatchObject({
      kind: 'business-error',
      class: 'retry',
      message: '12 BadPrice',
    });
  });

  it('is never hidden by a warning', () => {
    const body = { HasError: true, Severity: 1, HasWarning: true, ErrorCode: 38 };
    expect(read('updateProduct', body)).toMatchObject({ kind: 'business-error', code: 38 });
  });

  it('has the time to wait', () => {
    const headers = { ...json, 'retry-after': '30' };
    expect(of('sendOrder', { ErrorCode: 103 }, { headers })).toMatchObject({
      retryAfterSeconds: 30,
    });
  });

  it.each([400, 404, 409, 422])('is read with HTTP %d when it has a code', (status) => {
    expect(of('cancelOrder', { ErrorCode: 37 }, { status })).toMatchObject({
      kind: 'business-error',
      code: 37,
    });
    expect(of('cancelOrder', {}, { status })).toMatchObject({ kind: 'transport-failure', status });
  });

  it.each([401, 403, 429, 500, 503])('never overrules HTTP %d', (status) => {
    expect(of('cancelOrder', { ErrorCode: 37 }, { status })).toMatchObject({
      kind: 'transport-failure',
      status,
    });
  });
});

describe('a status', () => {
  it.each([
    [301, 'misconfigured', 'misconfigured', true],
    [303, 'misconfigured', 'misconfigured', true],
    [400, 'refused', 'rejected', false],
    [401, 'misconfigured', 'misconfigured', false],
    [403, 'misconfigured', 'misconfigured', false],
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
    expect(read('sendOrder', { HasError: false, Result: {} }, { status })).toMatchObject({
      kind: 'transport-failure',
      reason,
      class: errorClass,
      mayHaveHappened: may,
      status,
    });
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
    [
      'a page that is not numbered',
      'createCoupon',
      { ...pageOf([]), HasError: false, PageSize: '9' },
    ],
    ['a page that hides the next', 'redeemReward', { ...pageOf([]), HasNextPage: null }],
    ['a redemption with an odd HasError', 'redeemReward', { ...pageOf([]), HasError: 0 }],
    ['tiers whose current one is no object', 'listTiers', { ...tiers, CurrentTier: 1 }],
    ['tiers without a list', 'listTiers', { ...tiers, AllTiers: undefined }],
    ['an envelope where tiers are due', 'listTiers', { HasError: false, Result: tiers }],
  ])('%s: retried and not quoted', (_, operation, body) => {
    const result = read(operation, body);
    expect(result).toMatchObject({
      kind: 'transport-failure',
      reason: 'not-the-contract',
      class: 'retry',
      mayHaveHappened: true,
      status: 200,
    });
    expect(JSON.stringify(result)).not.toContain('robin');
  });

  it('is described by its size and type', () => {
    const page = read('sendOrder', '<html>é</html>', { headers: { 'content-type': 'text/html' } });
    expect(page).toMatchObject({
      message: 'HTTP 200 with 15 bytes of text/html: not a JSON object.',
    });
    const headers = { 'content-type': 'text/robin-sample' };
    const odd = read('sendOrder', 'x', { headers, hidden: ['Robin-Sample'] });
    expect(odd).toMatchObject({ message: 'HTTP 200 with 1 bytes of text/***: not a JSON object.' });
    const empty = read('sendOrder', ' ', { status: 204, headers: {} });
    expect(empty).toMatchObject({ message: 'HTTP 204 with 1 bytes of no stated type: empty.' });
  });
});
