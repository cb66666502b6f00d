import { readShopifyEvent } from '../../../shared/shopify/webhooks/read-event.ts';
import { identifyEntity, routeOf } from '../../../shared/shopify/webhooks/topics.ts';
import { chance, expectLaw, type FuzzTarget, pick } from '../fuzz-target.ts';
import { makeBody } from '../make-body.ts';
import { SHOP, validWebhooks } from '../valid-webhooks.ts';

/** Every reader of webhooks: orders, products, discounts, deletions, references, compliance. */
export function createTarget(): FuzzTarget {
  const read = readShopifyEvent;
  return {
    make(random) {
      const { topic, body } = pick(random, validWebhooks);
      // An attacker can send a captured body with another topic.
      const other = chance(random, 0.1) ? pick(random, validWebhooks).topic : topic;
      return { body: makeBody(body, random), parts: { topic: other } };
    },
    async run({ body, parts: { topic = '' } }) {
      const route = routeOf(topic);
      if (!route) return 'no topic';
      const id = identifyEntity(route, body, SHOP);
      expectLaw(id.length <= 64, 'an id is short for any body');
      const reading = read({
        shop: SHOP,
        kind: route.kind,
        id,
        claim: route.claim,
        origin: 'webhook',
        topic,
        deliveryId: 'b54557e4',
        receivedAt: '2026-10-09T12:00:00.000Z',
        body,
      });
      if (reading.kind === 'unreadable') {
        expectLaw(reading.why.length < 2_000, 'a reason is short');
        expectLaw(!/[\r\n]/.test(reading.why), 'a reason is one line');
      }
      if (reading.kind === 'snapshot') {
        expectLaw(Number.isSafeInteger(reading.version), 'a version is a moment');
      }
      return reading.kind;
    },
  };
}
