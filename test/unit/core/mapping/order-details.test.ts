import { describe, expect, it } from 'vitest';
import {
  mapOrder,
  needsEnrichment,
  paymentMethod,
} from '../../../../shared/core/mapping/map-order.ts';
import { lacksAmounts, orderAmounts } from '../../../../shared/core/mapping/order-amounts.ts';
import { faultText, type OrderRules } from '../../../../shared/core/mapping/wanted-state.ts';
import type { StoreOrder } from '../../../../shared/store/order.ts';
import { giftCards, neverSent, rules, storeOrder } from '../../../fixtures/store-entities.ts';

const sold = { ...storeOrder(), pointOfSale: true, paymentGateways: ['cards'] };
const card = { brand: 'Visa', type: 'debit' };
const place = { id: '3', name: undefined };
const staff = { id: '4', name: undefined };

function mapped(order: StoreOrder, changed: Partial<OrderRules> = {}) {
  return mapOrder(order, { ...rules, ...changed }, neverSent);
}

const metadataOf = (order: StoreOrder) => {
  const result = mapped(order);
  return result.kind === 'wanted' && 'order' in result.wanted ? result.wanted.order.Metadatas : [];
};

describe('the store is asked for more of an order', () => {
  const asks = (
    order: Partial<StoreOrder>,
    enrich: OrderRules['enrich'],
    remembered: Parameters<typeof needsEnrichment>[2] = undefined,
  ) => needsEnrichment({ ...sold, ...order }, { enrich }, remembered);

  it('for the card, unless it is known or nothing was paid', () => {
    const cardDetails = true;
    expect(asks({}, { cardDetails })).toBe(true);
    expect(asks({}, {})).toBe(false);
    expect(asks({ card }, { cardDetails })).toBe(false);
    expect(asks({}, { cardDetails }, { card })).toBe(false);
    expect(asks({ paymentGateways: [] }, { cardDetails })).toBe(false);
  });

  it.each([
    [
      'the place',
      'locationNames',
      { location: place },
      { branch: { OriginalId: '3', Name: 'Shop' } },
    ],
    ['the staff', 'staffNames', { staff }, { salesPerson: { OriginalId: '4', Name: 'Kim' } }],
  ] as const)('for the name of %s of a till, unless it is known', (_, wanted, order, known) => {
    const named = Object.entries(order).map(([key, one]) => [key, { ...one, name: 'Named' }]);
    expect(asks(order, { [wanted]: true })).toBe(true);
    expect(asks(order, {})).toBe(false);
    expect(asks({}, { [wanted]: true })).toBe(false);
    expect(asks(Object.fromEntries(named), { [wanted]: true })).toBe(false);
    expect(asks(order, { [wanted]: true }, known)).toBe(false);
    expect(
      asks(
        { location: { ...place, id: '8' }, staff: { ...staff, id: '8' } },
        { [wanted]: true },
        known,
      ),
    ).toBe(true);
    expect(asks({ ...order, pointOfSale: false }, { [wanted]: true })).toBe(false);
  });

  it('for what gift cards paid, where that earns nothing', () => {
    const unknown = { ...sold, paidWithGiftCards: undefined };
    expect(lacksAmounts(unknown, rules)).toBe(true);
    expect(lacksAmounts(unknown, { ...rules, giftCards: 'earn-when-used' })).toBe(false);
    expect(lacksAmounts({ ...sold, paidWithGiftCards: giftCards('1') }, rules)).toBe(false);
  });

  it('for what was refunded without lines in another currency, under any rules', () => {
    const unknown = { ...sold, refundedWithoutLines: undefined };
    expect(lacksAmounts(unknown, { ...rules, giftCards: 'earn-when-used' })).toBe(true);
  });
});

describe('an order names', () => {
  it('the card that paid it by one id, however the brand is written', () => {
    const written = { brand: '“Diners  Club”', type: '(credit)' };
    expect(paymentMethod({ ...sold, card: written }, undefined)?.OriginalId).toBe(
      'diners-club-credit',
    );
  });

  it('all that paid it, if that were several', () => {
    const several = { ...sold, paymentGateways: ['cards', 'gift_card'] };
    const entry = { Name: 'payment_gateways', Value: 'cards, gift_card' };
    expect(metadataOf(several)).toContainEqual(entry);
    expect(JSON.stringify(metadataOf(sold))).not.toContain('payment_gateways');
  });

  it('a product by the same line, in any order in which a source lists them', () => {
    const [line] = sold.lines;
    if (!line) throw new Error('the order has no line');
    const lines = ['7', '8', '9'].map((id) => ({ ...line, id, title: `Shirt ${id}` }));
    const of = (listed: typeof lines) => mapped({ ...sold, lines: listed });
    const first = of(lines);
    expect(first).toMatchObject({ wanted: { sold: [{ Title: 'Shirt 7' }] } });
    expect(of(lines.toReversed())).toEqual(first);
  });

  it('its products in one order', () => {
    const [line] = sold.lines;
    if (!line) throw new Error('the order has no line');
    const lines = ['7', '8', '9'].map((id, i) => ({ ...line, id, productId: `${9 - i}` }));
    const wanted = { sold: [{ OriginalId: '7' }, { OriginalId: '8' }, { OriginalId: '9' }] };
    expect(mapped({ ...sold, lines })).toMatchObject({ wanted });
  });
});

describe('a tip', () => {
  it('earns as much less as a gift card paid of the order', () => {
    const whole = { ...rules, orderTotal: 'total-less-shipping' } as const;
    const tipped = storeOrder({ tipCents: 300, shippingCents: 0 });
    const half = { ...tipped, paidWithGiftCards: giftCards('26.5') };
    expect(Number(orderAmounts(tipped, whole).total)).toBe(53);
    expect(Number(orderAmounts(half, whole).total)).toBe(26.5);
  });
});

describe('a rule of the merchant’s that fails', () => {
  it('with something that is not an error repeats nothing of it', () => {
    const fails = (order: StoreOrder): never => {
      throw order.customer?.email;
    };
    const result = mapped(sold, { document: fails, metadata: fails });
    if (result.kind !== 'fault') throw new Error(result.kind);
    expect(faultText(result)).toBe(
      'connector.config.ts: rules.document threw something that is not an error; rules.metadata threw something that is not an error',
    );
  });

  it('is one that adds anything but texts', () => {
    const numbers = (() => ({ a: 'b', c: 1 })) as unknown as () => Record<string, string>;
    expect(mapped(sold, { metadata: numbers }).kind).toBe('fault');
  });
});
