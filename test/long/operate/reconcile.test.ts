import { resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openBackfills } from '../../../scripts/connector/set-up/backfill.ts';
import { BEFORE_ALL_FIXTURES } from '../../fixtures/order-payload.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { addSetting } from '../../support/project.ts';
import { runSuggested } from '../../support/suggested-command.ts';

const connector = useOperatedConnector();

beforeAll(() => {
  // A change of the last quarter of an hour is left to its webhook.
  connector.store.advanceClock(-20 * 60);
  // The store's orders are older than the ledger of this test.
  addSetting(connector.folder, `rules: { goLive: '${BEFORE_ALL_FIXTURES}' }`);
});

it('sends an order whose webhook was lost, then says that both sides are in sync', async () => {
  const ids = ['a', 'b', 'c'].map((name) => connector.sell({ email: `${name}@example.org` }).id);
  const lost = await connector.run(`trace order ${ids[0]}`);
  expect(lost.stdout).toMatch(/No\s+event\s+about\s+it\s+was\s+accepted/);
  // The orders and their customers.
  const found = await connector.run(`reconcile --shop ${SHOP}`);
  expect(found.stdout).toMatch(/6 resent messages still in progress\.\s+Compared\s+up\s+to/);
  expect(found.code).toBe(3);
  const lines = async () => (await connector.run('reconcile status')).stdout;
  expect((await lines()).match(/#\d+ +no event about it arrived +on its way/g)).toHaveLength(3);
  await connector.work();
  expect((await lines()).match(/#\d+ +no event about it arrived +delivered/g)).toHaveLength(3);
  expect(await lines()).toContain('Compares what changed since');
  const traced = await connector.run(`trace order ${ids[0]}`);
  expect(traced.stdout).toContain('OK');
  expect(traced.stdout).toMatch(/its\s+event\s+was\s+lost/);

  const again = await connector.run('reconcile');
  expect(again.stdout).toMatch(
    /Store and ledger agree up to .* UTC;\s+the\s+loyalty\s+service\s+was/,
  );
  expect(again.stdout).not.toContain('Compares what changed since');
  expect(again.code).toBe(0);
  // A shop is named by its path as well as by its domain.
  const deep = await connector.run('reconcile --deep --shop example-store');
  expect(deep.stdout).toMatch(/agree up to .* UTC;\s+the\s+loyalty\s+service\s+holds\s+3\s+orders/);
  expect(deep.stdout).not.toContain('everything');
  expect(deep.code).toBe(0);
});

it('says that it could not compare, with what to do next', async () => {
  connector.store.faults.add({ kind: 'unauthorized' });
  const stopped = await connector.run('reconcile');
  expect(stopped.stdout).toContain('Not everything was compared: ');
  expect(stopped.code).toBe(4);
  const [status] = await runSuggested(stopped, connector);
  expect(status?.line).toContain('status');
  connector.store.faults.clear();
});

it('with two shops, what is suggested for all names the shop, and can be run', async () => {
  await connector.describe({ settings: resolve('test/fixtures/two-shops.config.ts') });
  const at = new Date().toISOString();
  const state = { shop: SHOP, kind: 'discounts', run: 1 } as const;
  const counts = { place: {}, sent: 0 };
  const backfills = openBackfills(connector.ledger, SHOP, () => new Date());
  await backfills.save({ ...state, ...counts, startedAt: at, savedAt: at }, undefined);
  const shown = await connector.run('backfill status');
  const [first = ''] = shown.stdout.match(/npx .* backfill discounts .*/) ?? [];
  const [asked] = await runSuggested({ stdout: first, stderr: '' }, connector);
  const [resumed] = await runSuggested(asked ?? shown, connector);
  expect(resumed?.line).toContain(`--shop ${SHOP}`);
  expect(resumed?.stdout).toContain('are on the queue');
  const second = 'second-store.myshopify.com';
  const reconcile = await connector.run(`reconcile status --shop ${second}`);
  expect(reconcile.stdout).toContain(`reconcile --shop ${second}`);
});
