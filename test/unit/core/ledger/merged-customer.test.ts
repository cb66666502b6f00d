import { describe, expect, it } from 'vitest';
import { followMerges, noteMerge } from '../../../../shared/core/ledger/entry.ts';
import type { Ledger } from '../../../../shared/core/ledger/ledger.ts';
import { SHOP } from '../../../support/in-process-connector.ts';
import { createMemoryLedger } from '../../../support/memory-ledger.ts';

const now = new Date('2026-10-09T12:00:00.000Z');

const merge = (ledger: Pick<Ledger, 'readMany' | 'write'>, gone: string, kept: string) =>
  noteMerge({ shop: SHOP, id: gone }, kept, {
    ...{ ledger, now, topic: 'customers/merge', retentionDays: 400 },
  });

describe('a merge in the ledger', () => {
  it('is followed to the last kept customer, in whichever order the merges arrive', async () => {
    for (const order of [
      [
        ['1', '2'],
        ['2', '3'],
      ],
      [
        ['2', '3'],
        ['1', '2'],
      ],
    ] as const) {
      const ledger = createMemoryLedger();
      for (const [gone, kept] of order) expect(await merge(ledger, gone, kept)).toBe(true);
      expect(await followMerges({ shop: SHOP, id: '1' }, ledger)).toBe('3');
      expect(await followMerges({ shop: SHOP, id: '3' }, ledger)).toBe('3');
      const elsewhere = { shop: 'second-store.myshopify.com', id: '1' };
      expect(await followMerges(elsewhere, ledger)).toBe('1');
    }
  });

  it('ends even where damaged records lead in a circle', async () => {
    const ledger = createMemoryLedger();
    await merge(ledger, '1', '2');
    await merge(ledger, '2', '1');
    expect(['1', '2']).toContain(await followMerges({ shop: SHOP, id: '1' }, ledger));
  });

  it('is written once however often it is repeated, and expires', async () => {
    const ledger = createMemoryLedger();
    for (const _ of ['first', 'again']) expect(await merge(ledger, '1', '2')).toBe(true);
    const entry = ledger.entries.get(`customer|${SHOP}|1`);
    expect(entry).toMatchObject({ revision: 1, outcomes: [{ outcome: 'merged' }] });
    expect(entry?.expiresAt).toBe(now.getTime() / 1000 + 400 * 86_400);
  });

  it('does not overwrite what another worker wrote meanwhile', async () => {
    const ledger = createMemoryLedger();
    const key = { shop: SHOP, kind: 'customer', id: '1' } as const;
    const racing = {
      write: ledger.write,
      readMany: async (keys: Parameters<Ledger['readMany']>[0]) => {
        const read = await ledger.readMany(keys);
        await ledger.write(key, { version: 5, uncertain: false, outcomes: [] }, undefined);
        return read;
      },
    };
    expect(await merge(racing, '1', '2')).toBe(false);
    expect(await merge(ledger, '1', '2')).toBe(true);
    // No older than the moment of the merge, and no call is open.
    const entry = ledger.entries.get(`customer|${SHOP}|1`);
    expect(entry).toMatchObject({ version: now.getTime(), uncertain: false });
  });
});
