import type { Subscriptions } from '../delivery/subscriptions.ts';
import type { ActionInput, ActionName, ActionValue } from '../model/actions.ts';
import type { OrderRow } from '../model/rows.ts';
import type { Refused, World } from '../model/world.ts';
import type { ServerSettings } from '../settings.ts';

/** What one GraphQL request can use. */
export interface GraphContext {
  readonly world: World;
  readonly scopes: ReadonlySet<string>;
  readonly app: Pick<ServerSettings, 'developerType'>;
  readonly subscriptions: Subscriptions;
  /** How many objects were returned so far. */
  readonly tally: { objects: number };
  readonly perform: <Name extends ActionName>(
    name: Name,
    input: ActionInput<Name>,
  ) => { readonly kind: 'done'; readonly value: ActionValue<Name> } | Refused;
}

/** A value of the schema by field name. Fields with arguments, or costly ones, are functions. */
export type View = Readonly<Record<string, unknown>>;

const sixtyDaysMs = 60 * 86_400_000;

/** Without `read_all_orders` an app sees the orders of the last sixty days (Shopify, "Order"). */
export function isVisible({ world, scopes }: GraphContext, { createdAt }: OrderRow): boolean {
  if (scopes.has('read_all_orders')) return true;
  return Date.parse(createdAt) > world.now().getTime() - sixtyDaysMs;
}
