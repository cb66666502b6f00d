import { describe, expect, it } from 'vitest';
import {
  cartProblem,
  hasCode,
  itemsOf,
  type TillCart,
} from '../../../app/extensions/loyalty-till/src/till.ts';

const shirt = { productId: 8012300032771, price: 49, quantity: 2, discounts: [] };
const sale = { customerId: 7, currency: 'EUR' };
const cart: TillCart = {
  currency: 'EUR',
  customer: { id: 7 },
  lineItems: [shirt],
  cartDiscounts: [],
};

describe('the cart of a till', () => {
  it('can have a reward when it is that of the customer, with products, in the currency of the program', () => {
    expect(cartProblem(cart, sale)).toBeUndefined();
    expect(cartProblem({ ...cart, editable: true }, sale)).toBeUndefined();
  });

  it('names the first obstacle', () => {
    const { customer: _, ...guest } = cart;
    expect(cartProblem({ ...guest, lineItems: [] }, sale)).toBe('no-customer');
    expect(cartProblem({ ...cart, customer: { id: 8 } }, sale)).toBe('other-customer');
    expect(cartProblem({ ...cart, lineItems: [] }, sale)).toBe('empty-cart');
    expect(cartProblem({ ...cart, currency: 'USD' }, sale)).toBe('other-currency');
    expect(cartProblem({ ...cart, editable: false }, sale)).toBe('not-editable');
  });

  it('shows a code at the cart or at a line, in any case of dead letters', () => {
    const code = { discountDescription: 'five-1A' };
    expect(hasCode({ ...cart, cartDiscounts: [code] }, 'FIVE-1a')).toBe(true);
    expect(hasCode({ ...cart, lineItems: [{ ...shirt, discounts: [code] }] }, 'FIVE-1A')).toBe(
      true,
    );
    expect(hasCode({ ...cart, cartDiscounts: [code, {}] }, 'FIVE')).toBe(false);
  });

  it('is sent as products with what is paid for one piece', () => {
    const off = [{ allocatedAmount: { amount: '9.80' } }, { allocatedAmount: { amount: '0.20' } }];
    const lines = [
      { ...shirt, discountAllocations: off },
      { ...shirt, productId: 5, price: 0.1 },
    ];
    expect(itemsOf({ ...cart, lineItems: lines })).toBe('8012300032771:44.00:2,5:0.10:2');
  });

  it('leaves out what has no product or no price, and never has a price below 0', () => {
    const custom = { price: 3, quantity: 1, discounts: [] };
    const open = { productId: 5, quantity: 1, discounts: [] };
    const gift = { ...shirt, discountAllocations: [{ allocatedAmount: { amount: '99' } }] };
    expect(itemsOf({ ...cart, lineItems: [custom, open] })).toBeUndefined();
    expect(itemsOf({ ...cart, lineItems: [custom, gift] })).toBe('8012300032771:0.00:2');
  });
});
