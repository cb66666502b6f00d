import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expiringNext, recallBalance } from '../../../../shared/core/balances/point-balance.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';

type Worker = ReturnType<typeof openBalanceWorker>;

const serviceHolds = (worker: Worker, id: string, points: number) =>
  worker.points.set(id, { PointsBalance: points, CashbackBalance: points / 20 });

async function drain(worker: Worker) {
  for (let round = 0; round < 60 && worker.queue.size > 0; round += 1) {
    if ((await worker.work()).received === 0) worker.clock.ms += 60_000;
  }
}

describe('a balance that was asked for', () => {
  it('is read from the service and written', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    worker.tiers.set('1', 'Gold');
    await worker.ask('1');
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.store.customers.get('1')).toEqual({ points: '40', cashback: '2', tier: 'Gold' });
    expect(worker.entry('1')?.version).toBe(worker.clock.ms);
  });

  it('has the moment at which its request began as version', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    const began = worker.clock.ms;
    worker.reading.before = () => {
      worker.clock.ms += 9_000;
    };
    await worker.ask('1');
    await worker.work();
    expect(worker.entry('1')?.version).toBe(began);
  });

  it('loses to an event dated later', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    await worker.ask('1');
    await worker.work();
    worker.clock.ms += 1_000;
    await worker.announce('1', 55);
    await worker.work();
    expect(worker.pointsOf('1')).toBe('55');
  });

  it('wins over an event dated earlier, which costs no call when it is older than the clocks may differ', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    await worker.ask('1');
    await worker.work();
    const asked = worker.asked();
    await worker.announce('1', 10, { at: -301 });
    await worker.work();
    expect(worker.telemetry.total('superseded')).toBe(1);
    expect(worker.asked()).toBe(asked);
    await worker.announce('1', 20, { at: -60 });
    await worker.work();
    expect(worker.pointsOf('1')).toBe('40');
  });

  it('is read again for an event that only a slow clock of the service dates before it', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    await worker.ask('1');
    await worker.work();
    worker.clock.ms += 1_000;
    serviceHolds(worker, '1', 90);
    await worker.announce('1', 90, { at: -240 });
    await worker.work();
    expect(worker.pointsOf('1')).toBe('90');
  });

  it('wins over a late event that is the newest to arrive, because later events may be lost', async () => {
    const worker = openBalanceWorker(['1', '2']);
    await worker.announce('1', 10, { at: -7_200 });
    await worker.work();
    for (const id of ['1', '2']) {
      serviceHolds(worker, id, 90);
      await worker.announce(id, 40, { at: -3_600 });
    }
    await worker.work();
    expect([worker.pointsOf('1'), worker.pointsOf('2')]).toEqual(['90', '90']);
    expect(worker.entry('1')?.version).toBe(worker.clock.ms);
  });

  it('is not written for a customer of whom the service names no balance', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.ask('1');
    expect(await worker.work()).toEqual({ received: 1, left: 0 });
    expect(worker.telemetry.total('skipped', { why: 'no-balance' })).toBe(1);
    expect(worker.store.calls).toEqual([]);
    expect(worker.entry('1')).toBeUndefined();
  });

  it('is not read twice for requests that one reading answers', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    await worker.ask('1');
    await worker.ask('1', 'repair');
    await worker.work();
    await worker.ask('1');
    await worker.work();
    expect(worker.asked()).toBe(1);
    worker.clock.ms += 1_000;
    await worker.ask('1');
    await worker.work();
    expect(worker.asked()).toBe(2);
    expect(worker.telemetry.total('unchanged')).toBe(1);
    expect(worker.store.calls).toEqual([1]);
  });

  it('counts as repaired only when it differed', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    await worker.announce('1', 30);
    await worker.work();
    worker.clock.ms += 60_000;
    await worker.ask('1', 'repair');
    await worker.work();
    expect(worker.pointsOf('1')).toBe('40');
    worker.clock.ms += 60_000;
    await worker.ask('1', 'repair');
    await worker.work();
    expect(worker.telemetry.total('applied')).toBe(2);
  });

  it('is not read for a redacted person, until a new event names them', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    await worker.ask('1');
    await worker.work();
    const mark = { redactedAt: worker.clock.ms, expiresAt: 1_900_000_000 };
    await worker.ledger.redact([{ shop: SHOP, kind: 'customer', id: '1' }], mark);
    worker.clock.ms += 60_000;
    await worker.ask('1', 'repair');
    await worker.work();
    expect(worker.entry('1')?.remembered).toBeUndefined();
    await worker.announce('1', 50);
    await worker.work();
    expect(worker.pointsOf('1')).toBe('50');
  });

  it.each(['one batch', 'two batches'])(
    'decides between two events of one date: %s',
    async (how) => {
      const worker = openBalanceWorker(['1']);
      serviceHolds(worker, '1', 20);
      await worker.announce('1', 20, { point: 'later' });
      if (how === 'two batches') await worker.work();
      await worker.announce('1', 10, { point: 'earlier' });
      await worker.work();
      expect(worker.pointsOf('1')).toBe('20');
    },
  );

  it('does not hide the newest of several events that it does not include yet', async () => {
    const worker = openBalanceWorker(['1']);
    serviceHolds(worker, '1', 40);
    await worker.announce('1', 50, { at: -1 });
    await worker.announce('1', 55);
    await worker.work();
    expect(worker.pointsOf('1')).toBe('55');
  });

  it('is read for a customer whom the store did not know before', async () => {
    const worker = openBalanceWorker([]);
    serviceHolds(worker, '1', 40);
    await worker.announce('1', 40);
    await worker.work();
    worker.store.customers.set('1', { points: '', cashback: '' });
    await worker.ask('1');
    await worker.work();
    expect(worker.pointsOf('1')).toBe('40');
  });
});

