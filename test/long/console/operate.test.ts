import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDynamoDbLedger } from '../../../shared/aws/dynamodb-ledger.ts';
import { findBrowser } from '../../support/browser.ts';
import {
  type ConsoleInBrowser,
  takePicture,
  useConsoleInBrowser,
} from '../../support/console-in-browser.ts';
import { leaveStuckRedemption } from '../../support/stuck-redemption.ts';

let world: ConsoleInBrowser;

const PATIENCE = { timeout: 90_000, interval: 250 };
const PERSON = { firstName: 'Orsolya', lastName: 'Veracruz' };
const EMAIL = 'orsolya@example.org';

function placeOrder(email = '') {
  const { actions } = world.stack.store;
  const customer = email === '' ? undefined : actions.createCustomer({ ...PERSON, email });
  const order = actions.placeOrder({
    lines: [{ title: 'Linen shirt', price: 60 }],
    ...(customer && { customerId: customer.id, email }),
    payment: 'paid',
  });
  actions.fulfilOrder({ orderId: order.id });
  return { ...order, customerId: customer?.id ?? '' };
}

/** Orders that the loyalty service refuses. */
async function refusedOrders(emails: readonly string[]) {
  const { loyalty } = world.stack;
  loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 34 });
  const orders = emails.map((email) => placeOrder(email));
  await world.stack.settled();
  loyalty.faults.clear();
  return orders;
}

const verdictOf = (page: Page) => page.locator('main .verdict').first().innerText();
const textOf = (page: Page) => page.locator('main').innerText();
const dialogOf = (page: Page) => page.getByRole('dialog');

async function search(page: Page, text: string): Promise<void> {
  await page.locator('.search input').fill(text);
  await page.keyboard.press('Enter');
}

/** Agrees to what the dialog shows, and returns how it ended. */
async function agree(page: Page, button: string | RegExp): Promise<string> {
  const dialog = dialogOf(page);
  await dialog.getByRole('button', { name: button }).click();
  await dialog.getByRole('button', { name: 'Close' }).waitFor();
  const said = await dialog.innerText();
  await dialog.getByRole('button', { name: 'Close' }).click();
  return said;
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click();
}

