import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapOrder } from '../../../shared/core/mapping/map-order.ts';
import { readOrder } from '../../../shared/shopify/admin/read-orders.ts';
import { readOrderWebhook } from '../../../shared/shopify/webhooks/read-event.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { bag, customerNode, orderNode, rootWithOrder } from '../../fixtures/order-node.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import {
  anyOrder,
  type LineSpec,
  lineOf,
  type OrderSpec,
  simpleOrder,
} from '../../fixtures/order-spec.ts';
import { neverSent, rules } from '../../fixtures/store-entities.ts';
import { askIn, pagesOf } from '../../support/admin-execution.ts';

type Changes = Record<string, unknown>;

function fromWebhook(spec: OrderSpec, changes: Changes = {}): StoreOrder {
  const read = readOrderWebhook(buildOrder(spec, changes).payload);
  if (read.kind !== 'read') throw new Error(JSON.stringify(read.faults));
  return read.order;
}

async function fromAdmin(spec: OrderSpec, changes: Changes = {}): Promise<StoreOrder> {
  const root = rootWithOrder(orderNode(spec, changes));
  const answer = await readOrder(askIn(root), '5512345678901', {}, {});
  if (answer.kind !== 'found') throw new Error(JSON.stringify(answer));
  return answer.value;
}

const ruleSets = [
  rules,
  { ...rules, completeWhen: 'paid' },
  { ...rules, taxes: 'include', giftCards: 'never' },
] as const;

function expectAgreement(webhook: StoreOrder, admin: StoreOrder): void {
  // A webhook sees neither metafields, nor how much a gift card paid, nor what was received; all else both must state.
  const {
    paidWithGiftCards = admin.paidWithGiftCards,
    refundedWithoutLines = admin.refundedWithoutLines,
    outstanding = admin.outstanding,
  } = webhook;
  const completed = { ...webhook, paidWithGiftCards, refundedWithoutLines, outstanding };
  expect({ ...admin, metafields: undefined }).toEqual(completed);
  for (const set of ruleSets) {
    expect(mapOrder(admin, set, neverSent)).toEqual(mapOrder(completed, set, neverSent));
  }
}

