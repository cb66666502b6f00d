import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ActionInput } from '../../../local/store-sandbox/model/actions.ts';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { type LawRules, mostThatCounts, standingOf, usualRules } from '../../support/order-law.ts';
import { type OpenStore, openStore } from '../store-sandbox/open-store.ts';

/** The rows of the worked examples: the number, the settings and what the order earns. */
const examples = [
  ...readFileSync('docs/mapping.md', 'utf8').matchAll(/^\| (\d+) \|([^|]+)\|([^|]*)\|([^|]+)\|/gm),
].map(([, number = '', order = '', settings = '', earns = '']) => ({
  number: Number(number),
  order: order.trim(),
  rules: rulesIn(settings),
  earns: earns.trim(),
}));

function rulesIn(text: string): LawRules {
  const stated = [...text.matchAll(/`(\w+): '([\w-]+)'`/g)].map(([, name, value]) => [name, value]);
  return { ...usualRules, ...Object.fromEntries(stated) };
}

const vat = (rate: number) => [{ title: 'VAT', rate }];
const giftCard = { title: 'Gift card', price: 100, giftCard: true };
const coat = { lines: [{ title: 'Coat', price: 80 }], shipping: [{ price: 20 }] };
const shirt = { lines: [{ title: 'Shirt', price: 50 }] };
const shirts = (price: number, quantity: number) => ({
  lines: [{ title: 'Shirt', price, quantity }],
});
/** 9.50 of 59.50, or on 50.00. */
const taxes = vat(0.19);

/** The orders of the examples, played in the store's model: paid and shipped if nothing else is said. */
const lives: Readonly<Record<number, (one: Life) => void>> = {
  1: (one) => one.sell({ ...shirt, shipping: [{ price: 7 }] }),
  2: (one) => one.sell({ ...shirt, discounts: [{ code: 'TEN', amount: 10 }] }),
  3: (one) => one.sell({ lines: [{ title: 'Shirt', price: 59.5 }], taxes, taxesIncluded: true }),
  4: (one) => one.sell({ lines: [{ title: 'Shirt', price: 59.5 }], taxes, taxesIncluded: true }),
  5: (one) => one.sell({ ...shirt, taxes }),
  6: (one) => one.sell({ ...shirt, taxes }),
  7: (one) => one.sell({ ...shirt, tip: 3, duties: 2 }),
  8: (one) => one.sell({ ...shirt, tip: 3, duties: 2 }),
  9: (one) => {
    one.sell(shirts(10, 3));
    one.refund({ pieces: 1 });
  },
  10: (one) => {
    one.sell(shirt);
    one.refund({ amount: 49 });
  },
  11: (one) => {
    one.sell({ ...shirt, shipping: [{ price: 7 }] });
    one.refund({ shipping: 'all' });
  },
  12: (one) => {
    one.sell({ ...shirt, taxes });
    one.refund({ amount: 11.9 });
  },
  13: (one) => one.sell(coat, 50),
  14: (one) => one.sell(coat, 50),
  15: (one) => one.sell({ lines: [giftCard, { title: 'Shirt', price: 30 }] }),
  16: (one) => one.sell({ lines: [giftCard, { title: 'Shirt', price: 30 }] }),
  17: (one) => one.sell({ lines: [{ title: 'Coat', price: 100 }] }, 100),
  18: (one) => {
    one.sell(shirts(50, 2), 40);
    one.refund({ pieces: 1, gateway: 'shopify_payments' });
  },
  19: (one) => {
    one.sell(shirts(50, 2), 40);
    one.refund({ pieces: 1, gateway: 'gift_card' });
  },
  20: (one) => one.sell({ lines: [giftCard] }, 50),
  21: (one) => one.sell(shirts(10, 3), 9.99, 'shopify_store_credit'),
  22: (one) => {
    one.sell(coat, 50);
    one.refund({ shipping: 'all', gateway: 'gift_card' });
  },
  23: (one) => {
    one.sell(coat, 50);
    one.refund({ shipping: 'all', gateway: 'shopify_payments' });
  },
  24: (one) => {
    one.sell({ ...shirt, tip: 3, shipping: [{ price: 7 }] });
    one.refund({ amount: 51 });
  },
  25: (one) => {
    one.sell({
      lines: [{ title: 'Goods', price: 500 }],
      presentment: { currency: 'USD', rate: 0.2 },
    });
    one.refund({ amount: 100 });
  },
  26: (one) => {
    one.sell(shirts(50, 2));
    one.refund({ amount: 50 });
    one.edit(1);
  },
  27: (one) => {
    one.sell({ lines: [{ title: 'Goods', price: 100 }] });
    one.refund({ amount: 20 });
    one.refund({ amount: 10, pending: 'balanced' });
  },
  28: (one) => {
    one.sell(shirts(10, 2));
    one.refund({ pieces: 1, pending: 'balanced' });
  },
  29: (one) => {
    one.sell({ ...shirt, payment: 'authorized' });
    one.store.do('voidPayment', { orderId: one.orderId });
  },
  30: (one) => {
    one.sell({ lines: [{ title: 'Sofa', price: 40 }], payment: 'none' });
    one.store.do('payOrder', { orderId: one.orderId, amount: 20 });
    one.refund({ amount: 5 });
  },
  31: (one) => {
    one.sell(shirt);
    one.store.do('openDispute', { orderId: one.orderId });
    one.store.do('updateDispute', { orderId: one.orderId, status: 'lost' });
  },
};

