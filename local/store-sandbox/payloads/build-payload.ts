import { minorDigits } from '../../../shared/store/money.ts';
import { discountStatus } from '../model/discounts.ts';
import { gid } from '../model/ids.ts';
import { formatMinor } from '../model/minor-units.ts';
import type { DiscountRow, ProductRow, VariantRow } from '../model/rows.ts';
import type { Announcement, World } from '../model/world.ts';
import { customerPayload } from './customer-payload.ts';
import { idNumber, localMoment, moneyWriter } from './json-values.ts';
import { orderPayload, refundPayload } from './order-payload.ts';

/** The body of app/uninstalled. */
function shopPayload({ shop, rows }: World, at: string) {
  const format = `{{amount}} ${shop.currency}`;
  return {
    id: idNumber(shop.id),
    name: shop.name,
    email: 'owner@example.com',
    customer_email: 'care@example.com',
    domain: shop.domain,
    myshopify_domain: shop.domain,
    address1: '1 Example Street',
    address2: null,
    city: 'Exampleton',
    zip: '00000',
    province: '',
    province_code: '',
    country: 'DE',
    country_code: 'DE',
    country_name: 'Germany',
    phone: '+15555550100',
    latitude: null,
    longitude: null,
    primary_locale: 'en',
    primary_location_id: idNumber([...rows.locations.values()][0]?.id ?? '0'),
    shop_owner: 'Alex Example',
    source: null,
    created_at: null,
    updated_at: localMoment(at, shop.utcOffset),
    currency: shop.currency,
    enabled_presentment_currencies: [shop.currency],
    money_format: format,
    money_in_emails_format: format,
    money_with_currency_format: format,
    money_with_currency_in_emails_format: format,
    timezone: '(GMT+01:00) Berlin',
    iana_timezone: 'Europe/Berlin',
    weight_unit: 'kg',
    tax_shipping: true,
    taxes_included: shop.taxesIncluded,
    county_taxes: null,
    auto_configure_tax_inclusivity: null,
    plan_name: 'basic',
    plan_display_name: 'Basic',
    has_discounts: true,
    has_gift_cards: true,
    has_storefront: true,
    multi_location_enabled: true,
    password_enabled: false,
    pre_launch_enabled: false,
    setup_required: false,
    finances: true,
    eligible_for_payments: true,
    requires_extra_payments_agreement: false,
    checkout_api_supported: true,
    google_apps_domain: null,
    google_apps_login_enabled: null,
    marketing_sms_consent_enabled_at_checkout: false,
    transactional_sms_disabled: false,
  };
}

/** Further variants have only their ids in the payload. */
const variantsInFull = 100;

export function productPayload({ shop }: World, product: ProductRow) {
  const at = (iso: string) => localMoment(iso, shop.utcOffset);
  const image = imagePayload(product, at);
  return {
    id: idNumber(product.id),
    admin_graphql_api_id: gid('Product', product.id),
    body_html: product.description,
    category: product.category && {
      admin_graphql_api_id: gid('TaxonomyCategory', product.category.id),
      name: product.category.fullName.split(' > ').at(-1) ?? '',
      full_name: product.category.fullName,
    },
    created_at: at(product.createdAt),
    handle: product.handle,
    has_variants_that_requires_components: false,
    image,
    images: image ? [image] : [],
    media: [],
    options: [
      {
        id: idNumber(product.imageId),
        product_id: idNumber(product.id),
        name: product.variants.length > 1 ? 'Size' : 'Title',
        position: 1,
        values: product.variants.map(({ title }) => title),
      },
    ],
    product_type: product.productType,
    published_at: product.status === 'active' ? at(product.createdAt) : null,
    published_scope: 'web',
    status: product.status,
    tags: product.tags.join(', '),
    template_suffix: null,
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
    barcode: null,
    compare_at_price: null,
    created_at: at(product.createdAt),
    image_id: null,
    inventory_item_id: idNumber(variant.inventoryItemId),
    inventory_policy: 'deny',
    inventory_quantity: variant.inventory,
    old_inventory_quantity: variant.inventory,
    option1: variant.title,
    option2: null,
    option3: null,
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
    alt: null,
    created_at: at(product.createdAt),
    updated_at: at(product.createdAt),
    height: 800,
    width: 800,
    position: 1,
    product_id: idNumber(product.id),
    src: product.imageUrl,
    variant_ids: [],
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
      return shopPayload(world, announcement.at);
    default:
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
      app_id: null,
      created_at: at(edit.at),
      committed_at: at(edit.at),
      notify_customer: false,
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
    network_reason_code: '4837',
    status: dispute.status,
    evidence_due_by: at(new Date(Date.parse(dispute.initiatedAt) + ANSWER_MS).toISOString()),
    evidence_sent_on: null,
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
