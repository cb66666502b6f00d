import type {
  DiscountPage,
  ScanAnswer,
  ScanPage,
  Span,
  StoreAnswer,
  StoreUnavailable,
} from '../../core/store/store.ts';
import type { PricesRead, ShopperStore } from '../../rewards/redeem/reward-store.ts';
import type { StoreCoupon, StoreMember, StoreProduct } from '../../store/store-entities.ts';
import { idFromGid } from '../entity-id.ts';
import { readCustomerWebhook } from '../webhooks/read-customer-webhook.ts';
import { productFromNode } from '../webhooks/read-product-webhook.ts';
import { failure, ifLikeSchema, unavailable } from './client/admin-answer.ts';
import {
  type AdminClient,
  type AdminClientSettings,
  type Ask,
  createAdminClient,
  type DataOf,
} from './client/admin-client.ts';
import {
  changedMembersDocument,
  changedProductsDocument,
  customerByEmailDocument,
  memberDocument,
  productDocument,
  productPricesDocument,
} from './documents.gen.ts';
import {
  deleteRewardCode,
  findRewardCode,
  makeRewardCode,
  readOrderCodes,
} from './make-reward-code.ts';
import { customerPayload, type Enrichment, metafieldKeys } from './order-as-payload.ts';
import { findAbsent, placeIn, scannedPage, seesAllOrders } from './pages.ts';
import { readCodeUses, readCoupon, readDiscount, scanDiscounts } from './read-discounts.ts';
import { readOrder, scanOrders } from './read-orders.ts';
import { cacheRollouts, describeOverrides, followRollouts, readFollowed } from './rollouts.ts';
import { sendTrigger } from './send-trigger.ts';
import { giveStoreCredit, readCreditShop, readStoreCredits } from './store-credit.ts';
import { writeBalances } from './write-balances.ts';

export interface AdminShop extends Pick<AdminClientSettings, 'secret' | 'sandboxAddress'> {
  readonly enrichment?: Enrichment | undefined;
  /** Writing a balance or a code is a programming error. Subscriptions may still be repaired. */
  readonly readOnly?: boolean;
}

export interface AdminStoreSettings
  extends Pick<AdminClientSettings, 'timeoutMs' | 'reserve' | 'now' | 'sleep' | 'random'> {
  /** Throws for a shop that is not configured. */
  readonly shop: (domain: string) => AdminShop;
}

export interface AdminStore extends ShopperStore {
  /** For queries that are not about an entity, with the same tokens and query cost points. */
  ask(shop: string): Ask;
  /** The same store and tokens, with calls that end when the signal fires. */
  until(signal: AbortSignal): AdminStore;
}

/**
 * The store behind the Admin API. No secret is read before the first query; after it, everything in the
 * process shares tokens, query cost points and connections.
 */
export function createAdminStore(settings: AdminStoreSettings): AdminStore {
  const shops = new Map<string, OpenShop>();

  function clientOf(domain: string) {
    const known = shops.get(domain);
    if (known) return known;
    const { shop: find, ...rest } = settings;
    const shop = find(domain);
    const { secret, sandboxAddress } = shop;
    const client = createAdminClient({ ...rest, shop: domain, secret, sandboxAddress });
    const made = { client, shop, rollouts: cacheRollouts(settings.now ?? Date.now) };
    shops.set(domain, made);
    return made;
  }

  function storeUntil(signal: AbortSignal | undefined): AdminStore {
    const ask = (domain: string) => clientOf(domain).client.until(signal);
    const enrichmentOf = (domain: string) => clientOf(domain).shop.enrichment ?? {};
    const change = (domain: string) => {
      if (clientOf(domain).shop.readOnly) throw new Error('the shop is only observed');
      return ask(domain);
    };
    return {
      ...questionsOf(ask, enrichmentOf, change, (domain) => clientOf(domain).rollouts(ask(domain))),
      balancesIn: (namespace) => ({
        writeBalances: async (domain, changes) => writeBalances(change(domain), namespace, changes),
      }),
      ask,
      until: storeUntil,
    };
  }

  return storeUntil(undefined);
}

interface OpenShop {
  readonly client: AdminClient;
  readonly shop: AdminShop;
  readonly rollouts: ReturnType<typeof cacheRollouts>;
}

type Questions = Omit<AdminStore, 'balancesIn' | 'ask' | 'until'>;

