import { describe, expect, it } from 'vitest';
import { type Evidence, stepsOf } from '../../../local/storefront-demo/pages/order-page.ts';

const ID = '5512300032771';

const nothing: Evidence = {
  order: { id: ID, number: 1001, createdAt: '2026-10-05T09:00:00Z', customerId: '7' },
  deliveries: [],
  calls: [],
  point: undefined,
  pointsDueAt: null,
  serviceBalance: undefined,
  storeBalance: undefined,
};

const webhook = (id: string, state: 'delivered' | 'waiting'): Evidence['deliveries'][number] => ({
  topic: 'orders/create',
  body: `{"admin_graphql_api_id":"gid://shopify/Order/${id}"}`,
  state,
  attempts: [{ at: '2026-10-05T09:00:00.900Z', durationMs: 200, status: 200 }],
});

const call = (id: string, IsCompleted: boolean, HasError = false): Evidence['calls'][number] => ({
  at: '2026-10-05T09:00:02.000Z',
  body: { OriginalId: id, IsCompleted },
  answer: { HasError },
  status: 200,
});

const given: Pick<Evidence, 'point' | 'serviceBalance'> = {
  point: { points: 40, received: '2026-10-05T09:00:02.500Z' },
  serviceBalance: 140,
};

const done = (evidence: Partial<Evidence>) =>
  stepsOf({ ...nothing, ...evidence })
    .filter(({ state }) => state === 'done')
    .map(({ name }) => name);

describe('the steps of an order to its points', () => {
  it('begin with the order alone', () => {
    expect(done({})).toEqual(['placed']);
  });

  it('count a webhook of this order, once it was answered, at the time of the answer', () => {
    expect(done({ deliveries: [webhook('55123000327710', 'delivered')] })).toEqual(['placed']);
    expect(done({ deliveries: [webhook(ID, 'waiting')] })).toEqual(['placed']);
    const deliveries = [webhook(ID, 'delivered'), webhook(ID, 'waiting')];
    expect(stepsOf({ ...nothing, deliveries })[1]).toMatchObject({
      state: 'done',
      at: '2026-10-05T09:00:01.100Z',
      note: 'The connector has 1 of the 2 webhooks of this order.',
    });
  });

  it('count only an accepted call with the completed order', () => {
    expect(done({ calls: [call('1', true)] })).toEqual(['placed']);
    expect(done({ calls: [call(ID, false)] })).toEqual(['placed']);
    expect(done({ calls: [call(ID, true, true)] })).toEqual(['placed']);
    expect(done({ calls: [{ ...call(ID, true), fault: 'reset-after' }] })).toEqual(['placed']);
    expect(done({ calls: [call(ID, false), call(ID, true)] })).toEqual(['placed', 'sent']);
  });

  it('end when the balance in the store has the points, not when an older one is there', () => {
    const balance = (value: string, updatedAt: string) =>
      done({ ...given, storeBalance: { value, updatedAt } }).includes('balance');
    expect(done(given)).toEqual(['placed', 'points']);
    expect(balance('140', '2026-10-05T08:59:59Z')).toBe(false);
    expect(balance('100', '2026-10-05T09:00:02Z')).toBe(false);
    expect(balance('140', '2026-10-05T09:00:02Z')).toBe(true);
    // Meanwhile the customer has spent some of them.
    expect(balance('90', '2026-10-05T09:00:03Z')).toBe(true);
  });

  it('say when points are due that come later', () => {
    const steps = stepsOf({ ...nothing, pointsDueAt: '2026-10-12T09:00:00.000Z' });
    expect(steps[3]).toMatchObject({ state: 'waiting', note: 'They are due on 2026-10-12.' });
  });

  it('end for a guest with the webhook', () => {
    const order = { ...nothing.order, customerId: null };
    const deliveries = [webhook(ID, 'delivered')];
    const states = stepsOf({ ...nothing, order, deliveries }).map(({ state }) => state);
    expect(states).toEqual(['done', 'done', 'never', 'never', 'never']);
  });
});