describe.runIf(findBrowser() !== undefined)('a stack, operated by its console alone', () => {
  useConsoleInBrowser(async (started) => {
    world = started;
  });

  it('leads from the alert to the proof: rejected orders are seen, sent again and have points', async () => {
    const { loyalty } = world.stack;
    const orders = await refusedOrders(['a@example.org', 'b@example.org', 'c@example.org']);
    const { page } = await world.visit();
    await expect.poll(() => verdictOf(page), PATIENCE).toContain('Action required');
    await takePicture(page, 'console-needs-a-person');
    await page.getByRole('link', { name: /^See 3 / }).click();
    await page.getByRole('heading', { name: /^Dead letters/, level: 1 }).waitFor();
    const [first] = orders;
    const letter = page.getByRole('link', { name: `order #${first?.number}` }).last();
    await letter.waitFor();
    await takePicture(page, 'console-letters');
    await letter.click();
    await page.getByRole('button', { name: 'Send again' }).click();
    expect(await agree(page, 'Send 1')).toContain('Done: ');
    await openTab(page, 'Dead letters');
    await page.getByRole('button', { name: 'Send 2 orders again' }).click();
    expect(await agree(page, 'Send 2')).toContain('Done: ');
    await openTab(page, 'Now');
    await expect.poll(() => verdictOf(page), PATIENCE).toContain('All clear');
    const ids = loyalty.state().orders.map((one) => one.OriginalId);
    for (const { id } of orders) expect(ids.filter((one) => one === id)).toEqual([id]);
    await openTab(page, 'Find');
    await search(page, `#${first?.number}`);
    await expect.poll(() => verdictOf(page), PATIENCE).toContain('agree');
    await takePicture(page, 'console-find');
  });

  it('drops a dead letter for a reason', async () => {
    const [order] = await refusedOrders(['d@example.org']);
    const { page } = await world.visit({ at: `#/dead-letters/show/${order?.id}` });
    await page.getByRole('heading', { name: /^Dead letter about/, level: 1 }).waitFor();
    await takePicture(page, 'console-letter');
    await page.getByRole('button', { name: 'Drop' }).click();
    await dialogOf(page).getByLabel('Reason for dropping').fill('a test of the till');
    await dialogOf(page).getByRole('button', { name: 'Preview' }).click();
    const said = await agree(page, 'Drop 1');
    expect(said).toContain('Dropped 1 dead letter');
    await openTab(page, 'History');
    await expect.poll(() => textOf(page), PATIENCE).toContain('dead-letters drop');
  });

  it('answers support: masked, without the e-mail address in the page or its address, and nothing to change', async () => {
    const guest = placeOrder();
    const { customerId, number } = placeOrder(EMAIL);
    await world.stack.settled();
    const { page } = await world.visit({ readOnly: true });
    // The search is what opens, and the cursor is in it.
    await expect.poll(() => page.locator('.search input:focus').count(), PATIENCE).toBe(1);
    await page.keyboard.type(`${guest.number}`);
    await page.keyboard.press('Enter');
    await expect.poll(() => textOf(page), PATIENCE).toContain('guest');
    await search(page, EMAIL);
    await page.getByRole('heading', { name: customerId, level: 1 }).waitFor();
    expect(page.url()).not.toContain('orsolya');
    expect(await textOf(page)).not.toMatch(/Orsolya|Veracruz|example\.org/);
    await page.getByRole('link', { name: 'See points and rewards' }).click();
    await page.getByRole('link', { name: 'See events and orders' }).click();
    await page.getByRole('link', { name: `#${number}` }).click();
    await expect.poll(() => verdictOf(page), PATIENCE).toContain('agree');
    expect(await textOf(page)).not.toMatch(/Orsolya|Veracruz|example\.org/);
    expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  });

  it('shows personal data only when it is asked for, and records that', async () => {
    const { id } = placeOrder('another@example.org');
    await world.stack.settled();
    const { page } = await world.visit({ at: `#/trace/order/${id}` });
    await page.getByRole('button', { name: 'Show personal data' }).click();
    await expect.poll(() => page.locator('pre').textContent(), PATIENCE).toContain('Orsolya');
    await openTab(page, 'History');
    await expect.poll(() => textOf(page), PATIENCE).toContain('reveal');
  });

  it('closes a redemption that needs a person, after showing what that means', async () => {
    const { dynamoDb, outputs, shop } = world.stack;
    const { customerId } = placeOrder('e@example.org');
    const ledger = createDynamoDbLedger({ client: dynamoDb, table: outputs.LedgerTable ?? '' });
    await leaveStuckRedemption(ledger, { shop: shop.domain, customerId });
    const { page } = await world.visit({ at: '#/redemptions/list' });
    await page.getByRole('link', { name: customerId }).first().click();
    const close = page.getByRole('button', { name: 'Close: no points were taken' });
    await close.waitFor();
    await takePicture(page, 'console-customers');
    await close.click();
    expect(await agree(page, /^Close/)).toContain('no points were taken');
    await openTab(page, 'Customers');
    await expect.poll(() => verdictOf(page), PATIENCE).toContain('All redemptions are finished');
  });

  it('pauses with a reason, says so, and resumes', async () => {
    const { page } = await world.visit({ at: '#/doctor' });
    await page.getByRole('button', { name: 'Pause calls' }).click();
    await dialogOf(page).getByLabel('Reason').fill('a sale');
    await dialogOf(page).getByLabel('Queue').selectOption('orders');
    await dialogOf(page).getByRole('button', { name: 'Preview' }).click();
    expect(await agree(page, /^Pause/)).toContain('Paused');
    await openTab(page, 'Now');
    await expect.poll(() => textOf(page), PATIENCE).toContain('a sale');
    await page.getByRole('button', { name: 'Resume orders' }).first().click();
    expect(await agree(page, 'Resume orders')).toContain('Resumed:');
    await expect.poll(() => verdictOf(page), PATIENCE).toContain('All clear');
  });

  it('says what waits during an outage, and sends it at once when told to', async () => {
    const { loyalty } = world.stack;
    loyalty.faults.add({ kind: 'outage' });
    onTestFinished(() => loyalty.faults.clear());
    placeOrder('f@example.org');
    const { page } = await world.visit();
    await expect.poll(() => verdictOf(page), PATIENCE).toContain('Pending');
    // While an earlier call may still be executed, it is not offered.
    const retry = page.getByRole('button', { name: /^(.* )?Retry now$/ });
    await retry.waitFor();
    loyalty.faults.clear();
    await retry.click();
    await agree(page, /^Retry/);
    await expect.poll(() => verdictOf(page), PATIENCE).toContain('All clear.');
    await takePicture(page, 'console-now');
    await openTab(page, 'Healing');
    await page.getByRole('button', { name: 'Compare now' }).waitFor();
    await takePicture(page, 'console-healing');
    await openTab(page, 'Set-up');
    await expect.poll(() => verdictOf(page), PATIENCE).not.toBe('');
    await takePicture(page, 'console-set-up');
    const phone = await world.visit({ width: 390, colours: 'dark' });
    await expect.poll(() => verdictOf(phone.page), PATIENCE).not.toBe('');
    await takePicture(phone.page, 'console-now-mobile');
  });
});
