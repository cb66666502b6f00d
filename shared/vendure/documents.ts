/** What the connector reads, as Vendure's Admin API names it. Amounts are integers of the smallest unit. */

const CUSTOMER_FIELDS = 'id firstName lastName emailAddress phoneNumber createdAt';

export interface VendureCustomer {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly emailAddress: string;
  readonly phoneNumber: string | null;
  readonly createdAt: string;
}

const REFUND_FIELDS =
  'id state total items shipping adjustment createdAt lines { orderLineId quantity }';

const FULFILLMENTS = 'fulfillments { state updatedAt lines { orderLineId quantity } }';

/** Nothing of an address, and of the customer no more than the loyalty service is sent. */
const ORDER_FIELDS = `id code type state active orderPlacedAt updatedAt currencyCode couponCodes
  customer { ${CUSTOMER_FIELDS} }
  subTotal subTotalWithTax shippingWithTax totalWithTax
  surcharges { id description price priceWithTax }
  lines { id quantity orderPlacedQuantity proratedUnitPrice proratedUnitPriceWithTax
    proratedLinePrice proratedLinePriceWithTax productVariant { name product { id } } }
  payments { id method amount state createdAt refunds { ${REFUND_FIELDS} } }
  modifications { createdAt lines { orderLineId quantity } surcharges { id } }
  ${FULFILLMENTS}`;

const CANCELLATIONS = `history(options: { take: 100, filter: { type: { eq: "ORDER_CANCELLATION" } } }) {
    items { createdAt data } }`;

/** What a seller sends of it. */
export interface VendureSellerOrder {
  readonly id: string;
  readonly aggregateOrderId: string;
  readonly lines: readonly { readonly id: string; readonly quantity: number }[];
  readonly fulfillments: readonly VendureFulfillment[] | null;
}

export interface VendureOrder {
  readonly id: string;
  readonly code: string;
  /** `Seller` for the part of an `Aggregate` that one of several sellers sends. */
  readonly type: 'Regular' | 'Seller' | 'Aggregate';
  readonly state: string;
  readonly active: boolean;
  /** Null while it is a cart. */
  readonly orderPlacedAt: string | null;
  readonly updatedAt: string;
  readonly currencyCode: string;
  readonly couponCodes: readonly string[];
  readonly customer: VendureCustomer | null;
  readonly subTotal: number;
  readonly subTotalWithTax: number;
  readonly shippingWithTax: number;
  readonly totalWithTax: number;
  readonly surcharges: readonly {
    readonly id: string;
    readonly description: string;
    readonly price: number;
    readonly priceWithTax: number;
  }[];
  readonly lines: readonly {
    readonly id: string;
    /** What is left after cancellations and modifications; refunds do not change it. */
    readonly quantity: number;
    readonly orderPlacedQuantity: number;
    readonly proratedUnitPrice: number;
    readonly proratedUnitPriceWithTax: number;
    readonly proratedLinePrice: number;
    readonly proratedLinePriceWithTax: number;
    readonly productVariant: {
      readonly name: string;
      readonly product: { readonly id: string };
    };
  }[];
  readonly payments: readonly VendurePayment[] | null;
  readonly modifications: readonly {
    readonly createdAt: string;
    /** Signed: what was added, or taken out. */
    readonly lines: readonly Pieces[];
    readonly surcharges: readonly { readonly id: string }[];
  }[];
  /** Read only for the order's book: its cancellations. */
  readonly history?: {
    readonly items: readonly {
      readonly createdAt: string;
      /** Ids are numbers here. */
      readonly data: { readonly lines?: readonly HistoryPieces[] };
    }[];
  };
  readonly fulfillments: readonly VendureFulfillment[] | null;
  /** Read besides, of an `Aggregate`: it has no parcels of its own. */
  readonly sellerOrders?: readonly VendureSellerOrder[];
}

interface VendurePayment {
  readonly id: string;
  readonly method: string;
  readonly amount: number;
  readonly state: string;
  readonly createdAt: string;
  readonly refunds: readonly VendureRefund[];
}

export interface VendureFulfillment {
  readonly state: string;
  readonly updatedAt: string;
  readonly lines: readonly Pieces[];
}

interface Pieces {
  readonly orderLineId: string;
  readonly quantity: number;
}

interface HistoryPieces {
  readonly orderLineId: string | number;
  readonly quantity: number;
}

