import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { wantedSubscriptions } from '../../../shared/shopify/subscriptions/wanted-subscriptions.ts';
import { askAdmin } from '../../integration/store-sandbox/ask-admin.ts';
import { useOperatedConnector } from '../../support/operated-connector.ts';
import { addSetting } from '../../support/project.ts';

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
    expect(stdout).toContain(`not in order, 0 of ${COUNT}`);
    expect(stdout).toMatch(/wrong +orders\/create +other fields/);
    expect(stdout).toMatch(/missing +orders\/updated/);
    expect(stdout).toMatch(/too many +CARTS_UPDATE/);
    expect(stdout).toMatch(/other +orders\/paid +https:\/\/elsewhere\.example\.com\/x/);
    const json = JSON.parse((await operated.run('webhooks check --json')).stdout);
    expect(json).toMatchObject({ inOrder: false, madeBy: 'admin-api', shops: [{ fine: [] }] });
  });
});

describe('webhooks sync', { timeout: 180_000 }, () => {
  it('changes nothing without --yes, everything with it, and then nothing more', async () => {
    const rehearsal = await operated.run('webhooks sync');
    expect(rehearsal.code).toBe(0);
    expect(rehearsal.stdout).toContain('Nothing was changed.');
    expect((await operated.run('webhooks check')).code).toBe(1);

    const done = await operated.run('webhooks sync --yes');
    expect(done.code).toBe(0);
    expect(done.stdout.match(/^created /gm)).toHaveLength(COUNT);
    const checked = await operated.run('webhooks check');
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain(`in order, ${COUNT} of ${COUNT}`);
    expect((await operated.run('webhooks sync --yes')).stdout).toContain('Nothing to do.');
  });

  it('removes what has another address only with --prune', async () => {
    await subscribe('ORDERS_PAID', 'https://elsewhere.example.com/x');
    await operated.run('webhooks sync --yes');
    const kept = JSON.parse((await operated.run('webhooks check --json')).stdout);
    expect(kept.shops[0].other).toHaveLength(1);
    const pruned = await operated.run('webhooks sync --prune --yes');
    expect(pruned.stdout).toContain('removed orders/paid');
    const gone = JSON.parse((await operated.run('webhooks check --json')).stdout);
    expect(gone.shops[0].other).toEqual([]);
    expect(gone.inOrder).toBe(true);
  });

  it('leaves webhooks that Events cover until it is asked to remove them, and tells so', async () => {
    await operated.run('webhooks sync --yes');
    const file = join(operated.folder, 'connector.config.ts');
    const before = readFileSync(file, 'utf8');
    addSetting(operated.folder, "healing: { productChanges: 'events' }");
    onTestFinished(() => writeFileSync(file, before));
    const checked = await operated.run('webhooks check');
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain(`in order, ${COUNT - 3} of ${COUNT - 3}`);
    expect(checked.stdout).toMatch(/covered +products\/update +Events announce it too/);
    expect(checked.stdout).toContain('npx loyalty-connector webhooks sync --covered --yes');
    expect((await operated.run('webhooks sync --yes')).stdout).toContain('Nothing to do.');

    const removed = await operated.run('webhooks sync --covered --yes');
    expect(removed.stdout.match(/^removed products\//gm)).toHaveLength(3);
    const json = JSON.parse((await operated.run('webhooks check --json')).stdout);
    const [shop] = json.shops;
    expect([json.productChanges, json.inOrder, shop.covered]).toEqual(['events', true, []]);
    const printed = (await operated.run('doctor')).stdout;
    expect(printed).toContain('healing.productChanges: events');
  });
});

describe('app check', { timeout: 180_000 }, () => {
  const unsubscribe = (topic: string) =>
    askAdmin(
      operated.store,
      `{ webhookSubscriptions(first: 1, topics: [${topic}]) { nodes { id } } }`,
    ).then(({ data }) =>
      askAdmin(
        operated.store,
        'mutation($id: ID!) { webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId } }',
        { id: data.webhookSubscriptions.nodes[0].id },
      ),
    );

  it('finds a removed subscription, and an address that has changed since app write', async () => {
    await operated.run('webhooks sync --yes');
    const missing = await operated.run('app check');
    expect(missing.stdout).toContain('there is no shopify.app.toml');
    expect(missing.code).toBe(1);
    // The app of this shop has an access token, so that no secret holds its client ID.
    expect((await operated.run('app write')).stderr).toContain('Give it: --client-id ID');
    await operated.run('app write --client-id client-1');
    const fine = await operated.run('app check');
    expect(fine.stdout).toContain('shopify-app/example-store.local is as it should be');
    expect(fine.code).toBe(0);

    await unsubscribe('ORDERS_PAID');
    const removed = await operated.run('app check');
    expect(removed.stdout).toContain('the subscription of orders/paid is missing');
    expect(removed.stdout).toContain('fix: npx loyalty-connector webhooks sync --yes');
    expect(removed.code).toBe(1);

    const moved = { ...operated.outputs, WebhookAddress: 'http://127.0.0.1:9' };
    await operated.describe({ outputs: moved });
    const changed = JSON.parse((await operated.run('app check --json')).stdout);
    await operated.describe();
    expect(JSON.stringify(changed)).toContain('compliance topic shop/redact has another uri');
  });
});

describe('the webhooks command', { timeout: 180_000 }, () => {
  it.each([
    'webhooks',
    'webhooks chekc',
    'webhooks sync --shop nowhere.myshopify.com',
    'webhooks check --prune',
  ])('ends with 2 for "%s"', async (line) => {
    const { code, stdout, stderr } = await operated.run(line);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
