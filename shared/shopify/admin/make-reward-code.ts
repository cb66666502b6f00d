import type {
  CodeFound,
  CodeMade,
  OrderCodes,
  WantedCode,
} from '../../rewards/redeem/reward-store.ts';
import { decimalOf, minorDigits, round, textOf, times } from '../../store/money.ts';
import { type AdminAnswer, failure, unavailable } from './client/admin-answer.ts';
import type { Ask, DataOf } from './client/admin-client.ts';
import {
  createBasicCodeDocument,
  createShippingCodeDocument,
  deleteCodeDocument,
  orderCodesDocument,
  rewardCodeDocument,
  shopCurrencyDocument,
} from './documents.gen.ts';

/**
 * On every discount that the connector creates for a reward, so that its codes are recognized and not
 * sent back to the loyalty service. A tag, because a merchant sees it, can search for it, and it needs no
 * further scope; the title belongs to the merchant, and a metafield is not visible.
 */
export const REWARD_TAG = 'loyalty-connector-reward';

/**
 * Creates the discount. Where the code is taken, it looks whether an earlier call, whose answer was lost,
 * or another process has created this same discount. A code has at most 255 characters (Shopify,
 * "DiscountCodeBasicInput").
 */
export async function makeRewardCode(ask: Ask, wanted: WantedCode): Promise<CodeMade> {
  const digits = await digitsOf(ask, wanted);
  if (digits.kind !== 'data') return unavailable(digits);
  const exact = inMinorUnits(wanted, digits.data);
  if (exact.kind === 'fixed' && exact.value === 0)
    return { kind: 'refused', code: 'worth-nothing' };
  const created = await create(ask, exact);
  if (created.kind === 'failure') return unavailable(created);
  if (created.kind === 'data') {
    // The id is needed later, to read how often the code was used.
    return created.data === undefined
      ? { kind: 'unavailable', why: 'unreadable-answer' }
      : { kind: 'made', discountId: created.data };
  }
  if (created.errors.some(isTaken)) {
    const found = await findRewardCode(ask, wanted);
    if (found.kind === 'unavailable') return found;
    return found.kind === 'found' ? { ...found, kind: 'made' } : { kind: 'taken' };
  }
  if (created.errors.some(({ code }) => code === 'INTERNAL_ERROR')) {
    return { kind: 'unavailable', why: 'server-error' };
  }
  return { kind: 'refused', code: created.errors[0]?.code ?? 'unnamed' };
}

/** The store refuses digits that its currency does not have. Whole amounts need no question. */
async function digitsOf(
  ask: Ask,
  { kind, value, minimum = 0 }: WantedCode,
): Promise<AdminAnswer<number>> {
  const amounts = [minimum, ...(kind === 'fixed' ? [value] : [])];
  if (amounts.every(Number.isInteger)) return { kind: 'data', data: 0 };
  const answer = await ask(shopCurrencyDocument, {});
  if (answer.kind !== 'data') return answer;
  return { kind: 'data', data: minorDigits(answer.data.shop.currencyCode) };
}

function inMinorUnits(wanted: WantedCode, digits: number): WantedCode {
  const rounded = (amount: number) => Number(textOf(round(decimalOf(amount), digits)));
  const { kind, value, minimum } = wanted;
  return {
    ...wanted,
    ...(kind === 'fixed' && { value: rounded(value) }),
    ...(minimum !== undefined && { minimum: rounded(minimum) }),
  };
}

async function create(ask: Ask, wanted: WantedCode): Promise<AdminAnswer<string | undefined>> {
  if (wanted.kind === 'free-shipping') {
    const discount = { ...commonOf(wanted), destination: { all: true } };
    const answer = await ask(createShippingCodeDocument, { discount });
    if (answer.kind !== 'data') return answer;
    const id = answer.data.discountCodeFreeShippingCreate?.codeDiscountNode?.id;
    return { kind: 'data', data: id };
  }
  const discount = {
    ...commonOf(wanted),
    customerGets: { items: itemsOf(wanted), value: discountValue(wanted) },
  };
  const answer = await ask(createBasicCodeDocument, { discount });
  if (answer.kind !== 'data') return answer;
  return { kind: 'data', data: answer.data.discountCodeBasicCreate?.codeDiscountNode?.id };
}

