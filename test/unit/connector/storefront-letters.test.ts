import { describe, expect, it } from 'vitest';
import { readLetter } from '../../../scripts/connector/ground/letters/read-letters.ts';
import {
  letterReaderOf,
  prepareReplay,
} from '../../../scripts/connector/ground/letters/replay-letters.ts';
import { familiesOf } from '../../../scripts/connector/ground/session/queues.ts';
import { revealedIn } from '../../../scripts/connector/look/show-letter.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { summarize } from '../../../shared/core/batch/dead-letter.ts';
import { encodeEvent } from '../../../shared/core/events/message-body.ts';
import { deadLetter } from '../../support/parked-letters.ts';

const SHOP = 'example-store.myshopify.com';
const common = { shop: SHOP, receivedAt: '2026-10-09T12:00:00.000Z' };

const letterOf = (body: string) => readLetter(deadLetter(body, { family: 'balances' }));

const balance = encodeEvent({
  ...common,
  kind: 'balance',
  id: '7001',
  topic: 'Point_Add',
  deliveryId: 'Point_Add/1/2026-10-09T12:00:00.000Z',
  triggeredAt: '2026-10-09T12:00:00.000Z',
});
const redemption = encodeEvent({
  ...common,
  kind: 'redemption',
  id: 'ABCDEFGH1234',
  customerId: '7001',
  topic: 'redeem',
  deliveryId: 'redeem/ABCDEFGH1234',
});

const pointEvent = encodeEvent({
  ...common,
  kind: 'point-event',
  id: 'a1b2',
  topic: 'unnamed',
  deliveryId: 'person/unnamed/1/2026-10-09T12:00:00.000Z',
  body: Buffer.from(JSON.stringify({ Customer: { Email: 'jordan.testperson@example.com' } })),
});

const least = {
  shops: [{ domain: SHOP, platform: 'shopify' }],
  loyalty: { address: 'https://loyalty.example.com' },
} as const;

describe('a dead letter of the storefront sync', () => {
  const world = letterReaderOf(least.shops);

  it.each([balance, redemption])('goes back as it is, with one replay more', (body) => {
    const letter = letterOf(body);
    const now = new Date('2026-10-10T00:00:00.000Z');
    expect(prepareReplay(letter, 'ops@desk', world, now)).toMatchObject({
      event: { ...letter.event, replays: [{ at: now.toISOString(), by: 'ops@desk' }] },
    });
  });

  it('is listed with its queue', () => {
    const letter = letterOf(balance);
    const listed = summarize(letter, letter.event);
    expect(listed).toMatchObject({ event: { kind: 'balance', id: '7001' }, family: 'balances' });
  });

  it('of a point event has the person only in its body', () => {
    const letter = letterOf(pointEvent);
    expect(JSON.stringify(summarize(letter, letter.event))).not.toContain('jordan');
    expect(revealedIn(letter, undefined).body).toContain('jordan.testperson@example.com');
  });

  it('is looked for where there is such a queue', () => {
    const without = defineConnector(least);
    const connector = defineConnector({ ...least, storefront: {} });
    const store = ['orders', 'products', 'coupons'];
    expect(familiesOf(without)).toEqual(store);
    expect(familiesOf(connector)).toEqual([...store, 'balances']);
  });
});
