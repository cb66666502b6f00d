import { setTimeout as sleep } from 'node:timers/promises';
import type { Shopper } from '../../support/stack-shoppers.ts';
import type { AccidentWorld } from './accident.ts';

type Step = (id: string) => unknown;

/** What happens to an order around an accident, and what it counts in the end by docs/mapping.md. */
export interface OrderLife {
  readonly title: string;
  readonly place: (shopper: Shopper) => string;
  /** True: it is placed after the moment that the ledger is restored to. */
  readonly isNew?: true;
  /** After that moment and before the accident; everything comes to rest after each. */
  readonly since: readonly Step[];
  /** After the accident, by webhook. */
  readonly after?: Step;
  readonly points: number;
}

type Lived = OrderLife & { readonly shopper: Shopper; id: string };

/** Lives orders up to the accident. Returns them with the ledger as it was at the moment before `since`. */
export async function live(world: AccidentWorld, chosen: readonly OrderLife[]) {
  const { shop } = world;
  // Reading each customer's history takes its time: a few share all the orders.
  const shoppers = [1, 2, 3].map((n) => shop.newShopper(`shopper ${n}`));
  const lives: Lived[] = chosen.map((life, n) => {
    const shopper = shoppers[n % shoppers.length] as Shopper;
    return { ...life, shopper, id: life.isNew ? '' : life.place(shopper) };
  });
  await world.rest();
  const copy = await world.copyLedger();
  for (const life of lives) if (life.isNew) life.id = life.place(life.shopper);
  const rounds = Math.max(...lives.map(({ since }) => since.length));
  for (let round = 0; round < rounds; round += 1) {
    await world.rest();
    await anotherSecond();
    for (const { id, since } of lives) since[round]?.(id);
  }
  await world.rest();
  return {
    copy,
    lives,
    /** What follows the accident arrives by webhook. */
    async goOn(): Promise<void> {
      await anotherSecond();
      for (const { id, after } of lives) after?.(id);
      await world.rest();
    },
    /** In the service, order by order. */
    counted: () =>
      Object.fromEntries(lives.map(({ title, id }) => [title, world.heldOrder(id)?.points ?? 0])),
    wanted: Object.fromEntries(lives.map(({ title, points }) => [title, points])),
    balances: () => shoppers.map((shopper) => world.pointsOf(shopper) ?? 0),
    wantedBalances: shoppers.map((one) =>
      lives
        .filter(({ shopper }) => shopper === one)
        .reduce((sum, { points }) => Math.round(100 * (sum + points)) / 100, 0),
    ),
  };
}

/** Two events within one second cannot be ordered afterwards: the store's dates have no milliseconds. */
async function anotherSecond(): Promise<void> {
  const secondOf = (ms: number) => Math.floor(ms / 1_000);
  const second = secondOf(Date.now());
  // A timer may fire a millisecond early.
  while (secondOf(Date.now()) === second) await sleep(1_000 - (Date.now() % 1_000));
}

const GIFT_CARD = 'gift_card';
const BANK_CARD = 'shopify_payments';

