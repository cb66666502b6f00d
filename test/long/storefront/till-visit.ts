import type { Browser, FrameLocator } from 'playwright-core';
import { type ShopVisit, visitShop } from '../../support/browser.ts';
import type { LocalStack } from '../../support/local-stack.ts';

/** The till of the local stack, with a customer looked up and a mug in the cart. */
export interface TillVisit extends ShopVisit {
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

export const customerNamed = ({ store }: LocalStack, firstName: string): string =>
  [...store.rows.customers.values()].find((one) => one.firstName === firstName)?.id ?? '';

export async function visitTill(
  browser: Browser,
  stack: LocalStack,
  firstName: string,
): Promise<TillVisit> {
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
  return {
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
}
