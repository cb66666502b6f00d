import { describe, expect, it } from 'vitest';
import type { Trace } from '../../../scripts/connector/trace/collect-trace.ts';
import { judgeTrace, timelineOf } from '../../../scripts/connector/trace/judge-trace.ts';
import { idempotencyKey } from '../../../shared/core/ledger/idempotency-key.ts';
import type { LedgerEntry } from '../../../shared/core/ledger/ledger.ts';
import type { Mapped } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreProduct } from '../../../shared/store/product.ts';

const product: StoreProduct = {
  ...{ id: '7', title: 'Shirt', handle: 'shirt', imageUrl: undefined, status: 'active' },
  ...{ vendor: undefined, category: undefined, productType: undefined, price: undefined },
  updatedAt: '2026-11-15T02:00:00.000Z',
};
const wanted = { kind: 'product', id: '7', product: { OriginalId: '7', Name: 'Shirt' } } as const;
const mapped: Mapped = { kind: 'wanted', wanted, remember: undefined };
const entry: LedgerEntry = {
  version: Date.parse(product.updatedAt),
  appliedKey: idempotencyKey(wanted),
  uncertain: false,
  outcomes: [
    { at: '2026-11-15T02:00:03.000Z', outcome: 'applied', version: 1, topic: 'products/update' },
  ],
  revision: 1,
};
const letter = {
  ...{ messageId: 'm-1', family: 'products', body: '', receiptHandle: '', attempts: 1 },
  ...{ reason: 'rejected', why: 'the name is missing', at: Date.parse('2026-11-15T01:00:00.000Z') },
  ...{ code: undefined, event: undefined, undecodable: undefined },
} as unknown as Trace['letters'][number];

function trace(changes: Partial<Trace> = {}): Trace {
  return {
    key: { shop: 'example-store.myshopify.com', kind: 'product', id: '7' },
    entry,
    letters: [],
    store: { kind: 'found', value: { kind: 'product', product } },
    mapped,
    readBack: { kind: 'nothing-to-read' },
    ...changes,
  };
}

describe('the verdict on one entity', () => {
  it.each<[string, Partial<Trace>, string, string, string | undefined]>([
    ['agrees when the wanted state was applied', {}, 'agrees', 'was applied', undefined],
    [
      'agrees beside an old letter',
      { letters: [letter] },
      'agrees',
      'are older or the same',
      undefined,
    ],
    [
      'agrees when only the rules changed since',
      { entry: { ...entry, appliedKey: 'other', rules: 'a' }, mapped: { ...mapped, rules: 'b' } },
      'agrees',
      'earlier rules',
      undefined,
    ],
    [
      'differs while a call is in doubt, whatever was applied before',
      { entry: { ...entry, uncertain: true } },
      'differs',
      'is uncertain',
      undefined,
    ],
    [
      'differs after a change',
      { entry: { ...entry, appliedKey: 'other' } },
      'differs',
      'an earlier state was',
      'status',
    ],
    [
      'differs when the store has deleted what is still there',
      { store: { kind: 'gone' }, entry: { ...entry, appliedKey: 'other' } },
      'differs',
      'no longer has it',
      'status',
    ],
    ['differs before the first send', { entry: undefined }, 'differs', 'nothing was', 'status'],
    [
      'names the letter that holds the change',
      { entry: undefined, letters: [letter] },
      'differs',
      'the name is missing',
      'dead-letters show m-1',
    ],
    [
      'agrees with a rule that leaves it out',
      { entry: undefined, mapped: { kind: 'skip', why: 'guest' } },
      'agrees',
      'by rule: guest',
      undefined,
    ],
    [
      'differs when a rule of the merchant fails',
      { mapped: { kind: 'fault', faults: [{ path: 'rules.document', problem: 'threw' }] } },
      'differs',
      'rules.document threw',
      undefined,
    ],
    [
      'is unknown without the store',
      { store: { kind: 'unavailable', why: 'unauthorized' }, mapped: undefined },
      'unknown',
      'could not be read (unauthorized)',
      'doctor',
    ],
    [
      'is unknown when no side has it',
      { store: { kind: 'gone' }, entry: undefined, mapped: undefined },
      'unknown',
      'Neither',
      undefined,
    ],
  ])('%s', (_, changes, kind, words, next) => {
    const verdict = judgeTrace(trace(changes));
    expect(verdict.kind).toBe(kind);
    expect(verdict.what).toContain(words);
    expect(verdict.next).toBe(next);
  });
});

it('shows what happened in time order, from every source', () => {
  const lines = timelineOf(trace({ letters: [letter] }));
  expect(lines.map(({ who }) => who)).toEqual(['dead letter', 'store', 'ledger']);
});
