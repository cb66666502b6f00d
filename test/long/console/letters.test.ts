import { readFileSync, rmSync } from 'node:fs';
import type { Page, Route } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { findBrowser } from '../../support/browser.ts';
import {
  type ConsoleInBrowser,
  takePicture,
  useConsoleInBrowser,
} from '../../support/console-in-browser.ts';
import { letterEvent, letterReason, parkLetters } from '../../support/parked-letters.ts';

let world: ConsoleInBrowser;
const PATIENCE = { timeout: 60_000, interval: 250 };
const ORDERS = 30;
/** Runs as a script where a page takes texts for markup, and reverses what follows where it takes them as they are. */
const HOSTILE = '<img src=x onerror="globalThis.taken=1">\u202e\u001b[2Jtxt';

/** Orders that the loyalty service refuses: dead letters with the real reason. */
async function refuseOrders(many: number, title = HOSTILE): Promise<void> {
  const { store, loyalty } = world.stack;
  loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 34 });
  for (let index = 0; index < many; index += 1) {
    const email = `orsolya-${index}@example.org`;
    const customer = store.actions.createCustomer({
      firstName: 'Orsolya',
      lastName: 'Veracruz',
      email,
    });
    const lines = [{ title, price: 60 }];
    const order = store.actions.placeOrder({
      ...{ lines, customerId: customer.id, email, note: HOSTILE, payment: 'paid' },
    });
    store.actions.fulfilOrder({ orderId: order.id });
  }
  await world.stack.settled();
  loyalty.faults.clear();
}

async function park(family: 'orders' | 'coupons', letters: Parameters<typeof parkLetters>[2]) {
  const { sqs, dynamoDb, outputs } = world.stack;
  const url = {
    orders: outputs.OrdersDeadLetterQueueUrl,
    coupons: outputs.CouponsDeadLetterQueueUrl,
  };
  const ledger = createDynamoDbLedger({ client: dynamoDb, table: outputs.LedgerTable ?? '' });
  await parkLetters(sqs, url[family] ?? '', letters, { ledger, family });
}

const countOf = (page: Page) => page.locator('.answer strong').first().textContent();
const list = (page: Page) => page.getByRole('table').last();
const shownIn = async (page: Page) => (await list(page).getByRole('row').count()) - 1;

async function agree(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Do it' }).click();
  await dialog.getByRole('button', { name: 'Close' }).waitFor();
  return dialog.innerText();
}