describe('the mark before a write', () => {
  it('does not keep the expiry of an earlier redaction', async () => {
    const worker = openBalanceWorker(['1']);
    await worker.announce('1', 10);
    await worker.work();
    const mark = { redactedAt: worker.clock.ms, expiresAt: 1_900_000_000 };
    await worker.ledger.redact([{ shop: SHOP, kind: 'customer', id: '1' }], mark);
    worker.store.before = async () => Promise.reject(new Error('killed'));
    worker.clock.ms += 60_000;
    await worker.announce('1', 20);
    await worker.work();
    expect(worker.entry('1')).toMatchObject({ uncertain: true, redactedAt: mark.redactedAt });
    expect(worker.entry('1')?.expiresAt).toBeUndefined();
  });
});

describe('points about to expire', () => {
  const soon = { PointsToExpire: [{ Points: 15, When: '2026-11-01T00:00:00-03:00' }] };

  it('are written with every balance, and taken away when there are none', async () => {
    const worker = openBalanceWorker(['1']);
    worker.points.set('1', { PointsBalance: 40, ...soon });
    await worker.announce('1', 40);
    await worker.work();
    expect(worker.store.customers.get('1')?.expiring).toEqual({
      points: '15',
      at: '2026-11-01T03:00:00Z',
    });
    worker.points.set('1', { PointsBalance: 25, PointsToExpire: [] });
    await worker.announce('1', 25, { at: 1 });
    await worker.work();
    expect(worker.store.customers.get('1')).toEqual({ points: '25', cashback: '1.25' });
  });

  it('are written though the points themselves are the same', async () => {
    const worker = openBalanceWorker(['1']);
    worker.points.set('1', { PointsBalance: 40 });
    await worker.ask('1');
    await worker.work();
    worker.points.set('1', { PointsBalance: 40, ...soon });
    worker.clock.ms += 86_400_000;
    await worker.ask('1');
    await worker.work();
    expect(worker.store.customers.get('1')?.expiring?.points).toBe('15');
    expect(recallBalance(worker.entry('1')?.remembered)?.expiring?.points).toBe('15');
  });

  // The simulation found it: a reading that was ahead of its event, and then an event with the same points.
  it('are read again for an event that names the known points', async () => {
    const worker = openBalanceWorker(['1']);
    worker.points.set('1', { PointsBalance: 25 });
    await worker.announce('1', 40);
    await worker.work();
    worker.points.set('1', { PointsBalance: 40, ...soon });
    await worker.announce('1', 40, {
      at: 60,
      receivedAt: new Date(worker.clock.ms + 60_000).toISOString(),
    });
    await worker.work();
    expect(worker.store.customers.get('1')?.expiring?.points).toBe('15');
  });

  it('stay as they are when the service does not let them be read', async () => {
    const worker = openBalanceWorker(['1']);
    worker.points.set('1', { PointsBalance: 40, ...soon });
    await worker.announce('1', 40);
    await worker.work();
    worker.points.clear();
    await worker.announce('1', 50, { at: 1 });
    await worker.work();
    expect(worker.store.customers.get('1')?.expiring?.points).toBe('15');
  });

  const now = Date.parse('2026-10-09T12:00:00Z');
  it.each([
    ['nothing is listed', undefined, null],
    ['what is listed is over', [{ Points: 5, When: '2026-10-09T11:00:00Z' }], null],
    ['what is listed cannot be read', [{ Points: '5', When: '2026-11-01' }, null, 7], null],
    [
      'it is in a year that no store can hold',
      [{ Points: 5, When: '+010000-01-01T00:00:00Z' }],
      null,
    ],
    ['there are no points', [{ Points: 0, When: '2026-11-01T00:00:00Z' }], null],
    [
      'several expire on the next day, and others later',
      [
        { Points: 9, When: '2026-12-01T00:00:00Z' },
        { Points: 0.2, When: '2026-11-01T20:00:00Z' },
        { Points: 0.1, When: '2026-11-01T08:00:00Z' },
      ],
      { points: '0.3', at: '2026-11-01T08:00:00Z' },
    ],
  ])('are the next to expire: %s', (_, listed, expected) => {
    expect(expiringNext(listed, now)).toEqual(expected);
  });
});

