import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { changeControl, inDoubt, wentLive } from '../../../shared/core/calls/shop-pause.ts';
import { readVendureOrder } from '../../../shared/vendure/read-order.ts';
import { sendEvent } from '../../support/change-order.ts';
import { openConnector, SHOP } from '../../support/in-process-connector.ts';
import { exactly, type Settled, sameOrPerson } from '../../support/order-scene.ts';

/*
 * Scenes from the text of issue 45, section 2, as Vendure's Admin API shows them: the figures of the order follow
 * cancellations and modifications, and never a refund. `it.fails` marks what was wrong when they were written.
 */

const ID = '12';
const CODE = 'GUEJZ5ESJ2RN7WN9';
const SHIPPING = 700;

interface Piece {
  readonly id: string;
  readonly unit: number;
  readonly ordered: number;
  readonly kept: number;
}

interface Refund {
  readonly id: string;
  readonly createdAt: string;
  readonly total: number;
  readonly lines: readonly { readonly orderLineId: string; readonly quantity: number }[];
}

interface Modification {
  readonly id: string;
  readonly createdAt: string;
  readonly priceChange: number;
  readonly lines: readonly { readonly orderLineId: string; readonly quantity: number }[];
  readonly refundId?: string;
  readonly paymentId?: string;
}

/** Ids are numbers here. */
interface HistoryData {
  readonly lines?: readonly { readonly orderLineId: number; readonly quantity: number }[];
  readonly shippingCancelled?: boolean;
  readonly modificationId?: string;
}