function commonOf(wanted: WantedCode) {
  const { code, title, customerId, startsAt, endsAt, minimum, combines, kind } = wanted;
  return {
    code,
    title,
    tags: [REWARD_TAG],
    context: { customers: { add: [customerGid(customerId)] } },
    usageLimit: 1,
    appliesOncePerCustomer: true,
    startsAt,
    ...(endsAt !== undefined && { endsAt }),
    ...(minimum !== undefined && {
      minimumRequirement: { subtotal: { greaterThanOrEqualToSubtotal: String(minimum) } },
    }),
    combinesWith: {
      orderDiscounts: combines,
      productDiscounts: combines,
      // Two shipping discounts never combine.
      shippingDiscounts: combines && kind !== 'free-shipping',
    },
  };
}

function itemsOf({ productId }: WantedCode) {
  return productId === undefined
    ? { all: true }
    : { products: { productsToAdd: [`gid://shopify/Product/${productId}`] } };
}

function discountValue({ kind, value }: WantedCode) {
  return kind === 'percent'
    ? // The store expects a fraction.
      { percentage: Number(textOf(times(decimalOf(value), decimalOf('0.01')))) }
    : // Of a product, for one unit: `appliesOnEachItem` would be for all units in the order.
      { discountAmount: { amount: String(value), appliesOnEachItem: false } };
}

/** The tag, the title with the id of the redemption and the one customer identify our own. */
export async function findRewardCode(ask: Ask, wanted: WantedCode): Promise<CodeFound> {
  const answer = await ask(rewardCodeDocument, { code: wanted.code });
  if (answer.kind !== 'data') return unavailable(answer);
  const node = answer.data.codeDiscountNodeByCode;
  if (!node || !('tags' in node.codeDiscount)) return { kind: 'absent' };
  const { tags, title, context } = node.codeDiscount;
  const audience = context.__typename === 'DiscountCustomers' ? context.customers : [];
  const isOwn =
    tags.includes(REWARD_TAG) &&
    title === wanted.title &&
    audience.length === 1 &&
    audience[0]?.id === customerGid(wanted.customerId);
  return isOwn ? { kind: 'found', discountId: node.id } : { kind: 'absent' };
}

export async function deleteRewardCode(ask: Ask, discountId: string) {
  const answer = await ask(deleteCodeDocument, { id: discountId });
  if (answer.kind === 'data') return { kind: 'deleted' } as const;
  // Another process may have deleted it: the caller looks again.
  return answer.kind === 'failure'
    ? unavailable(answer)
    : ({ kind: 'unavailable', why: 'delete-refused' } as const);
}

/** A customer whom the store does not have may be merged into another, who then has the orders. */
export async function readOrderCodes(
  ask: Ask,
  customerId: string,
  since: Date,
): Promise<OrderCodes> {
  const codes: string[] = [];
  const customer = customerGid(customerId);
  for (let after: string | null = null; ; ) {
    const answer: AdminAnswer<OrderCodesData> = await ask(orderCodesDocument, { customer, after });
    if (answer.kind !== 'data') return unavailable(answer);
    const orders: OrdersPage | undefined = answer.data.customer?.orders;
    if (!orders) return { kind: 'unavailable', why: 'customer-gone' };
    const found = orders.nodes.filter(({ createdAt }) => Date.parse(createdAt) >= since.getTime());
    codes.push(...found.flatMap(({ discountCodes }) => discountCodes));
    const { hasNextPage, endCursor }: OrdersPage['pageInfo'] = orders.pageInfo;
    if (!hasNextPage || found.length < orders.nodes.length) return { kind: 'read', codes };
    // Without a new cursor the scan would never end.
    if (endCursor === null || endCursor === after) return unavailable(failure('unreadable-answer'));
    after = endCursor;
  }
}

type OrderCodesData = DataOf<typeof orderCodesDocument>;
type OrdersPage = NonNullable<OrderCodesData['customer']>['orders'];

function isTaken({ field, code }: { readonly field: string; readonly code: string | undefined }) {
  return code === 'TAKEN' && field.endsWith('.code');
}

const customerGid = (id: string): string => `gid://shopify/Customer/${id}`;
