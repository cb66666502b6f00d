import { describe, expect, it } from 'vitest';
import {
  balanceOf,
  codeOf,
  makeCustomer,
  makeOrder,
  openSandbox,
} from '../../support/sandbox-program.ts';

describe('sendOrder', () => {
  it.each([
    ['OriginalId is null', makeOrder({ OriginalId: null }), 39],
    ['OriginalId is blank', makeOrder({ OriginalId: '  ' }), 39],
    ['OriginalId is missing', makeOrder({ OriginalId: undefined }), 39],
    ['OriginalId is a number', makeOrder({ OriginalId: 5 }), 39],
    ['there is no body', undefined, 39],
    ['the body is a list', [], 39],
    ['completed without its date', makeOrder({ OrderCompletedDate: null }), 11],
    ['completed before placed', makeOrder({ OrderCompletedDate: '2026-10-05T08:59:59Z' }), 12],
    ['cancelled without a date', makeOrder({ IsCancelledOrReturned: true }), 14],
    [
      'cancelled before placed',
      makeOrder({ IsCancelledOrReturned: true, OrderCancelledDate: '2026-10-05T08:59:59Z' }),
      15,
    ],
    ['there is no customer', makeOrder({ Customer: undefined }), 36],
    ['the customer is a word', makeOrder({ Customer: 'c1' }), 36],
    ['there is no total', makeOrder({ OrderTotal: undefined }), 36],
    ['the total is below zero', makeOrder({ OrderTotal: -0.01 }), 36],
    ['the total cannot be counted exactly', makeOrder({ OrderTotal: 1e15 }), 36],
    ['the total is a word', makeOrder({ OrderTotal: '100' }), 36],
    ['there is no placement date', makeOrder({ OrderPlacementDate: undefined }), 36],
    ['a date cannot be read', makeOrder({ OrderPlacementDate: 'yesterday' }), 36],
    ['a date does not exist', makeOrder({ OrderPlacementDate: '2026-02-30T00:00:00Z' }), 36],
    ['a product is a word', makeOrder({ Products: ['shirt'] }), 36],
    ['a flag is a word', makeOrder({ IsCompleted: 'yes' }), 36],
  ])('refuses an order when %s', (_, body, code) => {
    expect(codeOf(openSandbox().call('sendOrder', { body }))).toBe(code);
    expect(codeOf(openSandbox().callUnchecked('sendOrder', { body }))).toBe(code);
  });

  it('accepts a completion at the moment of placement, and none before it', () => {
    const send = (OrderCompletedDate: string) => {
      const sandbox = openSandbox();
      const completed = makeOrder({ OrderCompletedDate });
      const open = makeOrder({ OriginalId: 'o2', IsCompleted: false, OrderCompletedDate: null });
      sandbox.call('sendOrder', { body: open });
      return [
        codeOf(sandbox.call('sendOrder', { body: completed })),
        codeOf(
          sandbox.call('completeOrder', { path: { orderId: 'o2' }, body: { OrderCompletedDate } }),
        ),
      ];
    };
    expect(send('2026-10-05T11:00:00+02:00')).toEqual([undefined, undefined]);
    expect(send('2026-10-05T10:59:59+02:00')).toEqual([12, 12]);
  });

  it('answers with the order, its customer and balances', () => {
    const sandbox = openSandbox();
    const body = makeOrder({
      OrderTotal: 64.9,
      Products: [
        { OriginalId: 'p1', Title: 'Linen shirt', ProductPrice: 64.9, ProductBrand: { Name: 'N' } },
      ],
      Metadatas: [{ Name: 'source', Value: 'web' }],
      Coupon: 'NOBODY-KNOWS-IT',
    });
    const { Result } = sandbox.call('sendOrder', { body });
    expect(Result).toMatchObject({
      Id: 1,
      OriginalId: 'o1',
      OrderTotal: 64.9,
      OrderCancelledDate: null,
      State: 2,
      Origin: 1,
      Coupon: 'NOBODY-KNOWS-IT',
      Metadatas: [{ Id: 1, OrderId: 1, Name: 'source', Value: 'web' }],
      Customer: {
        Id: 1,
        OriginalId: 'c1',
        FirstName: 'Robin',
        PointsBalance: 64.9,
        BalanceOfPoints: 64.9,
        Cashback: 3.24,
        OrderCount: 1,
        TierName: 'Bronze',
      },
    });
    expect(Result?.Products).toEqual([
      { OriginalId: 'p1', Title: 'Linen shirt', Url: null, ImageUrl: null, ProductPrice: 64.9 },
    ]);
  });

  it('gives no points before the order is completed', () => {
    const sandbox = openSandbox();
    const open = makeOrder({ IsCompleted: false, OrderCompletedDate: null });
    sandbox.call('sendOrder', { body: open });
    expect(balanceOf(sandbox).points).toBe(0);
    sandbox.call('sendOrder', { body: makeOrder() });
    expect(balanceOf(sandbox)).toEqual({ points: 100, cashback: 5 });
    expect(sandbox.takeEvents().map(({ topic }) => topic)).toEqual(['Point_Add']);
  });

  it('changes nothing when the same order comes again', () => {
    const sandbox = openSandbox();
    const body = makeOrder({ Metadatas: [{ Name: 'a', Value: 'b' }], Coupon: 'X' });
    const first = sandbox.call('sendOrder', { body });
    const state = sandbox.snapshot();
    expect(sandbox.call('sendOrder', { body })).toEqual(first);
    expect(sandbox.snapshot()).toBe(state);
  });

  it('lets points follow the total up and down, one event each', () => {
    const sandbox = openSandbox();
    for (const [OrderTotal, topic] of [
      [100, 'Point_Add'],
      [40.5, 'Point_Update'],
      [0, 'Point_Removed'],
      [70, 'Point_Add'],
    ] as const) {
      sandbox.call('sendOrder', { body: makeOrder({ OrderTotal }) });
      expect(balanceOf(sandbox).points).toBe(OrderTotal);
      const events = sandbox.takeEvents();
      expect(events.map((event) => event.topic)).toEqual([topic]);
      expect(events[0]?.payload.PointsBalance).toEqual({
        PointsBalance: OrderTotal,
        CashbackBalance: OrderTotal / 20 - (OrderTotal === 40.5 ? 0.005 : 0),
      });
    }
  });

  it.each([
    ['un-completed', { IsCompleted: false, OrderCompletedDate: null }],
    [
      'cancelled although completed',
      { IsCancelledOrReturned: true, OrderCancelledDate: '2026-10-07T09:00:00Z' },
    ],
  ])('takes exactly its points back when an order is %s', (_, changes) => {
    const sandbox = openSandbox({ settings: { error13: 'never' } });
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'other', OrderTotal: 33.33 }) });
    const before = balanceOf(sandbox);
    sandbox.call('sendOrder', { body: makeOrder({ OrderTotal: 0.29 }) });
    sandbox.takeEvents();
    expect(codeOf(sandbox.call('sendOrder', { body: makeOrder(changes) }))).toBeUndefined();
    expect(balanceOf(sandbox)).toEqual(before);
    expect(sandbox.takeEvents()).toMatchObject([
      {
        topic: 'Point_Removed',
        payload: { Points: 0.29, PointsBalance: { PointsBalance: 33.33 } },
      },
    ]);
  });

  it('never takes an order back from the cancelled state', () => {
    const sandbox = openSandbox();
    const cancelled = makeOrder({
      IsCompleted: false,
      IsCancelledOrReturned: true,
      OrderCancelledDate: '2026-10-07T09:00:00Z',
    });
    sandbox.call('sendOrder', { body: cancelled });
    expect(codeOf(sandbox.call('sendOrder', { body: makeOrder() }))).toBe(33);
    expect(codeOf(sandbox.call('sendOrder', { body: cancelled }))).toBe(33);
    expect(codeOf(sandbox.call('sendOrder', { body: makeOrder({ OrderTotal: 'x' }) }))).toBe(33);
  });

  it('is stored once and for all where the settings say so', () => {
    const sandbox = openSandbox({ settings: { repeatedOrder: 'refuse' } });
    expect(codeOf(sandbox.call('sendOrder', { body: makeOrder() }))).toBeUndefined();
    expect(codeOf(sandbox.call('sendOrder', { body: makeOrder() }))).toBe(36);
    expect(codeOf(sandbox.call('sendOrder', { body: makeOrder({ OrderTotal: 1 }) }))).toBe(36);
    expect(balanceOf(sandbox).points).toBe(100);
  });

  it('cannot be returned once completed where the settings say so', () => {
    const sandbox = openSandbox({ settings: { error13: 'return-completed' } });
    const returned = { IsCancelledOrReturned: true, OrderCancelledDate: '2026-10-07T09:00:00Z' };
    sandbox.call('sendOrder', { body: makeOrder() });
    expect(codeOf(sandbox.call('sendOrder', { body: makeOrder(returned) }))).toBe(13);
    expect(balanceOf(sandbox).points).toBe(100);
    expect(codeOf(sandbox.call('sendOrder', { body: makeOrder({ OrderTotal: 60 }) }))).toBe(
      undefined,
    );
    const open = { OriginalId: 'o2', IsCompleted: false, OrderCompletedDate: null };
    sandbox.call('sendOrder', { body: makeOrder(open) });
    const cancelled = makeOrder({ ...open, ...returned });
    expect(codeOf(sandbox.call('sendOrder', { body: cancelled }))).toBeUndefined();
  });

  it('gives no points to a customer who is not enrolled, and gives them once enrolled', () => {
    const sandbox = openSandbox();
    const Customer = makeCustomer({ IsEnrolled: false });
    sandbox.call('sendOrder', { body: makeOrder({ Customer }) });
    expect(balanceOf(sandbox).points).toBe(0);
    sandbox.call('sendOrder', { body: makeOrder() });
    expect(balanceOf(sandbox).points).toBe(100);
    // A record once given follows its order, also after the customer left.
    sandbox.call('sendOrder', { body: makeOrder({ Customer, OrderTotal: 60 }) });
    expect(balanceOf(sandbox).points).toBe(60);
  });

  it('moves the points with an order that passes to another customer', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: makeOrder() });
    sandbox.takeEvents();
    const { Result } = sandbox.call('sendOrder', {
      body: makeOrder({ Customer: makeCustomer({ OriginalId: 'c2' }) }),
    });
    expect(balanceOf(sandbox, 'c1').points).toBe(0);
    expect(balanceOf(sandbox, 'c2').points).toBe(100);
    expect(Result?.Customer).toMatchObject({ OriginalId: 'c2', OrderCount: 1 });
    expect(sandbox.tables.ordersByCustomer.of('c1')).toEqual([]);
    expect(sandbox.takeEvents().map(({ topic }) => topic)).toEqual(['Point_Removed', 'Point_Add']);
  });

  it("marks a customer's coupon as used by the order, and a public one never", () => {
    const sandbox = openSandbox();
    const Customer = { OriginalId: 'c1', Name: 'Robin Sample', Email: 'robin@example.com' };
    sandbox.call('createCoupon', { body: { OriginalId: 'k1', CouponCode: 'ROBIN10', Customer } });
    sandbox.call('createCoupon', { body: { OriginalId: 'k2', CouponCode: 'AUTUMN10' } });
    sandbox.call('sendOrder', { body: makeOrder({ Coupon: 'ROBIN10' }) });
    sandbox.call('sendOrder', { body: makeOrder({ OriginalId: 'o2', Coupon: 'AUTUMN10' }) });
    expect(sandbox.tables.coupons.get('k1')).toMatchObject({ IsUsed: true, usedByOrderId: 'o1' });
    expect(sandbox.tables.coupons.get('k2')).toMatchObject({ IsUsed: false, usedByOrderId: null });
  });

  it('describes the added points in the event', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: makeOrder() });
    expect(sandbox.takeEvents()).toEqual([
      {
        id: '1',
        topic: 'Point_Add',
        payload: {
          Points: 100,
          PointType: 1,
          PointAction: 1,
          Customer: {
            Id: 'c1',
            Email: 'robin.sample@example.com',
            Name: 'Robin Sample',
            Phone: null,
            Document: null,
            BirthdayDate: null,
            PointsBalance: 100,
          },
          PointsBalance: { PointsBalance: 100, CashbackBalance: 5 },
          Cashback: 5,
          ValidDate: '2027-10-07T12:00:00.000Z',
          ValidDateFormatted: '07/10/2027',
          PointId: 1,
          EventDate: '2026-10-07T12:00:00.000Z',
          Origins: [],
        },
      },
    ]);
  });
});

