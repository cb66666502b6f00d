import { minorDigits } from '../../../shared/store/money.ts';
import { discountStatus } from '../model/discounts.ts';
import { gid } from '../model/ids.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { DiscountRow, ProductRow } from '../model/rows.ts';
import type { Announcement, World } from '../model/world.ts';
import { customerPayload } from './customer-payload.ts';
import { idNumber, localMoment, moneyWriter } from './json-values.ts';
import { orderPayload, refundPayload } from './order-payload.ts';

/** Further variants have only their ids in the payload. */
const variantsInFull = 100;

export function productPayload({ shop }: World, product: ProductRow) {
  const image = product.imageUrl === null ? null : { src: product.imageUrl };
  return {
    id: idNumber(product.id),
    admin_graphql_api_id: gid('Product', product.id),
    category: product.category && {
      admin_graphql_api_id: gid('TaxonomyCategory', product.category.id),
      full_name: product.category.fullName,
    },
    handle: product.handle,
    image,
    images: image ? [image] : [],
    media: [],
    product_type: product.productType,
    status: product.status,
    tags: product.tags.join(', '),
    title: product.title,
    updated_at: localMoment(product.updatedAt, shop.utcOffset),
    variant_gids: product.variants.map(({ id }) => ({
      admin_graphql_api_id: gid('ProductVariant', id),
    })),
    variants: product.variants.slice(0, variantsInFull).map(({ id, priceMinor }) => ({
      id: idNumber(id),
      price: formatMinor(priceMinor, minorDigits(shop.currency)),
    })),
    vendor: product.vendor,
  };
}

/** The body of a webhook, in the shape of API version 2026-10. */
export function buildPayload(
  world: World,
  announcement: Announcement,
): Readonly<Record<string, unknown>> {
  const { shop } = world;
  const at = (iso: string) => localMoment(iso, shop.utcOffset);
  switch (announcement.topic) {
    case 'orders/delete':
    case 'products/delete':
      return { id: idNumber(announcement.id) };
    case 'orders/edited':
      return editPayload(announcement.edit, at);
    case 'refunds/create':
      return refundPayload(world, announcement.order, announcement.refund);
    case 'disputes/create':
    case 'disputes/update':
      return disputePayload(announcement);
    case 'products/create':
    case 'products/update':
      return productPayload(world, announcement.product);
    case 'discounts/create':
    case 'discounts/update':
      return {
        admin_graphql_api_id: discountGid(announcement.discount),
        title: announcement.discount.title,
        status: discountStatus(announcement.discount, world.now()),
        created_at: at(announcement.discount.createdAt),
        updated_at: at(announcement.discount.updatedAt),
      };
    case 'discounts/delete':
      return {
        admin_graphql_api_id: discountGid(announcement.discount),
        deleted_at: at(announcement.at),
      };
    case 'discounts/redeemcode_added':
    case 'discounts/redeemcode_removed':
      return {
        admin_graphql_api_id: discountGid(announcement.discount),
        redeem_code: {
          id: gid('DiscountRedeemCode', announcement.code.id),
          code: announcement.code.code,
        },
        updated_at: at(announcement.discount.updatedAt),
      };
    case 'customers/create':
    case 'customers/update':
      return { ...customerPayload(world, announcement.customer), addresses: [] };
    case 'customers/delete':
      return {
        id: idNumber(announcement.id),
        tax_exemptions: [],
        admin_graphql_api_id: gid('Customer', announcement.id),
      };
    case 'customers/merge':
      return {
        admin_graphql_api_customer_kept_id: gid('Customer', announcement.keptId),
        admin_graphql_api_customer_deleted_id: gid('Customer', announcement.deletedId),
        admin_graphql_api_job_id: null,
        status: 'completed',
        errors: [],
      };
    case 'customers/redact':
    case 'customers/data_request':
      return compliancePayload(world, announcement);
    case 'shop/redact':
      return { shop_id: idNumber(shop.id), shop_domain: shop.domain };
    case 'app/uninstalled':
      return { id: idNumber(shop.id), domain: shop.domain, myshopify_domain: shop.domain };
    case 'orders/create':
    case 'orders/updated':
    case 'orders/paid':
    case 'orders/fulfilled':
    case 'orders/partially_fulfilled':
    case 'orders/cancelled':
      return orderPayload(world, announcement.order);
  }
}

function editPayload(
  { id, orderId, at: committed }: Extract<Announcement, { topic: 'orders/edited' }>['edit'],
  at: (iso: string) => string,
) {
  const moments = { created_at: at(committed), committed_at: at(committed) };
  return { order_edit: { id: idNumber(id), order_id: idNumber(orderId), ...moments } };
}

type Disputed = Extract<Announcement, { topic: 'disputes/create' | 'disputes/update' }>;

function disputePayload({ order, dispute }: Disputed) {
  // What the bank questions is a payment of the customer, in the customer's currency.
  const { amount, currency_code } = moneyWriter(order).set(dispute.minor).presentment_money;
  return {
    id: idNumber(dispute.id),
    order_id: idNumber(order.id),
    type: dispute.type,
    amount,
    currency: currency_code,
    status: dispute.status,
  };
}

function compliancePayload(
  { shop }: World,
  announcement: Extract<Announcement, { topic: 'customers/redact' | 'customers/data_request' }>,
) {
  const { customer, orderIds, requestId } = announcement;
  const orders = orderIds.map((id) => idNumber(id));
  return {
    shop_id: idNumber(shop.id),
    shop_domain: shop.domain,
    customer: {
      id: idNumber(customer.id),
      email: customer.email ?? '',
      phone: customer.phone ?? '',
    },
    ...(announcement.topic === 'customers/redact'
      ? { orders_to_redact: orders }
      : { orders_requested: orders, data_request: { id: idNumber(requestId) } }),
  };
}

export const discountGid = ({ method, id }: DiscountRow): string =>
  gid(method === 'code' ? 'DiscountCodeNode' : 'DiscountAutomaticNode', id);
