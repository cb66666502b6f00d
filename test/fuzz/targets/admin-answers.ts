import { questionsOf } from '../../../shared/shopify/admin/admin-store.ts';
import { readAnswer, readBody } from '../../../shared/shopify/admin/client/admin-answer.ts';
import { type Ask, createThrottle } from '../../../shared/shopify/admin/client/admin-client.ts';
import { writeBalances } from '../../../shared/shopify/admin/write-balances.ts';
import { discountNode, redeemCode } from '../../fixtures/discount-node.ts';
import { orderNode } from '../../fixtures/order-node.ts';
import { simpleOrder } from '../../fixtures/order-spec.ts';
import { productEventAt } from '../../support/product-payload.ts';
import { chance, expectLaw, type FuzzTarget, pick } from '../fuzz-target.ts';
import { HOSTILE_TEXTS, makeBody, toTree } from '../make-body.ts';
import { SHOP } from '../valid-webhooks.ts';

const order = resolve(orderNode({ ...simpleOrder, tipCents: 300 }));
const discount = resolve(discountNode({}, [redeemCode(), redeemCode({ code: 'B2' })]));
const { data } = productEventAt(0) as { readonly data: { readonly product: object } };
const { product } = data;
const page = (...nodes: readonly unknown[]) => ({
  nodes,
  pageInfo: { hasNextPage: false, endCursor: 'x' },
});
const cost = {
  requestedQueryCost: 10,
  throttleStatus: { maximumAvailable: 2_000, currentlyAvailable: 1_990, restoreRate: 100 },
};
const { codeDiscount } = discount as { codeDiscount: object };

const rollouts = page({
  ...{ name: 'Launch', effectiveTrafficAllocation: 100, startedAt: '2026-10-01T00:00:00Z' },
  schedule: { concludeAt: null },
  treatments: [
    {
      split: 100,
      changes: page({
        __typename: 'RolloutDiscountExpireChange',
        discount: { id: 'gid://shopify/DiscountNode/1688847450345' },
      }),
    },
  ],
});

const ANSWERS: Readonly<Record<string, object>> = {
  readOrder: { order },
  readProduct: { product },
  readCoupon: { codeDiscountNodeByCode: discount, rollouts },
  readDiscount: { code: discount, automatic: null },
  changedOrders: { orders: page(order, order) },
  changedProducts: { products: page(product, product) },
  changedDiscounts: {
    discountNodes: page({ id: 'gid://shopify/DiscountNode/1', discount: codeDiscount }),
  },
  findAbsent: { nodes: [{ id: 'gid://shopify/Order/1' }, null] },
  seesAllOrders: { currentAppInstallation: { accessScopes: [{ handle: 'read_all_orders' }] } },
  writeBalances: { metafieldsSet: { metafields: [], userErrors: [] } },
  refusedBalances: {
    metafieldsSet: { userErrors: [{ field: ['metafields', '0', 'ownerId'], code: 'INVALID' }] },
  },
};

const SPAN = { from: 0, until: Date.parse('2026-10-09T12:00:00Z') };

/** Any answer of the Admin API to every query of the connector. */
export function createTarget(): FuzzTarget {
  const valid = Object.entries(ANSWERS).map(([question, data]) => ({
    question,
    body: toTree({ data, extensions: { cost } }),
  }));
  return {
    make(random) {
      const { question, body } = pick(random, valid);
      const asked = chance(random, 0.95) ? question : pick(random, valid).question;
      const status = chance(random, 0.95)
        ? '200'
        : pick(random, ['302', '402', '429', '503', '999']);
      const retryAfter = chance(random, 0.9) ? '2.0' : pick(random, HOSTILE_TEXTS);
      return { body: makeBody(body, random), parts: { question: asked, status, retryAfter } };
    },
    async run({ body, parts: { question = '', status, retryAfter } }) {
      const given = readBody(Buffer.from(body).toString('utf8')) ?? {};
      const ask: Ask = async ({ name, kind }) => {
        const throttle = createThrottle();
        throttle.note(name, given.extensions?.cost, 0);
        expectLaw(throttle.take(name, 0) >= 0, 'a wait is a time');
        return readAnswer({ status: Number(status), retryAfter }, given, kind);
      };
      const answer = await put(question, ask);
      expectLaw(JSON.stringify(answer) !== undefined, 'an answer is plain data');
      return answer.kind;
    },
  };
}

async function put(question: string, ask: Ask): Promise<{ readonly kind: string }> {
  const store = questionsOf(
    () => ask,
    () => ({}),
  );
  switch (question) {
    case 'readOrder':
      return store.readOrder(SHOP, '5512345678901');
    case 'readProduct':
      return store.readProduct(SHOP, '8012345678901');
    case 'readCoupon':
      return store.readCoupon(SHOP, 'AUTUMN10');
    case 'readDiscount':
      return store.readDiscount(SHOP, '1688847450345', undefined);
    case 'changedOrders':
      return store.changedOrders(SHOP, SPAN, undefined);
    case 'changedProducts':
      return store.changedProducts(SHOP, SPAN, undefined);
    case 'changedDiscounts':
      return store.changedDiscounts(SHOP, SPAN, undefined);
    case 'findAbsent':
      return store.findAbsent(SHOP, 'order', ['1', '2']);
    case 'seesAllOrders':
      return store.seesAllOrders(SHOP);
    default: {
      const change = { customerId: '1', points: '1', cashback: '1', tier: null };
      const [written] = await writeBalances(ask, 'loyalty', [change]);
      return written ?? { kind: 'nothing' };
    }
  }
}

/** The fixtures' lists are functions of a page; this is the first page. */
function resolve(value: unknown): unknown {
  if (typeof value === 'function') return resolve(value({ first: 50 }));
  if (Array.isArray(value)) return value.map(resolve);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, resolve(member)]));
}
