import * as v from 'valibot';
import type {
  Changed,
  DiscountPage,
  ScanAnswer,
  ScanPage,
  Span,
  StoreAnswer,
} from '../../core/store/store.ts';
import type { CodeUses } from '../../rewards/redeem/reward-store.ts';
import { type Amount, readAmount, readPercentage } from '../../store/money.ts';
import type { CouponKind, StoreCoupon, StoreCustomer } from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import {
  flag,
  id,
  moment,
  optional,
  quantity,
  readPayload,
  text,
} from '../webhooks/payload-fields.ts';
import { type AdminAnswer, failure, ifLikeSchema, unavailable } from './client/admin-answer.ts';
import type { Ask, DataOf } from './client/admin-client.ts';
import {
  changedDiscountsDocument,
  codeUsesDocument,
  couponDocument,
  discountDocument,
} from './documents.gen.ts';
import { REWARD_TAG } from './make-reward-code.ts';
import type { CustomerNode } from './order-as-payload.ts';
import { placeIn, scannedPage } from './pages.ts';

type DiscountData = DataOf<typeof discountDocument>;

export async function readDiscount(
  ask: Ask,
  id: string,
  from: string | undefined,
): Promise<StoreAnswer<DiscountPage>> {
  const answer = await askDiscount(ask, id, from);
  if (answer.kind !== 'data') return unavailable(answer);
  if (answer.data.automatic?.id) return { kind: 'found', value: { automatic: true, coupons: [] } };
  const code = codeNodeOf(answer.data);
  if (!code) return { kind: 'gone' };
  const page = discountPage(code, from);
  return page ? { kind: 'found', value: page } : unavailable(failure('unreadable-answer'));
}

/** Undefined when a required field is missing. */
function discountPage(
  { id, codeDiscount }: CodeDiscountNode,
  from: string | undefined,
): DiscountPage | undefined {
  const { nodes, pageInfo } = codeDiscount.codes;
  const coupons = nodes
    .map((redeem) => couponFromNode(id, codeDiscount, redeem))
    .filter((coupon) => coupon !== undefined);
  // Without a new cursor the scan would never end.
  const lost = pageInfo.hasNextPage && (pageInfo.endCursor ?? from) === from;
  if (lost || coupons.length < nodes.length) return undefined;
  const next = pageInfo.hasNextPage && pageInfo.endCursor ? { next: pageInfo.endCursor } : {};
  return { automatic: false, coupons, ...next };
}

/** The store returns an empty object, not null, for the id of an automatic discount. */
function codeNodeOf({ code }: DiscountData): CodeDiscountNode | undefined {
  return code?.codeDiscount ? (code as CodeDiscountNode) : undefined;
}

/** A webhook's number does not show which of the two kinds the discount is. */
function askDiscount(
  ask: Ask,
  id: string,
  after: string | undefined,
): Promise<AdminAnswer<DiscountData>> {
  return ask(discountDocument, {
    codeNode: `gid://shopify/DiscountCodeNode/${id}`,
    automaticNode: `gid://shopify/DiscountAutomaticNode/${id}`,
    after: after ?? null,
  });
}

type Node = DataOf<typeof changedDiscountsDocument>['discountNodes']['nodes'][number];

export async function scanDiscounts(
  ask: Ask,
  span: Span,
  after: string | undefined,
): Promise<ScanAnswer<ScanPage<DiscountPage>>> {
  const place = placeIn(span, after);
  const search = `method:code AND ${place.search}`;
  const answer = await ask(changedDiscountsDocument, { ...place, search });
  if (answer.kind !== 'data') return unavailable(answer);
  const { discountNodes } = answer.data;
  const changed = await Promise.all(discountNodes.nodes.map(changedDiscount));
  return scannedPage(discountNodes, changed.flat(), after);
}

