import type { ActionInput, ActionName } from '../../local/store-sandbox/model/actions.ts';
import type { OrderRow } from '../../local/store-sandbox/model/rows.ts';
import { buildPayload } from '../../local/store-sandbox/payloads/build-payload.ts';
import { changeControl, inDoubt, wentLive } from '../../shared/core/calls/shop-pause.ts';
import { minorDigits } from '../../shared/store/money.ts';
import { sendEvent } from './change-order.ts';
import { SHOP } from './in-process-connector.ts';
import { openModelShop } from './model-shop.ts';

type ModelSettings = NonNullable<Parameters<typeof openModelShop>[0]>;

/** How much each means paid, in this order; `rest`: all that is left then. */
type PaidBy = Readonly<Record<string, number | 'rest'>>;

interface Sale extends Omit<ActionInput<'placeOrder'>, 'lines' | 'shipping' | 'payment'> {
  readonly lines: readonly ActionInput<'placeOrder'>['lines'][number][];
  readonly shipping?: number;
  /** Default: all by bank card. */
  readonly paidBy?: PaidBy | 'authorized' | 'nothing';
}

interface GoingLive {
  readonly from?: number;
  readonly meets?: boolean;
  readonly other?: Parameters<typeof wentLive>[3];
}

interface Losing {
  readonly recovered?: boolean;
  /** What the operator says of another integration, where the control record is lost, too. */
  readonly offSince?: number;
}

/** What the loyalty service has of an order once everything is at rest. */
export interface Settled {
  /** What is left of its total; `cancelled`, `absent`, or `twice` where the service has it under two ids. */
  readonly counts: number | 'cancelled' | 'absent' | 'twice';
  /** Whether a dead letter asks a person about it. */
  readonly asksPerson: boolean;
}

/** Nobody is asked, because nothing is open. */
export const exactly = (counts: Settled['counts']): Settled => ({ counts, asksPerson: false });

/** Of an accident nobody must notice anything, or a person is asked: never silently another amount. */
export const sameOrPerson = (settled: Settled, counts: Settled['counts']): Settled =>
  settled.asksPerson ? settled : exactly(counts);

export const BANK_CARD = 'shopify_payments';
export const GIFT_CARD = 'gift_card';
export const STORE_CREDIT = 'shopify_store_credit';

/**
 * One life of an order, told as it happens: what the store does, when the workers process it, when the ledger is lost,
 * and when another integration is replaced. The store is the sandbox's model, the connector is the real one.
 */
