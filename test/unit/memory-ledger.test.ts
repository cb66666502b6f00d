import { expect, it } from 'vitest';
import { createMemoryLedger } from '../../local/harness/memory-ledger.ts';
import { describeLedgerContract } from '../contract/ledger-contract.ts';

describeLedgerContract('the ledger in memory', async () => createMemoryLedger());

it('removes only what has expired', async () => {
  const ledger = createMemoryLedger();
  const key = (id: string) => ({ shop: 'example.myshopify.com', kind: 'order', id }) as const;
  const entry = { version: 1, uncertain: false, outcomes: [] };
  await ledger.write(key('1'), { ...entry, expiresAt: 100 }, undefined);
  await ledger.write(key('2'), { ...entry, expiresAt: 200 }, undefined);
  await ledger.write(key('3'), entry, undefined);
  ledger.expire(150);
  expect([...ledger.entries.keys()]).toEqual([
    'example.myshopify.com|order|2',
    'example.myshopify.com|order|3',
  ]);
});
