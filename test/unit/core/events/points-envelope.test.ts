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
  triggeredAt: '2026-10-09T11:59:30.000Z',
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

  // A wrong id is another customer's.
  it.each([
    ...['x1', '1x', 'x', '', '1 2', '1'.repeat(21)].flatMap((id) => [
      { ...balance, id },
      { ...request, id },
      { ...redemption, customerId: id },
    ]),
    { ...balance, receivedAt: 'soon' },
    { ...balance, topic: 'another' },
    ...['K7Q2M9XBP4T', 'K7Q2M9XBP4TA1', 'k7q2m9xbp4ta', 'K7Q2M9XBP4T-'].map((id) => ({
      ...redemption,
      id,
    })),
    { ...redemption, topic: 'visit' },
  ])('is unreadable in any other form: %j', (event) => {
    expect(decodeEvent(encodeEvent(event as QueuedEvent)).kind).toBe('unreadable');
  });
});
