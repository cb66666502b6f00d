import { describe, expect, it } from 'vitest';
import { noteMerge } from '../../../../shared/core/ledger/merged-customer.ts';
import { isStale, type View } from '../../../../shared/core/storefront/read-view.ts';
import { TIME_OUT } from '../../../fixtures/service-answers.ts';
import { SHOP, serveInProcess } from '../../../support/served-storefront.ts';

type Served = ReturnType<typeof serveInProcess>;

async function look(shop: Served, customerId = '7'): Promise<View> {
  return (await shop.ask('view', { customerId, own: { items: '11:100:1' } })).json;
}

async function open(more: Parameters<typeof serveInProcess>[0] = {}) {
  const shop = serveInProcess(more);
  await shop.enroll('7', 300);
  await shop.remember('7', '300', '15', 'Bronze', { readAt: shop.clock.ms });
  return shop;
}

/** The first answers of one operation do not arrive. */
function lose(shop: Served, wanted: string, most: number): void {
  let lost = 0;
  shop.loyalty.world.interfere = ({ operation }, pass) => {
    if (operation !== wanted || lost >= most) return pass();
    lost += 1;
    return TIME_OUT;
  };
}

const REFUSED = { HasError: true, ErrorCode: 1, ErrorMessage: 'no' };

describe('a view', () => {
  it('is whole although one of its questions was lost the first time', async () => {
    const whole = await look(await open());
    for (const operation of ['listTiers', 'listRewardConfigurations']) {
      const shop = await open();
      lose(shop, operation, 1);
      expect(await look(shop)).toEqual(whole);
    }
  });

  it('names the tier that comes with the rewards where the service does not list tiers', async () => {
    const shop = await open();
    const CurrentTier = { Name: 'Silver', Color: '#ccc' };
    let asked = 0;
    shop.loyalty.world.interfere = ({ operation }, pass) => {
      const answer = pass();
      const { Customer, ...body } = JSON.parse(answer.text);
      if (operation === 'listTiers') asked += 1;
      if (operation === 'listTiers') return { ...answer, text: JSON.stringify(REFUSED) };
      if (operation !== 'listAvailableRewards') return answer;
      const text = JSON.stringify({ ...body, Customer: { ...Customer, CurrentTier } });
      return { ...answer, text };
    };
    const silver = { name: 'Silver', color: '#ccc', next: null };
    for (const _ of ['first page', 'second page']) {
      expect((await look(shop)).tier).toEqual(silver);
    }
    expect(asked).toBe(1);
  });

  it('asks for the tier again on the next page where it did not come', async () => {
    const shop = await open();
    lose(shop, 'listTiers', 2);
    expect((await look(shop)).tier?.next ?? null).toBeNull();
    expect((await look(shop)).tier?.next).not.toBeNull();
  });

  it('says at a till whether the customer must answer, and not while the service is away', async () => {
    const shop = await open({ challenge: 'asked' });
    expect((await look(shop)).needsChallenge).toBe(true);
    expect((await look(await open())).needsChallenge).toBe(false);
    shop.loyalty.world.interfere = () => TIME_OUT;
    expect((await look(shop)).needsChallenge).toBe(false);
  });

  it('shows the newer balance of the ledger while the service is away, with its tier', async () => {
    const shop = await open();
    await look(shop);
    const key = { shop: SHOP, kind: 'customer', id: '7' } as const;
    const [entry] = [...(await shop.parts.ledger.readMany([key])).values()];
    if (!entry) throw new Error('there is no entry');
    const remembered = entry.remembered?.replace('"300"', '"280"').replace('Bronze', 'Silver');
    const version = shop.clock.ms + 1_000;
    const next = { version, uncertain: false, outcomes: [], ...(remembered && { remembered }) };
    await shop.parts.ledger.write(key, next, entry.revision);
    shop.loyalty.world.interfere = () => TIME_OUT;
    expect(await look(shop)).toMatchObject({
      ...{ points: 280, asOf: '2026-10-09T12:00:01.000Z' },
      tier: { name: 'Silver', color: null, next: null },
    });
  });

  it('has the moment of the ledger where the service does not know the customer', async () => {
    const shop = serveInProcess();
    await shop.remember('7', '40', '0', null, { readAt: shop.clock.ms });
    for (const _ of ['first page', 'second page']) {
      expect(await look(shop)).toMatchObject({ points: 40, asOf: '2026-10-09T11:30:00.000Z' });
    }
  });

  it('has no moment while no balance is known, although the service counts points', async () => {
    const shop = serveInProcess();
    await shop.enroll('7', 300);
    shop.loyalty.world.interfere = ({ operation }, pass) =>
      operation === 'getCustomerPoints' ? { ...pass(), text: JSON.stringify(REFUSED) } : pass();
    for (const _ of ['first page', 'second page']) {
      expect(await look(shop)).toMatchObject({ points: null, asOf: null });
    }
  });

  it('of a customer who was merged is that of the other, who is also asked for', async () => {
    const shop = await open();
    const how = { now: new Date(shop.clock.ms), topic: 't', retentionDays: 9 };
    await noteMerge({ shop: SHOP, id: '8' }, '7', { ...how, ledger: shop.parts.ledger });
    shop.loyalty.world.interfere = () => TIME_OUT;
    expect(await look(shop, '8')).toMatchObject({ points: 300, rewards: null });
    shop.loyalty.world.interfere = undefined;
    shop.clock.ms += 90_000_000;
    expect(await look(shop, '8')).toMatchObject({ points: 300, cashback: 15 });
    expect(shop.requested).toMatchObject([{ id: '7' }]);
    for (const path of ['history', 'quizzes']) await shop.ask(path, { customerId: '8' });
    const asked = shop.loyalty.journal.slice(-2);
    expect(JSON.stringify(asked)).toContain('"7"');
    expect(JSON.stringify(asked.map(({ path, query }) => [path, query]))).not.toContain('"8"');
  });

  it.each([
    [undefined, true],
    [86_400_000, false],
    [86_400_001, true],
  ])('asks for a balance that was read %s ms ago: %s', (ago, expected) => {
    const now = new Date('2026-10-09T12:00:00Z');
    expect(isStale(ago === undefined ? undefined : now.getTime() - ago, now)).toBe(expected);
  });
});
