import type { Browser, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Visit } from '../../../local/storefront-demo/visit.ts';
import { findBrowser, type ShopVisit, visitShop } from '../../support/browser.ts';
import type { LocalStack } from '../../support/local-stack.ts';
import { customerNamed, earnPoints, useShopInBrowser } from '../../support/shop-in-browser.ts';

const browserPath = findBrowser();
const PRODUCT = '/products/linen-shirt';
const ACCOUNT = '/account';
const patient = { timeout: 60_000, interval: 250 };

let stack: LocalStack;
let browser: Browser;
const visits: ShopVisit[] = [];

async function visit(customer?: string, more: Partial<Visit> = {}): Promise<ShopVisit> {
  const id = customer && customerId(customer);
  const made = await visitShop(browser, stack.shopAddress ?? '', id, more);
  visits.push(made);
  return made;
}

const customerId = (firstName: string) => customerNamed(stack, firstName);

/** In the header of the page, and in the widget. */
const shownPoints = (page: Page) =>
  Promise.all(
    ['[data-loyalty=points]', 'loyalty-widget [part=points]'].map((place) =>
      page.locator(place).first().textContent(),
    ),
  );

const redeemCalls = () =>
  stack.loyalty.journal.entries({ operation: 'redeemRewardByKey' }).map(({ path }) => path);

