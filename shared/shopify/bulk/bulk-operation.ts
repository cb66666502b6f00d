import { type AdminAnswer, failure } from '../admin/client/admin-answer.ts';
import type { Ask } from '../admin/client/admin-client.ts';
import {
  bulkOperationDocument,
  discountsCountDocument,
  ordersCountDocument,
  productsCountDocument,
  runBulkQueryDocument,
} from '../admin/documents.gen.ts';
import { type Enrichment, type MetafieldName, metafieldKeys } from '../admin/order-as-payload.ts';

export type BulkState =
  | { readonly kind: 'running'; readonly objects: number }
  | {
      readonly kind: 'completed';
      /** Undefined when nothing was found: the store then writes no file. */
      readonly url: string | undefined;
      readonly objects: number;
      readonly rootObjects: number;
      readonly bytes: number;
      /** Nothing in the file is older than this. */
      readonly readSince: Date;
    }
  | { readonly kind: 'failed'; readonly errorCode: string }
  | { readonly kind: 'canceled' }
  /** The file is older than seven days, or the store no longer knows the operation. */
  | { readonly kind: 'expired' };

type BulkStarted =
  | { readonly kind: 'started'; readonly id: string }
  /** The store already runs as many operations as it allows, of this process or another. */
  | { readonly kind: 'busy' };

/** Returns at once; the store writes the file in the background. */
export async function startBulkQuery(ask: Ask, query: string): Promise<AdminAnswer<BulkStarted>> {
  const answer = await ask(runBulkQueryDocument, { query });
  if (answer.kind === 'user-errors') {
    const busy = answer.errors.some(
      ({ code }) => code === 'OPERATION_IN_PROGRESS' || code === 'LIMIT_REACHED',
    );
    return busy ? { kind: 'data', data: { kind: 'busy' } } : answer;
  }
  if (answer.kind !== 'data') return answer;
  const id = answer.data.bulkOperationRunQuery?.bulkOperation?.id;
  if (id === undefined) return failure('unreadable-answer');
  return { kind: 'data', data: { kind: 'started', id } };
}

export async function readBulkState(ask: Ask, id: string): Promise<AdminAnswer<BulkState>> {
  const answer = await ask(bulkOperationDocument, { id });
  if (answer.kind !== 'data') return answer;
  return { kind: 'data', data: stateOf(answer.data.bulkOperation) };
}

type Operation = NonNullable<typeof bulkOperationDocument.types>['data']['bulkOperation'];

function stateOf(operation: Operation): BulkState {
  if (!operation) return { kind: 'expired' };
  const { status, url, errorCode } = operation;
  const objects = Number(operation.objectCount);
  switch (status) {
    case 'CREATED':
    case 'RUNNING':
      return { kind: 'running', objects };
    case 'CANCELING':
    case 'CANCELED':
      return { kind: 'canceled' };
    case 'FAILED':
      return { kind: 'failed', errorCode: errorCode ?? 'unknown' };
    case 'EXPIRED':
      return { kind: 'expired' };
    case 'COMPLETED':
      return {
        kind: 'completed',
        url: url ?? undefined,
        objects,
        rootObjects: Number(operation.rootObjectCount),
        bytes: Number(operation.fileSize ?? 0),
        readSince: new Date(operation.createdAt),
      };
  }
}

/** Counts automatic discounts too, which have no codes. */
export async function countEntities(
  ask: Ask,
  kind: BulkKind,
  search: string,
): Promise<AdminAnswer<number>> {
  switch (kind) {
    case 'orders':
      return counted(await ask(ordersCountDocument, { search }), (data) => data.ordersCount);
    case 'products':
      return counted(await ask(productsCountDocument, { search }), (data) => data.productsCount);
    case 'discounts':
      return counted(
        await ask(discountsCountDocument, { search }),
        (data) => data.discountNodesCount,
      );
  }
}

function counted<Data>(
  answer: AdminAnswer<Data>,
  count: (data: Data) => { readonly count: number } | null,
): AdminAnswer<number> {
  if (answer.kind !== 'data') return answer;
  return { kind: 'data', data: count(answer.data)?.count ?? 0 };
}

export type BulkKind = 'orders' | 'products' | 'discounts';

/**
 * A bulk query can have no variables, no pages, and at most five connections, none of them inside a list
 * (Shopify, "Perform bulk operations with the GraphQL Admin API"), so it is written here and not among
 * the documents. Tests check every form of it against Shopify's schema and these rules.
 *
 * Therefore it cannot contain the amounts of refunds, nor which lines are tips, nor what was paid with a
 * gift card: the worker reads orders with any of these one by one.
 * See docs/decisions/0017-only-a-backfill-sends-orders-from-before-go-live.md.
 */
