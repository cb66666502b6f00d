import { describe, expect, it } from 'vitest';
import {
  CANCELLED,
  OTHER_SHOP,
  openBatches,
  PENDING,
  REFUNDED,
  type SentOrder,
} from './batch-of-orders.ts';

const [A, B, C, D] = ['7001', '7002', '7003', '7004'] as const;
/** Longer than a JavaScript number is exact. */
const LONG = '710000000000000000';
const SHORTER = LONG.slice(1);
const THERE = { shop: OTHER_SHOP };

type Merge = readonly [gone: string, kept: string, shop?: string];

const pair = (text: string): Merge => {
  const [gone = '', kept = ''] = [...text].map((letter) => ({ A, B, C, D })[letter]);
  return [gone, kept];
};

interface Case {
  readonly loses: string;
  readonly merges: readonly Merge[];
  readonly batch: readonly SentOrder[];
  /** By order: who earns its 50 points. */
  readonly earns: Readonly<Record<number, string>>;
}

const tenOrders = Array.from({ length: 10 }, (_, index) => 5_001 + index);

/** An order as a late webhook names its customer, and as the store does now. */
const late = (
  id: number,
  by: string,
  nowBy: string = by,
  more: Partial<SentOrder> = {},
): SentOrder => ({
  ...{ id, by, nowBy, ...more },
});
const version = (second: number, by: string, more: Partial<SentOrder> = {}): SentOrder => ({
  ...{ id: 1, by, second, ...more },
});

const cases: readonly Case[] = [
  {
    loses: 'the kept customer, points of an order that was late',
    merges: [[A, B]],
    batch: [late(1, A, B)],
    earns: { 1: B },
  },
  {
    loses: 'the kept customer, points of ten orders in one batch',
    merges: [[A, B]],
    batch: tenOrders.map((id) => late(id, A, B)),
    earns: Object.fromEntries(tenOrders.map((id) => [id, B])),
  },
  {
    loses: 'the last of three, points of orders that name the first and the second',
    merges: ['AB', 'BC'].map(pair),
    batch: [late(1, A, C), late(2, B, C), late(3, C)],
    earns: { 1: C, 2: C, 3: C },
  },
  {
    loses: 'the last of three, points if the second merge is known first',
    merges: ['BC', 'AB'].map(pair),
    batch: [late(1, B, C), late(2, A, C)],
    earns: { 1: C, 2: C },
  },
  {
    loses: 'the kept customer, points of an order of which only a reference came',
    merges: [[A, B]],
    batch: [late(1, A, B, { topic: 'orders/edited' }), late(2, A, B)],
    earns: { 1: B, 2: B },
  },
  {
    loses: 'a stranger in the same batch, points because another was merged',
    merges: ['AB', 'CB'].map(pair),
    batch: [late(1, D), late(2, A, B), late(3, B), late(4, C, B), late(5, D)],
    earns: { 1: D, 2: B, 3: B, 4: B, 5: D },
  },
  {
    loses: 'a member, points because guests are in the batch',
    merges: [[A, B]],
    batch: [{ id: 1, by: null }, { id: 2, by: undefined }, late(3, A, B), late(4, C)],
    earns: { 3: B, 4: C },
  },
  {
    loses: 'the kept customer, points if older versions of the order name the other',
    merges: [[A, B]],
    batch: [version(1, A), version(2, A, { spec: PENDING }), version(3, B)],
    earns: { 1: B },
  },
  {
    loses: 'the kept customer, points if the versions come in the wrong order',
    merges: [[A, B]],
    batch: [version(3, B), version(1, A), version(2, A)],
    earns: { 1: B },
  },
  {
    loses: 'a customer, points because an older version names one who was merged',
    merges: [[A, B]],
    batch: [version(1, A), version(2, C)],
    earns: { 1: C },
  },
  {
    loses: 'the kept customer, points if only the newest version names the other',
    merges: [[A, B]],
    batch: [version(1, C), version(2, A, { nowBy: B })],
    earns: { 1: B },
  },
  {
    loses: 'a neighbour by one digit, points of an order',
    merges: [[LONG, `${LONG}1`]],
    batch: [late(1, LONG, `${LONG}1`), late(2, `${LONG}1`), late(3, `${LONG}2`), late(4, SHORTER)],
    earns: { 1: `${LONG}1`, 2: `${LONG}1`, 3: `${LONG}2`, 4: SHORTER },
  },
  {
    loses: 'a customer, points because an order has the number of one who was merged',
    merges: [[A, B]],
    batch: [late(Number(A), C), late(Number(B), A, B), late(Number(C), B)],
    earns: { [A]: C, [B]: B, [C]: B },
  },
  {
    loses: 'a customer of another shop, points because of a merge here',
    merges: [[A, B]],
    batch: [late(1, A, A, THERE), late(2, A, B), late(3, A, A, THERE)],
    earns: { 1: A, 2: B, 3: A },
  },
  {
    loses: 'a customer here, points because of a merge in another shop',
    merges: [[A, B, OTHER_SHOP]],
    batch: [late(1, A), late(2, A, B, THERE), late(3, A)],
    earns: { 1: A, 2: B, 3: A },
  },
];

