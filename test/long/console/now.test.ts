import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../../support/browser.ts';
import {
  type ConsoleInBrowser,
  deploymentOf,
  takePicture,
  useConsoleInBrowser,
} from '../../support/console-in-browser.ts';

let world: ConsoleInBrowser;
const PATIENCE = { timeout: 60_000, interval: 250 };

function placeOrders(many: number, price = 60): void {
  const { actions } = world.stack.store;
  for (let placed = 0; placed < many; placed += 1) {
    const { id: customerId } = actions.createCustomer({
      firstName: 'Ada',
      email: `ada-${Math.random()}@example.com`,
    });
    const lines = [{ title: 'Linen shirt', price }];
    const order = actions.placeOrder({ lines, customerId, payment: 'paid' });
    actions.fulfilOrder({ orderId: order.id });
  }
}

/** What the functions of a busy day would have written, a value for each minute. */
function writeDay(): void {
  const now = Date.now();
  for (let minutesAgo = 24 * 60; minutesAgo > 0; minutesAgo -= 1) {
    const wave = 1 + Math.sin((minutesAgo / 24 / 60) * 2 * Math.PI);
    const applied = Math.round(4 * wave + (minutesAgo % 7) / 3);
    const figures = {
      received: applied + 2,
      applied,
      'latency-ms': [400 + 300 * wave, 900 + 900 * wave],
    };
    for (const [Name, value] of Object.entries(figures)) {
      const metrics = { Dimensions: [[]], Metrics: [{ Name }] };
      const _aws = { Timestamp: now - minutesAgo * 60_000, CloudWatchMetrics: [metrics] };
      world.stack.metrics.addLine(JSON.stringify({ _aws, [Name]: value }));
    }
  }
}

const verdictOf = (page: Page) => page.locator('.verdict').textContent();

/** The figures of one queue: waiting, in flight, dead. */
async function queueOf(page: Page, name: string): Promise<readonly number[]> {
  const cells = page.getByRole('row', { name: new RegExp(`^${name}`) }).getByRole('cell');
  return (await cells.allTextContents()).map(Number);
}

/** Runs a command as the page does. */
async function runOnPage(page: Page, line: object): Promise<string> {
  return page.evaluate(async (body) => {
    const headers = {
      'content-type': 'application/json',
      'x-console-key': localStorage.getItem('console-key') ?? '',
    };
    return (await fetch('/run', { method: 'POST', headers, body })).text();
  }, JSON.stringify(line));
}

