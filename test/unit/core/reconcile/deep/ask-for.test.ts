import { describe, expect, it, vi } from 'vitest';
import { SHOP } from '../../../../../local/harness/in-process-connector.ts';
import { createMemoryLedger } from '../../../../../local/harness/memory-ledger.ts';
import { askForDeepScan } from '../../../../../shared/core/reconcile/deep-scan.ts';
import {
  cursorKey,
  openCursor,
  recallState,
} from '../../../../../shared/core/reconcile/dependencies.ts';

describe('a deep walk that is asked for', () => {
  const key = cursorKey(SHOP, 'deep');
  const now = () => new Date(9_000);
  const anew = { began: 9_000, phase: 'order' };

  it.each<[before: object | undefined, after: object]>([
    [undefined, anew],
    [{ began: 1, phase: 'done' }, anew],
    // Nothing was compared yet.
    [{ began: 1, phase: 'order' }, {}],
    [{ began: 1, phase: 'order', scan: { until: 7 } }, { again: true }],
    [{ began: 1, phase: 'product' }, { again: true }],
    [{ began: 1, phase: 'ledger' }, { again: true }],
  ])('while the last one is at %j begins, or begins again', async (before, after) => {
    const ledger = createMemoryLedger();
    if (before) await (await openCursor(ledger, key)).keep(before, 1);
    await askForDeepScan(SHOP, { ledger, now });
    expect(await recallState(ledger, key)).toEqual({ ...before, ...after });
  });

  it('is not forgotten where another run writes at the same moment', async () => {
    const ledger = createMemoryLedger();
    const conflict = async () => ({ kind: 'conflict' }) as const;
    const write = vi
      .fn(ledger.write)
      .mockImplementationOnce(conflict)
      .mockImplementationOnce(conflict);
    await askForDeepScan(SHOP, { ledger: { ...ledger, write }, now });
    expect(await recallState(ledger, key)).toEqual(anew);
  });

  it('is given up where another run writes at every attempt', async () => {
    const write = vi.fn(async () => ({ kind: 'conflict' }) as const);
    await askForDeepScan(SHOP, { ledger: { ...createMemoryLedger(), write }, now });
    expect(write).toHaveBeenCalledTimes(5);
  });
});
