import type { Browser, FrameLocator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findBrowser, type ShopVisit, visitShop } from '../../support/browser.ts';
import type { LocalStack } from '../../support/local-stack.ts';
import { customerNamed, earnPoints, useShopInBrowser } from '../../support/shop-in-browser.ts';

const browserPath = findBrowser();
const patient = { timeout: 60_000, interval: 250 };

/** The till of the local stack, with a customer looked up and a mug in the cart. */
interface TillVisit extends ShopVisit {
  readonly block: FrameLocator;
  readonly modal: FrameLocator;
  /** The bodies of what the extension has sent to `redeem`. */
  readonly redeems: (string | null)[];
  /** Opens the modal from the block. */
  openRewards(): Promise<void>;
  /** The customer reads out the code of the message, and the cashier enters it. */
  confirm(): Promise<void>;
  /** The code of the last message to the customer. */
  pin(): string;
}

let stack: LocalStack;
let browser: Browser;
const visits: TillVisit[] = [];

async function openTill(firstName: string): Promise<TillVisit> {
  const visit = await visitShop(browser, stack.shopAddress ?? '');
  const { page } = visit;
  const redeems: (string | null)[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/redeem')) {
      redeems.push(request.postData());
    }
  });
  await visit.open('/till');
  await page.getByRole('button', { name: /^Enamel Mug/ }).click();
  await page.getByLabel('Search a customer').fill(firstName);
  await page.getByRole('button', { name: new RegExp(`^${firstName}`) }).click();
  const block = page.frameLocator('iframe[title="Loyalty"]');
  const modal = page.frameLocator('iframe[title="Loyalty rewards"]');
  const customerId = customerNamed(stack, firstName);
  const pin = () =>
    stack.loyalty.state().challenges.find((one) => one.customerId === customerId)?.pin ?? '';
  const made: TillVisit = {
    ...visit,
    ...{ block, modal, redeems, pin },
    openRewards: () => block.getByRole('button', { name: 'Rewards' }).click(),
    async confirm() {
      const field = modal.getByLabel('Code from the message');
      await field.waitFor();
      await field.fill(pin());
      await modal.getByRole('button', { name: 'Confirm' }).click();
    },
  };
  visits.push(made);
  return made;
}

const redeemCalls = () => stack.loyalty.journal.entries({ operation: 'redeemRewardByKey' }).length;

describe.skipIf(browserPath === undefined)('the till with our extension, in a browser', () => {
  useShopInBrowser(
    visits,
    async (started) => {
      ({ stack, browser } = started);
      await Promise.all(['Robin', 'Sasha', 'Toni'].map((name) => earnPoints(stack, name, 10)));
    },
    // Toni has no phone number.
    { loyaltySettings: () => ({ challengeSentBy: 'sms' }) },
  );

  it('shows points, tier and rewards beside the customer, and redeems with the customer’s answer', async () => {
    const { page, block, modal, openRewards, confirm, pin } = await openTill('Robin');
    await block.getByText('490 points').waitFor();
    await block.getByText('Bronze').waitFor();
    await block.getByRole('button', { name: /^Rewards \(\d\)$/ }).waitFor();
    await openRewards();

    await modal.getByRole('button', { name: 'Redeem for 50 points' }).click();
    const field = modal.getByLabel('Code from the message');
    await field.waitFor();
    await field.fill(pin() === '0000' ? '1111' : '0000');
    await modal.getByRole('button', { name: 'Confirm' }).click();
    // The program says it in its own words.
    await modal.getByText('This code is wrong, or it is too old.').waitFor();
    expect(redeemCalls()).toBe(0);

    await page.getByRole('button', { name: "Customer's phone" }).click();
    await page.getByText(`Your code is ${pin()}.`).waitFor();
    await confirm();
    await modal.getByText(/^Done\. The code THREE\S+ is in the cart\.$/).waitFor();
    await modal.getByRole('button', { name: 'Back to the sale' }).click();
    await page.getByText('€14.00').waitFor();

    await page.getByRole('button', { name: 'Take payment' }).click();
    await page.getByText(/^Order #\d+ is paid\. Its points arrive in a moment\.$/).waitFor();
    const [order] = [...stack.store.rows.orders.values()].slice(-1);
    const [staff] = stack.store.rows.staff.values();
    const [place] = stack.store.rows.locations.values();
    expect(order).toMatchObject({
      ...{ sourceName: 'pos', customerId: customerNamed(stack, 'Robin') },
      ...{ staffId: staff?.id, locationId: place?.id },
      applications: [{ type: 'discount_code', name: expect.stringMatching(/^THREE/) }],
    });
    // The service knows by the order that its reward was used.
    const sentCoupon = () =>
      stack.loyalty.state().orders.find(({ OriginalId }) => OriginalId === order?.id)?.Coupon;
    await expect.poll(sentCoupon, patient).toBe(order?.applications[0]?.name);
  });

  it('asks for a phone number that the program lacks, and forgets it', async () => {
    const { page, modal, openRewards, confirm } = await openTill('Toni');
    const starts = () =>
      stack.loyalty.journal.entries({ operation: 'startChallenge' }).map(({ body }) => body);
    const before = starts().length;
    await openRewards();
    await modal.getByRole('button', { name: 'Redeem for 50 points' }).click();
    await modal.getByText('The program cannot reach the customer').waitFor();
    await modal.getByText('Ask the customer for a phone number.').waitFor();
    const field = modal.getByLabel('Phone number');
    const send = modal.getByRole('button', { name: 'Send the message' });
    expect(await send.isDisabled()).toBe(true);
    await field.fill('five');
    await send.click();
    await modal.getByText(/^That was not a complete number/).waitFor();
    await field.fill(' +1 555 555 0103 ');
    await send.click();
    await confirm();
    await modal.getByText(/^Done\. The code THREE\S+ is in the cart\.$/).waitFor();
    const TransactionId = expect.any(String);
    expect(starts().slice(before)).toEqual([
      { TransactionId },
      { TransactionId, Phone: '+1 555 555 0103' },
    ]);
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain('0103');
  });

  it.runIf(process.env.DOCS_PICTURES === '1')(
    'is in the pictures of the docs',
    async () => {
      for (const [size, suffix] of [
        [{ width: 1280, height: 800 }, ''],
        [{ width: 390, height: 844 }, '-mobile'],
      ] as const) {
        const { page, block, modal, openRewards, confirm } = await openTill('Robin');
        await page.setViewportSize(size);
        await block.getByRole('button', { name: /^Rewards \(/ }).waitFor();
        await openRewards();
        await modal.getByText('For Gold customers').waitFor();
        await page.screenshot({ path: `docs/till-rewards${suffix}.png` });
        await modal.getByRole('button', { name: 'Redeem for 50 points' }).click();
        await confirm();
        await modal.getByText(/^Done/).waitFor();
        await modal.getByRole('button', { name: 'Back to the sale' }).click();
        await page.getByText('€14.00').waitFor();
        await page.screenshot({ path: `docs/till${suffix}.png`, fullPage: true });
      }
    },
    120_000,
  );

  it('needed no permission that its function does not have', () => {
    expect(stack.problems).toEqual([]);
  });
});
