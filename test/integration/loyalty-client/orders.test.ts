import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { components } from '../../../shared/loyalty/contract.gen.ts';
import { codeOf, startClientAndSandbox, unwrap } from '../../support/client-and-sandbox.ts';

type Order = components['schemas']['Order'];

let world: Awaited<ReturnType<typeof startClientAndSandbox>>;
beforeAll(async () => {
  world = await startClientAndSandbox();
});
beforeEach(() => world.sandbox.reset());
afterEach(() => world.checkAnswers());
afterAll(() => world.sandbox.stop());

const customer = { OriginalId: 'c1', Name: 'Robin Sample', Email: 'robin@example.com' };
const order = (changes: Partial<Order> = {}): Order => ({
  OriginalId: 'o1',
  OrderPlacementDate: '2026-10-05T09:00:00Z',
  OrderCompletedDate: '2026-10-06T09:00:00Z',
  OrderStatus: 'fulfilled',
  IsCancelledOrReturned: false,
  IsCompleted: true,
  OrderTotal: 100,
  Customer: customer,
  Products: [{ OriginalId: 'p1', Title: 'Shirt', IsActive: true, ProductPrice: 100 }],
  UpdatedDate: '2026-10-06T09:00:00Z',
  ...changes,
});
const open = (changes: Partial<Order> = {}) =>
  order({ IsCompleted: false, OrderCompletedDate: null, OrderStatus: 'paid', ...changes });
const cancellation = { OrderCancelledDate: '2026-10-07T09:00:00Z', OrderStatus: 'cancelled' };

const balance = async () => {
  const { Customer } = unwrap(
    await world.client.sendOrder(order({ OriginalId: 'probe', OrderTotal: 0 })),
  );
  return Customer?.PointsBalance;
};

describe('sendOrder', () => {
  it('stores the order, makes the customer known and earns points and cashback', async () => {
    const result = unwrap(await world.client.sendOrder(order()));
    expect(result).toMatchObject({
      OriginalId: 'o1',
      IsCompleted: true,
      OrderTotal: 100,
      Customer: { OriginalId: 'c1', PointsBalance: 100, Cashback: 5 },
      Products: [{ OriginalId: 'p1', ProductPrice: 100 }],
    });
    expect(unwrap(await world.client.getCustomer('c1'))).toMatchObject({ Name: 'Robin Sample' });
  });

  it('is an upsert: the same again changes nothing, a smaller total takes points back', async () => {
    const first = unwrap(await world.client.sendOrder(order()));
    const again = unwrap(await world.client.sendOrder(order()));
    expect(again.Id).toBe(first.Id);
    expect(again.Customer?.PointsBalance).toBe(100);
    await world.client.sendOrder(order({ OrderTotal: 40 }));
    expect(await balance()).toBe(40);
    expect(world.sandbox.events.all().map(({ topic }) => topic)).toEqual([
      'Point_Add',
      'Point_Update',
    ]);
  });

  it('earns nothing before completion, and takes everything back when returned', async () => {
    await world.client.sendOrder(open());
    expect(await balance()).toBe(0);
    await world.client.sendOrder(order());
    expect(await balance()).toBe(100);
    const returned = order({
      IsCancelledOrReturned: true,
      OrderCancelledDate: '2026-10-08T09:00:00Z',
    });
    expect(unwrap(await world.client.sendOrder(returned)).Customer?.PointsBalance).toBe(0);
    expect(world.sandbox.events.all().map(({ topic }) => topic)).toEqual([
      'Point_Add',
      'Point_Removed',
    ]);
  });

  it.each<[number, string, Partial<Order> | Record<string, unknown>]>([
    [39, 'no OriginalId', { OriginalId: null }],
    [39, 'a blank OriginalId', { OriginalId: ' ' }],
    [11, 'completed without a completion date', { OrderCompletedDate: null }],
    [12, 'completed before it was placed', { OrderCompletedDate: '2026-10-04T00:00:00Z' }],
    [14, 'cancelled without a date', { IsCancelledOrReturned: true, OrderCancelledDate: null }],
    [
      15,
      'cancelled before it was placed',
      {
        IsCancelledOrReturned: true,
        OrderCancelledDate: '2026-10-04T00:00:00Z',
      },
    ],
    [36, 'a total that is no number', { OrderTotal: 'many' }],
    [36, 'a negative total', { OrderTotal: -1 }],
    [36, 'no customer', { Customer: undefined }],
    [
      50,
      'a customer with neither document nor e-mail',
      { Customer: { OriginalId: 'c2', Name: 'X' } },
    ],
  ])('refuses with %i: %s', async (code, _, changes) => {
    expect(codeOf(await world.client.sendOrder(order(changes as Partial<Order>)))).toBe(code);
    expect(world.sandbox.state().orders).toEqual([]);
  });

  it('refuses with 33 to touch a cancelled order', async () => {
    await world.client.sendOrder(open());
    await world.client.cancelPosOrder('o1', cancellation);
    expect(codeOf(await world.client.sendOrder(order()))).toBe(33);
  });

  it.each(['a/b', '100%', 'with space', 'tea 🍵', '..', '.', '?x=1&y', '#frag', 'ü', "O'Hara"])(
    'keeps an odd id as it is: %s',
    async (id) => {
      await world.client.sendOrder(open({ OriginalId: id }));
      expect(unwrap(await world.client.cancelPosOrder(id, cancellation))).toMatchObject({
        isCanceled: true,
      });
    },
  );
});

describe.each(['cancelPosOrder', 'cancelOrder'] as const)('%s', (cancel) => {
  it('cancels an open order', async () => {
    await world.client.sendOrder(open());
    expect(unwrap(await world.client[cancel]('o1', cancellation))).toMatchObject({
      isCanceled: true,
    });
  });

  it('refuses a completed one with 13, an unknown one with 37, a cancelled one with 33', async () => {
    await world.client.sendOrder(order());
    const completed = await world.client[cancel]('o1', cancellation);
    expect(completed).toMatchObject({ kind: 'business-error', code: 13, class: 'rejected' });
    const unknown = await world.client[cancel]('nobody', cancellation);
    expect(unknown).toMatchObject({ code: 37, class: 'done' });
    await world.client.sendOrder(open({ OriginalId: 'o2' }));
    await world.client[cancel]('o2', cancellation);
    expect(await world.client[cancel]('o2', cancellation)).toMatchObject({
      code: 33,
      class: 'done',
    });
  });

  it('refuses a missing date with 14 and one before the placement with 15', async () => {
    await world.client.sendOrder(open());
    expect(codeOf(await world.client[cancel]('o1', { OrderStatus: 'x' }))).toBe(14);
    const early = { OrderCancelledDate: '2026-10-01T00:00:00Z' };
    expect(codeOf(await world.client[cancel]('o1', early))).toBe(15);
  });
});
