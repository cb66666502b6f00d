import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortGroup } from '../../../../shared/core/balances/customer-work.ts';
import { recallBalance } from '../../../../shared/core/balances/remembered-balance.ts';
import type { Item } from '../../../../shared/core/batch/conclude.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';

const entryOf = (worker: ReturnType<typeof openBalanceWorker>, id: string) =>
  worker.ledger.entries.get(`${SHOP}|customer|${id}`);

describe('balances in the store', () => {
  it('are written for all customers of a batch in one call, with the tier that the service names', async () => {
    const worker = openBalanceWorker(['1', '2', '3']);
    worker.tiers.set('2', 'Gold');
    for (const id of ['1', '2', '3']) await worker.tell(id, Number(id) * 100);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.store.calls).toEqual([3]);
    expect(Object.fromEntries(worker.store.customers)).toEqual({
      1: { points: '100', cashback: '5' },
      2: { points: '200', cashback: '10', tier: 'Gold' },
      3: { points: '300', cashback: '15' },
    });
  });

  it('follow the newest event, however the events are ordered in a batch', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 30, { at: -10 });
    await worker.tell('1', 50, { at: 0 });
    await worker.tell('1', 40, { at: -5 });
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.store.customers.get('1')?.points).toBe('50');
    expect(worker.store.calls).toEqual([1]);
    expect(worker.telemetry.total('superseded')).toBe(2);
  });

  it('are not changed by an event older than what is applied', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 50);
    await worker.work();
    await worker.tell('1', 20, { at: -3600 });
    await worker.work();
    expect(worker.store.customers.get('1')?.points).toBe('50');
    expect(worker.telemetry.total('superseded')).toBe(1);
  });

  it('are not changed by a replayed event, even one of the same second as the newest', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10, { point: 'first' });
    await worker.tell('1', 20, { point: 'second' });
    await worker.work();
    expect(worker.store.customers.get('1')?.points).toBe('20');
    // Beyond the queue's own memory of five minutes.
    const sixMinutes = 360;
    worker.clock.ms += sixMinutes * 1000;
    await worker.tell('1', 10, { at: -sixMinutes, point: 'first' });
    await worker.work();
    expect(worker.store.customers.get('1')?.points).toBe('20');
  });

  it('take a second change within the same second in the order of arrival', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10, { point: 'first' });
    await worker.work();
    await worker.tell('1', 25, { point: 'second' });
    await worker.work();
    expect(worker.store.customers.get('1')?.points).toBe('25');
  });

  it('are not kept from changing by a replayed event that comes in one batch with a new one of its second', async () => {
    const worker = openBalanceWorker(['1']);
    const eventDate = new Date(worker.clock.ms).toISOString();
    await worker.tell('1', 10, { eventDate, point: 'first' });
    await worker.work();
    worker.clock.ms += 360_000;
    await worker.tell('1', 25, { eventDate, point: 'second' });
    await worker.tell('1', 10, { eventDate, point: 'first' });
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect(worker.store.customers.get('1')?.points).toBe('25');
  });

  it('take a replayed event for as old as its first delivery after a long wait on the queue', async () => {
    const worker = openBalanceWorker(['1']);
    const eventDate = new Date(worker.clock.ms).toISOString();
    await worker.tell('1', 10, { eventDate, point: 'first' });
    await worker.tell('1', 25, { eventDate, point: 'second' });
    worker.clock.ms += 360_000;
    await worker.tell('1', 10, { eventDate, point: 'first' });
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.store.customers.get('1')?.points).toBe('25');
  });

  it('cost no call to the store when nothing changed', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 50);
    await worker.work();
    await worker.tell('1', 50, {
      at: 60,
      receivedAt: new Date(worker.clock.ms + 60_000).toISOString(),
    });
    await worker.work();
    expect(worker.store.calls).toEqual([1]);
    expect(worker.telemetry.total('unchanged')).toBe(1);
    // The version moved on all the same: what lies between changes nothing.
    await worker.tell('1', 70, { at: 30 });
    await worker.work();
    expect(worker.store.customers.get('1')?.points).toBe('50');
  });

  it('lose a tier that the customer no longer has', async () => {
    const worker = openBalanceWorker(['1']);
    worker.tiers.set('1', 'Gold');
    await worker.tell('1', 50);
    await worker.work();
    expect(worker.store.customers.get('1')?.tier).toBe('Gold');
    worker.tiers.set('1', null);
    await worker.tell('1', 5, { at: 1 });
    await worker.work();
    expect(worker.store.customers.get('1')).toEqual({ points: '5', cashback: '0.25' });
  });

  it('keep the tier as it is when the service does not let the customer be read', async () => {
    const worker = openBalanceWorker(['1']);
    worker.tiers.set('1', 'Gold');
    await worker.tell('1', 50);
    await worker.work();
    worker.tiers.set('1', {
      failure: {
        kind: 'business-error',
        class: 'rejected',
        code: 59,
        name: 'Customer_NotFound',
        message: 'no',
      },
    });
    await worker.tell('1', 60, { at: 1 });
    await worker.work();
    expect(worker.store.customers.get('1')).toEqual({ points: '60', cashback: '3', tier: 'Gold' });
  });

  it('keep the tier as it is when the service names it by something other than text', async () => {
    const worker = openBalanceWorker(['1']);
    worker.tiers.set('1', 'Gold');
    await worker.tell('1', 50);
    await worker.work();
    const value = { CurrentTier: { Name: { pt: 'Ouro' } } };
    worker.tiers.set('1', { failure: { kind: 'success', value } });
    await worker.tell('1', 60, { at: 1 });
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.store.customers.get('1')).toEqual({ points: '60', cashback: '3', tier: 'Gold' });
  });
});

