import { describe, expect, it } from 'vitest';
import {
  codeOf,
  makeCustomer,
  makeOrder,
  openSandbox,
  openSandboxWithPoints,
} from '../../support/sandbox-program.ts';

const coupon = (changes: object = {}) => ({
  OriginalId: 'k1',
  CouponCode: 'AUTUMN10',
  CreatedDate: '2026-10-01T00:00:00Z',
  CouponType: 1,
  IsUsed: false,
  CouponValue: 10,
  ValidDateStart: '2026-10-01T00:00:00Z',
  ValidDateEnd: '2026-11-30T23:59:59Z',
  CustomerId: 'c1',
  Customer: makeCustomer(),
  ...changes,
});

describe('createCoupon', () => {
  it('creates the coupon and its customer', () => {
    const sandbox = openSandbox();
    expect(sandbox.call('createCoupon', { body: coupon() })).toEqual({
      Items: [
        {
          CouponCode: 'AUTUMN10',
          CreatedDate: '2026-10-01T00:00:00Z',
          IsUsed: false,
          CouponValue: 10,
          CustomerId: 1,
          ValidDateStart: '2026-10-01T00:00:00Z',
          ValidDateEnd: '2026-11-30T23:59:59Z',
          CouponType: 1,
        },
      ],
      TotalItemCount: 1,
      PageSize: 1,
      PageNumber: 1,
      HasNextPage: false,
      HasError: false,
      ErrorMessages: [],
    });
    expect(sandbox.tables.customers.get('c1')?.Name).toBe('Robin Sample');
  });

  it('takes the customer by CustomerId alone, by Customer alone, or has none', () => {
    const sandbox = openSandboxWithPoints(1);
    for (const [i, owner] of [
      { CustomerId: 'c1', Customer: undefined },
      { CustomerId: undefined, Customer: makeCustomer() },
      { CustomerId: 'c1', Customer: { Email: 'robin.sample@example.com' } },
      { CustomerId: undefined, Customer: undefined },
    ].entries()) {
      const body = coupon({ OriginalId: `k${i}`, CouponCode: `CODE${i}`, ...owner });
      const answer = sandbox.call('createCoupon', { body: JSON.parse(JSON.stringify(body)) });
      expect(answer.Items?.[0]?.CustomerId).toBe(i === 3 ? undefined : 1);
    }
  });

  it.each([
    ['OriginalId is null', coupon({ OriginalId: null }), 39],
    ['OriginalId is blank', coupon({ OriginalId: '' }), 39],
    ['there is no body', undefined, 39],
    ['there is no code', coupon({ CouponCode: undefined }), 56],
    ['the type does not exist', coupon({ CouponType: 5 }), 56],
    ['the value is below zero', coupon({ CouponValue: -1 }), 56],
    ['it ends before it starts', coupon({ ValidDateEnd: '2026-09-30T00:00:00Z' }), 56],
    ['a date cannot be read', coupon({ ValidDateEnd: 'soon' }), 56],
    ['the customer is a word', coupon({ Customer: 'c1' }), 56],
    ['two customers are named', coupon({ CustomerId: 'c9' }), 56],
    ['the customer is unknown', coupon({ CustomerId: 'c9', Customer: undefined }), 55],
    ['the customer cannot be read', coupon({ Customer: makeCustomer({ Name: 1 }) }), 40],
    ['the customer has no contact', coupon({ Customer: { OriginalId: 'c1' } }), 50],
  ])('refuses when %s', (_, body, code) => {
    expect(codeOf(openSandbox().call('createCoupon', { body }))).toBe(code);
    expect(codeOf(openSandbox().callUnchecked('createCoupon', { body }))).toBe(code);
  });

  it('requires a customer where the settings say so', () => {
    const sandbox = openSandbox({ settings: { requireCouponCustomer: true } });
    const body = { OriginalId: 'k1', CouponCode: 'X' };
    expect(codeOf(sandbox.call('createCoupon', { body }))).toBe(55);
  });

  it('replaces the coupon of the same OriginalId and frees its old code', () => {
    const sandbox = openSandbox();
    sandbox.call('createCoupon', { body: coupon() });
    sandbox.call('createCoupon', { body: coupon({ CouponCode: 'NEW', CouponValue: 20 }) });
    expect([...sandbox.tables.coupons.values()]).toMatchObject([{ Id: 1, CouponCode: 'NEW' }]);
    const old = sandbox.call('deactivateCoupon', { path: { code: 'AUTUMN10' } });
    expect(codeOf(old)).toBe(57);
    const taken = coupon({ OriginalId: 'k2', CouponCode: 'NEW' });
    expect(codeOf(sandbox.call('createCoupon', { body: taken }))).toBe(56);
  });

  it('never changes a used coupon, but takes a repeat of it', () => {
    const sandbox = openSandbox();
    sandbox.call('createCoupon', { body: coupon() });
    sandbox.call('sendOrder', { body: makeOrder({ Coupon: 'AUTUMN10' }) });
    expect(codeOf(sandbox.call('createCoupon', { body: coupon() }))).toBe(56);
    const state = sandbox.snapshot();
    const used = coupon({ IsUsed: true });
    expect(codeOf(sandbox.call('createCoupon', { body: used }))).toBeUndefined();
    expect(sandbox.snapshot()).toBe(state);
    const dearer = coupon({ IsUsed: true, CouponValue: 11 });
    expect(codeOf(sandbox.call('createCoupon', { body: dearer }))).toBe(56);
  });

  it.each([
    ['name', /^ApiExternalCoupon_Cant_Update_Coupon: /],
    ['number', /^56: /],
    ['text', /^CouponCode/],
  ] as const)('names the error of a list by %s', (listErrors, form) => {
    const sandbox = openSandbox({ settings: { listErrors } });
    const { ErrorMessages } = sandbox.call('createCoupon', { body: { OriginalId: 'k1' } });
    expect(ErrorMessages?.[0]).toMatch(form);
  });
});

describe('deactivateCoupon', () => {
  it('says 57 for an unknown code', () => {
    const answer = openSandbox().call('deactivateCoupon', { path: { code: 'NONE' } });
    expect(codeOf(answer)).toBe(57);
  });

  it('makes a coupon inactive, as often as asked, until it is created again', () => {
    const sandbox = openSandbox();
    sandbox.call('createCoupon', { body: coupon() });
    for (const _ of [1, 2]) {
      const answer = sandbox.call('deactivateCoupon', { path: { code: 'AUTUMN10' } });
      expect(answer).toMatchObject({ HasError: false, Items: [{ CouponCode: 'AUTUMN10' }] });
      expect(sandbox.tables.coupons.get('k1')?.isActive).toBe(false);
    }
    sandbox.call('createCoupon', { body: coupon() });
    expect(sandbox.tables.coupons.get('k1')?.isActive).toBe(true);
  });
});