export interface VendureRefund {
  readonly id: string;
  readonly state: string;
  /** The money. The others say what it was for, and not always of this row alone. */
  readonly total: number;
  readonly items: number;
  readonly shipping: number;
  readonly adjustment: number;
  readonly lines: readonly Pieces[];
  readonly createdAt: string;
}

const PRODUCT_FIELDS = `id name slug enabled
  featuredAsset { preview }
  facetValues { name facet { code } }
  collections { id name isPrivate breadcrumbs { id name } }
  variantList { items { enabled priceWithTax currencyCode } }`;

export interface VendureProduct {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly enabled: boolean;
  readonly featuredAsset: { readonly preview: string } | null;
  readonly facetValues: readonly {
    readonly name: string;
    readonly facet: { readonly code: string };
  }[];
  readonly collections: readonly {
    readonly id: string;
    readonly name: string;
    readonly isPrivate: boolean;
    readonly breadcrumbs: readonly { readonly id: string; readonly name: string }[];
  }[];
  readonly variantList: {
    readonly items: readonly {
      readonly enabled: boolean;
      readonly priceWithTax: number;
      readonly currencyCode: string;
    }[];
  };
}

const PROMOTION_FIELDS = `id name enabled couponCode startsAt endsAt createdAt
  usageLimit perCustomerUsageLimit
  conditions { code } actions { code args { name value } }`;

export interface VendurePromotion {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly couponCode: string | null;
  readonly startsAt: string | null;
  readonly endsAt: string | null;
  readonly createdAt: string;
  readonly usageLimit: number | null;
  readonly perCustomerUsageLimit: number | null;
  readonly conditions: readonly { readonly code: string }[];
  readonly actions: readonly {
    readonly code: string;
    readonly args: readonly { readonly name: string; readonly value: string }[];
  }[];
}

/** By which a person knows an order or a product. */
export interface VendureNames {
  readonly totalItems?: number;
  readonly items: readonly {
    readonly id: string;
    readonly code?: string;
    readonly name?: string;
  }[];
}

export interface VendureChannel {
  readonly activeChannel: {
    readonly code: string;
    readonly token: string;
    readonly defaultCurrencyCode: string;
  };
}

/** All that the connector needs. */
export const PERMISSIONS =
  'the permissions ReadOrder, ReadCustomer, ReadCatalog and ReadPromotion on the channel';

const one = (name: string, fields: string) => `query ($id: ID!) { ${name}(id: $id) { ${fields} } }`;

const list = (name: string, type: string, fields: string) =>
  `query ($options: ${type}) { ${name}(options: $options) { totalItems items { ${fields} } } }`;

/** Filters of lists: orders that are no carts, and promotions with codes. */
export const PLACED = { active: { eq: false } };
export const WITH_CODE = { couponCode: { isNull: false } };

export const documents = {
  order: one('order', ORDER_FIELDS),
  /** With what was cancelled of it. */
  orderWithHistory: one('order', `${ORDER_FIELDS} ${CANCELLATIONS}`),
  orders: list('orders', 'OrderListOptions', ORDER_FIELDS),
  sellerOrders: list(
    'orders',
    'OrderListOptions',
    `id aggregateOrderId lines { id quantity } ${FULFILLMENTS}`,
  ),
  product: one('product', PRODUCT_FIELDS),
  products: list('products', 'ProductListOptions', PRODUCT_FIELDS),
  promotion: one('promotion', PROMOTION_FIELDS),
  promotions: list('promotions', 'PromotionListOptions', PROMOTION_FIELDS),
  customer: one('customer', CUSTOMER_FIELDS),
  customers: list('customers', 'CustomerListOptions', CUSTOMER_FIELDS),
  orderIds: list('orders', 'OrderListOptions', 'id'),
  productIds: list('products', 'ProductListOptions', 'id'),
  promotionIds: list('promotions', 'PromotionListOptions', 'id'),
  orderNames: list('orders', 'OrderListOptions', 'id code'),
  productNames: list('products', 'ProductListOptions', 'id name'),
  customerIds: list('customers', 'CustomerListOptions', 'id'),
  ordersOfCustomer: `query ($id: ID!, $options: OrderListOptions) {
    customer(id: $id) { orders(options: $options) { items { id code } } } }`,
  /** With one of each kind, which proves the permissions. An API key may not ask who it is. */
  channel: `query { activeChannel { code token defaultCurrencyCode }
    orders(options: { take: 1 }) { totalItems } products(options: { take: 1 }) { totalItems }
    promotions(options: { take: 1 }) { totalItems } customers(options: { take: 1 }) { totalItems } }`,
};
