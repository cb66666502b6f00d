import { beforeEach, describe, expect, it } from 'vitest';
import { earnPoints } from '../../../../shared/core/storefront/earn-points.ts';
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

  it('are asked for once for all who look at the same page within a minute', async () => {
    for (const customerId of ['', '7', '8']) await shop.ask('points', { own, customerId });
    expect(shop.calls('calculateProductPoints')).toBe(1);
    await shop.ask('points', { own: { ...own, currency: 'USD' } });
    await shop.ask('points', { own: { ...own, items: own.items.replace('0.10', '0.20') } });
    shop.clock.ms += 60_000;
    await shop.ask('points', { own });
    expect(shop.calls('calculateProductPoints')).toBe(4);
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
    const unknown = { kind: 'unavailable', afterSeconds: 60, mayHaveHappened: false };
    for (const _ of ['first page', 'second page']) {
      expect(await earnPoints(lines, 'EUR', deps)).toEqual(unknown);
    }
    expect(asked).toHaveLength(2);
  });

  it('are none for gifts alone, and the service is not asked', async () => {
    const { deps, asked } = openAnswering();
    const gift = { id: '3', price: readAmount('0') ?? price, quantity: 1 };
    expect(await earnPoints([gift], 'EUR', deps)).toMatchObject({ value: { points: 0 } });
    expect(asked).toEqual([]);
  });
});