describe.runIf(findBrowser() !== undefined)('the view "Dead letters"', { timeout: 180_000 }, () => {
  useConsoleInBrowser(async (started) => {
    world = started;
  });
  beforeAll(async () => {
    await refuseOrders(ORDERS);
    const at = new Date().toISOString();
    const hostile = { why: HOSTILE, code: HOSTILE, at };
    const event = letterEvent({ kind: 'coupon', id: HOSTILE, topic: HOSTILE });
    await park('coupons', [{ event, reason: letterReason(hostile) }]);
  }, 180_000);

  it('groups them by cause with counts and ages, filters them and shows them in pages', async () => {
    const { page } = await world.visit({ at: '#/letters', readOnly: true });
    await expect.poll(() => countOf(page), PATIENCE).toBe(`${ORDERS + 1} dead letters:`);
    const causes = page.getByRole('table', { name: 'By cause' });
    const rows = await causes.getByRole('row').allInnerTexts();
    expect(rows[1]).toMatch(/^30\s+Refused by the loyalty service/);
    expect(rows[1]).toMatch(/ago|now/);
    expect(await shownIn(page)).toBe(25);

    await page.getByRole('link', { name: 'Older' }).click();
    await expect.poll(() => shownIn(page), PATIENCE).toBe(ORDERS + 1 - 25);
    await page.getByLabel('Queue').selectOption('coupons');
    await page.getByRole('button', { name: 'Filter' }).click();
    await expect.poll(() => countOf(page), PATIENCE).toBe('1 dead letter:');
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('searchbox', { name: 'Text' }).fill('SENDORDER');
    await page.keyboard.press('Enter');
    await expect.poll(() => countOf(page), PATIENCE).toBe(`${ORDERS} dead letters:`);
    expect(await page.getByRole('button', { name: /again…/ }).count()).toBe(0);
  });

  it('takes a hostile id, code, reason and title for nothing but text', async () => {
    const { page } = await world.visit({ at: '#/letters?queue=coupons' });
    await expect.poll(() => countOf(page), PATIENCE).toBe('1 dead letter:');
    await page
      .getByRole('link', { name: /^coupon/ })
      .last()
      .click();
    await page.getByRole('heading', { name: 'If it were sent now' }).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).toContain('<img src=x');
    expect(text).not.toContain('\u202e');
    expect(text).not.toContain('\u001b');
    expect(await page.locator('main img').count()).toBe(0);
    expect(await page.evaluate('globalThis.taken')).toBeUndefined();
  });

  it('shows one beside what would be sent, and the people in it only to a person who is recorded', async () => {
    const { page } = await world.visit({ at: '#/letters?queue=orders' });
    await list(page).getByRole('link').first().click();
    const message = page.locator('.side-by-side section').first();
    const wouldBe = page.locator('.side-by-side section').last();
    await wouldBe.getByText('It would be sent: sendOrder').waitFor();
    expect(await wouldBe.innerText()).toContain('"OrderTotal"');
    expect(await page.locator('main').innerText()).not.toContain('Veracruz');
    await message.getByRole('button', { name: 'Show the whole message' }).click();
    await expect.poll(() => message.innerText(), PATIENCE).toContain('Veracruz');
    await page.goto(`${page.url().split('#')[0]}#/history`);
    await expect.poll(() => page.locator('main').innerText(), PATIENCE).toContain('reveal');
  });

  it('sends the chosen ones again after showing what that does, with the result of each', async () => {
    const { page } = await world.visit({ at: '#/letters?queue=orders' });
    await list(page).getByRole('checkbox').first().check();
    await page.getByRole('button', { name: 'Send 1 again…' }).waitFor();
    await page.getByLabel('Reason').selectOption('rejected');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: `Send ${ORDERS} again…` }).waitFor();
    for (const index of [0, 1]) await list(page).getByRole('checkbox').nth(index).check();
    await page.getByRole('button', { name: 'Send 2 again…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('2 of 2 matching dead letters would be sent again.').waitFor();
    const shown = await agree(page);
    expect(shown).toContain('Replayed 2 dead letters');
    expect(shown.match(/order \d+ +applied/g)).toHaveLength(2);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => countOf(page), PATIENCE).toBe(`${ORDERS - 2} dead letters:`);
  });

  it('drops one for a reason, and keeps it in a file', async () => {
    const { page } = await world.visit({ at: '#/letters?queue=orders' });
    await list(page).getByRole('checkbox').first().check();
    const drop = page.getByRole('button', { name: 'Drop 1…' });
    expect(await drop.isDisabled()).toBe(true);
    await page.getByLabel('Why drop it?').fill('a test of the till');
    await drop.click();
    await page.getByRole('dialog').getByText('is not sent again until it changes').waitFor();
    const [, file = ''] = /Dropped 1 dead letter, kept in (\S+)/.exec(await agree(page)) ?? [];
    expect(readFileSync(file, 'utf8')).toContain('a test of the till');
    rmSync(file);
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => countOf(page), PATIENCE).toBe(`${ORDERS - 3} dead letters:`);
  });

  it('drops no dead letter that came after the list was shown', async () => {
    const parkOne = (id: string) => {
      const at = new Date().toISOString();
      const event = letterEvent({ kind: 'coupon', id, deliveryId: id });
      return park('coupons', [{ event, reason: letterReason({ why: 'no longer needed', at }) }]);
    };
    await parkOne('SEEN');
    const { page } = await world.visit({ at: '#/letters?text=no+longer+needed' });
    await page.getByLabel('Why drop it?').fill('a test');
    await page.getByRole('button', { name: 'Drop 1…' }).click();
    await page
      .getByRole('dialog')
      .getByText(/COUNT {2}REASON/)
      .waitFor();
    await parkOne('UNSEEN');
    const [, file = ''] = /Dropped 1 dead letter, kept in (\S+)/.exec(await agree(page)) ?? [];
    expect(readFileSync(file, 'utf8')).toContain('SEEN');
    rmSync(file);
    await page.getByRole('button', { name: 'Close' }).click();
    await list(page).getByRole('link', { name: 'coupon UNSEEN' }).waitFor();
  });

  it('waits for an answer that takes longer than the time between two', async () => {
    const { page } = await world.visit({ at: '#/letters' });
    await page.clock.install();
    const held: Route[] = [];
    await page.route('**/run', (route) => void held.push(route));
    await page.reload();
    await expect.poll(() => held.length, PATIENCE).toBe(1);
    await page.clock.runFor(120_000);
    expect(held).toHaveLength(1);
    await held[0]?.continue();
    await page.getByRole('table', { name: 'By cause' }).waitFor();
  });

  it('receives dead letters from the queues, which hides them meanwhile, only when it is asked', async () => {
    const { page } = await world.visit({ at: '#/letters' });
    await page.clock.install();
    let asked = 0;
    const document = { stack: '', source: 'queues', groups: [], matching: 0, queues: [] };
    await page.route('**/run', async (route) => {
      asked += 1;
      const events = [
        { kind: 'document', document },
        { kind: 'end', code: 0 },
      ];
      await route.fulfill({ body: events.map((one) => `${JSON.stringify(one)}\n`).join('') });
    });
    await page.reload();
    await expect.poll(() => countOf(page), PATIENCE).toBe('No dead letters');
    await page.clock.runFor(120_000);
    expect(asked).toBe(1);
  });

  it('is stopped, too, if the console had not begun yet', async () => {
    const { page } = await world.visit({ at: '#/letters?queue=coupons' });
    await page.getByRole('button', { name: /^Send \d+ again…$/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('pre').waitFor();
    const held: Route[] = [];
    await page.route('**/run', (route) => void held.push(route));
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await expect.poll(() => held.length, PATIENCE).toBe(1);
    await held[0]?.continue();
    await dialog.getByText('Stopped', { exact: true }).waitFor();
  });

  it('stops where it is when it is asked to, and says how far it came', async () => {
    const { page } = await world.visit({ at: '#/letters?queue=orders' });
    world.stack.loyalty.faults.add({ operation: 'sendOrder', kind: 'latency', ms: 6_000 });
    await page.getByRole('button', { name: /^Send \d+ again…$/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.getByText('Waiting for outcomes:').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.getByText('Stopped').waitFor();
    expect(await dialog.innerText()).toMatch(/Replayed \d+ dead letters/);
    world.stack.loyalty.faults.clear();
    await world.stack.settled();
  });

  it('says that the queue holds more than there are summaries, and looks into it when asked', async () => {
    const event = letterEvent({ id: '4711', deliveryId: 'died' });
    await park('orders', [{ event, reason: undefined, group: 'moved-by-sqs' }]);
    const { page } = await world.visit({ at: '#/letters?text=4711' });
    await page.getByText('About 1 more have no summary').waitFor();
    await page.getByRole('link', { name: /Scan the queues/ }).click();
    await page.getByRole('link', { name: 'order 4711' }).first().waitFor();
    expect(await page.getByText('A worker died on it').count()).toBeGreaterThan(0);
  });

  it('lists the newest first, and shows the one that was clicked', async () => {
    await refuseOrders(3, 'Linen shirt');
    const { page } = await world.visit({ at: '#/letters?queue=orders' });
    await page.getByRole('table', { name: 'By cause' }).waitFor();
    await takePicture(page, 'console-letters');
    const name = await list(page).getByRole('link').first().innerText();
    await list(page).getByRole('link').first().click();
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText('"Linen shirt"').waitFor();
    await takePicture(page, 'console-letter');
  });

  it('fits a small screen, in the dark', async () => {
    const { page } = await world.visit({
      ...{ at: '#/letters', width: 390, colours: 'dark' },
    });
    await page.getByRole('table').getByText('Refused by the loyalty service').first().waitFor();
    const width = () => page.locator('html').evaluate((root) => root.scrollWidth);
    expect(await width()).toBeLessThanOrEqual(390);
    await list(page).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'If it were sent now' }).waitFor();
    expect(await width()).toBeLessThanOrEqual(390);
  });
});
