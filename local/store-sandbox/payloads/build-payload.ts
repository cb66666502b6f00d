import { minorDigits } from '../../../shared/store/money.ts';
import { discountStatus } from '../model/discounts.ts';
import { gid } from '../model/ids.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { DiscountRow, ProductRow, VariantRow } from '../model/rows.ts';
import type { Announcement, World } from '../model/world.ts';
import { customerPayload } from './customer-payload.ts';
import { idNumber, localMoment, moneyWriter } from './json-values.ts';
import { orderPayload, refundPayload } from './order-payload.ts';

/** Further variants have only their ids in the payload. */
const variantsInFull = 100;

export function productPayload({ shop }: World, product: ProductRow) {
  const at = (iso: string) => localMoment(iso, shop.utcOffset);
  const image = imagePayload(product, at);
  return {
    id: idNumber(product.id),
    admin_graphql_api_id: gid('Product', product.id),
    category: product.category && {
      admin_graphql_api_id: gid('TaxonomyCategory', product.category.id),
      name: product.category.fullName.split(' > ').at(-1) ?? '',
      full_name: product.category.fullName,
    },
    created_at: at(product.createdAt),
    handle: product.handle,
    image,
    images: image ? [image] : [],
    media: [],
    product_type: product.productType,
    status: product.status,
    tags: product.tags.join(', '),
    title: product.title,
    updated_at: at(product.updatedAt),
    variant_gids: product.variants.map(({ id, updatedAt }) => ({
      admin_graphql_api_id: gid('ProductVariant', id),
      updated_at: updatedAt,
    })),
    variants: product.variants
      .slice(0, variantsInFull)
      .map((variant, i) => variantPayload(product, variant, i, minorDigits(shop.currency), at)),
    vendor: product.vendor,
  };
}

function variantPayload(
  product: ProductRow,
  variant: VariantRow,
  index: number,
  digits: number,
  at: (iso: string) => string,
) {
  return {
    id: idNumber(variant.id),
    admin_graphql_api_id: gid('ProductVariant', variant.id),
    created_at: at(product.createdAt),
    position: index + 1,
    price: formatMinor(variant.priceMinor, digits),
    product_id: idNumber(product.id),
    sku: variant.sku,
    taxable: true,
    title: variant.title,
    updated_at: at(variant.updatedAt),
  };
}

function imagePayload(product: ProductRow, at: (iso: string) => string) {
  if (product.imageUrl === null) return null;
  return {
    id: idNumber(product.imageId),
    admin_graphql_api_id: gid('ProductImage', product.imageId),
    created_at: at(product.createdAt),
    updated_at: at(product.createdAt),
    position: 1,
    product_id: idNumber(product.id),
    src: product.imageUrl,
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
      return disputePayload(announcement, at);
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
  edit: Extract<Announcement, { topic: 'orders/edited' }>['edit'],
  at: (iso: string) => string,
) {
  const lines = (changes: typeof edit.additions) =>
    changes.map(({ id, delta }) => ({ id: idNumber(id), delta }));
  return {
    order_edit: {
      id: idNumber(edit.id),
      created_at: at(edit.at),
      committed_at: at(edit.at),
      order_id: idNumber(edit.orderId),
      staff_note: edit.staffNote,
      user_id: null,
      line_items: { additions: lines(edit.additions), removals: lines(edit.removals) },
      discounts: { line_item: { additions: [], removals: [] } },
      shipping_lines: { additions: [], removals: [] },
    },
  };
}

/** How long the merchant has for an answer. */
const ANSWER_MS = 7 * 86_400_000;

function disputePayload(
  { order, dispute }: Extract<Announcement, { topic: 'disputes/create' | 'disputes/update' }>,
  at: (iso: string) => string,
) {
  // What the bank questions is a payment of the customer, in the customer's currency.
  const { amount, currency_code } = moneyWriter(order).set(dispute.minor).presentment_money;
  return {
    id: idNumber(dispute.id),
    order_id: idNumber(order.id),
    type: dispute.type,
    amount,
    currency: currency_code,
    reason: 'fraudulent',
    status: dispute.status,
    evidence_due_by: at(new Date(Date.parse(dispute.initiatedAt) + ANSWER_MS).toISOString()),
    finalized_on: dispute.finalizedOn === null ? null : at(dispute.finalizedOn),
    initiated_at: at(dispute.initiatedAt),
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
