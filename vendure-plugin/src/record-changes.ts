import { randomUUID } from 'node:crypto';
import {
  Customer,
  CustomerEvent,
  type EventBus,
  FulfillmentEvent,
  IdentifierChangeEvent,
  Logger,
  type Order,
  OrderEvent,
  OrderLineEvent,
  OrderPlacedEvent,
  OrderStateTransitionEvent,
  PaymentStateTransitionEvent,
  ProductEvent,
  ProductVariantEvent,
  ProductVariantPriceEvent,
  PromotionEvent,
  RefundEvent,
  RefundStateTransitionEvent,
  type RequestContext,
  type TransactionalConnection,
  type VendureEvent,
} from '@vendure/core';
import { type Change, type EntityKind, LoyaltyOutbox } from './outbox.ts';

type EventClass = abstract new (
  ...given: never[]
) => VendureEvent & { readonly ctx: RequestContext };

interface Found {
  readonly kind: EntityKind;
  readonly ids: readonly (string | number)[];
  readonly change?: Change;
}

const NAME = 'LoyaltyConnector';

/**
 * Writes a row for each change, in the transaction of the change: both are stored, or neither. A handler that fails is
 * logged and never fails the merchant's request.
 */
export function recordChanges(
  eventBus: EventBus,
  connection: TransactionalConnection,
  channel: string | undefined,
): void {
  /** One row for an entity in one transaction: the connector reads it as it is after all of them. */
  const written = new WeakMap<RequestContext, Set<string>>();

  async function write(
    ctx: RequestContext,
    { kind, ids, change = 'changed' }: Found,
  ): Promise<void> {
    const { manager } = connection.getRepository(ctx, LoyaltyOutbox);
    // A script may use one context for many changes, each of which is stored, and sent, at once.
    if (!manager.queryRunner?.isTransactionActive) written.delete(ctx);
    const known = written.get(ctx) ?? new Set<string>();
    written.set(ctx, known);
    for (const id of ids) {
      const name = `${kind}/${id}/${change}`;
      // The variants of a deleted product are deleted after it.
      if (known.has(name) || known.has(`${kind}/${id}/deleted`)) continue;
      const now = Date.now();
      const row = { id: randomUUID(), kind, entityId: String(id), change, at: now, nextAt: now };
      await connection
        .getRepository(ctx, LoyaltyOutbox)
        .insert({ ...row, attempts: 0, givenUp: false });
      known.add(name);
    }
  }

  function on<Event extends EventClass>(
    event: Event,
    find: (event: InstanceType<Event>) => Found | undefined | Promise<Found | undefined>,
  ): void {
    eventBus.registerBlockingEventHandler({
      event: event as never,
      id: `loyalty-connector-${event.name}`,
      handler: async (happened: InstanceType<Event>) => {
        try {
          const { ctx } = happened;
          const isOurs = !channel || ctx.channel.code === channel || ctx.channel.code === DEFAULT;
          const found = isOurs ? await find(happened) : undefined;
          if (found) await write(ctx, found);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          Logger.error(
            `${event.name} was not recorded; the next comparison finds it: ${why}`,
            NAME,
          );
        }
      },
    });
  }

  /** A cart is nothing yet. */
  const placed = (order: Order): Found | undefined =>
    order.orderPlacedAt ? { kind: 'order', ids: [order.id] } : undefined;

  on(OrderPlacedEvent, ({ order }) => ({ kind: 'order', ids: [order.id] }));
  on(OrderStateTransitionEvent, ({ order }) => placed(order));
  on(PaymentStateTransitionEvent, ({ order }) => placed(order));
  on(RefundEvent, ({ order }) => placed(order));
  on(RefundStateTransitionEvent, ({ order }) => placed(order));
  on(FulfillmentEvent, ({ entity }) => ({
    kind: 'order',
    ids: (entity.orders ?? []).map(({ id }) => id),
  }));
  on(OrderEvent, ({ order }) => placed(order));
  on(OrderLineEvent, ({ order }) => placed(order));

  on(CustomerEvent, ({ entity, type }) => ({
    kind: 'customer',
    ids: [entity.id],
    change: type === 'deleted' ? 'deleted' : 'changed',
  }));
  // A customer's own change of the e-mail address publishes nothing of the customer.
  on(IdentifierChangeEvent, async ({ ctx, user }) => {
    const customer = await connection
      .getRepository(ctx, Customer)
      .findOne({ where: { user: { id: user.id } } });
    return customer ? { kind: 'customer', ids: [customer.id] } : undefined;
  });

  on(ProductEvent, ({ entity, type }) => ({
    kind: 'product',
    ids: [entity.id],
    change: type === 'deleted' ? 'deleted' : 'changed',
  }));
  const products = (variants: readonly { readonly productId: string | number }[]): Found => ({
    kind: 'product',
    ids: [...new Set(variants.map(({ productId }) => productId).filter(Boolean))],
  });
  on(ProductVariantEvent, ({ entity }) => products(entity));
  on(ProductVariantPriceEvent, ({ entity }) =>
    products(entity.flatMap(({ variant }) => (variant ? [variant] : []))),
  );

  on(PromotionEvent, ({ entity, type }) => ({
    kind: 'promotion',
    ids: [entity.id],
    change: type === 'deleted' ? 'deleted' : 'changed',
  }));
}

const DEFAULT = '__default_channel__';
