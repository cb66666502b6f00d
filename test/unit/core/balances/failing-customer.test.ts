import { beforeEach, describe, expect, it } from 'vitest';
import { changeControl, withServicePause } from '../../../../shared/core/calls/shop-pause.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';

let worker: ReturnType<typeof openBalanceWorker>;
beforeEach(() => {
  worker = openBalanceWorker(['1', '2', '3']);
});

describe('what goes wrong with one customer', () => {
  it('stays with them: a customer unknown to the store is skipped, the others are written', async () => {
    for (const id of ['1', '666', '3']) await worker.announce(id, 10);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.telemetry.total('applied')).toBe(2);
    expect(worker.telemetry.total('skipped', { why: 'unknown-customer' })).toBe(1);
    const entry = worker.entry('666');
    expect(entry?.outcomes.at(-1)).toMatchObject({ outcome: 'skipped', why: 'unknown-customer' });
    expect(entry?.expiresAt).toBeGreaterThan(worker.clock.ms / 1000);
  });

  it('parks what cannot be read, whole, and goes on with the rest of the group', async () => {
    await worker.announce('1', 10);
    worker.sendRaw('{"v":1,"kind":"order"}', `${SHOP}/balance/1`);
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect(worker.pointsOf('1')).toBe('10');
    const [letter] = worker.dead.receive();
    expect(letter?.body).toBe('{"v":1,"kind":"order"}');
    expect(letter?.attributes).toMatchObject({ reason: 'unreadable' });
  });

  it('is settled once though their letters were sent back, each in a group of its own', async () => {
    await worker.announce('1', 20, { at: 0 });
    await worker.announce('1', 10, { at: -60 });
    await worker.announce('2', 30);
    const sentBack = worker.queue.receive({ max: 10 });
    for (const { receiptHandle } of sentBack) worker.queue.delete(receiptHandle);
    for (const { body, messageId } of sentBack) worker.sendRaw(body, messageId);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.store.calls).toEqual([2]);
    expect(worker.pointsOf('1')).toBe('20');
    expect(worker.queue.size).toBe(0);
  });

  it('parks an event from the future, which would keep all true ones out', async () => {
    await worker.announce('1', 1_000_000, { at: 301 });
    expect(await worker.handle('1', 10, { at: 299 })).toEqual({ received: 2, left: 0 });
    expect(worker.pointsOf('1')).toBe('10');
    expect(worker.dead.receive()[0]?.attributes.why).toContain('lies 5 minutes after its arrival');
  });

  it('does not make a date true by waiting on the queue', async () => {
    await worker.announce('1', 1_000_000, { at: 3600 });
    worker.clock.ms += 7_200_000;
    await worker.work();
    expect(worker.dead.size).toBe(1);
    expect(worker.store.calls).toEqual([]);
  });

  it('loses no message that could be parked nowhere', async () => {
    await worker.announce('1', 10);
    worker.sendRaw('{', `${SHOP}/balance/1`);
    worker.dead.send = () => {
      throw new Error('down');
    };
    expect(await worker.work()).toEqual({ received: 2, left: 2 });
  });

  it('parks events of a shop that is not in the settings', async () => {
    await worker.handle('1', 10, { shop: 'other.myshopify.com' });
    expect(worker.dead.size).toBe(1);
    expect(worker.store.calls).toEqual([]);
  });

  it('delays all messages of the customer together while the service is down', async () => {
    worker.tiers.set('1', {
      failure: {
        ...{ kind: 'transport-failure', class: 'retry', reason: 'time-out', message: 'no answer' },
        mayHaveHappened: true,
      },
    });
    await worker.announce('1', 10);
    await worker.announce('1', 20, { at: 1 });
    expect(await worker.handle('2', 30)).toEqual({ received: 3, left: 2 });
    expect(worker.pointsOf('2')).toBe('30');
    expect(worker.queue.receive()).toEqual([]);
    worker.tiers.clear();
    worker.clock.ms += 60_000;
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect(worker.pointsOf('1')).toBe('20');
  });

  it('parks the newest with the store’s code when the store does not take it', async () => {
    worker.store.before = async () => ({ kind: 'refused', code: 'INVALID_VALUE' });
    expect(await worker.handle('1', 10)).toEqual({ received: 1, left: 0 });
    expect(worker.dead.receive()[0]?.attributes).toMatchObject({
      reason: 'rejected',
      why: 'the store does not take the balance: INVALID_VALUE',
    });
  });

  it('waits long, with the metric of the alarm, when a person must act', async () => {
    const why = 'access-denied-write-customers';
    worker.store.before = async () => ({ kind: 'unavailable', why, misconfigured: true });
    expect(await worker.handle('1', 10)).toEqual({ received: 1, left: 1 });
    expect(worker.telemetry.total('misconfigured')).toBe(1);
    expect(worker.dead.size).toBe(0);
  });
});

/** Each look at the clock moves it by so much. */
function letTimePass(clock: { ms: number }, stepMs: number): void {
  let { ms } = clock;
  Object.defineProperty(clock, 'ms', {
    get() {
      ms += stepMs;
      return ms;
    },
  });
}

// The batch had not begun the work, found no pause when it came to it, and took the message for settled.
it.each([700, 1_000, 1_300])(
  'no balance is lost when a pause of its shop ends within the batch: %i',
  async (stepMs) => {
    await worker.announce('1', 10);
    const asked = { why: 'throttled', seconds: 5 } as const;
    const now = new Date(worker.clock.ms);
    await changeControl(worker.ledger, SHOP, (control) => withServicePause(control, asked, now));
    letTimePass(worker.clock, stepMs);
    for (let batches = 0; batches < 20; batches += 1) await worker.work();
    expect([worker.pointsOf('1'), worker.queue.size]).toEqual(['10', 0]);
  },
);