describe.runIf(findBrowser() !== undefined)('the view "Now"', () => {
  useConsoleInBrowser(async (started) => {
    world = started;
  });
  beforeAll(async () => {
    placeOrders(6);
    await world.stack.settled();
  }, 120_000);

  it('says that all is well, with the path of a change and its figures', async () => {
    const { page } = await world.visit();
    await expect.poll(() => verdictOf(page), PATIENCE).toBe('All is well');
    const path = page.getByRole('list', { name: 'From the store to the loyalty service' });
    expect(await path.getByRole('heading').allTextContents()).toEqual([
      ...['Store', 'Receiver', 'Queues', 'Workers', 'Loyalty service'],
    ]);
    expect(await path.textContent()).toMatch(/[\d.]+ received per minute/);
    expect(await path.textContent()).toMatch(/p50.*p99/);
    expect(await queueOf(page, 'Orders')).toEqual([0, 0, 0]);
    const back = page.getByRole('list', { name: 'Back to the store' });
    expect(await back.getByRole('row').count()).toBe(2);
    await page.getByText('Asked again every 5 seconds while this page is visible.').waitFor();
  }, 120_000);

  it('draws the last hour and day, and has every drawing as a table', async () => {
    const { page } = await world.visit();
    await page.locator('canvas').nth(3).waitFor();
    expect(await page.locator('canvas').count()).toBe(4);
    for (const title of ['Messages per minute, last hour', 'From store to service, last day']) {
      const figure = page.getByRole('figure', { name: title });
      await figure.getByText('As a table').click();
      const rows = await figure.getByRole('table', { name: title }).getByRole('row').count();
      expect(rows, title).toBeGreaterThan(1);
    }
    const received = page
      .getByRole('figure', { name: 'Messages per quarter of an hour, last day' })
      .locator('details tbody td:nth-child(2)');
    const counts = (await received.allTextContents()).map(Number);
    const written = world.stack.metrics.since(0).filter(({ name }) => name === 'received');
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(
      written.reduce((sum, { value }) => sum + value, 0),
    );
  }, 120_000);

  it('asks nothing while its tab is hidden, and at once when it is shown again', async () => {
    const { page } = await world.visit();
    await expect.poll(() => verdictOf(page), PATIENCE).toBe('All is well');
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/run')) asked += 1;
    });
    /** Whether the page asks before anything else happens on it. */
    const asksWhen = (state: 'hidden' | 'visible') =>
      page.evaluate<boolean>(`new Promise((resolve) => {
        const { fetch } = globalThis;
        globalThis.fetch = (...given) => {
          resolve(true);
          return fetch(...given);
        };
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));
        setTimeout(resolve, 0, false);
      })`);
    expect(await asksWhen('hidden')).toBe(false);
    // What it asked before.
    await expect.poll(() => page.locator('[aria-busy="true"]').count(), PATIENCE).toBe(0);
    asked = 0;
    await page.waitForTimeout(7_000);
    expect(asked).toBe(0);
    expect(await asksWhen('visible')).toBe(true);
  }, 120_000);

  it('shows what waits during an outage, what needs a person, and the repair, without a reload', async () => {
    const { stack } = world;
    const { page } = await world.visit();
    await expect.poll(() => verdictOf(page), PATIENCE).toBe('All is well');

    stack.loyalty.faults.add({ kind: 'outage' });
    placeOrders(3);
    await expect
      .poll(() => verdictOf(page), PATIENCE)
      .toBe('Messages wait and go on by themselves');
    const waits = page.getByRole('region', { name: 'What waits' });
    await waits.getByText(/messages? waits? for the loyalty service since/).waitFor();

    stack.loyalty.faults.clear();
    stack.loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
    placeOrders(2, 40);
    await runOnPage(page, { command: 'retry-now', options: { yes: true } });
    await expect.poll(() => verdictOf(page), PATIENCE).toBe('Action required');
    const troubles = page.getByRole('region', { name: 'Action required' });
    const letters = troubles.getByRole('link', { name: 'Dead letters' });
    await letters.waitFor();
    await expect.poll(async () => (await queueOf(page, 'Orders'))[2], PATIENCE).toBeGreaterThan(0);
    await takePicture(page, 'console-action-required');
    await letters.click();
    await page.getByRole('heading', { name: 'Dead letters', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Now' }).click();

    stack.loyalty.faults.clear();
    await expect
      .poll(
        async () => {
          const options = { reason: 'rejected', yes: true };
          await runOnPage(page, { command: 'retry-now', options: { yes: true } });
          await runOnPage(page, { command: 'dead-letters replay', options });
          return verdictOf(page);
        },
        { timeout: 120_000, interval: 3_000 },
      )
      .toBe('All is well');
    expect(stack.problems).toEqual([]);
  }, 400_000);

  it('shows what it could not find out as unknown, with the reason', async () => {
    const deployment = await deploymentOf(world.stack);
    const sandbox = deployment.sandbox && {
      ...deployment.sandbox,
      metricsAddress: 'http://127.0.0.1:9',
    };
    const { page } = await world.visit({
      deployment: { ...deployment, ...(sandbox && { sandbox }) },
    });
    await expect.poll(() => verdictOf(page), PATIENCE).toBe('All is well');
    const path = page.getByRole('list', { name: 'From the store to the loyalty service' });
    expect(await path.getByText('Unknown', { exact: true }).count()).toBe(3);
    expect(await queueOf(page, 'Orders')).toEqual([0, 0, 0]);
    await page.getByText(/^Unknown: fetch failed/).waitFor();
    await page.getByText('2 notes').click();
    await page.getByText("the last day's figures: unknown, fetch failed").waitFor();
  }, 120_000);

  it('runs the command that ends a pause, and is well', async () => {
    const { page } = await world.visit();
    await expect.poll(() => verdictOf(page), PATIENCE).toBe('All is well');
    await runOnPage(page, { command: 'pause', options: { yes: true } });
    const troubles = page.getByRole('region', { name: 'Action required' });
    await troubles.getByText('all calls paused since').waitFor();
    await troubles.getByRole('button', { name: 'End the pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.getByText('Done').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => verdictOf(page), PATIENCE).toBe('All is well');
  }, 120_000);

  it('fits a telephone and a dark screen, with a whole day in its charts', async () => {
    writeDay();
    const { page } = await world.visit({ width: 390, colours: 'dark' });
    await page.locator('canvas').nth(3).waitFor();
    const { scrollWidth, clientWidth } = await page
      .locator('html')
      .evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
    expect(scrollWidth).toBe(clientWidth);
    const day = page.getByRole('figure', { name: 'From store to service, last day' });
    expect(await day.locator('details tbody tr').count()).toBe(96);
    await takePicture(page, 'console-now-mobile');
    const wide = await world.visit();
    await wide.page.locator('canvas').nth(3).waitFor();
    await takePicture(wide.page, 'console-now');
  }, 120_000);
});
