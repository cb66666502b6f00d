import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../../../shared/loyalty/operations.ts';
import { pageOf, read } from '../../../support/read-answer.ts';

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
    ['sendOrder', 'ChangeKeyAlreadyExists', { code: 66, class: 'rejected' }],
    ['cancelRedemption', 'AlreadyCanceled', { code: 74, class: 'done' }],
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