describe.skipIf(browserPath === undefined)('the shop with the widget, in a browser', () => {
  useShopInBrowser(visits, async (started) => {
    ({ stack, browser } = started);
    await Promise.all([
      earnPoints(stack, 'Robin', 10),
      earnPoints(stack, 'Sasha', 1),
      earnPoints(stack, 'Toni', 1, { title: 'Notebook' }),
    ]);
    // One of the merchant's own, which combines with all.
    stack.store.actions.createDiscount({
      ...{ title: 'Spring', codes: ['SPRING'], percentage: 10 },
      combinesWith: ['order', 'product', 'shipping'],
    });
  });

  it('shows the balance, the tier with the way to the next, and what the product earns', async () => {
    const { page, open } = await visit('Robin');
    await open(PRODUCT);
    await page.getByText('This product earns you about 49 points').waitFor();
    await page.getByRole('link', { name: 'See your points and rewards' }).click();
    await expect.poll(() => shownPoints(page), patient).toEqual(['490', '490 points']);
    await page.getByText('Tier: Bronze').waitFor();
    const [progress] = await page.getByRole('progressbar').all();
    expect(await progress?.getAttribute('aria-label')).toBeTruthy();
    expect(await progress?.getAttribute('aria-valuetext')).toMatch(/^[\d.]+ of [\d,]+$/);
    expect(Number(await progress?.getAttribute('value'))).toBeGreaterThan(0);
  });

  it('redeems once for a double click, shows the code, and the balance follows', async () => {
    const { page, open, asked } = await visit('Robin');
    await open(ACCOUNT);
    await page.getByRole('button', { name: 'Redeem for 50 points: 3 off' }).dblclick();
    const copy = page.getByRole('button', { name: /^Copy code: THREE/ });
    await copy.waitFor();
    expect(asked.filter((path) => path === 'redeem')).toHaveLength(1);
    expect(redeemCalls()).toEqual([expect.stringContaining('/3/redeem')]);
    const code = (await copy.getAttribute('aria-label'))?.replace('Copy code: ', '') ?? '';
    const { rows } = stack.store;
    const discount = rows.discounts.get(rows.codes.get(code.toLowerCase())?.discountId ?? '');
    expect(discount).toMatchObject({
      kind: 'basic',
      usageLimit: 1,
      context: { kind: 'customers', ids: [customerId('Robin')] },
    });
    await page.getByRole('listitem').filter({ hasText: '3 off' }).getByText(code).first().waitFor();
    await page.locator('loyalty-widget [part=change]', { hasText: '−50' }).waitFor();
    await expect.poll(() => shownPoints(page), patient).toEqual(['440', '440 points']);
  });

  describe.each([
    ["with Shopify's actions", true],
    ['with the Cart API alone', false],
  ])('%s', (_, hasActions) => {
    it('one press redeems and takes it off the cart, beside the code that is there', async () => {
      const { page, open } = await visit('Robin', { hasActions });
      await open(PRODUCT);
      await page.getByRole('button', { name: 'Add to cart' }).click();
      await page.getByLabel('Discount code').fill('SPRING');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Code SPRING is applied.').waitFor();
      const before = redeemCalls().length;
      await page.getByLabel(/^Amount/).fill('1');
      await page.getByRole('button', { name: /^Redeem for [\d.]+ points: Cashback/ }).click();
      const status = page.getByRole('status');
      const said = /^Done\. Your code is CASH\S+ €1\.00 came off your cart\.$/;
      await status.filter({ hasText: said }).waitFor();
      expect(redeemCalls()).toHaveLength(before + 1);
      // The page was not left, and its own cart shows both.
      await page.getByText(/^Code CASH\S+ is applied\.$/).waitFor();
      expect(await page.getByText('Code SPRING is applied.').count()).toBe(1);
      await page
        .getByRole('button', { name: /^Use it now: CASH/ })
        .first()
        .click();
      await status.filter({ hasText: /^It is in your cart\.$/ }).waitFor();
      // What the widget offers is for the cart as it is now.
      await page.getByText('This order earns you about 43 points').waitFor();
    });
  });

  it("gives the customer's own link for friends, to copy and to send", async () => {
    const { page, open } = await visit('Robin');
    await open('/account');
    const section = page.locator('loyalty-widget section', { hasText: 'Invite friends' });
    const link = await section.locator('[part=referral-link]').textContent();
    expect(link).toMatch(/^https:\/\/friends\.example\.com\/r\/\w+$/);
    await section.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(link);
    const whatsapp = section.getByRole('link', { name: 'WhatsApp' });
    expect(await whatsapp.getAttribute('href')).toContain(encodeURIComponent(link ?? ''));
  });

  it('goes the whole way by keyboard, and the focus is never lost', async () => {
    const { page, open, tabTo } = await visit('Robin');
    await open(ACCOUNT);
    await tabTo(page.getByRole('button', { name: 'Redeem for 100 points: 5 off' }));
    await page.keyboard.press('Enter');
    const use = page.getByRole('button', { name: /^Use it now: FIVE/ });
    await use.and(page.locator(':focus')).waitFor();
    const status = page.getByRole('status');
    await status.filter({ hasText: /^Done\. Your code is FIVE.*Your cart is empty/ }).waitFor();
    const copy = page.getByRole('button', { name: /^Copy code: FIVE/ });
    await tabTo(copy);
    // Until then: a key is lost if the page draws the button anew at that very moment.
    const copyByKey = async () => {
      await page.keyboard.press('Space');
      await page.waitForTimeout(500);
      return status.textContent();
    };
    await expect.poll(copyByKey, patient).toBe('Copied.');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(await copy.getAttribute('aria-label')).toBe(`Copy code: ${copied}`);
  });

  it('says in words why a balance is too small, before and after trying', async () => {
    const { page, open } = await visit('Toni');
    await open(ACCOUNT);
    const button = page.getByRole('button', { name: 'Redeem for 50 points: 3 off' });
    await page.getByText('More rewards').click();
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
    const note = page.getByRole('listitem').filter({ hasText: '3 off' });
    expect(await note.textContent()).toContain('You need 42 points more.');

    // As when the points were spent in another window: the page still offers it.
    await page.route('**/apps/loyalty/view*', async (route) => {
      const { rewards, ...view } = await (await route.fetch()).json();
      const offered = rewards.map((reward: object) => ({ ...reward, redeemable: true, why: null }));
      await route.fulfill({ json: { ...view, rewards: offered } });
    });
    await open(ACCOUNT);
    await button.click();
    await note.getByText('There are not enough points for this reward.').waitFor();
    expect(await page.getByRole('status').textContent()).toContain('not enough points');
  });

  it('shows a hostile title as the text that it is', async () => {
    const { page, open } = await visit('Robin');
    const title = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await page.route('**/apps/loyalty/view*', async (route) => {
      const { rewards, ...view } = await (await route.fetch()).json();
      const hostile = rewards.map((reward: object) => ({ ...reward, title, description: title }));
      await route.fulfill({ json: { ...view, rewards: hostile } });
    });
    await open(ACCOUNT);
    await page.getByRole('heading', { name: title }).first().waitFor();
    expect(await page.locator('loyalty-widget img, loyalty-widget script').count()).toBe(0);
    expect(await page.title()).toMatch(/^Account/);
  });

  it("finds the language of a page whose script names none, under the page's strict policy", async () => {
    const { page, open, asked } = await visit(undefined, { locale: 'pt-BR' });
    await page.route(`**${PRODUCT}`, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.text()).replace('widget.js?language=pt', 'widget.js');
      await route.fulfill({ response: answer, body });
    });
    await open(PRODUCT);
    await page.getByText('Este produto rende cerca de 49 pontos').waitFor();
    expect(asked.filter((path) => path === 'widget.js')).toHaveLength(2);
  });

  it('shows a visitor the rewards and how to log in, and asks nothing that needs a customer', async () => {
    const { page, open, asked } = await visit();
    await open(PRODUCT);
    await page.getByText('This product earns you about 49 points').waitFor();
    expect(asked.toSorted()).toEqual(['points', 'widget.js']);
    await page.getByRole('button', { name: 'Add to cart' }).click();
    const buttons = page.getByRole('button', { name: /^Redeem for/ });
    await buttons.nth(2).waitFor();
    for (const button of await buttons.all()) expect(await button.isDisabled()).toBe(true);
    expect(await page.getByText('Please log in first.').count()).toBe(1);
    expect([...new Set(asked)].toSorted()).toEqual(['points', 'view', 'widget.js']);
    await page.getByRole('link', { name: 'Log in' }).last().click();
    await page.getByLabel('Customer').selectOption({ label: 'Sasha Specimen' });
    await page.getByRole('button', { name: 'Log in as this customer' }).click();
    await expect.poll(() => shownPoints(page), patient).toEqual(['49', '49 points']);
  });

  it('needed no permission that its function does not have', () => {
    expect(stack.problems).toEqual([]);
  });
});
