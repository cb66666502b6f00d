import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { wantedSubscriptions } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { askAdmin } from '../../support/ask-admin.ts';
import { useOperatedConnector } from '../../support/operated-connector.ts';
import { addSetting } from '../../support/project.ts';
import { runSuggested } from '../../support/suggested-command.ts';

const COUNT = wantedSubscriptions('https://example.com').length;

const operated = useOperatedConnector();
beforeEach(async () => {
  const { data } = await askAdmin(
    operated.store,
    '{ webhookSubscriptions(first: 100) { nodes { id } } }',
  );
  for (const { id } of data.webhookSubscriptions.nodes) {
    await askAdmin(
      operated.store,
      'mutation($id: ID!) { webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId } }',
      { id },
    );
  }
});

async function subscribe(topic: string, uri: string): Promise<void> {
  await askAdmin(
    operated.store,
    'mutation($t: WebhookSubscriptionTopic!, $s: WebhookSubscriptionInput!) { webhookSubscriptionCreate(topic: $t, webhookSubscription: $s) { userErrors { message } } }',
    { t: topic, s: { uri } },
  );
}

describe('webhooks check', { timeout: 180_000 }, () => {
  it('ends with 1 and says what is missing, wrong, too many and elsewhere', async () => {
    const here = operated.outputs.WebhookAddress;
    await subscribe('ORDERS_CREATE', `${here}/example-store`);
    await subscribe('CARTS_UPDATE', `${here}/example-store`);
    await subscribe('ORDERS_PAID', 'https://elsewhere.example.com/x');
    const { code, stdout } = await operated.run('webhooks check');
    expect(code).toBe(1);
    expect(stdout).toContain(
      `ACTION REQUIRED\n  ${COUNT - 1} of ${COUNT} subscriptions are missing: orders/updated, `,
    );
    expect(stdout).toContain('orders/create differs in fields');
    expect(stdout).toContain('CARTS_UPDATE has a duplicate subscription');
    expect(stdout).toContain(
      'orders/paid goes to another address: https://elsewhere.example.com/x',
    );
  });
});

describe('webhooks sync', { timeout: 180_000 }, () => {
  it('changes nothing without --yes, everything with it, and then nothing more', async () => {
    const rehearsal = await operated.run('webhooks sync');
    expect(rehearsal.code).toBe(0);
    expect(rehearsal.stdout).toContain(`${COUNT} of ${COUNT} subscriptions are missing`);
    expect(rehearsal.stdout).toContain('Nothing was changed.');
    expect((await operated.run('webhooks check')).code).toBe(1);

    const done = await operated.run('webhooks sync --yes');
    expect(done.code).toBe(0);
    expect(done.stdout.match(/ created /g)).toHaveLength(COUNT);
    // What changed before may be missed, and each command that finds it works.
    expect(done.stdout.replace(/\s+/g, ' ')).toContain('leaves out the last 15 minutes');
    for (const { line, code } of await runSuggested(done, operated)) {
      expect([line, code]).toEqual([
        expect.stringMatching(/ (compare|reconcile) ?/),
        expect.any(Number),
      ]);
      expect(code).not.toBe(2);
    }
    const checked = await operated.run('webhooks check');
    expect(checked.code).toBe(0);
    // What it says after the repair is what it read then.
    for (const { stdout } of [done, checked]) {
      expect(stdout).toContain(`${COUNT} subscriptions correct`);
    }
    expect((await operated.run('webhooks sync --yes')).stdout).toContain('Nothing to do.');
  });

  it('removes what has another address only with --prune', async () => {
    await subscribe('ORDERS_PAID', 'https://elsewhere.example.com/x');
    await operated.run('webhooks sync --yes');
    const kept = await operated.run('webhooks check');
    expect(kept.stdout).toContain('orders/paid goes to another address');
    const pruned = await operated.run('webhooks sync --prune --yes');
    expect(pruned.stdout).toContain('removed orders/paid');
    const gone = await operated.run('webhooks check');
    expect(gone.stdout).not.toContain('another address');
    expect(gone.code).toBe(0);
  });

  it('leaves webhooks that Events cover until it is asked to remove them, and tells so', async () => {
    await operated.run('webhooks sync --yes');
    const file = join(operated.folder, 'connector.config.ts');
    const before = readFileSync(file, 'utf8');
    addSetting(operated.folder, "healing: { productChanges: 'events' }");
    onTestFinished(() => writeFileSync(file, before));
    const checked = await operated.run('webhooks check');
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain(`${COUNT - 3} subscriptions correct`);
    expect(checked.stdout).toContain('products/update is covered: Events announce it too');
    expect(checked.stdout).toMatch(/npx loyalty-connector webhooks sync --shop \S+ --covered$/m);
    expect((await operated.run('webhooks sync --yes')).stdout).toContain('Nothing to do.');

    const removed = await operated.run('webhooks sync --covered --yes');
    expect(removed.stdout.match(/ removed products\//g)).toHaveLength(3);
    const after = await operated.run('webhooks check');
    expect(after.stdout).not.toContain('is covered');
    expect(after.code).toBe(0);
  });
});

describe('app write', { timeout: 180_000 }, () => {
  it('writes what doctor compares: an address that has changed since is found', async () => {
    expect((await operated.run('doctor --all')).stdout).not.toContain('app folder');
    // The app of this shop has an access token, so that no secret holds its client ID.
    expect((await operated.run('app write')).stderr).toContain('Give it: --client-id ID');
    await operated.run('app write --client-id client-1');
    const fine = await operated.run('doctor --all');
    expect(fine.stdout).toContain('shopify-app/example-store.local is up to date');
    const moved = { ...operated.outputs, WebhookAddress: 'http://127.0.0.1:9' };
    await operated.describe({ outputs: moved });
    const changed = await operated.run('doctor --json');
    await operated.describe();
    expect(changed.stdout).toContain('webhooks does not match the settings');
  });
});
