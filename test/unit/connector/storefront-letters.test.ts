import { describe, expect, it } from 'vitest';
import { groupsOf } from '../../../scripts/connector/dead-letters/describe.ts';
import {
  familiesOf,
  matchesFilter,
  readLetter,
} from '../../../scripts/connector/dead-letters/read.ts';
import { letterReaderOf } from '../../../scripts/connector/dead-letters/replay.ts';
import {
  examineLetter,
  letterBlocks,
  letterData,
} from '../../../scripts/connector/dead-letters/show.ts';
import { deployedFamilies } from '../../../scripts/connector/status/collect-status.ts';
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
  shops: [{ domain: SHOP }],
  loyalty: { address: 'https://loyalty.example.com' },
};

describe('a dead letter of the storefront sync', () => {
  const world = {
    ...{ ledger: { readMany: async () => new Map() }, ...letterReaderOf(least.shops) },
    shop: () => expect.unreachable(),
  };

  it.each([
    ['balance', balance, '7001'],
    ['redemption', redemption, 'ABCDEFGH1234'],
    ['point-event', pointEvent, 'a1b2'],
  ])('of a %s is found by what it is about', (kind, body, id) => {
    const letter = letterOf(body);
    expect(letter.event).toMatchObject({ kind, id, shop: SHOP });
    expect(matchesFilter(letter, { id: [id] })).toBe(true);
    expect(matchesFilter(letter, { id: ['1'] })).toBe(false);
    expect(matchesFilter(letter, { shop: SHOP, reason: 'rejected' })).toBe(true);
    expect(groupsOf([letter])[0]?.example).toMatchObject({ kind, id });
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

  it('that cannot be read is still a dead letter', () => {
    for (const body of ['', '{', '{}', '{"v":9}']) {
      const letter = letterOf(body);
      expect([letter.event, typeof letter.undecodable]).toEqual([undefined, 'string']);
      expect(matchesFilter(letter, {})).toBe(true);
    }
  });

  it('is looked for where there is such a queue', () => {
    const without = defineConnector(least);
    const connector = defineConnector({ ...least, storefront: {} });
    const store = ['orders', 'products', 'coupons'];
    expect(familiesOf(without)).toEqual(store);
    expect(familiesOf(connector)).toEqual([...store, 'balances']);
    expect(deployedFamilies(without)).toEqual(store);
    expect(deployedFamilies(connector)).toEqual([...store, 'balances']);
  });
});
