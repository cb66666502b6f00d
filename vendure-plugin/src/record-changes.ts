import { randomUUID } from 'node:crypto';
import {
  CollectionModificationEvent,
  CustomerEvent,
  type EventBus,
  FulfillmentStateTransitionEvent,
  HistoryEntryEvent,
  type ID,
  Logger,
  type Order,
  OrderEvent,
  OrderLineEvent,
  OrderPlacedEvent,
  OrderStateTransitionEvent,
  PaymentStateTransitionEvent,
  ProductChannelEvent,
  ProductEvent,
  type ProductVariant,
  ProductVariantChannelEvent,
  ProductVariantEvent,
  ProductVariantPriceEvent,
  PromotionEvent,
  RefundEvent,
  RefundStateTransitionEvent,
  type RequestContext,
  type TransactionalConnection,
  type VendureEvent,
} from '@vendure/core';
import type { EntityManager, QueryRunner } from 'typeorm';
import {
  type Change,
  type EntityKind,
  explainOutbox,
  LoyaltyOutbox,
  type PartKind,
} from './outbox.ts';

type EventClass = abstract new (
  ...given: never[]
) => VendureEvent & { readonly ctx: RequestContext };

interface Found {
  readonly kind: EntityKind | PartKind;
  readonly ids: readonly ID[];
  readonly change?: Change;
}

const NAME = 'LoyaltyConnector';
/** What the connector reads as an id. */
const ID_TEXT = /^[\w:.-]{1,64}$/;
/** A collection may hold all products: the request must not wait for so many rows. */
const MOST_VARIANTS = 1_000;
/** Of a customer who registers or changes the e-mail address, Vendure publishes no event but that of the history. */
const HISTORY: readonly string[] = ['CUSTOMER_REGISTERED', 'CUSTOMER_EMAIL_UPDATE_VERIFIED'];

/** Reads no defaults back: for many rows, SQLite refuses such a question. */
const insertion = (manager: EntityManager, rows: readonly Partial<LoyaltyOutbox>[]) =>
  manager
    .createQueryBuilder(LoyaltyOutbox, 'row')
    .insert()
    .values([...rows])
    .updateEntity(false);

/**
 * Writes a row for each change, in the transaction of the change: both are stored, or neither. A handler that fails is
 * logged and never fails the merchant's request.
 */
