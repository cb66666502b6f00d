import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recallBalance } from '../../../../shared/rewards/balances/point-balance.ts';
import { openBalanceWorker } from '../../../support/balance-worker.ts';

type Worker = ReturnType<typeof openBalanceWorker>;

/** A batch whose worker dies where this says. */
async function workAndDie(worker: Worker, dies: string): Promise<void> {
  const { ledger, store, parts } = worker;
  const { writeBalances } = store;
  const die = () => Promise.reject(new Error('killed'));
  parts.ledger = {
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
  parts.ledger = ledger;
  store.writeBalances = writeBalances;
}

async function finish(worker: Worker): Promise<void> {
  for (let round = 0; round < 60 && worker.queue.size > 0; round += 1) {
    if ((await worker.work()).received === 0) worker.clock.ms += 60_000;
  }
  expect([worker.queue.size, worker.dead.size]).toEqual([0, 0]);
}

describe('whatever the order of events, readings and repairs', () => {
  it('ends with the balance that the service holds', async () => {
    const step = fc.record({
      kind: fc.constantFrom('change', 'deliver', 'repeat', 'ask', 'repair', 'work', 'work', 'work'),
      pick: fc.nat(1_000),
      waitMs: fc.constantFrom(0, 0, 200, 200, 5_000, 5_000, 90_000, 400_000),
      dies: fc.constantFrom(
        'no',
        'no',
        'no',
        'no',
        'at-mark',
        'at-store',
        'after-store',
        'at-record',
      ),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const worker = openBalanceWorker(['1']);
        const onTheWay: string[] = [];
        const delivered: string[] = [];
        let changes = 0;
        const change = (pick: number) => {
          changes += 1;
          worker.clock.ms += 1; // no change in the moment of a reading
          const points = pick % 50;
          worker.points.set('1', { PointsBalance: points, CashbackBalance: points / 20 });
          onTheWay.push(`${changes}`);
        };
        const tell = (point: string) => {
          worker.clock.ms += 1;
          return worker.tell('1', { point });
        };
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
          if (kind === 'work') await workAndDie(worker, dies);
        }
        while (onTheWay.length > 0) await deliver(0);
        await finish(worker);
        const held = worker.points.get('1')?.PointsBalance;
        expect(worker.pointsOf('1')).toBe(String(held));
        expect(recallBalance(worker.entry('1')?.remembered)?.points).toBe(String(held));
      }),
      { numRuns: 200 },
    );
  });
});