describe('what goes wrong with one customer', () => {
  it('stays with them: a customer unknown to the store is skipped, the others are written', async () => {
    const worker = openBalanceWorker(['1', '3']);
    for (const id of ['1', '666', '3']) await worker.tell(id, 10);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.telemetry.total('applied')).toBe(2);
    expect(worker.telemetry.total('skipped', { why: 'unknown-customer' })).toBe(1);
    expect(entryOf(worker, '666')?.outcomes.at(-1)).toMatchObject({
      outcome: 'skipped',
      why: 'unknown-customer',
    });
    expect(entryOf(worker, '666')?.expiresAt).toBeGreaterThan(worker.clock.ms / 1000);
  });

  it('parks what cannot be read, whole, and goes on with the rest of the group', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10);
    worker.sendRaw('{"v":1,"kind":"order"}', `${SHOP}/balance/1`);
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect(worker.store.customers.get('1')?.points).toBe('10');
    const [letter] = worker.dead.receive();
    expect(letter?.body).toBe('{"v":1,"kind":"order"}');
    expect(letter?.attributes).toMatchObject({ reason: 'unreadable' });
  });

  it('is settled once though their letters were sent back, each in a group of its own', async () => {
    const worker = openBalanceWorker(['1', '2']);
    await worker.tell('1', 20, { at: 0 });
    await worker.tell('1', 10, { at: -60 });
    await worker.tell('2', 30);
    const sentBack = worker.queue.receive({ max: 10 });
    for (const { receiptHandle } of sentBack) worker.queue.delete(receiptHandle);
    for (const { body, messageId } of sentBack) worker.sendRaw(body, messageId);
    expect(await worker.work()).toEqual({ received: 3, left: 0 });
    expect(worker.store.calls).toEqual([2]);
    expect(worker.store.customers.get('1')?.points).toBe('20');
    expect(worker.queue.size).toBe(0);
  });

  it('takes a replayed event for as old as its first delivery, however a batch lists them', () => {
    const common = { receivedAt: '2026-10-09T12:00:00Z', eventDate: '2026-10-09T12:00:00Z' };
    const items = (['3 first', '1 first', '2 second'] as const).map((text): Item => {
      const [sequenceNumber = '', deliveryId = ''] = text.split(' ');
      const ids = { messageId: text, receiptHandle: text, groupId: text, sequenceNumber };
      return {
        message: { ...ids, body: '', attempts: 1 },
        event: {
          ...{ kind: 'balance', shop: SHOP, id: '1', topic: 'Point_Add', deliveryId },
          ...{ ...common, points: '1', cashback: '0' },
        },
      };
    });
    const { work } = sortGroup(items, new Set([SHOP]));
    expect(work?.events[0]?.deliveryId).toBe('second');
  });

  it('parks an event from the future, which would keep all true ones out', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 1_000_000, { at: 301 });
    await worker.tell('1', 10, { at: 299 });
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect(worker.store.customers.get('1')?.points).toBe('10');
    expect(worker.dead.receive()[0]?.attributes.why).toContain('lies 5 minutes after its arrival');
  });

  it('does not make a date true by waiting on the queue', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 1_000_000, { at: 3600 });
    worker.clock.ms += 7_200_000;
    await worker.work();
    expect(worker.dead.size).toBe(1);
    expect(worker.store.calls).toEqual([]);
  });

  it('loses no message that could be parked nowhere', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10);
    worker.sendRaw('{', `${SHOP}/balance/1`);
    worker.dead.send = () => {
      throw new Error('down');
    };
    expect(await worker.work()).toEqual({ received: 2, left: 2 });
  });

  it('parks events of a shop that is not in the settings', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10, { shop: 'other.myshopify.com' });
    await worker.work();
    expect(worker.dead.size).toBe(1);
    expect(worker.store.calls).toEqual([]);
  });

  it('delays all messages of the customer together while the service is down', async () => {
    const worker = openBalanceWorker(['1', '2']);
    worker.tiers.set('1', {
      failure: {
        ...{ kind: 'transport-failure', class: 'retry', reason: 'time-out', message: 'no answer' },
        mayHaveHappened: true,
      },
    });
    await worker.tell('1', 10);
    await worker.tell('1', 20, { at: 1 });
    await worker.tell('2', 30);
    expect(await worker.work()).toEqual({ received: 3, left: 2 });
    expect(worker.store.customers.get('2')?.points).toBe('30');
    expect(worker.queue.receive()).toEqual([]);
    worker.tiers.clear();
    worker.clock.ms += 60_000;
    expect(await worker.work()).toEqual({ received: 2, left: 0 });
    expect(worker.store.customers.get('1')?.points).toBe('20');
  });

  it('parks the newest with the store’s code when the store does not take it', async () => {
    const worker = openBalanceWorker(['1']);
    worker.store.before = async () => ({ kind: 'refused', code: 'INVALID_VALUE' });
    await worker.tell('1', 10);
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.dead.receive()[0]?.attributes).toMatchObject({
      reason: 'rejected',
      why: 'the store does not take the balance: INVALID_VALUE',
    });
  });

  it('waits long, with the metric of the alarm, when a person must act', async () => {
    const worker = openBalanceWorker(['1']);
    worker.store.before = async () => ({
      kind: 'unavailable',
      why: 'access-denied-write-customers',
      misconfigured: true,
    });
    await worker.tell('1', 10);
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    expect(worker.telemetry.total('misconfigured')).toBe(1);
    expect(worker.dead.size).toBe(0);
  });
});