/** One order of the engine, and what a merchant does with it; amounts are in the smallest unit, without taxes. */
function openEngineOrder(
  pieces: readonly (readonly [unit: number, quantity: number])[],
  now: () => Date,
) {
  const at = () => now().toISOString();
  const placedAt = at();
  let lines: Piece[] = pieces.map(([unit, quantity], index) => ({
    ...{ id: String(index + 1), unit, ordered: quantity, kept: quantity },
  }));
  const refunds: Refund[] = [];
  const modifications: Modification[] = [];
  const history: { type: string; createdAt: string; data: HistoryData }[] = [];
  let next = 1;
  const newId = () => String(next++);
  const goods = () => lines.reduce((sum, { unit, kept }) => sum + unit * kept, 0);
  const payments: { id: string; amount: number; state: string; createdAt: string }[] = [];
  const pay = (amount: number, state = 'Settled') => {
    const id = newId();
    payments.push({ id, amount, state, createdAt: at() });
    return id;
  };
  const linesOf = (quantities: Readonly<Record<string, number>>) =>
    Object.entries(quantities).map(([orderLineId, quantity]) => ({ orderLineId, quantity }));
  const take = (quantities: Readonly<Record<string, number>>) => {
    lines = lines.map((one) => ({ ...one, kept: one.kept - (quantities[one.id] ?? 0) }));
    const unitOf = (id: string) => lines.find((one) => one.id === id)?.unit ?? 0;
    return linesOf(quantities).reduce(
      (sum, one) => sum + unitOf(one.orderLineId) * one.quantity,
      0,
    );
  };
  const refund = (total: number, quantities: Readonly<Record<string, number>> = {}) => {
    const id = newId();
    refunds.push({ id, createdAt: at(), total, lines: linesOf(quantities) });
    return id;
  };
  return {
    pay,
    payAll: (state?: string) => pay(goods() + SHIPPING, state),
    endPayment(): void {
      for (const payment of payments) payment.state = 'Cancelled';
    },
    refund,
    /** Pieces are taken out; their money is not given back by this. */
    cancel(quantities: Readonly<Record<string, number>>): void {
      take(quantities);
      history.push({
        ...{ type: 'ORDER_CANCELLATION', createdAt: at() },
        data: {
          lines: linesOf(quantities).map((one) => ({
            ...one,
            orderLineId: Number(one.orderLineId),
          })),
          shippingCancelled: false,
        },
      });
    },
    /** Pieces are taken out, and their money is given back. */
    takeOut(quantities: Readonly<Record<string, number>>): void {
      const worth = take(quantities);
      const signed = linesOf(quantities).map((one) => ({ ...one, quantity: -one.quantity }));
      const id = newId();
      const refundId = refund(worth);
      modifications.push({ id, createdAt: at(), priceChange: -worth, lines: signed, refundId });
      history.push({ type: 'ORDER_MODIFIED', createdAt: at(), data: { modificationId: id } });
    },
    /** Another line, which is paid. */
    add(unit: number): void {
      const line = { id: String(lines.length + 1), unit, ordered: 0, kept: 1 };
      lines = [...lines, line];
      const id = newId();
      const paymentId = pay(unit);
      const added = [{ orderLineId: line.id, quantity: 1 }];
      modifications.push({ id, createdAt: at(), priceChange: unit, lines: added, paymentId });
      history.push({ type: 'ORDER_MODIFIED', createdAt: at(), data: { modificationId: id } });
    },
    /** As the Admin API answers, with more than is asked for today. */
    answer: () => ({
      ...{ id: ID, code: CODE, type: 'Regular' as const, state: 'Delivered', active: false },
      ...{ orderPlacedAt: placedAt, updatedAt: placedAt, currencyCode: 'EUR', couponCodes: [] },
      customer: {
        ...{ id: '7', firstName: 'Robin', lastName: 'W', emailAddress: 'robin@example.com' },
        ...{ phoneNumber: '', createdAt: placedAt },
      },
      ...{ subTotal: goods(), subTotalWithTax: goods(), shipping: SHIPPING },
      ...{ shippingWithTax: SHIPPING, total: goods() + SHIPPING, totalWithTax: goods() + SHIPPING },
      surcharges: [],
      lines: lines.map(({ id, unit, ordered, kept }) => ({
        ...{ id, quantity: kept, orderPlacedQuantity: ordered },
        ...{ proratedUnitPrice: unit, proratedUnitPriceWithTax: unit },
        ...{ proratedLinePrice: unit * kept, proratedLinePriceWithTax: unit * kept },
        productVariant: { name: `Variant ${id}`, product: { id: `2${id}` } },
      })),
      payments: payments.map((payment, index) => ({
        ...payment,
        method: 'card',
        refunds:
          index > 0
            ? []
            : refunds.map((one) => ({
                ...one,
                ...{ items: one.total, shipping: 0, adjustment: 0, state: 'Settled' },
                paymentId: payment.id,
              })),
      })),
      modifications: modifications.map(({ refundId, paymentId, ...one }) => ({
        ...one,
        ...{ surcharges: [], note: '', isSettled: true },
        refund: refundId === undefined ? null : { id: refundId },
        payment: paymentId === undefined ? null : { id: paymentId },
      })),
      fulfillments: [
        {
          ...{ id: '1', state: 'Delivered', createdAt: placedAt, updatedAt: placedAt },
          lines: lines.map(({ id, ordered, kept }) => ({
            orderLineId: id,
            quantity: Math.max(ordered, kept),
          })),
        },
      ],
      history: { totalItems: history.length, items: history.map((one, id) => ({ ...one, id })) },
    }),
  };
}

type EngineOrder = ReturnType<typeof openEngineOrder>;
type EngineStep = (order: EngineOrder) => unknown;

