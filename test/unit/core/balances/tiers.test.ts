import { beforeEach, expect, it } from 'vitest';
import { openBalanceWorker } from '../../../support/balance-worker.ts';

let worker: ReturnType<typeof openBalanceWorker>;
beforeEach(async () => {
  worker = openBalanceWorker(['1']);
  worker.tiers.set('1', 'Gold');
  await worker.handle('1', 50);
  expect(worker.store.customers.get('1')?.tier).toBe('Gold');
});

const refused = { kind: 'business-error', class: 'rejected', code: 59, message: 'no' };
const oddlyNamed = { kind: 'success', value: { CurrentTier: { Name: { pt: 'Ouro' } } } };

it.each([
  ['goes when the customer no longer has it', null, undefined],
  ['stays when the service does not let the customer be read', { failure: refused }, 'Gold'],
  ['stays when the service names it by other than text', { failure: oddlyNamed }, 'Gold'],
])('the tier of a balance %s', async (_, answer, tier) => {
  worker.tiers.set('1', answer);
  expect(await worker.handle('1', 60, { at: 1 })).toEqual({ received: 1, left: 0 });
  const expected = { points: '60', cashback: '3', ...(tier && { tier }) };
  expect(worker.store.customers.get('1')).toEqual(expected);
});
