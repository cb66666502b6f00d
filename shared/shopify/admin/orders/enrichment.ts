import { LOCALIZED_FIELDS, type StoreOrder } from '../../../store/order.ts';
import { idFromGid } from '../../entity-id.ts';
import { latest } from '../../webhooks/read-order-webhook.ts';
import type { OrderNode, WholeOrder } from './order-as-payload.ts';

/** What is read of an order beyond its webhook. Each option costs an access scope, query points or both. */
export interface Enrichment {
  /** Brand and type of the card, from the order's transactions. */
  readonly card?: boolean | undefined;
  /** When the order was paid, from the same. */
  readonly paymentDates?: boolean | undefined;
  /** Whether a chargeback was lost. */
  readonly disputes?: boolean | undefined;
  /** Name of the retail location. Needs `read_locations`. */
  readonly locationNames?: boolean | undefined;
  /** Name of the staff member. Needs `read_users`, which Shopify grants only to some plans. */
  readonly staffNames?: boolean | undefined;
  /** What a country requires at checkout, such as a Brazilian tax id. */
  readonly localizedFields?: boolean | undefined;
  readonly metafields?: readonly MetafieldName[] | undefined;
}

export interface MetafieldName {
  readonly owner: 'order' | 'customer';
  readonly namespace: string;
  readonly key: string;
}

/** The page size in the document. */
const MAX_METAFIELDS = 10;

export function extrasVariables(enrichment: Enrichment) {
  const orderMetafields = metafieldKeys(enrichment, 'order');
  const customerMetafields = metafieldKeys(enrichment, 'customer');
  return {
    withCard: enrichment.card ?? false,
    withPayments: enrichment.card === true || enrichment.paymentDates === true,
    withDisputes: enrichment.disputes ?? false,
    withLocation: enrichment.locationNames ?? false,
    withStaff: enrichment.staffNames ?? false,
    withLocalizedFields: enrichment.localizedFields ?? false,
    withOrderMetafields: orderMetafields.length > 0,
    orderMetafields,
    withCustomerMetafields: customerMetafields.length > 0,
    customerMetafields,
  };
}

/** `namespace.key` of each metafield of one owner. */
export function metafieldKeys(
  { metafields = [] }: Enrichment,
  owner: MetafieldName['owner'],
): string[] {
  const keys = metafields
    .filter((name) => name.owner === owner && name.namespace !== LOCALIZED_FIELDS)
    .map(({ namespace, key }) => `${namespace}.${key}`);
  const distinct = [...new Set(keys)];
  if (distinct.length <= MAX_METAFIELDS) return distinct;
  throw new Error(`at most ${MAX_METAFIELDS} metafields of an ${owner} can be read`);
}

/** What no webhook contains, where it was asked for. */
export function orderDetails({
  node,
  lines,
}: WholeOrder): Pick<
  StoreOrder,
  'card' | 'paidAt' | 'lostDispute' | 'location' | 'staff' | 'metafields'
> {
  const { retailLocation } = node;
  const staff =
    node.staffMember ?? lines.map(({ staffMember }) => staffMember).find((member) => member);
  const staffId = idFromGid(staff?.id, 'StaffMember');
  return {
    card: cardOf(node),
    paidAt: paidAtOf(node),
    lostDispute: node.disputes?.some(isLost),
    location: retailLocation
      ? { id: retailLocation.legacyResourceId, name: retailLocation.name }
      : undefined,
    staff: staff && staffId !== undefined ? { id: staffId, name: staff.name } : undefined,
    metafields: metafieldsOf(node),
  };
}

const PAYMENTS: ReadonlySet<string> = new Set([
  'AUTHORIZATION',
  'CAPTURE',
  'EMV_AUTHORIZATION',
  'SALE',
]);

/** The first card payment that succeeded. A pending one can still fail. */
function cardOf({ transactions = [] }: OrderNode): StoreOrder['card'] {
  for (const { kind, status, paymentDetails } of transactions) {
    const brand = paymentDetails?.company?.trim();
    if (!brand || status !== 'SUCCESS' || !PAYMENTS.has(kind)) continue;
    // The method's name is often the brand again.
    const method = paymentDetails?.paymentMethodName?.trim();
    const repeats = !method || method.toLowerCase() === brand.toLowerCase();
    return { brand, type: repeats ? undefined : method };
  }
  return undefined;
}

type DisputeNode = NonNullable<OrderNode['disputes']>[number];

/** An inquiry moves no money and ends otherwise: one that is lost became a chargeback, which its beginning does not say. */
function isLost({ status }: DisputeNode): boolean {
  return status === 'LOST' || status === 'ACCEPTED';
}

function paidAtOf({ transactions = [] }: OrderNode): string | undefined {
  const dates = transactions
    .filter(({ kind, status }) => status === 'SUCCESS' && (kind === 'SALE' || kind === 'CAPTURE'))
    .flatMap(({ processedAt }) => (processedAt ? [new Date(processedAt).toISOString()] : []));
  return latest(dates);
}

function metafieldsOf(node: OrderNode): NonNullable<StoreOrder['metafields']> {
  const ofOrder = node.metafields?.nodes ?? [];
  const ofCustomer = node.customer?.metafields?.nodes ?? [];
  const localized = node.localizedFields?.nodes ?? [];
  return [
    ...ofOrder.map((metafield) => ({ owner: 'order', ...metafield }) as const),
    ...ofCustomer.map((metafield) => ({ owner: 'customer', ...metafield }) as const),
    ...localized.map(
      ({ key, value }) => ({ owner: 'order', namespace: LOCALIZED_FIELDS, key, value }) as const,
    ),
  ];
}
