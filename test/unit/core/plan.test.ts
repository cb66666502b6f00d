import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../shared/core/ledger/ledger.ts';
import { plan } from '../../../shared/core/sync/plan.ts';

const now = new Date('2026-10-09T12:00:00Z');
const at = now.getTime() - 60_000;
const DAY = 86_400_000;

const entry = (changes: Partial<LedgerEntry> = {}): LedgerEntry => ({
  version: at,
  appliedKey: 'A',
  uncertain: false,
  outcomes: [],
  revision: 1,
  ...changes,
});
const decide = (changes: Partial<Parameters<typeof plan>[0]>) =>
  plan({ entry: undefined, version: at, source: 'event', wantedKey: 'A', now, ...changes });

describe('the plan for a snapshot', () => {
  it('sends what the ledger does not know, without a mark', () => {
    expect(decide({})).toEqual({ kind: 'call', mark: false });
  });

  it('marks before it replaces what was applied', () => {
    expect(decide({ entry: entry(), version: at + 1000, wantedKey: 'B' })).toEqual({
      kind: 'call',
      mark: true,
    });
  });

  it('calls nobody when nothing changed, but learns the version', () => {
    expect(decide({ entry: entry(), version: at + 1000 })).toEqual({
      kind: 'unchanged',
      advance: true,
    });
    expect(decide({ entry: entry() })).toEqual({ kind: 'unchanged', advance: false });
  });

  it('leaves an older snapshot alone', () => {
    expect(decide({ entry: entry(), version: at - 1, wantedKey: 'B' })).toEqual({
      kind: 'superseded',
    });
  });

  it('asks the store about two states of one second', () => {
    expect(decide({ entry: entry(), wantedKey: 'B' })).toEqual({
      kind: 'read-store',
      why: 'same-second',
    });
  });

  it('asks the store about an old snapshot that nobody knows', () => {
    expect(decide({ version: now.getTime() - 2 * DAY - 1 })).toEqual({
      kind: 'read-store',
      why: 'old-and-unknown',
    });
    expect(decide({ version: now.getTime() - 2 * DAY })).toMatchObject({ kind: 'call' });
  });

  it('never takes the word of an uncertain entry', () => {
    const uncertain = entry({ uncertain: true });
    expect(decide({ entry: uncertain, version: at + 1 })).toEqual({ kind: 'call', mark: false });
    expect(decide({ entry: uncertain })).toEqual({ kind: 'call', mark: false });
    expect(decide({ entry: uncertain, version: at - 1 })).toEqual({
      kind: 'read-store',
      why: 'uncertain-and-older',
    });
  });

  it('asks the store about two states of one second, even if one of them was skipped', () => {
    const skipped: LedgerEntry = { version: at, uncertain: false, outcomes: [], revision: 1 };
    expect(decide({ entry: skipped })).toEqual({ kind: 'read-store', why: 'same-second' });
    expect(decide({ entry: skipped, wantedKey: undefined })).toEqual({ kind: 'skip' });
  });

  it('takes an entry in which nothing was ever settled for none', () => {
    const rejected: LedgerEntry = { version: 0, uncertain: false, outcomes: [], revision: 1 };
    expect(decide({ entry: rejected })).toEqual({ kind: 'call', mark: false });
    expect(decide({ entry: rejected, version: now.getTime() - 3 * DAY })).toEqual({
      kind: 'read-store',
      why: 'old-and-unknown',
    });
  });

  it('sends what is unchanged when it is forced, and never over a newer version', () => {
    const force = true;
    const call = { kind: 'call', mark: true };
    expect(decide({ force, entry: entry() })).toEqual(call);
    expect(decide({ force, entry: entry(), source: 'store' })).toEqual(call);
    expect(decide({ force, entry: entry(), version: at + 1000 })).toEqual(call);
    expect(decide({ force, entry: entry(), version: at - 1 })).toEqual({ kind: 'superseded' });
    expect(decide({ force, entry: entry(), wantedKey: undefined })).toEqual({ kind: 'skip' });
    // Two states of one second: which of them is newer, a wish does not tell.
    expect(decide({ force, entry: entry(), wantedKey: 'B' })).toMatchObject({ kind: 'read-store' });
  });

  it('skips without asking anybody, unless it must know more first', () => {
    expect(decide({ wantedKey: undefined })).toEqual({ kind: 'skip' });
    expect(decide({ entry: entry(), wantedKey: undefined })).toEqual({ kind: 'skip' });
  });

  it('never sends a snapshot of the store back to the store', () => {
    const entries = fc.option(
      fc.record({
        version: fc.integer({ min: at - 5, max: at + 5 }),
        appliedKey: fc.constantFrom('A', 'B'),
        uncertain: fc.boolean(),
        outcomes: fc.constant([]),
        revision: fc.nat(),
      }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        entries,
        fc.integer({ min: at - 5, max: at + 5 }),
        fc.constantFrom('A', 'B', undefined),
        (known, version, wantedKey) => {
          const next = decide({ entry: known, version, wantedKey, source: 'store' });
          expect(next.kind).not.toBe('read-store');
        },
      ),
    );
  });
});