describe.each(['cancelPosOrder', 'cancelOrder'] as const)('%s', (operation) => {
  const path = { orderId: 'o1' };
  const body = { OrderCancelledDate: '2026-10-07T09:00:00Z', OrderStatus: 'cancelled' };
  const openOrder = makeOrder({ IsCompleted: false, OrderCompletedDate: null });

  it('cancels an open order for good', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: openOrder });
    expect(sandbox.call(operation, { path, body }).Result).toEqual({
      isCanceled: true,
      UpdatedAt: '2026-10-07T12:00:00.000Z',
      Status: 3,
    });
    expect(sandbox.tables.orders.get('o1')).toMatchObject({
      IsCancelledOrReturned: true,
      OrderStatus: 'cancelled',
    });
    expect(codeOf(sandbox.call(operation, { path, body }))).toBe(33);
    expect(codeOf(sandbox.call('sendOrder', { body: openOrder }))).toBe(33);
  });

  it('keeps the status when none is sent', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: openOrder });
    sandbox.call(operation, { path, body: { ...body, OrderStatus: null } });
    expect(sandbox.tables.orders.get('o1')?.OrderStatus).toBe('fulfilled');
  });

  it.each([
    ['the order is unknown', { orderId: 'o2' }, body, 37],
    ['there is no date', path, {}, 14],
    ['there is no body', path, undefined, 14],
    ['it is before the placement', path, { OrderCancelledDate: '2026-10-05T08:00:00Z' }, 15],
    ['the date cannot be read', path, { OrderCancelledDate: 'now' }, 36],
    ['the status is a number', path, { ...body, OrderStatus: 4 }, 36],
    ['the body is a word', path, 'cancel', 36],
  ])('refuses when %s', (_, where, what, code) => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: openOrder });
    expect(codeOf(sandbox.call(operation, { path: where, body: what }))).toBe(code);
    expect(codeOf(sandbox.callUnchecked(operation, { path: where, body: what }))).toBe(code);
  });

  it('cancels a completed order and removes the points already given', () => {
    const sandbox = openSandbox();
    sandbox.call('sendOrder', { body: makeOrder() });
    sandbox.takeEvents();
    const { Result } = sandbox.call(operation, { path, body });
    expect(Result).toMatchObject({ isCanceled: true, Status: 3 });
    expect(balanceOf(sandbox).points).toBe(0);
    expect(sandbox.takeEvents()).toMatchObject([{ topic: 'Point_Removed' }]);
  });

  it('never cancels a completed order where the settings say so', () => {
    const sandbox = openSandbox({ settings: { error13: 'cancel-completed' } });
    sandbox.call('sendOrder', { body: makeOrder() });
    expect(codeOf(sandbox.call(operation, { path, body }))).toBe(13);
    expect(balanceOf(sandbox).points).toBe(100);
  });

  it('shows a day later where the settings say so, and is not true until then', () => {
    const sandbox = openSandbox({ settings: { lateCancel: true } });
    sandbox.call('sendOrder', { body: makeOrder() });
    const notYet = { isCanceled: false, Status: 2 };
    expect(sandbox.call(operation, { path, body }).Result).toMatchObject(notYet);
    sandbox.clock.now = new Date('2026-10-08T11:59:00Z');
    expect(sandbox.call(operation, { path, body }).Result).toMatchObject(notYet);
    sandbox.clock.now = new Date('2026-10-08T12:00:00Z');
    sandbox.call('getOrder', { path });
    expect(codeOf(sandbox.call(operation, { path, body }))).toBe(33);
    expect(balanceOf(sandbox).points).toBe(0);
  });
});