async function changedDiscount({ id: gid, discount }: Node): Promise<Changed<DiscountPage>[]> {
  // The search excludes automatic discounts, which have no codes to sync.
  if (!('codes' in discount)) return [];
  // The type in this global id may be `DiscountNode`; the number is the same.
  const id = gid.split('/').at(-1) ?? '';
  const node: CodeDiscountNode = {
    id: `gid://shopify/DiscountCodeNode/${id}`,
    codeDiscount: discount,
  };
  const value = await ifLikeSchema(() => discountPage(node, undefined), undefined);
  return [{ id, updatedAt: discount.updatedAt, value }];
}

export async function readCodeUses(ask: Ask, discountIds: readonly string[]): Promise<CodeUses> {
  const answer = await ask(codeUsesDocument, { ids: discountIds });
  if (answer.kind !== 'data') return unavailable(answer);
  const uses = new Map<string, number>();
  for (const node of answer.data.nodes) {
    if (!node || !('codeDiscount' in node)) continue;
    const { codeDiscount } = node;
    if ('asyncUsageCount' in codeDiscount) uses.set(node.id, codeDiscount.asyncUsageCount);
  }
  return { kind: 'read', uses };
}

/** The store does not distinguish upper and lower case in codes. */
export async function readCoupon(ask: Ask, code: string): Promise<StoreAnswer<StoreCoupon>> {
  const answer = await ask(couponDocument, { code, search: quoted(code) });
  if (answer.kind !== 'data') return unavailable(answer);
  const node = answer.data.codeDiscountNodeByCode;
  if (!node) return { kind: 'gone' };
  const found = findCode(node.codeDiscount.codes.nodes, code);
  return found ? toAnswer(node, found) : searchAll(ask, node.id, code);
}

/**
 * The store's search is by words and may miss a code with special characters, so a code that belongs to
 * the discount is then looked for among all its codes.
 */
async function searchAll(
  ask: Ask,
  discountGid: string,
  code: string,
): Promise<StoreAnswer<StoreCoupon>> {
  const number = discountGid.split('/').at(-1) ?? '';
  let after: string | undefined;
  do {
    const answer = await askDiscount(ask, number, after);
    if (answer.kind !== 'data') return unavailable(answer);
    const node = codeNodeOf(answer.data);
    if (!node) return { kind: 'gone' };
    const { nodes, pageInfo } = node.codeDiscount.codes;
    const found = findCode(nodes, code);
    if (found) return toAnswer(node, found);
    const next = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
    // The same cursor again would be followed until the batch runs out of time.
    if (next !== undefined && next === after) return unavailable(failure('not-the-api'));
    after = next;
  } while (after !== undefined);
  return { kind: 'gone' };
}

function toAnswer(node: CodeDiscountNode, redeem: RedeemCode): StoreAnswer<StoreCoupon> {
  const value = couponFromNode(node.id, node.codeDiscount, redeem);
  return value ? { kind: 'found', value } : unavailable(failure('unreadable-answer'));
}

/** The exact spelling first. */
function findCode(nodes: readonly RedeemCode[], code: string): RedeemCode | undefined {
  const small = code.toLowerCase();
  return (
    nodes.find((redeem) => redeem.code === code) ??
    nodes.find((redeem) => redeem.code.toLowerCase() === small)
  );
}

/** Quoted, so that operators of the search language lose their meaning. */
function quoted(code: string): string {
  return `"${code.replace(/["\\]/g, '\\$&')}"`;
}

type CodeDiscountNode = NonNullable<DataOf<typeof couponDocument>['codeDiscountNodeByCode']>;
type CodeDiscount = CodeDiscountNode['codeDiscount'];
type RedeemCode = CodeDiscount['codes']['nodes'][number];

const couponFields = v.object({
  code: text,
  codeId: id,
  discountId: id,
  status: text,
  createdAt: moment,
  startsAt: moment,
  endsAt: optional(moment),
  updatedAt: moment,
  timesUsed: quantity,
  useLimit: optional(quantity),
  oncePerCustomer: flag,
});