/** The connector of a shop on Vendure, whose events name the order and nothing else. */
function openVendure(
  pieces: readonly (readonly [unit: number, quantity: number])[],
  precision = 2,
) {
  const connector = openConnector({ rules: { pendingOrders: 'skip', customers: 'with-orders' } });
  const { clock, ledger, loyalty, dead } = connector;
  const order = openEngineOrder(pieces, () => new Date(clock.ms));
  connector.store.readOrder = async () => {
    const value = readVendureOrder(order.answer(), { readAt: new Date(clock.ms), precision });
    return value ? { kind: 'found', value } : { kind: 'gone' };
  };
  let events = 0;
  let copy: { readonly entries: typeof ledger.entries; readonly at: number } | undefined;
  const scene = {
    connector,
    order,
    async process(): Promise<void> {
      clock.ms += 60_000;
      events += 1;
      const key = { shop: SHOP, kind: 'order', id: ID } as const;
      await sendEvent(connector, key, { deliveryId: `event-${events}` });
      await connector.drain();
      clock.ms += 60_000;
    },
    copyLedger(): void {
      copy = { entries: new Map(ledger.entries), at: clock.ms };
    },
    async loseLedger({ recovered = true } = {}): Promise<void> {
      ledger.restore(copy?.entries);
      clock.ms += 1_000;
      const since = copy?.at ?? 0;
      if (recovered) {
        await changeControl(ledger, SHOP, (one) => inDoubt(one, since, new Date(clock.ms)));
      }
    },
    /** The other integration named it by its code. */
    async takenOver(otherTotal: number, meets: boolean): Promise<void> {
      connector.changeMode('observe');
      await connector.reconcile();
      const { orderPlacedAt } = order.answer();
      const sent = await loyalty.client.sendOrder({
        ...{
          OriginalId: CODE,
          OrderPlacementDate: orderPlacedAt,
          OrderCompletedDate: orderPlacedAt,
        },
        ...{ OrderCancelledDate: null, OrderStatus: 'paid', IsCancelledOrReturned: false },
        ...{ IsCompleted: true, OrderTotal: otherTotal, UpdatedDate: orderPlacedAt },
        Customer: { OriginalId: '7', Email: 'robin@example.com' },
      });
      expect(sent.kind).toBe('success');
      connector.changeMode('live');
      clock.ms += 60_000;
      const from = clock.ms;
      await changeControl(ledger, SHOP, (one) => wentLive(one, from, new Date(clock.ms)));
      if (meets) await scene.process();
    },
    async settled(): Promise<Settled> {
      await scene.process();
      const rows = [...loyalty.rows.orders.values()];
      const [held] = rows;
      const counts =
        rows.length > 1
          ? 'twice'
          : !held
            ? 'absent'
            : held.IsCancelledOrReturned
              ? 'cancelled'
              : amountHeld(held);
      return { counts, asksPerson: dead.size > 0 };
    },
  };
  return scene;
}

const TWO_SHIRTS = [[5_000, 2]] as const;

const CHANGES: readonly (readonly [string, (order: EngineOrder) => unknown, number])[] = [
  ['refundOrder of all goods, shipping kept', (order) => order.refund(10_000, { 1: 2 }), 0],
  ['cancelOrder of all goods, whose money follows', cancelAll, 0],
  ['cancelOrder of one of two pieces', (order) => order.cancel({ 1: 1 }), 50],
  ['modifyOrder that takes one of two pieces out', (order) => order.takeOut({ 1: 1 }), 50],
  ['modifyOrder that adds a line', (order) => order.add(1_500), 115],
];
const REFUNDS: typeof CHANGES = [
  ['refundOrder of one of two pieces', (order) => order.refund(5_000, { 1: 1 }), 50],
  ['refundOrder of an amount', (order) => order.refund(2_000), 80],
];

function cancelAll(order: EngineOrder): void {
  order.cancel({ 1: 2 });
  order.refund(10_000);
}

it.each([...CHANGES, ...REFUNDS])('without any accident: %s', async (_, happens, counts) => {
  const scene = openVendure(TWO_SHIRTS);
  scene.order.payAll();
  expect(await scene.settled()).toEqual(exactly(100));
  happens(scene.order);
  expect(await scene.settled()).toEqual(exactly(counts));
});

