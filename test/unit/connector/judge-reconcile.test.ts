import { describe, expect, it } from 'vitest';
import {
  blocksOf,
  documentOf,
  judgeRuns,
  SENT_REASONS,
} from '../../../scripts/connector/repair/reconcile.ts';
import type { LastReconcile } from '../../../shared/core/reconcile/last-reconcile.ts';

const none = { order: 0, product: 0, coupon: 0, member: 0 };
const run = (order: number): LastReconcile => ({
  ...{ beganAt: '2026-11-15T03:00:00.000Z', endedAt: '2026-11-15T03:01:00.000Z' },
  ...{ lookedAt: { ...none, order }, healed: none, rolledOut: none, sent: [], stopped: [] },
});
const nothing = { ordersRead: { read: 9, unread: 0 }, differing: [] };
const now = new Date('2026-11-15T03:02:00.000Z');
const judge = (
  found: Partial<Parameters<typeof judgeRuns>[0]>,
  asked: Parameters<typeof judgeRuns>[1] = {},
  at = now,
) => judgeRuns({ runs: [run(3)], ...nothing, sent: [], ...found }, asked, at);

it('says up to when store and ledger were compared, and that the service was not asked', () => {
  expect(judge({})).toEqual({
    kind: 'ok',
    what: 'Store and ledger agree up to 02:45 UTC; the loyalty service was not asked. Later changes are left to the next comparison: their events may still be on the way.',
  });
});

it('needs a person where orders differ in the loyalty service, also where it may only show late', () => {
  for (const lately of [{}, { lately: true as const }]) {
    const differing = ['71', '72'].map((id) => ({ id, at: 1, ...lately }));
    for (const isDeep of [true, false]) {
      const { kind, what } = judge({ differing }, { isDeep });
      expect(kind).toBe('action required');
      expect(what).toContain('2 orders differ in the loyalty service');
    }
  }
});

it('is well only about what was read and delivered; before the first comparison it is pending', () => {
  expect(judge({ runs: [] }, { isScheduled: true }).kind).toBe('pending');
  expect(judge({ runs: [run(0)] })).toMatchObject({
    kind: 'ok',
    what: expect.stringContaining('nothing changed in the store up to 02:45 UTC'),
  });
  expect(judge({ ordersRead: { read: 9, unread: 2 } }, { isDeep: true }).kind).toBe('unknown');
  const stopped = [{ kind: 'order', why: 'shop-paused' }] as const;
  expect(judge({ runs: [{ ...run(3), stopped }] }).kind).toBe('unknown');
  const one = { kind: 'order', id: '71', why: 'missing', endedAt: '' } as const;
  const ended = (outcome: string) => ({ outcome, at: '', version: 1, topic: '' });
  expect(judge({ sent: [{ ...one, outcome: undefined }] }).kind).toBe('pending');
  expect(judge({ sent: [{ ...one, outcome: ended('unchanged') }] }).kind).toBe('ok');
  expect(judge({ sent: [{ ...one, outcome: ended('rejected') }] }).kind).toBe('action required');
});

describe('a deep scan that takes longer than a run', () => {
  const stopped = (why: string) => ({
    ...run(3),
    deep: { beganAt: '2026-11-14T03:00:00.000Z', stopped: { in: 'order', why } },
  });

  it('is no gap: it says since when it is under way, and where it is', () => {
    const found = { runs: [stopped('out-of-time')] };
    const { kind, what } = judge(found, { isScheduled: true });
    expect(kind).toBe('ok');
    expect(what).not.toContain('Not everything');
    expect(what).toContain('agree about what changed up to 02:45 UTC');
    expect(what).toContain('running since 2026-11-14 03:00 UTC, now at orders');
    expect(judge(found, { isDeep: true }).kind).toBe('pending');
  });

  it('is a gap where something else than the time stopped it, or the last changes were not compared', () => {
    expect(judge({ runs: [stopped('store-unreachable')] }).kind).toBe('unknown');
    const late = [{ kind: 'order', why: 'out-of-time' }] as const;
    const runs = [{ ...stopped('out-of-time'), stopped: late }];
    expect(judge({ runs }).what).toContain('Not everything was compared');
  });
});

it('says of what the workers were given what became of it', () => {
  const ends = ['applied', 'unchanged'].map((outcome, id) => ({
    ...({ kind: 'order', id: `${id}`, why: 'missing', endedAt: run(3).endedAt } as const),
    outcome: { outcome, at: '', version: 1, topic: '' },
  }));
  const runs = [{ ...run(3), healed: { ...none, order: 2 } }];
  const blocks = blocksOf({ shop: 'a', runs, ...nothing, sent: ends, names: new Map() });
  expect(blocks).toMatchObject([
    { rows: [] },
    {
      rows: [
        { cells: [{}, 'no event about it arrived', { text: 'delivered' }, {}] },
        { cells: [{}, 'no event about it arrived', 'no change', {}] },
      ],
    },
    { rows: [{ cells: [{ at: run(3).endedAt }, 3, 2] }] },
  ]);
});

it('needs a person where the runs of the schedule are missing', () => {
  const later = new Date('2026-11-15T06:02:00.000Z');
  expect(judge({}, { isScheduled: true }).kind).toBe('ok');
  expect(judge({}, { isScheduled: true }, later).kind).toBe('action required');
});

it('speaks of events, which any store sends, not of the webhooks and Rollouts that one has', () => {
  const shops = [{ shop: 'a', runs: [], ...nothing, sent: [], names: new Map() }];
  const { next = [] } = documentOf('', shops, { stack: '' }, { named: undefined });
  const labels = next.map(({ label }) => label);
  const said = [...labels, ...Object.values(SENT_REASONS)].join(' ');
  expect(said).not.toMatch(/webhook|Rollout|subscription/);
});
