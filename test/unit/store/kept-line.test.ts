import { expect, it } from 'vitest';
import { amountKept } from '../../../shared/shopify/webhooks/order-amounts.ts';
import { type Amount, ZERO } from '../../../shared/store/money.ts';

const amount = (text: string) => text as Amount;

it('a return without a refund is shared out of what the records of the store leave', () => {
  // The discounted shirt was removed by an edit; two were added for the full price, and one of these came back.
  const line = {
    unitPrice: amount('10'),
    quantity: 3,
    kept: 1,
    discount: amount('9'),
    tax: amount('4.2'),
    takenBack: { quantity: 1, worth: amount('1'), tax: amount('0.2') },
  };
  expect(amountKept(line, 'EUR')).toEqual({ paid: '10', tax: '2' });
});

it('records of more than came back are not used', () => {
  const line = {
    unitPrice: amount('10'),
    quantity: 3,
    kept: 2,
    discount: ZERO,
    tax: ZERO,
    takenBack: { quantity: 2, worth: amount('20'), tax: ZERO },
  };
  expect(amountKept(line, 'EUR')).toEqual({ paid: '20', tax: '0' });
});
