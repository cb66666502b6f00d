import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBackfills } from '../../../scripts/connector/backfill/run-backfill.ts';
import { FILE_START } from '../../../shared/shopify/bulk/read-entities.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';
import { runSuggested } from '../../support/suggested-command.ts';

const connector = useOperatedConnector();

describe('what commands suggest can be run, also from their JSON documents', () => {
  it('a store that refuses the credentials', async () => {
    connector.store.faults.add({ kind: 'unauthorized' });
    const [doctor] = await runSuggested(await connector.run('webhooks check'), connector);
    expect(doctor?.line).toBe('npx loyalty-connector doctor');
    connector.store.faults.clear();
  });

  it('a backfill that stopped, and one that is finished', async () => {
    const at = new Date().toISOString();
    const state = { id: 'products_first_now', shop: SHOP, kind: 'products', run: 1 } as const;
    const counts = { place: FILE_START, sent: 0, unreadable: 0 };
    const backfills = openBackfills(connector.ledger, SHOP, () => new Date());
    await backfills.enlist(state.id);
    await backfills.save({ ...state, ...counts, startedAt: at, savedAt: at }, undefined);
    const stopped = await connector.run('backfill status --json');
    const [shown] = await runSuggested(stopped, connector);
    expect(shown?.line).toMatch(new RegExp(`backfill products --shop ${SHOP}$`));
    const [resumed] = await runSuggested(shown ?? stopped, connector);
    expect(resumed?.stdout).toContain('are on the queue');
    for (const json of ['', ' --json']) {
      const done = await connector.run(`backfill products${json}`);
      const [asked] = await runSuggested(done, connector);
      const [again] = await runSuggested(asked ?? done, connector);
      expect(again?.line).toContain('--again');
      expect(again?.stdout).toContain('are on the queue');
    }
  });
});

describe('where there is a storefront', () => {
  beforeAll(async () => {
    const outputs = {
      ...connector.outputs,
      BalancesQueueUrl: connector.queues.urls.coupons.url,
      BalancesDeadLetterQueueUrl: connector.queues.urls.coupons.deadLetterUrl,
    };
    await connector.describe({ outputs, settings: resolve('local/harness/storefront.config.ts') });
    await leaveStuckRedemption(
      connector.ledger,
      { shop: SHOP, customerId: '7012345' },
      { at: '2026-02-01T00:00:00.000Z' },
    );
  });

  it('a redemption that there is not', async () => {
    const missing = await connector.run('redemptions close 7012345 NONE --refused --yes');
    const [shown] = await runSuggested(missing, connector);
    expect(shown?.stdout).toContain('K3F9A2LQ7ZPX');
  });
});

describe('with two shops every suggestion names the shop', () => {
  const SECOND = 'second-store.myshopify.com';

  beforeAll(async () => {
    const file = join(connector.folder, 'two.config.ts');
    const define = JSON.stringify(resolve('shared/config/connector-config.ts'));
    writeFileSync(
      file,
      `import { defineConnector } from ${define};
export default defineConnector({
  shops: [{ domain: '${SHOP}', path: 'example-store' }, { domain: '${SECOND}' }],
  rules: { currency: 'EUR' },
  loyalty: { address: 'https://loyalty.example.com' },
});
`,
    );
    await connector.describe({ settings: file });
  });

  it('backfills of all shops, and their resuming', async () => {
    const at = new Date().toISOString();
    const state = { id: 'discounts_first_now', shop: SHOP, kind: 'discounts', run: 1 } as const;
    const counts = { place: FILE_START, sent: 0, unreadable: 0 };
    const backfills = openBackfills(connector.ledger, SHOP, () => new Date());
    await backfills.enlist(state.id);
    await backfills.save({ ...state, ...counts, startedAt: at, savedAt: at }, undefined);
    const shown = await connector.run('backfill status');
    const [first = ''] = shown.stdout.match(/npx .* backfill discounts .*/) ?? [];
    const [asked] = await runSuggested({ stdout: first, stderr: '' }, connector);
    const [resumed] = await runSuggested(asked ?? shown, connector);
    expect(resumed?.line).toContain(`--shop ${SHOP}`);
    expect(resumed?.stdout).toContain('are on the queue');
  });

  it('reconcile status of a shop without a run', async () => {
    const shown = await connector.run(`reconcile status --shop ${SECOND}`);
    expect(shown.stdout).toContain(`reconcile --shop ${SECOND}`);
  });
});
