import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBalanceWorker } from '../../../support/balance-worker.ts';

async function finish(worker: ReturnType<typeof openBalanceWorker>): Promise<void> {
  for (let round = 0; round < 60 && worker.queue.size > 0; round += 1) {
    worker.clock.ms += 3_600_000;
    await worker.work();
  }
  expect([worker.queue.size, worker.dead.size]).toEqual([0, 0]);
}

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
            await worker.announce(id, points, { eventDate, point: `${index}` });
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
          await finish(worker);
          for (const [id, { points }] of newest) {
            expect(worker.pointsOf(id)).toBe(String(points));
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
          await worker.announce(id, points, { eventDate, point });
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
        await finish(worker);
        for (const id of ['1', '2']) {
          const announced = [...first.values()].filter((one) => one.id === id);
          const newest = Math.max(...announced.map(({ at }) => at));
          const last = announced.findLast(({ at }) => at === newest);
          if (last) expect(worker.pointsOf(id)).toBe(String(last.points));
        }
      }),
      { numRuns: 300 },
    );
  });
});
