import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findBrowser, type ShopVisit, visitShop } from '../../support/browser.ts';
import type { LocalStack } from '../../support/local-stack.ts';
import { customerNamed, useShopInBrowser } from '../../support/shop-in-browser.ts';

const browserPath = findBrowser();
const patient = { timeout: 150_000, interval: 500 };

let stack: LocalStack;
let browser: Browser;
let hurry: () => void;
const visits: ShopVisit[] = [];

async function visit(width: number): Promise<ShopVisit> {
  const made = await visitShop(browser, stack.shopAddress ?? '');
  visits.push(made);
  await made.page.setViewportSize({ width, height: 844 });
  return made;
}

const pointsOf = (firstName: string) => {
  const id = customerNamed(stack, firstName);
  return stack.loyalty.state().customers.find(({ OriginalId }) => OriginalId === id)?.points;
};

/** What the shop's own pages offer, and nothing else: no address is typed after the first. */
async function buy({ page }: ShopVisit, quantity: number): Promise<void> {
  await page.getByRole('link', { name: 'Shop', exact: true }).click();
  await page.getByRole('link', { name: 'Linen Shirt' }).click();
  await page.getByLabel('Quantity').fill(String(quantity));
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await page.getByRole('heading', { name: 'Summary' }).waitFor();
}

async function placeOrder({ page }: ShopVisit) {
  await page.getByRole('button', { name: 'Place order' }).click();
  await page.getByRole('heading', { name: /^Order #/ }).waitFor();
  await page.locator('[data-step=balance][data-state=done]').waitFor({ timeout: 120_000 });
  return [...stack.store.rows.orders.values()].at(-1);
}

describe.skipIf(browserPath === undefined)('a newcomer to the demo shop, in a browser', () => {
  useShopInBrowser(
    visits,
    async (started) => {
      ({ stack, browser, hurry } = started);
    },
    { settings: 'test/fixtures/store-credit.config.ts' },
  );

  it('buys, redeems, uses, takes back and pays with store credit', async () => {
    const shopper = await visit(390);
    const { page, open } = shopper;
    await open('/');
    await page.getByRole('link', { name: 'Log in' }).click();
    await page.getByLabel('Customer').selectOption({ label: 'Robin Sample' });
    await page.getByRole('button', { name: 'Log in as this customer' }).click();
    await buy(shopper, 5);
    await placeOrder(shopper);
    const earned = pointsOf('Robin') ?? 0;
    expect(earned).toBeGreaterThan(150);

    await buy(shopper, 1);
    await page.getByRole('button', { name: 'Redeem for 50 points: 3 off' }).click();
    await page.getByRole('status').filter({ hasText: '€3.00 came off your cart.' }).waitFor();
    const order = await placeOrder(shopper);
    expect(order?.applications).toMatchObject([{ name: expect.stringMatching(/^THREE/) }]);

    await page.getByRole('link', { name: 'See your points' }).click();
    const before = pointsOf('Robin') ?? 0;
    await page.getByRole('button', { name: 'Redeem for 10 points: Welcome gift' }).click();
    await page.getByRole('button', { name: /^Take back: HELLO/ }).click();
    await page.getByText('Take it back? The code stops working').waitFor();
    await page.getByRole('button', { name: /^No: HELLO/ }).click();
    await page.getByRole('button', { name: /^Take back: HELLO/ }).click();
    await page
      .getByRole('button', { name: /^Yes, take it back: HELLO/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('Enter');
    const gift = page.getByRole('listitem').filter({ hasText: /HELLO|Welcome gift/ });
    await gift.getByText('Being taken back.').waitFor();
    // It waits a minute for an order that is just being placed.
    hurry();
    await gift.getByText('Cancelled: the points are back.').waitFor({ timeout: patient.timeout });
    await expect.poll(() => pointsOf('Robin'), patient).toBe(before);
    const codes = [...stack.store.rows.codes.values()].map(({ code }) => code);
    expect(codes.filter((code) => code.startsWith('HELLO'))).toEqual([]);

    const cashback = page.getByRole('listitem').filter({ hasText: 'Amount (' });
    await cashback.getByText(/Valid until/).waitFor();
    const amount = page.getByLabel(/^Amount/);
    const most = await amount.inputValue();
    const get = page.getByRole('button', { name: /^Get it as store credit for [\d.]+ points: / });
    expect(await get.textContent()).toContain(` ${before} points`);
    await get.click();
    await page.getByText('This uses most of the points').waitFor();
    await get.and(page.locator(':focus')).waitFor();
    await page.getByRole('button', { name: 'No', exact: true }).click();
    expect(await amount.inputValue()).toBe(most);
    expect(pointsOf('Robin')).toBe(before);
    // Less than half: its price follows what is typed, and it asks nothing.
    await amount.fill('3');
    const price = /store credit for (\d+(?:\.\d+)?) points/.exec((await get.textContent()) ?? '');
    expect(Math.abs(Number(price?.[1]) - 60)).toBeLessThan(0.2);
    await get.click();
    const credited = page
      .getByRole('listitem')
      .filter({ hasText: '€3.00 was added to your store credit.' });
    await credited.getByText(/Valid until/).waitFor({ timeout: patient.timeout });
    await buy(shopper, 1);
    const credit = page.getByRole('checkbox', { name: 'Pay €3.00 with store credit and' });
    expect(await credit.isChecked()).toBe(true);
    const paid = await placeOrder(shopper);
    await page.getByText('Store credit paid €3.00 of it.').waitFor();
    expect(paid?.gateways).toContain('shopify_store_credit');
  }, 600_000);

  it('needed no permission that its functions do not have', () => {
    expect(stack.problems).toEqual([]);
  });
});
