import { createHmac } from 'node:crypto';
import { SECRET, SHOP } from '../../support/served-storefront.ts';
import { chance, expectLaw, type FuzzTarget, pick } from '../fuzz-target.ts';
import { openFuzzedStorefront } from '../fuzzed-storefront.ts';
import { HOSTILE_TEXTS, makeBody, toTree } from '../make-body.ts';

const CUSTOMER = '7001';
const MOST = 500;
const RUN = toTree({
  shop_id: '1',
  shopify_domain: SHOP,
  action_run_id: 'run-0001',
  handle: 'loyalty-give-points',
  properties: { customer_id: CUSTOMER, points: 400, reason: 'Birthday' },
});

/** Runs of the action of Shopify Flow: a workflow of the store chooses its properties, and Shopify signs them. */
export function createTarget(): FuzzTarget {
  const flow = { mostPointsPerRun: MOST, mostPointsPerDay: MOST };
  const storefront = openFuzzedStorefront({ flow });
  return {
    make: (random) => ({
      body: makeBody(RUN, random),
      parts: { query: chance(random, 0.95) ? '' : `x=${pick(random, HOSTILE_TEXTS)}` },
    }),
    async run({ body, parts: { query = '' } }) {
      const shop = storefront.next();
      shop.parts.hasCustomer = async (id) => id === CUSTOMER;
      await shop.enroll(CUSTOMER);
      // As it is sent: what is no UTF-8 is not signed either.
      const text = Buffer.from(body).toString('utf8');
      const signature = createHmac('sha256', SECRET).update(text).digest('base64');
      const headers = { 'x-shopify-hmac-sha256': signature };
      const asking = { method: 'POST', query, headers };
      const { status } = await storefront.ask('flow/give-points', Buffer.from(text), asking);
      for (const call of shop.loyalty.journal) {
        if (call.operation !== 'changePoints') continue;
        const { Points, OperationType } = call.body as Record<string, number>;
        expectLaw(call.path.id === CUSTOMER, 'no run gives to a customer of another shop');
        expectLaw(OperationType === 0 && Number.isInteger(Points), 'a run gives whole points');
        expectLaw((Points ?? 0) > 0 && (Points ?? 0) <= MOST, 'no run gives more than it may');
      }
      return `status ${status}`;
    },
  };
}