export function orderLives(world: AccidentWorld): readonly OrderLife[] {
  const { actions, rows } = world.stack.store;
  const { buy, sell, ship, refund } = world;
  const soldFor =
    (...goods: readonly (number | readonly [number, number])[]) =>
    (shopper: Shopper) =>
      sell(shopper, goods);
  const unshipped = (shopper: Shopper) => buy(shopper, [60, 40]);
  const withGiftCard = (goods: readonly number[], amount: number, shipping: number) => {
    return (shopper: Shopper) => {
      const id = buy(shopper, goods, { payment: 'none', shipping: [{ price: shipping }] });
      actions.payOrder({ orderId: id, amount, gateway: GIFT_CARD });
      actions.payOrder({ orderId: id });
      ship(id);
      return id;
    };
  };
  const back = (amount: number) => (id: string) => refund(id, { amount });
  const backLater = (amount: number) => (id: string) => refund(id, { amount, pending: 'balanced' });
  const settled = (outcome: 'success' | 'failure') => (id: string) =>
    actions.settleRefund({ orderId: id, outcome });
  /** As if the money of the first refund had settled in the second in which the last one was made. */
  const settledWithLast = (id: string) => {
    const order = actions.settleRefund({ orderId: id, outcome: 'success' });
    const [first, last] = [order.refunds.at(0), order.refunds.at(-1)];
    const transactions = order.transactions.map((one) =>
      last && first?.transactionIds.includes(one.id)
        ? { ...one, processedAt: last.createdAt }
        : one,
    );
    rows.orders.put(id, { ...order, transactions });
  };
  const returned = (at: number, more: object) => (id: string) =>
    refund(id, { pieces: [[at, 1]], ...more });
  const shippingBack = (gateway: string) => (id: string) =>
    refund(id, { shipping: 'all', gateway });
  const without = (at: number) => (id: string) => {
    const lineId = rows.orders.get(id)?.lines[at]?.id ?? '';
    actions.editOrder({ orderId: id, set: [{ lineId, quantity: 0 }] });
  };
  const cancelled = (id: string) => actions.cancelOrder({ orderId: id });
  const allOf =
    (...steps: readonly Step[]) =>
    (id: string) => {
      for (const step of steps) step(id);
    };

  return [
    {
      title: 'refunds of a line, of an amount, of a line with shipping',
      place: (shopper) => sell(shopper, [[20, 3], 40], { shipping: [{ price: 7 }] }),
      since: [returned(0, {}), back(10)],
      after: returned(1, { shipping: 'all' }),
      points: 30,
    },
    {
      title: 'equal amounts',
      place: soldFor(100),
      since: [back(10), back(10)],
      after: back(10),
      points: 70,
    },
    {
      title: 'two refunds in one moment',
      place: soldFor(100),
      since: [allOf(back(20), back(10))],
      after: back(5),
      points: 65,
    },
    {
      title: 'two refunds in one moment after the accident',
      place: soldFor(100),
      since: [back(20)],
      after: allOf(back(10), back(5)),
      points: 65,
    },
    {
      title: 'cents',
      place: soldFor([33.33, 3]),
      since: [returned(0, {}), back(0.01)],
      after: back(0.02),
      points: 66.63,
    },
    {
      title: 'gift card: one of two returned, money to the bank card',
      place: withGiftCard([50, 50], 40, 0),
      since: [returned(1, { gateway: BANK_CARD })],
      points: 10,
    },
    {
      title: 'gift card: the shipping refunded to the bank card',
      place: withGiftCard([80], 50, 20),
      since: [shippingBack(BANK_CARD)],
      points: 30,
    },
    {
      title: 'gift card: the shipping refunded to the gift card',
      place: withGiftCard([80], 50, 20),
      since: [shippingBack(GIFT_CARD)],
      points: 40,
    },
    {
      title: 'an edit first, its money after the accident',
      place: soldFor(50, 50),
      since: [without(1)],
      after: back(50),
      points: 50,
    },
    {
      title: 'the money first, its edit after the accident',
      place: soldFor(50, 50),
      since: [back(50)],
      after: without(1),
      points: 50,
    },
    {
      title: 'an edit between two refunds',
      place: soldFor(50, 30, 20),
      since: [back(5), without(2)],
      after: returned(1, {}),
      points: 50,
    },
    {
      title: 'only shipping refunded',
      place: (shopper) => sell(shopper, [100], { shipping: [{ price: 7 }] }),
      since: [shippingBack(BANK_CARD)],
      points: 100,
    },
    {
      title: 'refunded before it was shipped',
      place: unshipped,
      since: [returned(1, {}), ship],
      after: back(10),
      points: 50,
    },
    {
      title: 'a line added, money back after the accident',
      place: soldFor(100),
      since: [
        (id) =>
          actions.editOrder({ orderId: id, add: [{ title: 'More', price: 15, taxable: false }] }),
      ],
      after: back(20),
      points: 95,
    },
    {
      title: 'a refund that settles after the accident, and after a later refund',
      place: soldFor(100),
      since: [backLater(10), back(20)],
      after: settled('success'),
      points: 70,
    },
    {
      title: 'a refund that settles after the accident, in the second of a later refund',
      place: soldFor(100),
      since: [backLater(10), back(20)],
      after: settledWithLast,
      points: 70,
    },
    {
      title: 'a refund that settled after a later one',
      place: soldFor(100),
      since: [backLater(10), back(20), settled('success')],
      after: back(5),
      points: 65,
    },
    {
      title: 'a pending refund that fails after the accident',
      place: soldFor(100),
      since: [backLater(10), back(20)],
      after: settled('failure'),
      points: 80,
    },
    {
      title: 'paid in another currency',
      place: (shopper) => sell(shopper, [500], { presentment: { currency: 'USD', rate: 0.2 } }),
      since: [back(100)],
      after: back(50),
      points: 350,
    },
    { title: 'cancelled', place: soldFor(100), since: [cancelled], points: 0 },
    {
      title: 'refunded, and cancelled after the accident',
      place: soldFor(100),
      since: [back(20)],
      after: cancelled,
      points: 0,
    },
    {
      title: 'all money back in two parts around the accident',
      place: soldFor(100),
      since: [back(60)],
      after: back(40),
      points: 0,
    },
    { title: 'shipped', place: unshipped, since: [ship], after: back(30), points: 70 },
    { title: 'shipped after the accident', place: unshipped, since: [], after: ship, points: 100 },
    {
      title: 'placed and refunded',
      place: soldFor(70, 30),
      isNew: true,
      since: [returned(1, {})],
      after: back(20),
      points: 50,
    },
    { title: 'placed', place: soldFor(100), isNew: true, since: [], points: 100 },
    {
      title: 'refunded in full and exchanged',
      place: soldFor(100),
      since: [
        allOf(
          (id) =>
            actions.editOrder({
              orderId: id,
              add: [{ title: 'Instead', price: 60, taxable: false }],
            }),
          returned(0, {}),
          (id) => actions.payOrder({ orderId: id }),
        ),
      ],
      after: ship,
      points: 60,
    },
  ];
}
