import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { findBrowser } from '../../support/browser.ts';
import {
  type ConsoleInBrowser,
  takePicture,
  useConsoleInBrowser,
} from '../../support/console-in-browser.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';

let world: ConsoleInBrowser;

const PATIENCE = { timeout: 60_000, interval: 250 };
/** Runs as a script where a page takes texts for markup, and reverses what follows where it takes them as they are. */
const HOSTILE = '<img src=x onerror="globalThis.taken=1">\u202e\u001b[2Jtxt';
const PERSON = { firstName: 'Orsolya', lastName: `Veracruz${HOSTILE}` };

function placeOrder({ email = '', title = 'Linen shirt' } = {}) {
  const { actions } = world.stack.store;
  const customer = email === '' ? undefined : actions.createCustomer({ ...PERSON, email });
  const order = actions.placeOrder({
    lines: [{ title, price: 60 }],
    ...(customer && { customerId: customer.id, email }),
    note: HOSTILE,
    payment: 'paid',
  });
  actions.fulfilOrder({ orderId: order.id });
  return { ...order, customerId: customer?.id ?? '' };
}

/** An order that the loyalty service refuses. */
async function refusedOrder(email: string) {
  const { loyalty } = world.stack;
  loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 34 });
  const order = placeOrder({ email });
  await world.stack.settled();
  loyalty.faults.clear();
  return order;
}

/** A redemption that only a person can finish. */
async function leaveRedemption(customerId: string, title: string): Promise<void> {
  const { dynamoDb, outputs, shop } = world.stack;
  const ledger = createDynamoDbLedger({ client: dynamoDb, table: outputs.LedgerTable ?? '' });
  await leaveStuckRedemption(ledger, { shop: shop.domain, customerId }, { title, points: 10 });
}

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox').fill(text);
  await page.keyboard.press('Enter');
}

const answerOf = (page: Page) => page.getByRole('region', { name: 'The answer' });
const textOf = (page: Page) => page.locator('main').innerText();

