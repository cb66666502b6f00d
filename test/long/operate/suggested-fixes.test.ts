import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openBackfills } from '../../../scripts/connector/backfill/run-backfill.ts';
import { FILE_START } from '../../../shared/shopify/bulk/read-entities.ts';
import { SECRETS, SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { letterEvent, letterReason, parkLetters } from '../../support/parked-letters.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';
import { runSuggested } from '../../support/suggested-command.ts';

const connector = useOperatedConnector();
const { loyalty: credentials } = SECRETS;

async function findingsOf(check: string) {
  const { stdout } = await connector.run('doctor --json');
  const { checks } = JSON.parse(stdout).data;
  return checks.find(({ name }: { name: string }) => name === check).findings;
}

/** Runs the fix of the first finding, and gives what it printed. */
async function fix(check: string, input = '') {
  const [finding] = await findingsOf(check);
  const [run] = await runSuggested({ stdout: finding.next[0].line, stderr: '' }, connector, input);
  return run ?? { line: '', stdout: '', stderr: '', code: null };
}

describe("doctor's fixes repair what they are named for", () => {
  it('a secret that is not in its form', async () => {
    await connector.keepSecret('loyalty', '{"token":""}');
    await runSuggested(
      await connector.run('status --json'),
      connector,
      JSON.stringify(credentials),
    );
    expect(await connector.secret('loyalty')).toEqual(credentials);
    await connector.keepSecret('loyalty', '{"token":""}');
    const set = await fix('secrets', JSON.stringify(credentials));
    expect(set.line).toContain(`secrets set loyalty --shop ${SHOP}`);
    expect((await findingsOf('secrets'))[0].verdict).toBe('pass');
    // What it suggests next.
    const [checked] = await runSuggested(set, connector);
    expect(checked?.stdout).not.toContain('FAIL  secrets');
  });

  it('subscriptions that are missing, in two steps', async () => {
    const shown = await fix('subscriptions');
    expect(shown.stdout).toContain('Nothing was changed.');
    const runs = await runSuggested(shown, connector);
    const done = runs.find(({ line }) => line.includes('--yes'));
    expect(done?.stdout).toContain('created orders/create');
    expect((await findingsOf('subscriptions'))[0].verdict).toBe('pass');
  });

  it('webhooks that the app signs with another secret', async () => {
    // Later than the stored secret.
    const at = Date.now();
    connector.metrics.push({ name: 'signatures-refused', value: 72, at, dimensions: {} });
    const [refused] = await findingsOf('signatures');
    connector.metrics.length = 0;
    const next = JSON.stringify({ current: 'webhook-secret-9d2f11' });
    const suggested = { stdout: refused.next[0].line, stderr: '' };
    const [rotated] = await runSuggested(suggested, connector, next);
    expect(rotated?.stdout).toContain('both secrets are accepted');
    const [, finished] = await runSuggested(rotated ?? suggested, connector);
    expect(finished?.stdout).toContain('The older secret is no longer accepted.');
    await connector.keepSecret('webhook', JSON.stringify(SECRETS.webhook));
  });

  it('a pause, also as status suggests it', async () => {
    await connector.run('pause --yes --queue orders');
    expect((await fix('pauses')).stdout).toContain('Ended: ');
    await connector.run('pause --yes');
    const [resumed] = await runSuggested(await connector.run('status --json'), connector);
    expect(resumed?.line).toContain(`resume --shop ${SHOP}`);
    expect((await findingsOf('pauses'))[0].verdict).toBe('pass');
  });
});

describe('what commands suggest can be run, also from their JSON documents', () => {
  it('pause without --yes', async () => {
    for (const json of ['', ' --json']) {
      const asked = await connector.run(`pause --queue orders${json}`);
      const [paused] = await runSuggested(asked, connector);
      expect(paused?.line).toContain('pause --queue orders --yes');
      expect(paused?.stdout).toContain('orders paused since');
      await connector.run('resume');
    }
  });

  it('webhooks check, for one shop by its path', async () => {
    await connector.describe({
      outputs: { ...connector.outputs, WebhookAddress: 'https://moved.example.com' },
    });
    for (const json of ['', ' --json']) {
      const checked = await connector.run(`webhooks check --shop example-store${json}`);
      const [shown] = await runSuggested(checked, connector);
      expect(shown?.line).toContain('webhooks sync --shop example-store');
      expect(shown?.stdout).toContain('missing');
    }
    await connector.describe();
  });

  it('status with dead letters, and while credentials are refused', async () => {
    await connector.run('webhooks sync --yes');
    const reason = letterReason({ at: new Date().toISOString() });
    const letter = { event: letterEvent({ id: '5512300000001' }), reason };
    await parkLetters(connector.sqs, connector.queues.urls.orders.deadLetterUrl, [letter], {
      ...{ ledger: connector.ledger, family: 'orders' },
    });
    const [listed] = await runSuggested(await connector.run('status --json'), connector);
    expect(listed?.stdout).toContain('1 rejected order waits');
    await connector.run('dead-letters drop --since 2000-01-01 --because test --yes');
    connector.metrics.push({ name: 'misconfigured', value: 3, at: Date.now(), dimensions: {} });
    await connector.send(letterEvent({ id: '5512300000002' }));
    const runs = await runSuggested(await connector.run('status'), connector);
    expect(runs.map(({ line }) => line)).toEqual(['npx loyalty-connector doctor']);
    connector.metrics.length = 0;
    await connector.work();
  });

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

  it('redemptions that need a person', async () => {
    const listed = await connector.run('redemptions list');
    const runs = await runSuggested(listed, connector);
    // A person must look first: sending it again would change nothing.
    expect(runs.map(({ line }) => line)).toEqual([
      `npx loyalty-connector redemptions show 7012345 --shop ${SHOP}`,
    ]);
    const [, close = ''] = runs[0]?.stdout.match(/(npx .* redemptions close .* --refused)$/m) ?? [];
    const [asked] = await runSuggested({ stdout: close, stderr: '' }, connector);
    expect(asked?.stdout).toContain('Nothing was changed.');
    const [closed] = await runSuggested(asked ?? listed, connector);
    expect(closed?.stdout).toContain('It is closed');
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
