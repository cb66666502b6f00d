import { beforeEach, describe, expect, it, vi } from 'vitest';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';

let worker: ReturnType<typeof openBalanceWorker>;
beforeEach(() => {
  worker = openBalanceWorker(['1', '2', '3']);
});

describe('a worker that dies', () => {
  it('leaves a mark, so that a return to the earlier balance is written and not taken for unchanged', async () => {
    await worker.handle('1', 10);
    await worker.announce('1', 99, { at: 1 });
    const { ledger } = worker;
    // The mark is written; the record after the call is not.
    const write: typeof ledger.write = async (key, entry, revision) =>
      entry.uncertain ? ledger.write(key, entry, revision) : Promise.reject(new Error('killed'));
    worker.parts.ledger = { ...ledger, write };
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    expect(worker.pointsOf('1')).toBe('99');
    worker.parts.ledger = ledger;
    await worker.announce('1', 10, { at: 2 });
    worker.clock.ms += 60_000;
    await worker.work();
    expect(worker.pointsOf('1')).toBe('10');
    expect(worker.entry('1')?.uncertain).toBe(false);
  });

  it('leaves no tier behind that the customer lost before the first write was recorded', async () => {
    const { ledger } = worker;
    worker.tiers.set('1', 'Gold');
    await worker.announce('1', 50);
    worker.parts.ledger = { ...ledger, write: () => Promise.reject(new Error('killed')) };
    await worker.work();
    expect(worker.store.customers.get('1')?.tier).toBe('Gold');
    worker.parts.ledger = ledger;
    worker.tiers.set('1', null);
    worker.clock.ms += 60_000;
    await worker.work();
    expect(worker.store.customers.get('1')).toEqual({ points: '50', cashback: '2.5' });
  });

  it('is finished by the next event, even by an older one', async () => {
    await worker.handle('1', 10);
    expect(worker.entry('1')?.remembered).toBeDefined();
    await worker.ledger.markUncertain({ shop: SHOP, kind: 'customer', id: '1' });
    worker.store.customers.set('1', { points: 'of another writer', cashback: '' });
    await worker.handle('1', 3, { at: -60 });
    expect(worker.pointsOf('1')).toBe('10');
    expect(worker.entry('1')?.uncertain).toBe(false);
  });

  it('is finished with what it was writing, not with a replayed event of the same second', async () => {
    const eventDate = new Date(worker.clock.ms).toISOString();
    await worker.handle('1', 10, { eventDate, point: 'first' });
    await worker.announce('1', 25, { eventDate, point: 'second' });
    worker.store.before = async () => Promise.reject(new Error('killed'));
    await worker.work();
    worker.store.before = undefined;
    worker.clock.ms += 360_000;
    await worker.handle('1', 10, { eventDate, point: 'first' });
    expect(worker.queue.size).toBe(0);
    expect(worker.pointsOf('1')).toBe('25');
  });

  it('hands back only what is unfinished when its time is up', async () => {
    await worker.handle('1', 10);
    await worker.announce('1', 5, { at: -60 });
    await worker.announce('2', 20);
    const hangs = vi.fn(() => new Promise<never>(() => {}));
    worker.store.before = hangs;
    const soon = new AbortController();
    const working = worker.work({ deadline: soon.signal });
    await vi.waitFor(() => expect(hangs).toHaveBeenCalledOnce(), { timeout: 20_000 });
    soon.abort();
    expect(await working).toEqual({ received: 2, left: 1 });
    expect(worker.telemetry.total('superseded')).toBe(1);
  });

  it('whose record was overtaken asks for the customer to be written again', async () => {
    await worker.announce('1', 10);
    worker.store.before = async () => {
      worker.store.before = undefined;
      await worker.ledger.markUncertain({ shop: SHOP, kind: 'customer', id: '1' });
      return undefined;
    };
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    expect(worker.queue.size).toBe(2);
    for (let round = 0; round < 5 && worker.queue.size > 0; round += 1) {
      worker.clock.ms += 60_000;
      await worker.work();
    }
    expect(worker.queue.size).toBe(0);
    expect(worker.entry('1')?.uncertain).toBe(false);
    expect(worker.pointsOf('1')).toBe('10');
  });
});