describe('a worker that dies', () => {
  it('leaves a mark, so that a return to the earlier balance is written and not taken for unchanged', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10);
    await worker.work();
    await worker.tell('1', 99, { at: 1 });
    const { ledger } = worker;
    worker.parts.ledger = {
      ...ledger,
      write: async (key, entry, revision) => {
        // The mark is written; the record after the call is not.
        if (!entry.uncertain) throw new Error('killed');
        return ledger.write(key, entry, revision);
      },
    };
    expect(await worker.work()).toEqual({ received: 1, left: 1 });
    expect(worker.store.customers.get('1')?.points).toBe('99');
    worker.parts.ledger = ledger;
    await worker.tell('1', 10, { at: 2 });
    worker.clock.ms += 60_000;
    await worker.work();
    expect(worker.store.customers.get('1')?.points).toBe('10');
    expect(entryOf(worker, '1')?.uncertain).toBe(false);
  });

  it('leaves no tier behind that the customer lost before the first write was recorded', async () => {
    const worker = openBalanceWorker(['1']);
    const { ledger } = worker;
    worker.tiers.set('1', 'Gold');
    await worker.tell('1', 50);
    worker.parts.ledger = { ...ledger, write: () => Promise.reject(new Error('killed')) };
    await worker.work();
    expect(worker.store.customers.get('1')?.tier).toBe('Gold');
    worker.parts.ledger = ledger;
    worker.tiers.set('1', null);
    worker.clock.ms += 60_000;
    await worker.work();
    expect(worker.store.customers.get('1')).toEqual({ points: '50', cashback: '2.5' });
  });

  it('is finished by whatever comes next, even an older event', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10);
    await worker.work();
    const entry = entryOf(worker, '1');
    if (!entry?.remembered) throw new Error('nothing was remembered');
    await worker.ledger.markUncertain({ shop: SHOP, kind: 'customer', id: '1' });
    worker.store.customers.set('1', { points: 'somebody else’s', cashback: '' });
    await worker.tell('1', 3, { at: -60 });
    await worker.work();
    expect(worker.store.customers.get('1')?.points).toBe('10');
    expect(entryOf(worker, '1')?.uncertain).toBe(false);
  });

  it('is finished with what it was writing, not with a replayed event of the same second', async () => {
    const worker = openBalanceWorker(['1']);
    const eventDate = new Date(worker.clock.ms).toISOString();
    await worker.tell('1', 10, { eventDate, point: 'first' });
    await worker.work();
    await worker.tell('1', 25, { eventDate, point: 'second' });
    worker.store.before = async () => Promise.reject(new Error('killed'));
    await worker.work();
    worker.store.before = undefined;
    worker.clock.ms += 360_000;
    await worker.tell('1', 10, { eventDate, point: 'first' });
    await worker.work();
    expect(worker.queue.size).toBe(0);
    expect(worker.store.customers.get('1')?.points).toBe('25');
  });

  it('hands everything back when its time is up', async () => {
    const worker = openBalanceWorker(['1']);
    worker.store.before = () => new Promise(() => {});
    await worker.tell('1', 10);
    const soon = new AbortController();
    const working = worker.work({ deadline: soon.signal });
    setTimeout(() => soon.abort(), 20);
    expect(await working).toEqual({ received: 1, left: 1 });
  });

  it('hands back only what is unfinished when its time is up', async () => {
    const worker = openBalanceWorker(['1', '2']);
    await worker.tell('1', 10);
    await worker.work();
    await worker.tell('1', 5, { at: -60 });
    await worker.tell('2', 20);
    worker.store.before = () => new Promise(() => {});
    const soon = new AbortController();
    const working = worker.work({ deadline: soon.signal });
    setTimeout(() => soon.abort(), 20);
    expect(await working).toEqual({ received: 2, left: 1 });
    expect(worker.telemetry.total('superseded')).toBe(1);
  });

  it('whose record was overtaken asks for the customer to be written again', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10);
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
    expect(entryOf(worker, '1')?.uncertain).toBe(false);
    expect(worker.store.customers.get('1')?.points).toBe('10');
  });
});

