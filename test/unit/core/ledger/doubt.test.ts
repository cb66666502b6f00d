import { expect, it } from 'vitest';
import { isInDoubt, isOpenDoubt, wasSettledSince } from '../../../../shared/core/ledger/entry.ts';

const restored = Date.parse('2026-10-08T12:00:00Z');
const doubt = { since: restored - 86_400_000, until: restored };

/** An entry with these outcomes, each at so many milliseconds from the restoration. */
const entryWith = (...outcomes: readonly (readonly [outcome: string, fromRestored: number])[]) => ({
  ...{ version: 1, uncertain: false, revision: 1 },
  outcomes: outcomes.map(([outcome, fromRestored]) => ({
    ...{ outcome, version: 1, topic: 'orders/updated' },
    at: new Date(restored + fromRestored).toISOString(),
  })),
});

it.each([
  ['applied at that moment', entryWith(['applied', 0]), true],
  ['found unchanged after it', entryWith(['unchanged', 1]), true],
  ['skipped after it', entryWith(['skipped', 1]), true],
  ['applied before it', entryWith(['applied', -1]), false],
  ['rejected after it', entryWith(['rejected', 1]), false],
  ['applied, and rejected last', entryWith(['applied', 1], ['rejected', 2]), false],
  ['without an outcome', entryWith(), false],
  ['without an entry', undefined, false],
])('was decided about since a moment, or not: an entity %s', (_, entry, isSettled) => {
  expect(wasSettledSince(entry, restored)).toBe(isSettled);
});

it.each([
  ['applied before the restoration', entryWith(['applied', -1]), true],
  ['applied at the restoration', entryWith(['applied', 0]), false],
  [
    'applied before and found unchanged after it',
    entryWith(['applied', -1], ['unchanged', 1]),
    false,
  ],
  ['applied after, and before', entryWith(['applied', 1], ['applied', -1]), true],
  ['only skipped after it', entryWith(['skipped', 1]), true],
  ['without an entry', undefined, false],
])('is in doubt after the ledger was restored, or not: an entity %s', (_, entry, expected) => {
  expect(isInDoubt(entry, doubt)).toBe(expected);
  expect(isInDoubt(entry, undefined)).toBe(false);
});

it('a doubt is open until everything was compared', () => {
  expect(isOpenDoubt(undefined)).toBe(false);
  expect(isOpenDoubt(doubt)).toBe(true);
  expect(isOpenDoubt({ ...doubt, comparedAt: restored })).toBe(false);
});