describe('whatever the order of events, readings and repairs', () => {
  it('ends with the balance that the service holds, if the clocks differ by less than five minutes', async () => {
    const step = fc.record({
      kind: fc.constantFrom('change', 'deliver', 'repeat', 'ask', 'repair', 'work', 'work', 'work'),
      pick: fc.nat(1_000),
      waitMs: fc.constantFrom(0, 0, 200, 200, 5_000, 5_000, 90_000, 400_000),
      dies: fc.constantFrom('no', 'no', 'no', 'no', 'no', 'at-store', 'after-store', 'at-record'),
    });
    const minutes = fc.integer({ min: -4, max: 4 });
    await fc.assert(
      fc.asyncProperty(minutes, fc.array(step, { maxLength: 30 }), async (ahead, steps) => {
        const worker = openBalanceWorker(['1']);
        const { ledger, store } = worker;
        const { writeBalances } = store;
        const onTheWay: { balance: number; point: string; eventDate: string }[] = [];
        const delivered: typeof onTheWay = [];
        let changes = 0;
        const change = (pick: number) => {
          changes += 1;
          worker.clock.ms += 1; // two changes never share a moment here
          const points = pick % 50;
          serviceHolds(worker, '1', points);
          const eventDate = new Date(worker.clock.ms + ahead * 60_000).toISOString();
          onTheWay.push({ balance: points, point: `${changes}`, eventDate });
        };
        const tell = ({ balance, ...event }: (typeof onTheWay)[number]) =>
          worker.announce('1', balance, event);
        const deliver = async (pick: number) => {
          const [event] = onTheWay.splice(pick % Math.max(onTheWay.length, 1), 1);
          if (!event) return;
          delivered.push(event);
          await tell(event);
        };
        change(3);
        for (const { kind, pick, waitMs, dies } of steps) {
          worker.clock.ms += waitMs;
          if (kind === 'change') change(pick);
          if (kind === 'deliver') await deliver(pick);
          if (kind === 'ask' || kind === 'repair') {
            await worker.ask('1', kind === 'ask' ? 'visit' : 'repair');
          }
          if (kind === 'repeat') {
            const event = delivered[pick % Math.max(delivered.length, 1)];
            if (event) await tell(event);
          }
          if (kind !== 'work') continue;
          const die = () => Promise.reject(new Error('killed'));
          worker.parts.ledger = {
            ...ledger,
            write: (key, entry, revision) =>
              dies === 'at-record' && !entry.uncertain ? die() : ledger.write(key, entry, revision),
          };
          store.writeBalances = async (...call) => {
            if (dies === 'at-store') return die();
            const written = await writeBalances(...call);
            return dies === 'after-store' ? die() : written;
          };
          await worker.work();
          worker.parts.ledger = ledger;
          store.writeBalances = writeBalances;
        }
        while (onTheWay.length > 0) await deliver(0);
        await drain(worker);
        expect([worker.queue.size, worker.dead.size]).toEqual([0, 0]);
        const held = worker.points.get('1')?.PointsBalance;
        expect(worker.pointsOf('1')).toBe(String(held));
        expect(recallBalance(worker.entry('1')?.remembered)?.points).toBe(String(held));
      }),
      { numRuns: 400 },
    );
  });
});
