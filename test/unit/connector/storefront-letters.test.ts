import { describe, expect, it } from 'vitest';
import { readLetter } from '../../../scripts/connector/ground/letters/read-letters.ts';
import {
  letterReaderOf,
  prepareReplay,
} from '../../../scripts/connector/ground/letters/replay-letters.ts';
import { familiesOf } from '../../../scripts/connector/ground/session/queues.ts';
import {
  examineLetter,
  letterBlocks,
  letterData,
} from '../../../scripts/connector/look/show-letter.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
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
  eventDate: '2026-10-09T12:00:00.000Z',
  points: '4321.5',
  cashback: '1',
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
  const world = {
    ...{ ledger: { readMany: async () => new Map() }, ...letterReaderOf(least.shops) },
    shop: () => expect.unreachable(),
  };

  it.each([balance, redemption])('goes back as it is, with one replay more', (body) => {
    const letter = letterOf(body);
    const now = new Date('2026-10-10T00:00:00.000Z');
    expect(prepareReplay(letter, 'ops@desk', world, now)).toMatchObject({
      event: { ...letter.event, replays: [{ at: now.toISOString(), by: 'ops@desk' }] },
    });
  });

  it('is shown without the balance in it', async () => {
    const letter = letterOf(balance);
    const shown = letterData(await examineLetter(letter, world), {});
    expect(shown).toMatchObject({ event: { kind: 'balance', id: '7001' }, family: 'balances' });
    expect(JSON.stringify(shown)).not.toContain('4321');
  });

  it('of a point event shows the person only with --reveal', async () => {
    const examined = await examineLetter(letterOf(pointEvent), world);
    const shown = (reveal: boolean) => {
      const data = letterData(examined, { reveal });
      const connector = defineConnector(least);
      const blocks = letterBlocks(examined.letter, data, new Map(), { connector });
      return [data, blocks].map((one) => JSON.stringify(one));
    };
    for (const text of shown(false)) expect(text).not.toContain('jordan');
    for (const text of shown(true)) expect(text).toContain('jordan.testperson@example.com');
  });

  it('is looked for where there is such a queue', () => {
    const without = defineConnector(least);
    const connector = defineConnector({ ...least, storefront: {} });
    const store = ['orders', 'products', 'coupons'];
    expect(familiesOf(without)).toEqual(store);
    expect(familiesOf(connector)).toEqual([...store, 'balances']);
  });
});