/** Undefined when a required field is missing. */
function couponFromNode(
  discountGid: string,
  discount: CodeDiscount,
  redeem: RedeemCode,
): StoreCoupon | undefined {
  const read = readPayload(couponFields, {
    code: redeem.code,
    codeId: idFromGid(redeem.id, 'DiscountRedeemCode'),
    discountId: idFromGid(discountGid, 'DiscountCodeNode'),
    status: discount.status,
    createdAt: discount.createdAt,
    startsAt: discount.startsAt,
    endsAt: discount.endsAt,
    updatedAt: discount.updatedAt,
    timesUsed: redeem.asyncUsageCount,
    // The limit holds for each code of the discount.
    useLimit: discount.usageLimit,
    oncePerCustomer: discount.appliesOncePerCustomer,
  });
  const audience = couponAudience(discount.context);
  const worth = kindAndValue(discount);
  if (read.kind !== 'read' || !audience || !worth) return undefined;
  const { value: fields } = read;
  return {
    ...fields,
    status: fields.status.toLowerCase(),
    endsAt: fields.endsAt ?? undefined,
    useLimit: fields.useLimit ?? undefined,
    ...worth,
    audience,
    madeByConnector: discount.tags.includes(REWARD_TAG),
  };
}

interface Worth {
  readonly kind: CouponKind;
  readonly value: Amount | undefined;
}

/** Undefined for a value that cannot be read: it must not become 0. */
function kindAndValue(discount: CodeDiscount): Worth | undefined {
  switch (discount.__typename) {
    case 'DiscountCodeBasic':
      return basicValue(discount.customerGets.value);
    case 'DiscountCodeBxgy':
      return { kind: 'buy-x-get-y', value: undefined };
    case 'DiscountCodeFreeShipping':
      return { kind: 'free-shipping', value: undefined };
    case 'DiscountCodeApp':
      return { kind: 'app', value: undefined };
  }
}

type BasicValue = Extract<
  CodeDiscount,
  { __typename: 'DiscountCodeBasic' }
>['customerGets']['value'];

function basicValue(value: BasicValue): Worth | undefined {
  switch (value.__typename) {
    case 'DiscountPercentage':
      return ifKnown('percentage', readPercentage(value.percentage));
    case 'DiscountAmount':
      return ifKnown('fixed-amount', readAmount(value.amount.amount));
    case 'DiscountOnQuantity':
      return { kind: 'buy-x-get-y', value: undefined };
  }
}

function ifKnown(kind: CouponKind, value: Amount | undefined): Worth | undefined {
  return value === undefined ? undefined : { kind, value };
}

/**
 * Markets count as a segment: their customers cannot be listed. So does any context that a later API
 * version adds, since it surely is not everyone.
 */
function couponAudience(context: CodeDiscount['context']): StoreCoupon['audience'] | undefined {
  switch (context.__typename) {
    case 'DiscountBuyerSelectionAll':
      return { kind: 'everyone' };
    case 'DiscountCustomers': {
      const customers = context.customers
        .map(readCustomer)
        .filter((customer) => customer !== undefined);
      if (customers.length < context.customers.length) return undefined;
      return { kind: 'customers', customers };
    }
    default:
      return { kind: 'segment' };
  }
}

const customerFields = v.object({ id, createdAt: moment });

/** Undefined when a required field is missing. */
function readCustomer(customer: Omit<CustomerNode, 'metafields'>): StoreCustomer | undefined {
  const read = readPayload(customerFields, {
    id: idFromGid(customer.id, 'Customer'),
    createdAt: customer.createdAt,
  });
  if (read.kind !== 'read') return undefined;
  const { firstName, lastName, defaultEmailAddress, defaultPhoneNumber, defaultAddress } = customer;
  const name = [firstName, lastName]
    .map(filled)
    .filter((part) => part !== undefined)
    .join(' ');
  return {
    id: read.value.id,
    name: filled(name) ?? filled(defaultAddress?.name),
    email: filled(defaultEmailAddress?.emailAddress),
    phone: filled(defaultPhoneNumber?.phoneNumber) ?? filled(defaultAddress?.phone),
    createdAt: read.value.createdAt,
  };
}

function filled(text: string | null | undefined): string | undefined {
  return text?.trim() || undefined;
}
