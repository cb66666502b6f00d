import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askAdmin } from '../../integration/store-sandbox/ask-admin.ts';
import { findBrowser } from '../../support/browser.ts';
import {
  type ConsoleInBrowser,
  takePicture,
  useConsoleInBrowser,
} from '../../support/console-in-browser.ts';

const HOSTILE = '<img src=x onerror=document.title="taken">\u202e\u001b[2J';

/** Agrees to the open dialog, waits for its end, and gives what it says. */
async function agree(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Do it' }).click();
  await dialog.getByRole('button', { name: 'Close' }).waitFor({ timeout: 120_000 });
  const said = await dialog.innerText();
  await dialog.getByRole('button', { name: 'Close' }).click();
  return said;
}

describe.skipIf(!findBrowser())('healing, set-up and what was done', { timeout: 240_000 }, () => {
  let world: ConsoleInBrowser;
  useConsoleInBrowser(
    async (started) => {
      world = started;
      // A change of the last quarter of an hour is left to its webhook.
      started.stack.store.advanceClock(-20 * 60);
    },
    { storeSettings: () => ({ bulkMs: 15_000 }) },
  );
  async function unsubscribe(topic: string): Promise<void> {
    const { store } = world.stack;
    const { data } = await askAdmin(
      store,
      `{ webhookSubscriptions(first: 1, topics: [${topic}]) { nodes { id } } }`,
    );
    await askAdmin(
      store,
      'mutation($id: ID!) { webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId } }',
      { id: data.webhookSubscriptions.nodes[0].id },
    );
  }
  const section = (page: Page, name: string) =>
    page.locator('section', { has: page.getByRole('heading', { name, level: 2 }) });

  it('compares now: a product whose webhook was lost is sent, with its reason', async () => {
    const { store } = world.stack;
    const { disorder } = store;
    store.disorder = { ...disorder, drop: 1 };
    const { id } = store.actions.createProduct({
      title: 'Coat',
      variants: [{ title: 'One size', price: 9 }],
    });
    store.disorder = disorder;
    const { page } = await world.visit({ at: '#/healing' });
    const runs = section(page, 'Comparisons of the store with what was sent');
    await runs.getByText('No comparison has ended yet.').waitFor();
    await runs.getByRole('button', { name: 'Compare now' }).click();
    const said = await agree(page);
    expect(said).toContain('Done');
    expect(said).toMatch(/Sent again, because the ledger had another state:\s+1 product/);
    await runs.getByText('What was sent, and why').click();
    await runs.getByText('no webhook of it was settled').waitFor();
    const link = runs.getByRole('link', { name: id, exact: true });
    expect(await link.getAttribute('href')).toContain(`#/story/product/${id}`);
    await takePicture(page, 'console-healing');
    await world.stack.settled();
  });

  it('compares everything', async () => {
    const { page } = await world.visit({ at: '#/healing' });
    const runs = section(page, 'Comparisons of the store with what was sent');
    await runs.getByRole('button', { name: 'Compare everything' }).click();
    await page.getByRole('dialog').getByText('It can take several runs.').waitFor();
    expect(await agree(page)).toContain('in sync');
  });

  it('repairs subscriptions, after showing what would be done', async () => {
    await unsubscribe('ORDERS_PAID');
    const { page } = await world.visit({ at: '#/healing' });
    const part = section(page, 'Webhook subscriptions');
    await part.getByText('Not in order').waitFor();
    await part.getByRole('cell', { name: 'orders/paid' }).waitFor();
    await part.getByRole('button', { name: 'Repair' }).click();
    await page.getByRole('dialog').getByText('missing').first().waitFor();
    expect(await agree(page)).toContain('created orders/paid');
    await part.getByText('In order', { exact: true }).waitFor();
  });

  it('starts a backfill after its estimate, and lists it', async () => {
    const { page } = await world.visit({ at: '#/healing', width: 390, colours: 'dark' });
    const part = section(page, 'Backfills');
    await part.getByText('No backfill was started yet.').waitFor();
    await part.getByLabel('What').selectOption('products');
    await part.getByLabel('Created since').fill('2020-01-01');
    await part.getByRole('button', { name: 'Estimate' }).click();
    await page
      .getByRole('dialog')
      .getByText(/\d+ products of/)
      .waitFor();
    expect(await agree(page)).toContain('Done: ');
    await part.getByText('Finished').waitFor();
    await world.stack.settled();
  });

  it('stops a backfill while the store writes its file, and resumes it', async () => {
    const { page } = await world.visit({ at: '#/healing' });
    const part = section(page, 'Backfills');
    await part.getByLabel('What').selectOption('discounts');
    await part.getByLabel('Created since').fill('2020-01-01');
    await part.getByRole('button', { name: 'Estimate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.getByText(/The store is writing its file/).waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('Stopped', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await part.getByText('Waits for the store').waitFor();
    await part.getByRole('button', { name: 'Resume' }).click();
    expect(await agree(page)).toContain('Done: ');
    await part.getByText('Waits for the store').waitFor({ state: 'detached' });
    await world.stack.settled();
  });

  it('says what is wrong while the loyalty service refuses, with the command', async () => {
    world.stack.loyalty.faults.add({ kind: 'business-error', code: 80 });
    onTestFinished(() => world.stack.loyalty.faults.clear());
    const { page } = await world.visit({ at: '#/set-up' });
    const checks = section(page, 'Checks');
    await checks.getByText('the loyalty service').first().waitFor();
    await checks.getByText(/secrets set loyalty/).waitFor();
    await checks.getByText('In a terminal:').first().waitFor();
    world.stack.loyalty.faults.clear();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await checks.getByText(/secrets set loyalty/).waitFor({ state: 'detached' });
    await page.getByLabel('Show what is fine, too').check();
    await checks.getByText('the loyalty service accepts the credentials').waitFor();
  });

  it('pauses and resumes calls, and shows what rewards become', async () => {
    const { page } = await world.visit({ at: '#/set-up', colours: 'dark' });
    const calls = section(page, 'Calls to the loyalty service');
    await calls.getByText('Not paused').waitFor();
    await calls.getByLabel('Queue').selectOption('orders');
    await calls.getByRole('button', { name: 'Pause' }).click();
    expect(await agree(page)).toContain('orders paused since');
    await calls.getByText(/orders: paused by/).waitFor();
    await takePicture(page, 'console-set-up');
    await calls.getByRole('button', { name: 'Resume' }).click();
    expect(await agree(page)).toContain('not paused');
    await calls.getByText('Not paused').waitFor();
    await calls.getByRole('button', { name: 'Send what waits now' }).click();
    expect(await agree(page)).toContain('No such message waits.');
    const rewards = section(page, 'Rewards, and what they become in the store');
    await rewards.getByText('5 off, from 20, 100 points, a code for this customer').waitFor();
  });

  it('lists what was done, page by page, and filters it', async () => {
    const { page } = await world.visit({ at: '#/history?limit=2' });
    await page.getByText('retry-now').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(2);
    await page.getByRole('link', { name: 'Earlier' }).click();
    await page.getByText(/pause --queue=orders --yes/).waitFor();
    await page.getByRole('link', { name: 'Newest' }).click();
    await page.getByText('retry-now').waitFor();
    await page.getByLabel('Command').fill('reconcile');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(/reconcile --shop=\S+ --wait --deep/).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(2);
  });

  it('offers no change where it only looks', async () => {
    const { page } = await world.visit({ readOnly: true, at: '#/healing' });
    await section(page, 'Backfills').getByText('Finished').first().waitFor();
    for (const name of ['Compare now', 'Compare everything', 'Estimate', 'Repair']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    }
    await page.goto(`${page.url().split('#')[0]}#/set-up`);
    await section(page, 'Calls to the loyalty service').getByText('Not paused').waitFor();
    for (const name of ['Pause', 'Send what waits now']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    }
  });

  it('shows a hostile text of another app as text', async () => {
    await askAdmin(
      world.stack.store,
      'mutation($s: WebhookSubscriptionInput!) { webhookSubscriptionCreate(topic: ORDERS_PAID, webhookSubscription: $s) { userErrors { message } } }',
      { s: { uri: `https://elsewhere.example.com/${HOSTILE}` } },
    );
    const { page } = await world.visit({ at: '#/healing' });
    const row = page.getByRole('row', { name: /another address/ });
    expect(await row.innerText()).toContain('onerror=document.title="taken">\\u202e\\u001b[2J');
    expect(await page.title()).toContain('Healing');
  });
});
