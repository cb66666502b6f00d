import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { components } from '../../../shared/loyalty/contract.gen.ts';
import { codeOf, startClientAndSandbox, unwrap } from '../../support/client-and-sandbox.ts';

let world: Awaited<ReturnType<typeof startClientAndSandbox>>;
beforeAll(async () => {
  world = await startClientAndSandbox();
});
beforeEach(() => world.sandbox.reset());
afterEach(() => world.checkAnswers());
afterAll(() => world.sandbox.stop());

const product = (changes = {}): components['schemas']['Product'] => ({
  OriginalId: 'p1',
  Title: 'Linen shirt',
  Url: 'https://shop.example.com/shirt',
  ImageUrl: null,
  IsActive: true,
  ProductPrice: 49.9,
  ProductBrand: { OriginalId: 'b1', Name: 'North Loom' },
  ProductCategory: {
    OriginalId: 'shirts',
    Name: 'Shirts',
    ParentCategory: { OriginalId: 'clothes', Name: 'Clothes', ParentCategory: null },
  },
  ...changes,
});

describe('updateProduct', () => {
  it('stores a product with its chain of categories', async () => {
    const result = await world.client.updateProduct('p1', product());
    expect(result).toMatchObject({
      kind: 'success',
      value: { OriginalId: 'p1', ProductPrice: 49.9 },
    });
    expect(world.sandbox.state().products).toMatchObject([{ OriginalId: 'p1' }]);
  });

  it('warns about a product without a price, and that is a success', async () => {
    expect(await world.client.updateProduct('p1', product({ ProductPrice: null }))).toMatchObject({
      kind: 'warning',
      code: expect.stringMatching(/^\d\d$/),
    });
  });

  it.each([
    [38, 'another id in the body than in the path', product({ OriginalId: 'p2' })],
    [38, 'a field that the contract does not have', product({ Colour: 'red' })],
    [38, 'a price that is no number', product({ ProductPrice: 'cheap' })],
    [39, 'no id in the body', product({ OriginalId: null })],
  ])('refuses with %i: %s', async (code, _, body) => {
    expect(codeOf(await world.client.updateProduct('p1', body))).toBe(code);
  });

  it('is understood in its older shape as well', async () => {
    const older = await startClientAndSandbox({ settings: { productAnswer: 'older' } });
    expect(await older.client.updateProduct('p1', product())).toMatchObject({
      kind: 'success',
      value: { OriginalId: 'p1' },
    });
    expect(codeOf(await older.client.updateProduct('p1', product({ OriginalId: 'x' })))).toBe(38);
    older.checkAnswers();
    await older.sandbox.stop();
  });
});

describe('calculateProductPoints', () => {
  it('says what each product would earn', async () => {
    const asked = { Id: 'p1', Price: 49.9, PriceCurrency: 'EUR', Name: 'Shirt' };
    expect(unwrap(await world.client.calculateProductPoints([asked]))).toEqual([
      { Id: 'p1', Points: 49.9, Cashback: expect.closeTo(2.5, 1) },
    ]);
  });

  it('names the field that is wrong', async () => {
    const result = await world.client.calculateProductPoints([{ Id: 'p1', Price: 0 }]);
    expect(result).toMatchObject({
      kind: 'business-error',
      code: 9,
      fields: [expect.stringContaining('Price')],
    });
  });
});

describe('coupons', () => {
  const coupon = (changes = {}): components['schemas']['Coupon'] => ({
    OriginalId: 'k1',
    CouponCode: 'AUTUMN10',
    CreatedDate: '2026-10-01T00:00:00Z',
    CouponType: 1,
    IsUsed: false,
    CouponValue: 10,
    ValidDateStart: '2026-10-01T00:00:00Z',
    ValidDateEnd: '2027-10-01T00:00:00Z',
    ...changes,
  });

  it('are created, changed, ended and taken up again', async () => {
    expect(unwrap(await world.client.createCoupon(coupon()))).toMatchObject({
      Items: [{ CouponCode: 'AUTUMN10', CouponValue: 10 }],
      TotalItemCount: 1,
      HasNextPage: false,
    });
    await world.client.createCoupon(coupon({ CouponValue: 15 }));
    expect(unwrap(await world.client.deactivateCoupon('AUTUMN10')).Items).toMatchObject([
      { CouponValue: 15 },
    ]);
    expect(world.sandbox.state().coupons).toMatchObject([{ isActive: false }]);
    await world.client.createCoupon(coupon());
    expect(world.sandbox.state().coupons).toMatchObject([{ isActive: true }]);
  });

  it('are unknown with 57, which is done for whoever wants them inactive', async () => {
    expect(await world.client.deactivateCoupon('NOBODY')).toMatchObject({
      kind: 'business-error',
      code: 57,
      class: 'done',
    });
  });

  it('need a customer that is known or given: 55', async () => {
    expect(codeOf(await world.client.createCoupon(coupon({ CustomerId: 'c9' })))).toBe(55);
    const Customer = { OriginalId: 'c9', Email: 'nine@example.com' };
    const created = await world.client.createCoupon(coupon({ CustomerId: 'c9', Customer }));
    expect(created.kind).toBe('success');
  });

  it('are final once used, and a code belongs to one coupon: 56', async () => {
    await world.client.createCoupon(coupon());
    expect(codeOf(await world.client.createCoupon(coupon({ OriginalId: 'k2' })))).toBe(56);
    await world.client.createCoupon(coupon({ IsUsed: true }));
    expect(codeOf(await world.client.createCoupon(coupon({ CouponValue: 99 })))).toBe(56);
  });

  it('are used by the order that names them', async () => {
    await world.client.createCoupon(coupon());
    await world.client.sendOrder({
      OriginalId: 'o1',
      OrderPlacementDate: '2026-10-05T09:00:00Z',
      OrderTotal: 10,
      Coupon: 'AUTUMN10',
      Customer: { OriginalId: 'c1', Email: 'one@example.com' },
    });
    expect(unwrap(await world.client.deactivateCoupon('AUTUMN10')).Items).toMatchObject([
      { IsUsed: true },
    ]);
  });

  it('have codes with any characters', async () => {
    const CouponCode = 'A/B 50% 🎉';
    await world.client.createCoupon(coupon({ CouponCode }));
    expect(unwrap(await world.client.deactivateCoupon(CouponCode)).TotalItemCount).toBe(1);
  });
});
