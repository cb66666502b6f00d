import { queueFamilyOf, type StoreQueueFamily } from '../../../shared/core/events/event.ts';
import { routeOf } from '../../../shared/shopify/webhooks/topics.ts';
import { storeOrder, storeProduct } from '../../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../../support/in-process-connector.ts';
import { expectLaw, type FuzzTarget, pick } from '../fuzz-target.ts';
import { makeBody } from '../make-body.ts';
import { validWebhooks } from '../valid-webhooks.ts';

/** A connector keeps state, so it is replaced after this number of inputs. */
const INPUTS_PER_CONNECTOR = 50;

/** From the queue to the loyalty service: reading, mapping, planning, calling, recording, parking. */
export function createTarget(): FuzzTarget {
  let connector = open();
  let runs = 0;

  async function work(family: StoreQueueFamily) {
    const { left } = await connector.work(family);
    return left;
  }

  return {
    make(random) {
      const { topic, body } = pick(random, validWebhooks);
      return { body: makeBody(body, random), parts: { topic } };
    },
    async run({ body, parts: { topic = '' } }) {
      runs += 1;
      if (runs % INPUTS_PER_CONNECTOR === 0) connector = open();
      const route = routeOf(topic);
      if (!route) return 'no topic';
      const payload = Buffer.from(body).toString('utf8');
      await connector.deliver({ topic, payload });
      const left = await work(queueFamilyOf(route.kind));
      const broken = connector.telemetry.logged.filter(({ message }) => /broke off/.test(message));
      const [first] = broken;
      if (first) connector = open();
      expectLaw(!first, `no work breaks off: ${first?.fields.error} ${first?.fields.stack}`);
      const letters = connector.dead.receive({ max: 1_000, visibilitySeconds: 600 });
      for (const { receiptHandle } of letters) connector.dead.delete(receiptHandle);
      connector.telemetry.logged.length = 0;
      connector.telemetry.counted.length = 0;
      if (letters.length > 0) return 'parked';
      return left > 0 ? 'waits' : 'settled';
    },
  };
}

function open() {
  const connector = openConnector();
  connector.store.putOrder(SHOP, storeOrder());
  connector.store.putProduct(SHOP, storeProduct());
  return connector;
}