export function openScene(settings: ModelSettings = {}) {
  const shop = openModelShop(settings);
  const { connector, rows, clock } = shop;
  const { ledger, loyalty } = connector;
  const { id: customerId } = shop.do('createCustomer', {
    ...{ firstName: 'Robin', email: 'robin@example.com' },
  });
  const digits = minorDigits(shop.world.shop.currency);
  let copy: { readonly entries: typeof ledger.entries; readonly at: number } | undefined;

  function rowOf(id: string): OrderRow {
    const row = rows.orders.get(id);
    if (!row) throw new Error(`no order ${id}`);
    return row;
  }

  function countedOf({ id, number }: OrderRow): Settled['counts'] {
    const keys = [id, `#${number}`, String(number)].filter((key) => shop.held(key));
    const [key = ''] = keys;
    if (keys.length > 1) return 'twice';
    const held = shop.held(key);
    if (!held) return 'absent';
    if (held.isCancelled) return 'cancelled';
    const counts = Number(held.minor) / 10 ** digits;
    const { pointId = null } = loyalty.rows.orders.get(key) ?? {};
    const points =
      pointId === null ? 0 : loyalty.rows.points.get(String(pointId))?.pointsHundredths;
    // One unit of the currency is one point, and the service counts points in hundredths.
    if (held.isCompleted && points !== Math.round(counts * 100) && digits < 3) {
      throw new Error(`order ${id} counts ${counts}, and has ${(points ?? 0) / 100} points`);
    }
    return counts;
  }

  const orderOf = (id: string) => {
    const act = <Name extends ActionName>(name: Name, input: object) =>
      shop.do(name, { orderId: id, ...input } as ActionInput<Name>);
    const lineOf = (title: string): string => {
      const line = rowOf(id).lines.findLast((one) => one.title === title);
      if (!line) throw new Error(`no line ${title}`);
      return line.id;
    };
    const piecesOf = (pieces: Readonly<Record<string, number>>) =>
      Object.entries(pieces).map(([title, quantity]) => ({ lineId: lineOf(title), quantity }));
    return {
      id,
      row: () => rowOf(id),
      /** Its name in the store, which another integration uses as its id. */
      name: () => `#${rowOf(id).number}`,
      ship: () => void act('fulfilOrder', {}),
      pay: (amount: number | 'rest' = 'rest', gateway = BANK_CARD) =>
        void act('payOrder', { gateway, ...(amount !== 'rest' && { amount: String(amount) }) }),
      voidPayment: () => void act('voidPayment', {}),
      /** A change that does not matter. */
      tag: () => void act('tagOrder', { tags: [`seen at ${clock.ms}`] }),
      /** The new quantity of each line, by its title, and lines that are added. */
      edit: (
        set: Readonly<Record<string, number>>,
        add: NonNullable<ActionInput<'editOrder'>['add']> = [],
      ) => void act('editOrder', { set: piecesOf(set), add }),
      /** Pieces go back; their money, unless `more` says otherwise, too. */
      refund: (pieces: Readonly<Record<string, number>>, more: object = {}) =>
        void act('refundOrder', { lines: piecesOf(pieces), ...more }),
      /** Money goes back without a line. */
      refundAmount: (amount: number, gateway = BANK_CARD) =>
        void act('refundOrder', { amount: String(amount), gateway }),
      /** Pieces are back; their money is not yet. */
      takeReturn: (pieces: Readonly<Record<string, number>>): string =>
        (act('returnItems', { lines: piecesOf(pieces) }) as { readonly id: string }).id,
      refundReturn: (returnId: string) => void act('refundOrder', { returnId }),
      cancel: () => void act('cancelOrder', {}),
      dispute: () => void act('openDispute', {}),
      loseDispute: () => void act('updateDispute', { status: 'lost' }),
      /**
       * What the sandbox has no action for: the order is otherwise from the next change on, which is announced with it.
       */
      become: (change: (row: OrderRow) => Partial<OrderRow>) => {
        const row = rowOf(id);
        rows.orders.put(id, { ...row, ...change(row) });
      },

      async settled(): Promise<Settled> {
        await shop.rest();
        return { counts: countedOf(rowOf(id)), asksPerson: shop.letters(id).length > 0 };
      },

      /** All that its dead letters say, apart from the event. */
      letters: (): string[] =>
        connector
          .deadLetters()
          .filter(({ body }) => body.includes(`"${id}"`))
          .map(({ attributes }) => JSON.stringify(attributes)),
    };
  };

  const scene = {
    shop,
    customerId,
    order: orderOf,

    /** Placed, paid and, unless `paidBy` says otherwise, ready to be shipped. */
    place({ paidBy = { [BANK_CARD]: 'rest' }, shipping, lines, ...draft }: Sale) {
      const { id } = shop.do('placeOrder', {
        customerId,
        ...draft,
        lines: [...lines],
        ...(shipping !== undefined && { shipping: [{ price: shipping }] }),
        payment: paidBy === 'authorized' ? 'authorized' : 'none',
      });
      const order = orderOf(id);
      if (typeof paidBy === 'object') {
        for (const [gateway, amount] of Object.entries(paidBy)) order.pay(amount, gateway);
      }
      return order;
    },

    /** Placed, paid, shipped, and processed. */
    async sell(sale: Sale) {
      const order = scene.place(sale);
      order.ship();
      await scene.process();
      return order;
    },

    /** A customer is merged into another, which is processed at once: before orders whose webhooks wait. */
    async merge(keptId: string, deletedId: string): Promise<void> {
      clock.ms += 60_000;
      const outcome = shop.attempt('mergeCustomers', { keptId, deletedId });
      if (outcome.kind === 'refused') throw new Error(outcome.why);
      for (const announcement of outcome.announcements) {
        const payload = buildPayload(shop.world, announcement);
        await connector.deliver({ topic: announcement.topic, payload });
      }
      await connector.drain();
    },

    giveCredit: (amount: number) =>
      void shop.do('creditCustomer', { customerId, amount: String(amount) }),

    /** All webhooks arrive, and the workers process them. */
    process: () => shop.rest(),

    pass(hours: number): void {
      clock.ms += hours * 3_600_000;
    },

    /** To this moment the ledger can be restored. */
    copyLedger(): void {
      copy = { entries: new Map(ledger.entries), at: clock.ms };
    },

    /**
     * The table is gone or, after `copyLedger`, what it was then. `recovered`: an operator ran `recover`, which says so
     * in the control record; a restored table is always recovered.
     */
    async loseLedger({ recovered = copy !== undefined, offSince }: Losing = {}): Promise<void> {
      ledger.restore(copy?.entries);
      clock.ms += 1_000;
      if (recovered) {
        const takeover = { until: clock.ms, ...(offSince && { offSince, ids: ['name'] }) };
        await changeControl(ledger, SHOP, (control) =>
          inDoubt({ takeover, ...control }, copy?.at ?? 0, new Date(clock.ms)),
        );
      }
      clock.ms += 1_000;
    },

    /** From the beginning the shop is only observed. */
    async observe(): Promise<void> {
      connector.changeMode('observe');
      await connector.reconcile();
    },

    /** The other integration sends the order, as completed, under its name. */
    async otherSends(
      order: ReturnType<typeof orderOf>,
      total: number,
      OriginalId = order.name(),
      { IsCompleted = true } = {},
    ): Promise<void> {
      const row = order.row();
      const { email } = rows.customers.get(row.customerId ?? '') ?? {};
      const sent = await loyalty.client.sendOrder({
        OriginalId,
        OrderPlacementDate: row.processedAt,
        OrderCompletedDate: IsCompleted
          ? (row.fulfillments[0]?.createdAt ?? row.processedAt)
          : null,
        OrderCancelledDate: null,
        ...{ OrderStatus: 'paid', IsCancelledOrReturned: false, IsCompleted },
        ...{ OrderTotal: total, UpdatedDate: row.updatedAt },
        Customer: { OriginalId: row.customerId ?? '', Email: email ?? '' },
      });
      if (sent.kind !== 'success') throw new Error('the service did not take the order');
    },

    /** As `go-live` does; `from`: orders placed since then are sent. Then each order is met once, as its scan does. */
    async goLive({ from = clock.ms, meets = true, other }: GoingLive = {}): Promise<void> {
      clock.ms += 60_000;
      connector.changeMode('live');
      await changeControl(ledger, SHOP, (control) =>
        wentLive(control, from, new Date(clock.ms), other),
      );
      clock.ms += 60_000;
      await shop.rest();
      if (!meets) return;
      for (const { id } of rows.orders.values()) {
        const deliveryId = `scan of ${id}`;
        await sendEvent(connector, { shop: SHOP, kind: 'order', id }, { deliveryId });
      }
      await shop.rest();
    },
  };
  return scene;
}

export type Scene = ReturnType<typeof openScene>;
export type SceneOrder = ReturnType<Scene['place']>;
