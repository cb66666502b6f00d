import { Tables } from '../../local/sandbox-kit/tables.ts';
import { openSubscriptions } from '../../local/store-sandbox/delivery/subscriptions.ts';
import type { GraphContext } from '../../local/store-sandbox/graphql/graph-context.ts';
import { queryRoot } from '../../local/store-sandbox/graphql/query-root.ts';
import type { OrderRow } from '../../local/store-sandbox/model/rows.ts';
import type { World } from '../../local/store-sandbox/model/world.ts';
import { defaultServerSettings } from '../../local/store-sandbox/settings.ts';
import type { Shop } from '../../shared/config/connector-config.ts';
import type { OrderQuestion } from '../../shared/core/store/store.ts';
import { questionsOf } from '../../shared/shopify/admin/admin-store.ts';
import { enrichmentOf } from '../../shared/shopify/admin/open-store.ts';
import type { StoreOrder } from '../../shared/store/store-entities.ts';
import { askIn } from './admin-execution.ts';

/** The sandbox's Admin API without a server and without limits. */
export function openGraphContext(
  world: World,
  scopes: readonly string[] = defaultServerSettings.scopes,
): GraphContext {
  return {
    world,
    scopes: new Set(scopes),
    app: defaultServerSettings,
    subscriptions: openSubscriptions(new Tables()),
    tally: { objects: 0 },
    perform: () => ({ kind: 'refused', why: '' }),
  };
}

/**
 * An order in one of its states, as the connector with these rules reads it from the Admin API: its own queries on
 * Shopify's schema. A webhook does not say everything.
 */
export async function readOrderRow(
  world: World,
  order: OrderRow,
  rules: Shop['rules'],
  question: OrderQuestion = {},
): Promise<StoreOrder> {
  const { rows } = world;
  const orders = { ...rows.orders, get: () => order, values: () => [order].values() };
  const root = queryRoot(openGraphContext({ ...world, rows: { ...rows, orders } }));
  const questions = questionsOf(
    () => askIn(root),
    () => enrichmentOf(rules),
  );
  const answer = await questions.readOrder(world.shop.domain, order.id, question);
  if (answer.kind !== 'found') throw new Error(`the store says ${JSON.stringify(answer)}`);
  return answer.value;
}