describe('redaction', () => {
  const redact = (worker: ReturnType<typeof openBalanceWorker>, id: string) =>
    worker.ledger.redact([{ shop: SHOP, kind: 'customer', id }], {
      redactedAt: worker.clock.ms,
      expiresAt: 1_900_000_000,
    });

  it('keeps an event from before it, still on its way, from being remembered', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10, { at: -60, point: 'p' });
    await worker.work();
    await worker.tell('1', 20, { at: -30, point: 'q' });
    await redact(worker, '1');
    await worker.work();
    expect(worker.store.calls).toEqual([1]);
    expect(entryOf(worker, '1')?.remembered).toBeUndefined();
  });

  it('keeps an event from before it from finishing a write that was begun', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10, { at: -60 });
    await worker.work();
    await worker.ledger.markUncertain({ shop: SHOP, kind: 'customer', id: '1' });
    await redact(worker, '1');
    worker.points.set('1', { PointsBalance: 20 });
    await worker.tell('1', 20, { at: -30 });
    await worker.work();
    expect(entryOf(worker, '1')?.remembered).toBeUndefined();
  });

  it('erases the balance and keeps the version, so that a replay re-creates nothing', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.tell('1', 10, { point: 'p' });
    await worker.work();
    await redact(worker, '1');
    expect(recallBalance(entryOf(worker, '1')?.remembered)).toBeUndefined();
    worker.clock.ms += 600_000;
    await worker.tell('1', 10, { at: -600, point: 'p' });
    await worker.work();
    expect(worker.store.calls).toEqual([1]);
    expect(entryOf(worker, '1')?.remembered).toBeUndefined();
  });
});