describe('1: an order that was taken over, on Vendure', () => {
  const play = async (happens: (order: EngineOrder) => unknown, met: boolean) => {
    const scene = openVendure(TWO_SHIRTS);
    scene.order.payAll();
    await scene.takenOver(100, met);
    happens(scene.order);
    return scene.settled();
  };

  it.each([...CHANGES, ...REFUNDS])('%s, if the scan met it before', async (_, happens, counts) => {
    expect(await play(happens, true)).toEqual(exactly(counts));
  });

  it.each(REFUNDS)('%s, if we first hear of it then', async (_, happens, counts) => {
    expect(await play(happens, false)).toEqual(exactly(counts));
  });

  // Issue 45, scene 1. Counted was 100 each time, silently.
  it.each(CHANGES)('%s, if we first hear of it then', async (_, happens, counts) => {
    expect(await play(happens, false)).toEqual(exactly(counts));
  });
});

describe('3: a ledger that is lost or restored between two steps, on Vendure', () => {
  const TEN = [[1_000, 10]] as const;
  const take: EngineStep[] = [(order) => order.cancel({ 1: 2 }), (order) => order.cancel({ 1: 3 })];
  const takeOut: EngineStep[] = [
    (order) => order.takeOut({ 1: 2 }),
    (order) => order.takeOut({ 1: 3 }),
  ];
  const refund: EngineStep[] = [
    (order) => order.refund(2_000, { 1: 2 }),
    (order) => order.refund(3_000, { 1: 3 }),
  ];

  /** Undefined: nobody lost anything. */
  async function play(steps: readonly EngineStep[], accident?: string, before?: number) {
    const scene = openVendure(TEN);
    scene.order.payAll();
    await scene.process();
    if (accident === 'restored') scene.copyLedger();
    for (const [index, happens] of [...steps, () => {}].entries()) {
      if (index === before) await scene.loseLedger({ recovered: accident !== 'lost' });
      happens(scene.order);
      await scene.process();
    }
    return scene.settled();
  }

  async function expectSameAroundLoss(steps: readonly EngineStep[], counts: number) {
    expect(await play(steps)).toEqual(exactly(counts));
    const wrong: unknown[] = [];
    for (const accident of ['lost', 'recovered', 'restored'] as const) {
      for (let before = 0; before <= steps.length; before += 1) {
        const settled = await play(steps, accident, before);
        const isRight = sameOrPerson(settled, counts).counts === settled.counts;
        if (!isRight) wrong.push({ accident, before, ...settled });
      }
    }
    expect(wrong).toEqual([]);
  }

  it('changes nothing for refundOrder of 20 and 30', () => expectSameAroundLoss(refund, 50));

  // Two of the three pieces that the refund names were cancelled before, so it takes one more.
  it('changes nothing for cancelOrder of 20 and refundOrder of 30', () =>
    expectSameAroundLoss([...take.slice(0, 1), ...refund.slice(1)], 70));

  // Issue 45, scene 3. Counted was 30 if it was lost between them, and 0 if it was lost after them, silently.
  it('changes nothing for cancelOrder of 20 and 30', () => expectSameAroundLoss(take, 50));

  // Issue 45, scene 3. As above.
  it('changes nothing for modifyOrder of 20 and 30', () => expectSameAroundLoss(takeOut, 50));
});

// Whether the service counts a rise after a partial cancel is not documented: by default a person is asked.
it('5: an order that was sent while its payment was authorized only is for a person when it is paid later', async () => {
  const scene = openVendure([[5_000, 1]]);
  scene.order.payAll('Authorized');
  expect(await scene.settled()).toEqual(exactly(50));
  scene.order.endPayment();
  expect(await scene.settled()).toEqual(exactly(0));
  scene.order.payAll();
  expect(await scene.settled()).toEqual({ counts: 0, asksPerson: true });
});

it('6: a refund of 1.005 and 1.005 is taken, in a currency of three decimals', async () => {
  const scene = openVendure(
    [
      [1_005, 1],
      [1_005, 1],
      [5_000, 1],
    ],
    3,
  );
  scene.order.payAll();
  expect(await scene.settled()).toEqual(exactly(7.01));
  scene.order.refund(2_010, { 1: 1, 2: 1 });
  expect(await scene.settled()).toEqual(exactly(5));
});
