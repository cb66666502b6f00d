import { completeHealing } from '../../shared/config/connector-settings.ts';
import {
  wantedEvents,
  wantedSubscriptions,
} from '../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import {
  type ProductNode,
  productFromNode,
} from '../../shared/shopify/webhooks/read-product-webhook.ts';
import { seededRandom } from '../sandbox-kit/seeded-random.ts';
import { Tables } from '../sandbox-kit/tables.ts';
import { eventsFor } from '../store-sandbox/delivery/events.ts';
import { pickFields } from '../store-sandbox/delivery/sender.ts';
import { openSubscriptions } from '../store-sandbox/delivery/subscriptions.ts';
import { AdminApi } from '../store-sandbox/graphql/admin-api.ts';
import { type ActionName, act } from '../store-sandbox/model/actions.ts';
import { createIds } from '../store-sandbox/model/ids.ts';
import { openRows } from '../store-sandbox/model/rows.ts';
import type { Announcement, World } from '../store-sandbox/model/world.ts';
import { buildPayload } from '../store-sandbox/payloads/build-payload.ts';
import { defaultServerSettings, defaultShop } from '../store-sandbox/settings.ts';
import { type Delivery, type openConnector, SHOP } from './in-process-connector.ts';

const URI = 'https://hooks.example.com/shop';
const [subscription] = wantedEvents(URI, completeHealing({ productChanges: 'events' }));
const fieldsOf = new Map(wantedSubscriptions(URI).map((one) => [one.topic, one.includeFields]));

/** The store sandbox without a server, on the clock of a connector that reads the same products. */
export function openProductStore({ clock, store }: ReturnType<typeof openConnector>) {
  const tables = new Tables();
  const rows = openRows(tables);
  const world: World = {
    rows,
    shop: { ...defaultShop, domain: SHOP },
    ids: createIds(rows.counters, 'usual'),
    random: seededRandom(1),
    now: () => new Date(clock.ms),
  };
  const api = new AdminApi({
    world,
    subscriptions: openSubscriptions(tables),
    settings: defaultServerSettings,
    perform: () => ({ kind: 'refused', why: 'this store is changed by its test only' }),
    save: () => {},
  });

  function webhookOf(announcement: Announcement): Delivery {
    const { topic } = announcement;
    const body = JSON.stringify(buildPayload(world, announcement));
    return { topic, payload: pickFields(body, fieldsOf.get(topic) ?? []) };
  }

  function eventsOf(announcement: Announcement): Delivery[] {
    if (!subscription) throw new Error('there are no Events');
    const sent = eventsFor(subscription, announcement, (query, variables) =>
      api.run(query, variables),
    );
    return sent.map(({ topic, event, body }) => ({
      topic: `${topic}/${event?.action}`,
      payload: body,
    }));
  }

  /** So that the connector reads what its own document would give. */
  function show(id: string): void {
    const productId = `gid://shopify/Product/${id}`;
    const { data } = api.run(subscription?.query ?? '', { productId });
    const { product: node } = data as { product: ProductNode | null };
    const product = node ? productFromNode(node) : undefined;
    if (product) store.putProduct(SHOP, product);
    else store.remove(SHOP, 'product', id);
  }

  return {
    rows,
    /** What the store sends about products by either way. Read it before the next change. */
    change(
      action: ActionName,
      input: object,
    ): { readonly webhooks: Delivery[]; readonly events: Delivery[] } {
      const outcome = act(world, action, input);
      const about = outcome.kind === 'done' ? outcome.announcements.filter(productIn) : [];
      for (const one of about) show(productIn(one) ?? '');
      return {
        get webhooks() {
          return about.map(webhookOf);
        },
        get events() {
          return about.flatMap(eventsOf);
        },
      };
    },
  };
}

function productIn(announcement: Announcement): string | undefined {
  switch (announcement.topic) {
    case 'products/create':
    case 'products/update':
      return announcement.product.id;
    case 'products/delete':
      return announcement.id;
    default:
      return undefined;
  }
}