export function recordChanges(eventBus: EventBus, connection: TransactionalConnection): void {
  const { rawConnection } = connection;
  const losesTransaction = ['postgres', 'aurora-postgres', 'cockroachdb'].includes(
    rawConnection.options.type,
  );
  /** One row for an entity in one transaction: the connector reads it as it is after all of them. */
  const written = new WeakMap<QueryRunner, Set<string>>();
  const forget = ({ queryRunner }: { readonly queryRunner: QueryRunner }) =>
    void written.delete(queryRunner);
  rawConnection.subscribers.push({
    afterTransactionCommit: forget,
    afterTransactionRollback: forget,
  });

  async function write(
    ctx: RequestContext,
    { kind, ids, change = 'changed' }: Found,
  ): Promise<void> {
    const repository = connection.getRepository(ctx, LoyaltyOutbox);
    const { queryRunner } = repository.manager;
    const transaction = queryRunner?.isTransactionActive ? queryRunner : undefined;
    // Without a transaction, each change is stored, and may be sent, at once.
    const known = (transaction && written.get(transaction)) ?? new Set<string>();
    if (transaction) written.set(transaction, known);
    const now = Date.now();
    // The variants of a deleted product are deleted after it.
    const isKnown = (id: string) =>
      known.has(`${kind}/${id}/${change}`) || known.has(`${kind}/${id}/deleted`);
    const rows = [...new Set(ids.map(String))]
      .filter((id) => ID_TEXT.test(id) && !isKnown(id))
      .map((entityId) => ({
        ...{ id: randomUUID(), kind, entityId, change },
        ...{ at: now, attempts: 0, nextAt: now, givenUp: false },
      }));
    if (rows.length === 0) return;
    // Before the insert: events of one transaction may be published side by side.
    for (const { entityId } of rows) known.add(`${kind}/${entityId}/${change}`);
    try {
      if (transaction && losesTransaction) await insertOrLeave(transaction, rows);
      else await insertion(repository.manager, rows).execute();
    } catch (error) {
      for (const { entityId } of rows) known.delete(`${kind}/${entityId}/${change}`);
      throw error;
    }
  }

  /**
   * Postgres aborts the transaction of a statement that fails, unless there is a savepoint. It is set and released in
   * one message with the insert: so no other statement of the request comes between, which going back would undo.
   */
  async function insertOrLeave(
    transaction: QueryRunner,
    rows: readonly Partial<LoyaltyOutbox>[],
  ): Promise<void> {
    const [insert, values] = insertion(transaction.manager, rows).getQueryAndParameters();
    // Several statements in one message have no parameters. All values are ours, or were compared with ID_TEXT.
    const statement = insert.replace(/\$(\d+)/g, (_, place) => {
      const value: unknown = values[Number(place) - 1];
      return typeof value === 'string' ? `'${value}'` : String(value);
    });
    try {
      await transaction.query(
        `SAVEPOINT loyalty_outbox; ${statement}; RELEASE SAVEPOINT loyalty_outbox`,
      );
    } catch (error) {
      await transaction.query('ROLLBACK TO SAVEPOINT loyalty_outbox');
      throw error;
    }
  }

  function on<Event extends EventClass>(
    event: Event,
    find: (event: InstanceType<Event>) => Found | undefined,
  ): void {
    eventBus.registerBlockingEventHandler({
      event: event as never,
      id: `loyalty-connector-${event.name}`,
      handler: async (happened: InstanceType<Event>) => {
        try {
          const found = find(happened);
          if (found) await write(happened.ctx, found);
        } catch (error) {
          // MySQL has rolled the transaction back: what is left of the request must not be stored without the rest.
          if ((error as { readonly code?: unknown }).code === 'ER_LOCK_DEADLOCK') throw error;
          const why = explainOutbox(error);
          Logger.error(
            `${event.name} was not recorded; the next comparison finds it: ${why}`,
            NAME,
          );
        }
      },
    });
  }

  /** A cart is nothing yet. A seller's part stands for the customer's order. */
  const placed = ({ orderPlacedAt, aggregateOrderId, id }: Order): Found | undefined =>
    orderPlacedAt ? { kind: 'order', ids: [aggregateOrderId ?? id] } : undefined;

  on(OrderPlacedEvent, ({ order }) => ({ kind: 'order', ids: [order.id] }));
  on(OrderStateTransitionEvent, ({ order }) => placed(order));
  on(PaymentStateTransitionEvent, ({ order }) => placed(order));
  on(RefundEvent, ({ order }) => placed(order));
  on(RefundStateTransitionEvent, ({ order }) => placed(order));
  on(OrderEvent, ({ order }) => placed(order));
  on(OrderLineEvent, ({ order }) => placed(order));
  // The second of two parcels moves the state of no order.
  on(FulfillmentStateTransitionEvent, ({ fulfillment: { lines = [] } }) => ({
    kind: 'orderLine',
    ids: lines.map(({ orderLineId }) => orderLineId),
  }));

  const whole = (
    kind: EntityKind,
    { entity, type }: CustomerEvent | ProductEvent | PromotionEvent,
  ) => ({ kind, ids: [entity.id], change: type === 'deleted' ? 'deleted' : 'changed' }) as const;

  on(CustomerEvent, (event) => whole('customer', event));
  on(HistoryEntryEvent, ({ entity, historyType }) => {
    if (historyType !== 'customer' || !HISTORY.includes(entity.type)) return undefined;
    const { customer } = entity as typeof entity & { readonly customer: { readonly id: ID } };
    return { kind: 'customer', ids: [customer.id] };
  });

  on(ProductEvent, (event) => whole('product', event));
  // Where the connector's own channel still has it, it reads the product all the same.
  on(ProductChannelEvent, ({ product, type }) => ({
    kind: 'product',
    ids: [product.id],
    change: type === 'removed' ? 'deleted' : 'changed',
  }));
  const products = (variants: readonly (ProductVariant | undefined)[]): Found => ({
    kind: 'product',
    ids: variants.flatMap((variant) => variant?.productId ?? []),
  });
  on(ProductVariantEvent, ({ entity }) => products(entity));
  on(ProductVariantPriceEvent, ({ entity }) => products(entity.map(({ variant }) => variant)));
  on(ProductVariantChannelEvent, ({ productVariant }) => products([productVariant]));
  // A collection is a category.
  on(CollectionModificationEvent, ({ productVariantIds: ids }) =>
    ids.length > MOST_VARIANTS ? undefined : { kind: 'variant', ids },
  );

  on(PromotionEvent, (event) => whole('promotion', event));
}
