/** A webhook of an entity that exists in no store. */
export interface Sample {
  readonly topic: string;
  /** For the help: what it tests, and the result. */
  readonly what: string;
  /** What the loyalty service would keep of it; `if-real`: only of an order not marked as a test. */
  readonly leaves: 'nothing' | 'if-real' | 'a-product';
  build(thing: SampleThing): unknown;
}

interface SampleThing {
  readonly at: Date;
  readonly shop: string;
  /** Marked as a test, an order is skipped by rule unless the settings say otherwise. */
  readonly test: boolean;
}

export const samples: readonly Sample[] = [
  {
    topic: 'orders/create',
    what: 'a new order, paid',
    leaves: 'if-real',
    build: (thing) => orderOf(thing, {}),
  },
  {
    topic: 'orders/fulfilled',
    what: 'an order that was sent out',
    leaves: 'if-real',
    build: (thing) =>
      orderOf(thing, {
        fulfillment_status: 'fulfilled',
        fulfillments: [{ status: 'success', created_at: thing.at.toISOString() }],
      }),
  },
  {
    topic: 'orders/cancelled',
    what: 'an order that was cancelled',
    leaves: 'if-real',
    build: (thing) => orderOf(thing, { cancelled_at: thing.at.toISOString() }),
  },
  {
    topic: 'products/update',
    what: 'a product; the loyalty service would keep it',
    leaves: 'a-product',
    build: productOf,
  },
  {
    topic: 'products/delete',
    what: 'the deletion of an unknown product',
    leaves: 'nothing',
    build: ({ at }) => ({ id: madeUpId(at) }),
  },
  {
    topic: 'discounts/delete',
    what: 'the deletion of an unknown discount',
    leaves: 'nothing',
    build: ({ at }) => ({
      admin_graphql_api_id: `gid://shopify/DiscountCodeNode/${madeUpId(at)}`,
      deleted_at: at.toISOString(),
    }),
  },
  {
    topic: 'customers/redact',
    what: 'the request to forget a customer without orders',
    leaves: 'nothing',
    build: ({ at, shop }) => ({
      shop_id: madeUpId(at),
      shop_domain: shop,
      customer: { id: madeUpId(at), email: 'sample.customer@example.com', phone: null },
      orders_to_redact: [],
    }),
  },
];

/** Above all ids that Shopify has given out so far, and exact as a number of JavaScript. */
function madeUpId(at: Date): number {
  return 90_000_000_000_000 + at.getTime();
}

function orderOf({ at, test }: SampleThing, changes: object): object {
  const id = madeUpId(at);
  const moment = at.toISOString();
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    name: '#SAMPLE',
    test,
    created_at: moment,
    processed_at: moment,
    updated_at: moment,
    cancelled_at: null,
    closed_at: null,
    source_name: 'web',
    currency: 'EUR',
    taxes_included: true,
    financial_status: 'paid',
    fulfillment_status: null,
    fulfillments: [],
    subtotal_price: '40.00',
    total_price: '45.00',
    current_subtotal_price: '40.00',
    current_total_price: '45.00',
    line_items: [
      {
        ...{ id: id + 1, product_id: id + 2, title: 'Sample product', quantity: 2 },
        ...{ current_quantity: 2, price: '20.00', discount_allocations: [] },
      },
    ],
    shipping_lines: [{ price: '5.00', tax_lines: [], discount_allocations: [] }],
    refunds: [],
    discount_applications: [],
    discount_codes: [],
    payment_gateway_names: ['manual'],
    note_attributes: [],
    email: 'sample.customer@example.com',
    customer: {
      id: id + 3,
      admin_graphql_api_id: `gid://shopify/Customer/${id + 3}`,
      first_name: 'Sample',
      last_name: 'Customer',
      email: 'sample.customer@example.com',
      created_at: moment,
    },
    ...changes,
  };
}

function productOf({ at }: SampleThing): object {
  const id = madeUpId(at);
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Product/${id}`,
    title: 'Sample product',
    handle: 'sample-product',
    vendor: 'Sample brand',
    product_type: 'Samples',
    status: 'active',
    updated_at: at.toISOString(),
    variants: [{ price: '20.00' }],
    variant_gids: [],
    images: [],
    media: [],
  };
}