export function bulkQuery(kind: BulkKind, search: string, enrichment: Enrichment): string {
  const given = search === '' ? '' : `(query: ${JSON.stringify(search)})`;
  switch (kind) {
    case 'orders':
      return `{ orders${given} { edges { node { ${orderParts(enrichment)} } } } }`;
    case 'products':
      return `{ products${given} { edges { node { ${PRODUCT} } } } }`;
    case 'discounts':
      return `{ codeDiscountNodes${given} { edges { node { ${DISCOUNT} } } } }`;
  }
}

const MONEY = '{ shopMoney { amount } }';
const PERSON =
  'id firstName lastName createdAt defaultEmailAddress { emailAddress } defaultPhoneNumber { phoneNumber } defaultAddress { name phone }';

const CARD = 'paymentDetails { ... on CardPaymentDetails { company paymentMethodName } }';

/** The type distinguishes the children of one owner, which can be of several lists. */
const list = (name: string, fields: string) =>
  `${name} { edges { node { __typename ${fields} } } }`;

function orderParts(enrichment: Enrichment): string {
  const staff = enrichment.staffNames ? 'staffMember { id name }' : '';
  return [
    'id name createdAt processedAt updatedAt cancelledAt closedAt test sourceName currencyCode',
    'taxesIncluded displayFinancialStatus displayFulfillmentStatus email phone paymentGatewayNames',
    'fulfillments { status createdAt }',
    'refunds { id createdAt processedAt }',
    `currentSubtotalPriceSet ${MONEY} currentTotalPriceSet ${MONEY}`,
    `currentShippingPriceSet ${MONEY} totalOutstandingSet ${MONEY} totalTipReceivedSet ${MONEY}`,
    'customAttributes { key value }',
    `customer { ${PERSON} ${metafields(enrichment, 'customer')} }`,
    metafields(enrichment, 'order'),
    enrichment.locationNames ? 'retailLocation { legacyResourceId name }' : '',
    staff,
    enrichment.card || enrichment.paymentDates
      ? `transactions(first: 20) { kind status processedAt ${enrichment.card ? CARD : ''} }`
      : '',
    enrichment.disputes ? 'disputes { status }' : '',
    list(
      'lineItems',
      `id title name vendor isGiftCard quantity currentQuantity product { id } originalUnitPriceSet ${MONEY} discountAllocations { allocatedAmountSet ${MONEY} } taxLines { priceSet ${MONEY} } ${staff}`,
    ),
    list('discountApplications', 'index ... on DiscountCodeApplication { code }'),
    list(
      'shippingLines',
      `originalPriceSet ${MONEY} discountedPriceSet ${MONEY} discountAllocations { allocatedAmountSet ${MONEY} } taxLines { priceSet ${MONEY} }`,
    ),
    enrichment.localizedFields ? list('localizedFields', 'key value') : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** One field each: a list would count as a connection. */
function metafields(enrichment: Enrichment, owner: MetafieldName['owner']): string {
  return metafieldKeys(enrichment, owner)
    .map((name, index) => {
      const dot = name.indexOf('.');
      const [namespace, key] = [name.slice(0, dot), name.slice(dot + 1)].map((text) =>
        JSON.stringify(text),
      );
      return `metafield${index}: metafield(namespace: ${namespace}, key: ${key}) { namespace key value }`;
    })
    .join(' ');
}

const PRODUCT = [
  'id title handle status vendor productType updatedAt category { id fullName }',
  'priceRangeV2 { minVariantPrice { amount } }',
  'featuredMedia { preview { image { url } } }',
  'media(query: "media_type:IMAGE", sortKey: POSITION) { edges { node { __typename ... on MediaImage { image { url } } } } }',
].join(' ');

const DISCOUNT_PARTS = [
  'status createdAt updatedAt startsAt endsAt usageLimit appliesOncePerCustomer tags',
  `context { __typename ... on DiscountCustomers { customers { ${PERSON} } } }`,
  list('codes', 'id code asyncUsageCount'),
].join(' ');

const DISCOUNT = [
  'id codeDiscount { __typename',
  `... on DiscountCodeBasic { ${DISCOUNT_PARTS} customerGets { value { __typename ... on DiscountAmount { amount { amount } } ... on DiscountPercentage { percentage } } } }`,
  ...['DiscountCodeBxgy', 'DiscountCodeFreeShipping', 'DiscountCodeApp'].map(
    (type) => `... on ${type} { ${DISCOUNT_PARTS} }`,
  ),
  '}',
].join(' ');
