import { beforeEach, describe, expect, it } from 'vitest';
import { earnPoints } from '../../../../shared/rewards/storefront/storefront.ts';
import { readAmount } from '../../../../shared/store/money.ts';
import { openAnswering, refusal, success } from '../../../support/answering-loyalty.ts';
import { serveInProcess } from '../../../support/served-storefront.ts';

describe('the points of a product or a cart', () => {
  let shop: ReturnType<typeof serveInProcess>;
  beforeEach(() => {
    shop = serveInProcess();
  });

  const own = { items: '11:19.90:2,12:0.10:1,11:5:1,13:0:1', currency: 'EUR' };

  it('are those of the whole, lines of one product together, and a gift earns none', async () => {
    const { status, json, headers } = await shop.ask('points', { own });
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('public, max-age=60');
    const { items } = json as { items: { id: string; points: number }[] };
    expect(items.map(({ id, points }) => [id, points])).toEqual([
      ['11', 44.8],
      ['12', 0.1],
      ['13', 0],
    ]);
    expect(json.points).toBe(44.9);
    expect(shop.loyalty.journal[0]?.body).toEqual([
      { Id: '11', Price: 44.8, PriceCurrency: 'EUR' },
      { Id: '12', Price: 0.1, PriceCurrency: 'EUR' },
    ]);
  });

  it('are those of the price without its tax, where orders count without taxes', async () => {
    shop = serveInProcess({ taxInPrices: 20 });
    const { json } = await shop.ask('points', { own: { items: '11:49.00:1', currency: 'EUR' } });
    expect(json.points).toBe(40.83);
    expect(shop.loyalty.journal[0]?.body).toMatchObject([{ Id: '11', Price: 40.83 }]);
  });

  it('are asked for once for all who look at the same products within five minutes', async () => {
    for (const customerId of ['', '7', '8']) await shop.ask('points', { own, customerId });
    await shop.ask('points', { own: { ...own, items: '12:0.10:1' } });
    expect(shop.calls('calculateProductPoints')).toBe(1);
    await shop.ask('points', { own: { ...own, currency: 'USD' } });
    const other = await shop.ask('points', {
      own: { ...own, items: own.items.replace('0.10', '0.20') },
    });
    expect(other.json.points).toBe(45);
    expect(shop.loyalty.journal.at(-1)?.body).toMatchObject([{ Id: '12' }]);
    shop.clock.ms += 300_000;
    await shop.ask('points', { own });
    expect(shop.calls('calculateProductPoints')).toBe(4);
  });

  // 1,500 requests of an anonymous visitor in 14 seconds made 1,466 calls.
  it('of ever new prices are refused after so many calls, without a call, and known ones are answered', async () => {
    shop = serveInProcess({ readsPerMinute: 10 });
    const ask = (price: number) =>
      shop.ask('points', { own: { items: `11:${price}:1`, currency: 'EUR' } });
    const statuses = [];
    for (let price = 1; price <= 30; price += 1) statuses.push((await ask(price)).status);
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(20).fill(429)]);
    expect(shop.calls('calculateProductPoints')).toBe(10);
    const refused = await ask(31);
    expect([refused.json.error.code, refused.headers['retry-after']]).toEqual([
      ...['too-many-requests', '6'],
    ]);
    expect((await ask(10)).status).toBe(200);
    expect(shop.telemetry.total('unavailable')).toBe(0);
  });

  // Ten requests of any visitor rang the alarm "Storefront unavailable".
  it('that the service refuses to count are a fault of the request, and not of the program', async () => {
    const items = '8012300032771:99999999.99:9999';
    const { status, json } = await shop.ask('points', { own: { ...own, items } });
    expect(shop.calls('calculateProductPoints')).toBe(1);
    expect([status, json.error.code]).toEqual([400, 'bad-request']);
    expect(shop.telemetry.total('unavailable')).toBe(0);
  });

  it.each([
    ['nothing', {}],
    ['no currency', { items: '1:1:1' }],
    ['a currency of its own', { items: '1:1:1', currency: 'eur' }],
    ['a cart that cannot be read', { items: 'a:1:1', currency: 'EUR' }],
  ])('are not counted for %s', async (_, wrong) => {
    const { status, json } = await shop.ask('points', { own: wrong });
    expect([status, json.error.code]).toEqual([400, 'bad-request']);
    expect(shop.loyalty.journal).toEqual([]);
  });
});

describe('the points of a page', () => {
  const price = readAmount('10') ?? expect.fail('no amount');
  const lines = ['1', '2'].map((id) => ({ id, price, quantity: 1 }));

  it.each([
    ['gives none for products', refusal('PublicApiProductService_ObjectiveDisabled'), 0, 0],
    ['does not know the product', success([]), 0, 0],
    [
      'gives parts',
      success([
        { Id: '1', Points: 0.1, Cashback: 0.7 },
        { Id: '2', Points: 0.2, Cashback: 0.1 },
      ]),
      0.3,
      0.8,
    ],
  ])('are known, and asked for once, where the program %s', async (_, result, points, cashback) => {
    const { deps, asked } = openAnswering(result);
    for (const __ of ['first page', 'second page']) {
      expect(await earnPoints(lines, 'EUR', deps)).toMatchObject({
        ...{ kind: 'answered', value: { points, cashback, items: [{ id: '1' }, { id: '2' }] } },
      });
    }
    expect(asked).toHaveLength(1);
  });

  it('are not taken for none where the service refuses to count them', async () => {
    const { deps, asked } = openAnswering(refusal('Unknown'));
    for (const _ of ['first page', 'second page']) {
      expect(await earnPoints(lines, 'EUR', deps)).toEqual({ kind: 'refused' });
    }
    expect(asked).toHaveLength(2);
  });

  it('are refused as too many, and not as unavailable, where the rate limit has no token for a shopper', async () => {
    const { deps } = openAnswering({
      ...{ kind: 'transport-failure', class: 'retry', reason: 'out-of-tokens', message: 'no' },
      ...{ mayHaveHappened: false, retryAfterSeconds: 5 },
    });
    expect(await earnPoints(lines, 'EUR', deps)).toEqual({ kind: 'too-many', afterSeconds: 5 });
  });

  it('are none for gifts alone, and the service is not asked', async () => {
    const { deps, asked } = openAnswering();
    const gift = { id: '3', price: readAmount('0') ?? price, quantity: 1 };
    expect(await earnPoints([gift], 'EUR', deps)).toMatchObject({ value: { points: 0 } });
    expect(asked).toEqual([]);
  });
});
