import type { Subscriptions } from '../delivery/subscriptions.ts';
import type { ActionInput, ActionName, ActionValue } from '../model/actions.ts';
import type { OrderRow } from '../model/order-row.ts';
import type { Refused, World } from '../model/world.ts';
import type { BulkOperations } from './bulk-operations.ts';

/** What one GraphQL request may look at and do. */
export interface GraphContext {
  readonly world: World;
  readonly scopes: ReadonlySet<string>;
  readonly subscriptions: Subscriptions;
  readonly bulk: BulkOperations;
  /** What an order has points back at it: through here, so that the files of the views form no circle. */
  readonly viewOrder: (context: GraphContext, order: OrderRow) => View;
  /** A bulk operation reads every connection to its end. */
  readonly unpaged: boolean;
  /** The part of the root connection that is read in one go; given once. */
  readonly roots?: { take(): { readonly start: number; readonly size: number } | undefined };
  /** Objects handed out so far. */
  readonly tally: { objects: number };
  readonly perform: <Name extends ActionName>(
    name: Name,
    input: ActionInput<Name>,
  ) => { readonly kind: 'done'; readonly value: ActionValue<Name> } | Refused;
}

/** A value of the schema: its fields by name, those that take arguments or work as functions. */
export type View = Readonly<Record<string, unknown>>;

const sixtyDaysMs = 60 * 86_400_000;

/** Without `read_all_orders` an app sees the orders of the last sixty days (Shopify, "Order"). */
export function isVisible({ world, scopes }: GraphContext, { createdAt }: OrderRow): boolean {
  if (scopes.has('read_all_orders')) return true;
  return Date.parse(createdAt) > world.now().getTime() - sixtyDaysMs;
}