describe('whatever the order, repetition and failures', () => {
  it('ends with the balance of the newest event', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            id: fc.constantFrom('1', '2', '3'),
            at: fc.integer({ min: -500, max: 0 }),
            fails: fc.constantFrom('no', 'no', 'store', 'ledger'),
          }),
          { minLength: 1, maxLength: 25 },
        ),
        async (events) => {
          const worker = openBalanceWorker(['1', '2', '3']);
          const { ledger } = worker;
          const newest = new Map<string, { at: number; points: number }>();
          const used = new Set<string>();
          for (const [index, { id, at, fails }] of events.entries()) {
            // One event per moment: what shares a moment is ordered by arrival, tested above.
            if (used.has(`${id}/${at}`)) continue;
            used.add(`${id}/${at}`);
            const points = index % 4;
            const known = newest.get(id);
            if (!known || at > known.at) newest.set(id, { at, points });
            const eventDate = new Date(
              Date.parse('2026-10-09T12:00:00Z') + at * 1000,
            ).toISOString();
            await worker.tell(id, points, { eventDate, point: `${index}` });
            worker.store.before =
              fails === 'store'
                ? async () => ({ kind: 'unavailable', why: 'time-out', afterSeconds: 30 })
                : undefined;
            worker.parts.ledger =
              fails === 'ledger'
                ? { ...ledger, write: async () => Promise.reject(new Error('down')) }
                : ledger;
            if (index % 3 > 0) await worker.work();
          }
          worker.store.before = undefined;
          worker.parts.ledger = ledger;
          for (let round = 0; round < 60 && worker.queue.size > 0; round += 1) {
            worker.clock.ms += 3_600_000;
            await worker.work();
          }
          expect(worker.queue.size).toBe(0);
          expect(worker.dead.size).toBe(0);
          for (const [id, { points }] of newest) {
            expect(worker.store.customers.get(id)?.points).toBe(String(points));
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('ends with the last to arrive of the newest moment, however often the others are repeated', async () => {
    const step = fc.record({
      id: fc.constantFrom('1', '2'),
      at: fc.constantFrom(-2, -1, 0),
      point: fc.constantFrom('a', 'b', 'c', 'd'),
      dies: fc.constantFrom('no', 'no', 'at-mark', 'at-store', 'after-store', 'at-record'),
      works: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const worker = openBalanceWorker(['1', '2']);
        const { ledger, store } = worker;
        const { writeBalances } = store;
        const start = worker.clock.ms;
        const first = new Map<string, { id: string; at: number; points: number }>();
        const heal = () => {
          worker.parts.ledger = ledger;
          store.writeBalances = writeBalances;
        };
        for (const { id, at, point, dies, works } of steps) {
          const name = `${id}/${at}/${point}`;
          const points = first.get(name)?.points ?? first.size % 5;
          if (!first.has(name)) first.set(name, { id, at, points });
          // Beyond the queue's own memory, so that every repetition gets through.
          worker.clock.ms += 301_000;
          const eventDate = new Date(start + at * 1000).toISOString();
          await worker.tell(id, points, { eventDate, point });
          if (!works) continue;
          const die = () => Promise.reject(new Error('killed'));
          worker.parts.ledger = {
            ...ledger,
            write: (key, entry, revision) =>
              (entry.uncertain ? 'at-mark' : 'at-record') === dies
                ? die()
                : ledger.write(key, entry, revision),
          };
          store.writeBalances = async (...call) => {
            if (dies === 'at-store') return die();
            const written = await writeBalances(...call);
            return dies === 'after-store' ? die() : written;
          };
          await worker.work();
          heal();
        }
        for (let round = 0; round < 60 && worker.queue.size > 0; round += 1) {
          worker.clock.ms += 3_600_000;
          await worker.work();
        }
        expect([worker.queue.size, worker.dead.size]).toEqual([0, 0]);
        for (const id of ['1', '2']) {
          const told = [...first.values()].filter((one) => one.id === id);
          const newest = Math.max(...told.map(({ at }) => at));
          const last = told.findLast(({ at }) => at === newest);
          if (last) expect(store.customers.get(id)?.points).toBe(String(last.points));
        }
      }),
      { numRuns: 300 },
    );
  });
});