/** The promises never reject because of an answer of the store. */
export function questionsOf(
  ask: (domain: string) => Ask,
  enrichmentOf: (domain: string) => Enrichment,
  change = ask,
  rolloutsOf = (domain: string) => readFollowed(ask(domain)),
): Questions {
  async function followed<Value, Other extends StoreAnswer<never>>(
    domain: string,
    answer: Found<Value> | Other,
    change: (value: Value, follow: Follow) => Value,
  ): Promise<Found<Value> | Other | StoreUnavailable> {
    if (answer.kind !== 'found') return answer;
    const rollouts = await rolloutsOf(domain);
    if (rollouts.kind === 'unavailable') return rollouts;
    const follow: Follow = (coupon) => followRollouts(coupon, rollouts.value);
    return { kind: 'found', value: change(answer.value, follow) };
  }
  return guardQuestions<Questions>({
    readOrder: async (domain, id, evidence = {}) =>
      readOrder(ask(domain), id, enrichmentOf(domain), evidence),
    readProduct: async (domain, id) => readProduct(ask(domain), id),
    readCoupon: async (domain, code) =>
      followed(domain, await readCoupon(ask(domain), code), (coupon, follow) => follow(coupon)),
    readMember: async (domain, id) => readMember(ask(domain), id, enrichmentOf(domain)),
    readDiscount: async (domain, id, from) =>
      followed(domain, await readDiscount(ask(domain), id, from), followAll),
    changedOrders: async (domain, span, after) =>
      scanOrders(ask(domain), span, after, enrichmentOf(domain)),
    changedProducts: async (domain, span, after) => scanProducts(ask(domain), span, after),
    changedMembers: async (domain, span, after) =>
      scanMembers(ask(domain), span, after, enrichmentOf(domain)),
    changedDiscounts: async (domain, span, after) =>
      followed(domain, await scanDiscounts(ask(domain), span, after), (page, follow) => ({
        ...page,
        changed: page.changed.map((one) => ({
          ...one,
          value: one.value && followAll(one.value, follow),
        })),
      })),
    async overriddenDiscounts(domain) {
      const rollouts = await rolloutsOf(domain);
      if (rollouts.kind === 'unavailable') return rollouts;
      return { kind: 'found', value: describeOverrides(rollouts.value) };
    },
    findAbsent: async (domain, kind, ids) => findAbsent(ask(domain), kind, ids),
    seesAllOrders: async (domain) => seesAllOrders(ask(domain)),
    makeCode: async (domain, wanted) => makeRewardCode(change(domain), wanted),
    findCode: async (domain, wanted) => findRewardCode(ask(domain), wanted),
    deleteCode: async (domain, discountId) => deleteRewardCode(change(domain), discountId),
    readPrices: async (domain, productId) => readProductPrices(ask(domain), productId),
    findCustomer: async (domain, email) => findCustomer(ask(domain), email),
    readUses: async (domain, ids) => readCodeUses(ask(domain), ids),
    readOrderCodes: async (domain, id, since) => readOrderCodes(ask(domain), id, since),
    announce: async (domain, announcement) => sendTrigger(change(domain), domain, announcement),
    readCreditShop: async (domain) => readCreditShop(ask(domain)),
    credit: async (domain, wanted) => giveStoreCredit(change(domain), wanted),
    readCredits: async (domain, account) => readStoreCredits(ask(domain), account),
  });
}

type Found<Value> = Extract<StoreAnswer<Value>, { kind: 'found' }>;
type Follow = (coupon: StoreCoupon) => StoreCoupon;

const followAll = (page: DiscountPage, follow: Follow): DiscountPage => ({
  ...page,
  coupons: page.coupons.map(follow),
});

type Question = (...given: never[]) => Promise<unknown>;

/** Turns an answer that differs from the schema into `unavailable`. */
function guardQuestions<Q extends { readonly [Name in keyof Q]: Question }>(questions: Q): Q {
  const guarded = Object.entries<Question>(questions).map(([name, ask]) => [
    name,
    (...given: never[]) =>
      ifLikeSchema(() => ask(...given), unavailable(failure('unreadable-answer'))),
  ]);
  return Object.fromEntries(guarded) as Q;
}

