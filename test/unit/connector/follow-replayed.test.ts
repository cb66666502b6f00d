import { describe, expect, it } from 'vitest';
import { followReplayed } from '../../../scripts/connector/dead-letters/replay/follow-replayed.ts';
import type { ReplayedLetter } from '../../../scripts/connector/dead-letters/replay/replay-tally.ts';
import type { LetterQueue } from '../../../shared/core/events/dead-letter.ts';
import type { LedgerEntry } from '../../../shared/core/ledger/ledger.ts';
import { type EntityKey, ledgerKeyText } from '../../../shared/core/ledger/ledger-key.ts';
import { LETTER_SHOP } from '../../support/parked-letters.ts';

const key = (id: string): EntityKey => ({ shop: LETTER_SHOP, kind: 'order', id });

function replayed(id: string, at: string): ReplayedLetter {
  return { family: 'orders', key: key(id), id, at: `2026-10-10T00:00:0${at}Z` };
}

function entry(...outcomes: readonly [string, 'applied' | 'rejected'][]): LedgerEntry {
  return {
    version: 1,
    uncertain: false,
    revision: 1,
    outcomes: outcomes.map(([at, outcome]) => ({
      at: `2026-10-10T00:00:0${at}Z`,
      outcome,
      version: 1,
      topic: 'orders/updated',
    })),
  };
}

const emptyQueue: LetterQueue = {
  family: 'orders',
  receive: async () => [],
  giveBack: async () => {},
  remove: async () => {},
  counts: async () => ({ visible: 0, inFlight: 0, retentionSeconds: 0 }),
};

function follow(letters: readonly ReplayedLetter[], known: Record<string, LedgerEntry>) {
  const entries = Object.entries(known).map(([id, one]) => [ledgerKeyText(key(id)), one] as const);
  return followReplayed(letters, {
    ledger: { readMany: async () => new Map(entries) },
    depth: { of: async () => ({ ready: 0, hidden: 0 }) },
    queues: [emptyQueue],
    by: 'ops@desk',
    signal: new AbortController().signal,
    onProgress: () => {},
    everyMs: 1,
  });
}

describe('following replayed letters', () => {
  it('counts an outcome for one letter only, and the others of its entity as settled', async () => {
    const letters = [replayed('1', '1'), replayed('1', '2'), replayed('2', '2')];
    const followed = await follow(letters, {
      1: entry(['0', 'rejected'], ['5', 'applied']),
      2: entry(['6', 'applied']),
    });
    expect(Object.fromEntries(followed.outcomes)).toEqual({ applied: 2 });
    expect(followed).toMatchObject({ settled: 1, failing: 0, underway: 0 });
  });

  it('does not take what was there before the replay for its outcome', async () => {
    const followed = await follow([replayed('1', '3')], { 1: entry(['2', 'rejected']) });
    expect(followed.outcomes.size).toBe(0);
    expect(followed).toMatchObject({ settled: 1, failing: 0 });
  });
});