describe.runIf(findBrowser() !== undefined)('the view "Find"', { timeout: 400_000 }, () => {
  useConsoleInBrowser(async (started) => {
    world = started;
  });
  let refused: Awaited<ReturnType<typeof refusedOrder>>;
  beforeAll(async () => {
    refused = await refusedOrder('orsolya@example.org');
  }, 120_000);

  it('answers why an order has no points, to a person who may only look', async () => {
    const guest = placeOrder();
    await world.stack.settled();
    const { page } = await world.visit({ readOnly: true });
    // The search is what opens, and the cursor is in it.
    await expect.poll(() => page.locator(':focus').getAttribute('type'), PATIENCE).toBe('search');
    await page.keyboard.type(`${guest.number}`);
    await page.keyboard.press('Enter');
    await answerOf(page).getByText('No points: it was ordered as a guest').waitFor();
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  });

  it('tells the story of a refused order, sends it again after showing what, and shows its points', async () => {
    const { page } = await world.visit({ at: '#/story' });
    await search(page, `#${refused.number}`);
    const answer = answerOf(page);
    await answer.getByText('No points yet: the order could not be sent').waitFor();
    await page.getByRole('heading', { name: `Order #${refused.number}` }).waitFor();
    expect(await answer.getByText('the sides differ').count()).toBe(1);
    const events = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
    const happened = (await events.allInnerTexts()).join('\n');
    for (const words of ['Store created', 'Connector gave up', 'Dead letter given up']) {
      expect(happened).toContain(words);
    }
    const differing = page.getByRole('row', { name: /^state .*does not have it/ });
    expect(await differing.getByText('differs').count()).toBe(1);
    await takePicture(page, 'console-find');

    await page.getByRole('button', { name: 'Send again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It would be sent: sendOrder.').waitFor();
    const preview = await dialog.innerText();
    expect(preview).toContain('"OrderTotal": 50');
    expect(preview).not.toMatch(/Orsolya|Veracruz|example\.org/);
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.getByText('Done: the loyalty service accepted it.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await answer.getByText('both sides agree').waitFor();
    expect(await answer.innerText()).toMatch(/It earned points|expects 50/);
    const orders = world.stack.loyalty
      .state()
      .orders.filter((one) => one.OriginalId === refused.id);
    expect(orders).toHaveLength(1);
  });

  it('finds a customer by e-mail address, which stays out of the address and the page', async () => {
    const { page } = await world.visit({ at: '#/story' });
    await search(page, 'orsolya@example.org');
    await page.getByRole('heading', { name: `Customer ${refused.customerId}` }).waitFor();
    expect(page.url()).not.toContain('orsolya');
    const shown = await page.locator('article').innerText();
    expect(shown).not.toMatch(/Orsolya|Veracruz|example\.org/);
    await page.getByRole('link', { name: 'Points and rewards' }).click();
    await page.getByRole('region', { name: 'Balance' }).waitFor();
  });

  it('shows personal data only when it is asked for, and records that', async () => {
    const { page } = await world.visit({ at: `#/story/order/${refused.id}` });
    await page.getByText('What the loyalty service should hold').click();
    expect(await textOf(page)).not.toMatch(/Orsolya|Veracruz|example\.org/);
    await page.getByRole('button', { name: 'Show personal data' }).click();
    await page.locator('pre', { hasText: 'Orsolya' }).waitFor();
    expect(await page.evaluate(() => 'taken' in globalThis)).toBe(false);
    const name = `#${placeOrder({ email: 'another@example.org' }).number}`;
    await world.stack.settled();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await search(page, name);
    await page.getByRole('heading', { name }).waitFor();
    expect(asked.join()).toContain(name);
    expect(asked.join()).not.toContain('reveal');
    await page.goto(page.url().replace(/#.*/, '#/history'));
    await page.getByText('trace').first().waitFor();
    expect(await textOf(page)).toContain('reveal');
  });

  it('lists what a text may mean, and shows hostile texts as texts', async () => {
    const { actions } = world.stack.store;
    actions.createProduct({ title: HOSTILE, price: 1 });
    actions.createDiscount({ percentage: 10, codes: [HOSTILE, '--yes'] });
    const { page } = await world.visit({ at: '#/story' });
    await search(page, HOSTILE);
    await page.getByRole('heading', { name: 'Several things may be meant' }).waitFor();
    const links = page.locator('main').getByRole('link');
    expect(await links.count()).toBe(2);
    expect(await links.first().innerText()).toContain('\\u202e\\u001b[2Jtxt');
    await links.filter({ hasText: 'Coupon' }).click();
    await answerOf(page).waitFor();
    expect(await page.evaluate(() => 'taken' in globalThis)).toBe(false);
    await search(page, '--yes');
    await page.getByRole('heading', { name: 'Coupon --yes' }).waitFor();
    await search(page, HOSTILE.repeat(2));
    await page.getByRole('alert').getByText('Neither the store nor the ledger').waitFor();
    expect(await page.evaluate(() => 'taken' in globalThis)).toBe(false);
  });

  it('says what the message of an order waits for, and ends the wait, with a store under way', async () => {
    const { loyalty, store } = world.stack;
    const life = setInterval(() => store.actions.placeRandomOrder(), 400);
    onTestFinished(() => {
      clearInterval(life);
      loyalty.faults.clear();
    });
    loyalty.faults.add({ kind: 'http-503' });
    const { number } = placeOrder({ email: 'nicanor@example.org' });
    const { page } = await world.visit({ at: '#/story' });
    await search(page, `${number}`);
    const refresh = async () => {
      await page.getByRole('button', { name: 'Refresh' }).first().click();
      await answerOf(page).waitFor();
      return answerOf(page).innerText();
    };
    await expect.poll(refresh, PATIENCE).toContain('its message waits for the loyalty service');
    loyalty.faults.clear();
    await answerOf(page).getByRole('button', { name: 'Send what waits now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading', { name: 'Send what waits now' }).waitFor();
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.getByText('Done', { exact: true }).waitFor();
    clearInterval(life);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect.poll(refresh, PATIENCE).toMatch(/^(?:has points|points will follow)/);
    // The next test must not wait behind these orders.
    await world.stack.settled();
  });

  it('fits a small screen, in the dark', async () => {
    const { page } = await world.visit({
      ...{ at: `#/story/order/${refused.id}`, width: 390, colours: 'dark' },
    });
    await page.getByRole('region', { name: 'What happened' }).waitFor();
    await page.getByRole('region', { name: 'Both sides now' }).getByRole('table').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  it('shows a balance on both sides and closes a redemption that needs a person', async () => {
    await leaveRedemption(refused.customerId, HOSTILE);
    const { page } = await world.visit({ at: '#/customers' });
    await page.getByRole('link', { name: refused.customerId }).click();
    const balance = page.getByRole('region', { name: 'Balance' });
    await balance.getByRole('row', { name: /^Points .*50/ }).waitFor();
    const redemption = page.getByRole('row', { name: /txt/ });
    expect(await redemption.innerText()).toContain('The loyalty service refuses to look it up');
    await takePicture(page, 'console-customers');
    await redemption.getByRole('button', { name: 'Close: no points were taken' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing was changed. With --yes').waitFor();
    await dialog.getByRole('button', { name: 'Do it' }).click();
    await dialog.getByText('Done: the customer sees that no points were taken').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await redemption.getByText('refused', { exact: true }).waitFor();
    expect(await redemption.getByRole('button').count()).toBe(0);
    expect(await page.evaluate(() => 'taken' in globalThis)).toBe(false);
  });

  it('finds the orders of a customer from their account, and keeps to itself who it is', async () => {
    // Of others the store may have more orders than are listed.
    const { number } = placeOrder({ email: 'orsolya.new@example.org' });
    await world.stack.settled();
    const { page } = await world.visit({ at: '#/customers', width: 390, readOnly: true });
    await search(page, 'orsolya.new@example.org');
    await page.getByRole('link', { name: `#${number}` }).waitFor();
    expect(page.url()).not.toContain('orsolya');
    expect(await page.locator('article').innerText()).not.toMatch(/Orsolya|Veracruz|example\.org/);
    await page.getByRole('link', { name: `#${number}` }).click();
    await answerOf(page).waitFor();
  });
});