type Draft = Partial<ActionInput<'placeOrder'>>;
type Refund = Partial<ActionInput<'refundOrder'>> & { readonly pieces?: number };

/** One order in a store without a server. */
class Life {
  readonly store: OpenStore = openStore({ shop: { taxes: [], taxesIncluded: false } });
  orderId = '';

  sell(draft: Draft, byGiftCard = 0, gateway = 'gift_card'): void {
    const payment = byGiftCard > 0 ? 'none' : 'paid';
    const lines = draft.lines ?? [];
    this.orderId = this.store.do('placeOrder', { payment, ...draft, lines }).id;
    const { orderId } = this;
    if (byGiftCard > 0) {
      this.store.do('payOrder', { orderId, amount: byGiftCard, gateway });
      // Refused where the gift card paid for everything.
      this.store.attempt('payOrder', { orderId });
    }
    this.store.do('fulfilOrder', { orderId });
  }

  refund({ pieces, ...refund }: Refund): void {
    const lineId = this.order.lines[0]?.id ?? '';
    const lines = pieces === undefined ? [] : [{ lineId, quantity: pieces }];
    this.store.do('refundOrder', { orderId: this.orderId, lines, ...refund });
  }

  edit(quantity: number): void {
    const lineId = this.order.lines[0]?.id ?? '';
    this.store.do('editOrder', { orderId: this.orderId, set: [{ lineId, quantity }] });
  }

  get order(): OrderRow {
    const order = this.store.rows.orders.get(this.orderId);
    if (!order) throw new Error('no order');
    return order;
  }

  /** As the documentation writes it. */
  earns(rules: LawRules): string {
    const standing = standingOf(this.order, rules);
    if (standing.kind !== 'open') return '0';
    if (!standing.isComplete && rules.completeWhen === 'paid') return 'not sent';
    expect(standing.minor <= mostThatCounts(this.order, rules) || standing.minor === 0n).toBe(true);
    return String(Number(standing.minor) / 100);
  }
}

describe('the law of amounts', () => {
  it.each(examples)('gives $earns for example $number: $order', ({ number, rules, earns }) => {
    const life = new Life();
    lives[number]?.(life);
    expect(life.earns(rules)).toBe(earns);
  });

  it('knows every example', () => {
    expect(examples.map(({ number }) => String(number))).toEqual(Object.keys(lives));
  });
});

describe('the documented lives of a completed order', () => {
  it('100, 50 paid back without a line, then the goods of 50 removed by an edit: 100, 50, 50', () => {
    const one = new Life();
    one.sell(shirts(50, 2));
    const earned = [one.earns(usualRules)];
    one.refund({ amount: 50 });
    earned.push(one.earns(usualRules));
    one.edit(1);
    expect([...earned, one.earns(usualRules)]).toEqual(['100', '50', '50']);
  });

  it('the goods of 50 removed by an edit, then 50 paid back: 100, 50, 50', () => {
    const one = new Life();
    one.sell(shirts(50, 2));
    one.edit(1);
    const earned = [one.earns(usualRules)];
    one.refund({ amount: 50 });
    expect([...earned, one.earns(usualRules)]).toEqual(['50', '50']);
  });

  it('a kindness after a cheaper exchange counts as a part of what the edit took out: 8000', () => {
    const one = new Life();
    one.sell({ lines: [{ title: 'Coat', price: 8600 }] });
    const set = [{ lineId: one.order.lines[0]?.id ?? '', quantity: 0 }];
    const add = [{ title: 'Coat', price: 8000 }];
    one.store.do('editOrder', { orderId: one.orderId, set, add });
    one.refund({ amount: 600 });
    expect(one.earns(usualRules)).toBe('8000');
    one.refund({ amount: 100 });
    expect(one.earns(usualRules)).toBe('8000');
  });

  it.each(['balanced', 'paired', 'rise'] as const)(
    '100, 20 paid back, a pending refund of 10 that settles: 80, 80, 70 (%s)',
    (pending) => {
      const one = new Life();
      one.sell({ lines: [{ title: 'Goods', price: 100 }] });
      one.refund({ amount: 20 });
      const earned = [one.earns(usualRules)];
      one.refund({ amount: 10, pending });
      earned.push(one.earns(usualRules));
      one.store.do('settleRefund', { orderId: one.orderId });
      expect([...earned, one.earns(usualRules)]).toEqual(['80', '80', '70']);
    },
  );

  it('taxes on top, 50.00 of 59.50 refunded without a line: 7.98 without taxes, 9.5 with', () => {
    const one = new Life();
    one.sell({ ...shirt, taxes });
    one.refund({ amount: 50 });
    expect(one.earns(usualRules)).toBe('7.98');
    expect(one.earns({ ...usualRules, taxes: 'include' })).toBe('9.5');
  });

  it('a tip stays, once, when goods are added: 123, 183', () => {
    const one = new Life();
    const rules: LawRules = { ...usualRules, orderTotal: 'total-less-shipping' };
    one.sell({ lines: [{ title: 'Goods', price: 120 }], tip: 3 });
    expect(one.earns(rules)).toBe('123');
    one.store.do('editOrder', { orderId: one.orderId, add: [{ title: 'More', price: 60 }] });
    expect(one.earns(rules)).toBe('183');
  });
});