describe('the two readers of an order', () => {
  it('agree on any order in any state', async () => {
    await fc.assert(
      fc.asyncProperty(anyOrder, async (spec) => {
        expectAgreement(fromWebhook(spec), await fromAdmin(spec));
      }),
      { numRuns: 300 },
    );
  });

  const line = (changes: Partial<LineSpec> = {}) => lineOf(1999, { quantity: 3, ...changes });

  it('agree on an order with more lines than one page holds', async () => {
    const lines = Array.from({ length: 160 }, (_, index) => line({ product: 1 + (index % 4) }));
    const order = { ...simpleOrder, lines };
    expectAgreement(fromWebhook(order), await fromAdmin(order));
  });

  /** What the words of `OrderSpec` cannot say, as each source writes it. */
  const pairs: Record<string, { webhook: Changes; admin: Changes }> = {
    'codes used, among discounts that are none': {
      webhook: {
        discount_applications: [
          { type: 'automatic', title: 'Autumn' },
          { type: 'discount_code', code: 'WELCOME' },
          { type: 'manual', title: 'sorry' },
          { type: 'discount_code', code: 'SHIPFREE' },
        ],
        discount_codes: [{ code: 'WELCOME' }, { code: 'sorry' }, { code: 'SHIPFREE' }],
      },
      admin: {
        // The order of the list is not the order in which they apply.
        discountApplications: pagesOf([
          { __typename: 'DiscountCodeApplication', index: 3, code: 'SHIPFREE' },
          { __typename: 'AutomaticDiscountApplication', index: 0 },
          { __typename: 'DiscountCodeApplication', index: 1, code: 'WELCOME' },
          { __typename: 'ManualDiscountApplication', index: 2 },
        ]),
      },
    },
    'a code behind more discounts than one page holds': {
      webhook: {
        discount_applications: [
          ...Array.from({ length: 70 }, () => ({ type: 'manual', title: 'line' })),
          { type: 'discount_code', code: 'LAST' },
        ],
      },
      admin: {
        discountApplications: pagesOf([
          ...Array.from({ length: 70 }, (_, index) => ({
            __typename: 'ManualDiscountApplication',
            index,
          })),
          { __typename: 'DiscountCodeApplication', index: 70, code: 'LAST' },
        ]),
      },
    },
    'a guest': {
      webhook: { customer: null, phone: '+15555550123' },
      admin: { customer: null, phone: '+15555550123' },
    },
    'a customer with nothing but an address and the order’s e-mail': {
      webhook: {
        customer: {
          admin_graphql_api_id: 'gid://shopify/Customer/6940095564',
          first_name: ' ',
          last_name: null,
          email: null,
          phone: null,
          created_at: '2025-01-20T09:00:00+01:00',
          default_address: { name: 'R. Sample', phone: '+15555550199' },
        },
      },
      admin: {
        customer: customerNode({
          firstName: ' ',
          lastName: null,
          defaultEmailAddress: null,
          defaultPhoneNumber: null,
          defaultAddress: { name: 'R. Sample', phone: '+15555550199' },
        }),
      },
    },
    'note attributes': {
      webhook: { note_attributes: [{ name: 'document', value: 'X-1' }] },
      admin: { customAttributes: [{ key: 'document', value: 'X-1' }] },
    },
    'a test order from a till, paid twice': {
      webhook: { test: true, source_name: 'pos', payment_gateway_names: ['gift_card', 'cash'] },
      admin: { test: true, sourceName: 'pos', paymentGatewayNames: ['gift_card', 'cash'] },
    },
    'a part sent and the rest on hold': {
      webhook: {
        fulfillment_status: 'partial',
        fulfillments: [
          { status: 'success', created_at: '2026-10-06T10:00:00+02:00' },
          { status: 'cancelled', created_at: '2026-10-07T10:00:00+02:00' },
        ],
      },
      admin: {
        displayFulfillmentStatus: 'ON_HOLD',
        fulfillments: [
          { status: 'SUCCESS', createdAt: '2026-10-06T08:00:00Z' },
          { status: 'CANCELLED', createdAt: '2026-10-07T08:00:00Z' },
        ],
      },
    },
    'all of its money refunded': {
      webhook: { financial_status: 'refunded' },
      admin: { displayFinancialStatus: 'REFUNDED' },
    },
    'a shipping discount that stands in the price only': {
      webhook: {
        shipping_lines: [
          { price: '7.00', discounted_price: '3.50', tax_lines: [{ price: '0.35' }] },
        ],
        current_shipping_price_set: { shop_money: { amount: '1.75' } },
      },
      admin: {
        shippingLines: pagesOf([
          {
            originalPriceSet: bag(700),
            discountedPriceSet: bag(350),
            discountAllocations: [],
            taxLines: [{ priceSet: bag(35) }],
          },
        ]),
        currentShippingPriceSet: bag(175),
      },
    },
    'a currency without decimals': {
      webhook: { currency: 'JPY', current_subtotal_price: '5000', current_total_price: '5700' },
      admin: {
        currencyCode: 'JPY',
        currentSubtotalPriceSet: bag(500_000),
        currentTotalPriceSet: bag(570_000),
      },
    },
  };
  for (const [name, { webhook, admin }] of Object.entries(pairs)) {
    it(`agree on ${name}`, async () => {
      expectAgreement(fromWebhook(simpleOrder, webhook), await fromAdmin(simpleOrder, admin));
    });
  }

  it('agree on a piece removed by an edit, which no refund explains', async () => {
    const spec = { ...simpleOrder, lines: [line({ discountCents: 100 })] };
    const webhookLines = buildOrder(spec).payload.line_items as Changes[];
    const page = (orderNode(spec).lineItems as ReturnType<typeof pagesOf<Changes>>)({ first: 9 });
    expectAgreement(
      fromWebhook(spec, {
        line_items: webhookLines.map((one) => ({ ...one, current_quantity: 2 })),
      }),
      await fromAdmin(spec, {
        lineItems: pagesOf(page.nodes.map((one) => ({ ...one, currentQuantity: 2 }))),
      }),
    );
  });
});
