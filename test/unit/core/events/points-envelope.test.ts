import { describe, expect, it } from 'vitest';
import { decodeEvent } from '../../../../shared/core/events/decode-event.ts';
import { isStoreEvent, type QueuedEvent } from '../../../../shared/core/events/event.ts';
import { encodeEvent } from '../../../../shared/core/events/message-body.ts';

const head = {
  shop: 'example-store.myshopify.com',
  deliveryId: 'd',
  receivedAt: '2026-10-09T12:00:00.000Z',
};
const balance = {
  ...head,
  kind: 'balance',
  id: '6940095564',
  topic: 'Point_Add',
  eventDate: '2026-10-09T11:59:30.000Z',
  points: '310',
  cashback: '15.5',
} as const;
const request = { ...head, kind: 'balance', id: '6940095564', topic: 'visit' } as const;
const redemption = {
  ...head,
  kind: 'redemption',
  id: 'K7Q2M9XBP4TA',
  customerId: '6940095564',
  topic: 'redeem',
} as const;
const points = { ...head, kind: 'point-event', id: 'a1b2', topic: 'unnamed' } as const;

describe('a message about points', () => {
  it.each<[string, QueuedEvent]>([
    ['a balance', balance],
    ['a balance below zero', { ...balance, points: '-5', cashback: '-0.25' }],
    ['a large balance', { ...balance, points: '1234567890123', cashback: '0.123456789' }],
    ['a balance of another topic', { ...balance, topic: 'Point_Update' }],
    ['a balance without a topic', { ...balance, topic: 'unnamed' }],
    ['a balance of a short id', { ...balance, id: '7' }],
    ['a visit', request],
    ['a repair', { ...request, topic: 'repair' }],
    ['a redemption', redemption],
    ['a redemption that an operator asks for', { ...redemption, topic: 'operator' }],
    ['a point event', { ...points, body: new Uint8Array([123, 125]) }],
  ])('comes back exactly as it went in: %s', (_, event) => {
    expect(decodeEvent(encodeEvent(event))).toStrictEqual({ kind: 'event', event });
  });

  it('is taken for no event of the store, on whichever queue it arrives', () => {
    const events = [balance, request, redemption, { ...points, body: new Uint8Array() }];
    expect(events.filter(isStoreEvent)).toEqual([]);
  });

  // A balance that is misread would be shown to the customer, and a wrong id is another customer's.
  it.each([
    ...['x1', '1x', 'x', '', '1 2', '1'.repeat(21)].flatMap((id) => [
      { ...balance, id },
      { ...request, id },
      { ...redemption, customerId: id },
    ]),
    ...['x1', '1x', '--1', '1.', '.5', '1.x', '1.5.5', '1e3', '', '1'.repeat(14)].flatMap(
      (amount) => [
        { ...balance, points: amount },
        { ...balance, cashback: amount },
      ],
    ),
    { ...balance, points: `0.${'1'.repeat(10)}` },
    { ...balance, eventDate: 'soon' },
    { ...balance, topic: 'visit' },
    { ...request, topic: 'Point_Add' },
    ...['K7Q2M9XBP4T', 'K7Q2M9XBP4TA1', 'k7q2m9xbp4ta', 'K7Q2M9XBP4T-'].map((id) => ({
      ...redemption,
      id,
    })),
    { ...redemption, topic: 'visit' },
  ])('is unreadable in any other form: %j', (event) => {
    expect(decodeEvent(encodeEvent(event as QueuedEvent)).kind).toBe('unreadable');
  });
});
