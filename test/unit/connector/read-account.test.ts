import { describe, expect, it } from 'vitest';
import { rowsOf } from '../../../scripts/connector/redemptions/show-redemptions.ts';

const known = {
  kind: 'known' as const,
  ...{ points: 120, cashback: 0, tier: 'Gold' },
  expiring: { points: 20, at: '2026-12-01T00:00:00Z' },
};

describe('the balance of a customer, side by side', () => {
  it('marks no difference between sides that agree, or that do not answer', () => {
    const rows = rowsOf({ store: known, ledger: known, service: { kind: 'unknown', why: 'x' } });
    expect(rows.map(({ differs }) => differs)).toEqual([false, false, false, false]);
    expect(rows[0]).toMatchObject({ field: 'points', store: 120, ledger: 120, service: null });
  });

  it('marks what differs, also where one side has none', () => {
    const service = { ...known, points: 150, tier: null };
    const rows = rowsOf({ store: known, ledger: known, service });
    expect(rows.filter(({ differs }) => differs).map(({ field }) => field)).toEqual([
      'points',
      'tier',
    ]);
  });

  it('compares the points that expire by their number and day', () => {
    const later = { points: 20, at: '2026-12-01T23:59:59' };
    const rows = rowsOf({
      ...{ store: { ...known, expiring: later }, ledger: known },
      service: { ...known, expiring: { ...later, at: '2026-12-02T00:00:00Z' } },
    });
    expect(rows[3]).toEqual({
      ...{ field: 'expiring', store: '20 on 2026-12-01', ledger: '20 on 2026-12-01' },
      ...{ service: '20 on 2026-12-02', differs: true },
    });
  });
});
