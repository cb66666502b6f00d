import { beforeEach, describe, expect, it } from 'vitest';
import { recallBalance } from '../../../../shared/core/balances/point-balance.ts';
import { openBalanceWorker, SHOP } from '../../../support/balance-worker.ts';

let worker: ReturnType<typeof openBalanceWorker>;
beforeEach(() => {
  worker = openBalanceWorker(['1']);
});

describe('a redaction', () => {
  const redact = () => {
    const marked = { redactedAt: worker.clock.ms, expiresAt: 1_900_000_000 };
    return worker.ledger.redact([{ shop: SHOP, kind: 'customer', id: '1' }], marked);
  };

  it('keeps an event from before it, still on its way, from being remembered', async () => {
    await worker.handle('1', 10, { at: -60, point: 'p' });
    await worker.announce('1', 20, { at: -30, point: 'q' });
    await redact();
    await worker.work();
    expect(worker.store.calls).toEqual([1]);
    expect(worker.entry('1')?.remembered).toBeUndefined();
  });

  it('keeps an event from before it from finishing a write that was begun', async () => {
    await worker.handle('1', 10, { at: -60 });
    await worker.ledger.markUncertain({ shop: SHOP, kind: 'customer', id: '1' });
    await redact();
    worker.points.set('1', { PointsBalance: 20 });
    await worker.handle('1', 20, { at: -30 });
    expect(worker.entry('1')?.remembered).toBeUndefined();
  });

  it('erases the balance and keeps the version, so that a replay re-creates nothing', async () => {
    await worker.handle('1', 10, { point: 'p' });
    await redact();
    expect(recallBalance(worker.entry('1')?.remembered)).toBeUndefined();
    worker.clock.ms += 600_000;
    await worker.handle('1', 10, { at: -600, point: 'p' });
    expect(worker.store.calls).toEqual([1]);
    expect(worker.entry('1')?.remembered).toBeUndefined();
  });
});