describe.each(['skip', 'send'] as const)(
  'with pending orders %s, a batch after a merge never costs',
  (pendingOrders) => {
    it.each(cases)('$loses', async ({ merges, batch, earns }) => {
      const world = openBatches({ rules: { pendingOrders } });
      for (const merge of merges) await world.merge(...merge);
      await world.send(...batch);
      await world.drain();
      const expected = Object.entries(earns).map(([id, who]) => [id, [who, 50]]);
      expect(world.earned()).toEqual(Object.fromEntries(expected));
      expect(world.dead.size).toBe(0);
      // A store that does not answer holds up only these.
      const isAsked = ({ by, nowBy = by, topic }: SentOrder) => by !== nowBy || topic !== undefined;
      expect(world.store.reads).toBe(batch.filter(isAsked).length);
      // The same messages once more, as SQS may deliver them.
      world.clock.ms += 600_000;
      await world.send(...batch);
      await world.drain();
      expect(world.earned()).toEqual(Object.fromEntries(expected));
    });
  },
);

describe('points that a customer earned before the merge', () => {
  const refunded: SentOrder = { id: 1, by: B, second: 5, spec: REFUNDED };
  const cancelled: SentOrder = { id: 2, by: B, second: 5, spec: CANCELLED };

  it.each([
    ['the store names the kept customer in every order', B],
    ['some webhooks still name the one who is gone', A],
  ])('stay where they are, and are taken back there: %s', async (_, named) => {
    const world = openBatches();
    await world.send(...[1, 2, 3].map((id) => ({ id, by: A })));
    await world.send({ id: 4, by: A, spec: PENDING });
    await world.drain();
    expect(world.balance(A)).toBe(150);
    await world.merge(A, B);
    await world.send(
      { ...refunded, by: named, nowBy: B },
      { ...cancelled, by: named, nowBy: B },
      { id: 3, by: named, nowBy: B, second: 5 },
      { id: 4, by: named, nowBy: B, second: 5 },
      { id: 5, by: named, nowBy: B, second: 5 },
    );
    await world.drain();
    expect(world.earned()).toMatchObject({
      ...{ 1: [A, 40], 2: [A, 0], 3: [A, 50], 4: [B, 50], 5: [B, 50] },
    });
    expect([world.balance(A), world.balance(B)]).toEqual([90, 100]);
  });

  it('are taken back after the customer was deleted, beside orders of others', async () => {
    const world = openBatches();
    await world.send({ id: 1, by: A }, { id: 2, by: A });
    await world.drain();
    await world.connector.deliver({ topic: 'customers/delete', payload: { id: Number(A) } });
    await world.send(
      { ...refunded, by: null },
      { ...cancelled, by: undefined, nowBy: null },
      { id: 3, by: B },
    );
    await world.drain();
    expect(world.earned()).toEqual({ 1: [A, 40], 2: [A, 0], 3: [B, 50] });
  });
});