export async function readProduct(ask: Ask, id: string): Promise<StoreAnswer<StoreProduct>> {
  const answer = await ask(productDocument, { id: `gid://shopify/Product/${id}` });
  if (answer.kind !== 'data') return unavailable(answer);
  const { product: node } = answer.data;
  if (!node) return { kind: 'gone' };
  const product = productFromNode(node);
  return product ? { kind: 'found', value: product } : unavailable(failure('unreadable-answer'));
}

async function readProductPrices(ask: Ask, id: string): Promise<PricesRead> {
  const answer = await ask(productPricesDocument, { id: `gid://shopify/Product/${id}` });
  if (answer.kind !== 'data') return unavailable(answer);
  const { product } = answer.data;
  if (product?.status !== 'ACTIVE') return { kind: 'absent' };
  const { minVariantPrice, maxVariantPrice } = product.priceRangeV2;
  return {
    kind: 'read',
    lowest: Number(minVariantPrice.amount),
    highest: Number(maxVariantPrice.amount),
  };
}

async function scanProducts(
  ask: Ask,
  span: Span,
  after: string | undefined,
): Promise<ScanAnswer<ScanPage<StoreProduct>>> {
  const answer = await ask(changedProductsDocument, placeIn(span, after));
  if (answer.kind !== 'data') return unavailable(answer);
  const { products } = answer.data;
  const changed = await Promise.all(
    products.nodes.map(async (node) => ({
      id: idFromGid(node.id, 'Product') ?? '',
      updatedAt: node.updatedAt,
      value: await ifLikeSchema(() => productFromNode(node), undefined),
    })),
  );
  return scannedPage(products, changed, after);
}

async function readMember(
  ask: Ask,
  id: string,
  enrichment: Enrichment,
): Promise<StoreAnswer<StoreMember>> {
  const gid = `gid://shopify/Customer/${id}`;
  const answer = await ask(memberDocument, { id: gid, ...memberFields(enrichment) });
  if (answer.kind !== 'data') return unavailable(answer);
  const { customer: node } = answer.data;
  if (!node) return { kind: 'gone' };
  const value = memberFromNode(node);
  return value ? { kind: 'found', value } : unavailable(failure('unreadable-answer'));
}

async function scanMembers(
  ask: Ask,
  { from = 0, until }: Span,
  after: string | undefined,
  enrichment: Enrichment,
): Promise<ScanAnswer<ScanPage<StoreMember>>> {
  const place = { after: after ?? null, ...memberFields(enrichment) };
  const answer = await ask(changedMembersDocument, place);
  if (answer.kind !== 'data') return unavailable(answer);
  const { nodes, pageInfo } = answer.data.customers;
  const isBefore = ({ updatedAt }: MemberNode) => Date.parse(updatedAt) < from - (from % 1000);
  const within = nodes.filter((node) => !isBefore(node) && Date.parse(node.updatedAt) <= until);
  const changed = await Promise.all(
    within.map(async (node) => ({
      id: idFromGid(node.id, 'Customer') ?? '',
      updatedAt: node.updatedAt,
      value: await ifLikeSchema(() => memberFromNode(node), undefined),
    })),
  );
  const hasNextPage = pageInfo.hasNextPage && !nodes.some(isBefore);
  return scannedPage({ nodes, pageInfo: { ...pageInfo, hasNextPage } }, changed, after);
}

type MemberNode = NonNullable<DataOf<typeof memberDocument>['customer']>;

function memberFields(enrichment: Enrichment) {
  const metafields = metafieldKeys(enrichment, 'customer');
  return { withMetafields: metafields.length > 0, metafields };
}

/** In the shape of a webhook's body, so that one reader reads both. */
function memberFromNode(node: MemberNode): StoreMember | undefined {
  const read = readCustomerWebhook({ ...customerPayload(node), updated_at: node.updatedAt });
  if (read.kind !== 'read') return undefined;
  const owned = (node.metafields?.nodes ?? []).map(
    (one) => ({ owner: 'customer', ...one }) as const,
  );
  return { ...read.member, metafields: owned };
}

/** An address belongs to one customer at most (Shopify, "CustomerIdentifierInput"). */
async function findCustomer(ask: Ask, email: string): Promise<StoreAnswer<string>> {
  const answer = await ask(customerByEmailDocument, { email });
  if (answer.kind !== 'data') return unavailable(answer);
  const id = answer.data.customerByIdentifier?.id.split('/').at(-1);
  return id === undefined ? { kind: 'gone' } : { kind: 'found', value: id };
}
