import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findBrowser, visitShop } from '../../support/browser.ts';
import type { LocalStack } from '../../support/local-stack.ts';
import { useShopInBrowser } from '../../support/shop-in-browser.ts';
import { customerNamed, visitTill } from './till-visit.ts';

const browserPath = findBrowser();
const patient = { timeout: 90_000, interval: 500 };

let stack: LocalStack;
let browser: Browser;

describe.skipIf(browserPath === undefined)('the walk through all surfaces', () => {
  useShopInBrowser([], (started) => {
    ({ stack, browser } = started);
  });

  it('order in the shop → points → account page → redeem at the till → order with the code', async () => {
    const toni = customerNamed(stack, 'Toni');
    const points = () =>
      stack.loyalty.state().customers.find(({ OriginalId }) => OriginalId === toni)?.points ?? 0;

    const shopper = await visitShop(browser, stack.shopAddress ?? '', toni);
    const { page } = shopper;
    await shopper.open('/products/linen-shirt');
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByRole('button', { name: 'Place order' }).waitFor();
    await shopper.open('/products/linen-shirt');
    await page.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.getByText('Thank you. It is paid and fulfilled.').waitFor();
    await expect.poll(points, patient).toBeGreaterThan(50);
    const earned = points();

    await shopper.open('/account/loyalty');
    await page.getByText(`${earned} points`).first().waitFor();

    const till = await visitTill(browser, stack, 'Toni');
    await till.block.getByText(`${earned} points`).waitFor();
    await till.openRewards();
    await till.modal.getByRole('button', { name: 'Redeem for 50 points' }).click();
    await till.confirm();
    await till.modal.getByText(/^Done\. The code THREE\S+ is in the cart\.$/).waitFor();
    await till.modal.getByRole('button', { name: 'Back to the sale' }).click();
    await till.page.getByText('€14.00').waitFor();
    await till.page.getByRole('button', { name: 'Take payment' }).click();
    await till.page.getByText(/^Order #\d+ is paid/).waitFor();

    const [order] = [...stack.store.rows.orders.values()].slice(-1);
    const code = order?.applications[0]?.name ?? '';
    expect(order).toMatchObject({ sourceName: 'pos', customerId: toni });
    expect(code).toMatch(/^THREE/);
    const sent = () => stack.loyalty.state().orders.find((one) => one.OriginalId === order?.id);
    await expect.poll(() => sent()?.Coupon, patient).toBe(code);

    // The customer's page shows the code as used, and what is left of the points.
    const isUsed = async () => {
      await shopper.open('/account/loyalty');
      await page.getByText(code).first().waitFor();
      return page.getByText('Used', { exact: true }).count();
    };
    await expect.poll(isUsed, { ...patient, interval: 5_000 }).toBe(1);
    await page.getByText(`${points()} points`).first().waitFor();
    expect([...shopper.problems, ...till.problems, ...stack.problems]).toEqual([]);
  }, 300_000);
});
