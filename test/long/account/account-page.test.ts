import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findBrowser, type ShopVisit, visitShop } from '../../support/browser.ts';
import type { LocalStack } from '../../support/local-stack.ts';
import { customerNamed, earnPoints, useShopInBrowser } from '../../support/shop-in-browser.ts';

const browserPath = findBrowser();
const PAGE = '/account/loyalty';
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
/** `DOCS_PICTURES=1` draws the pictures of docs/ again. */
const { DOCS_PICTURES } = process.env;

interface AccountVisit extends ShopVisit {
  /** The requests of the extension: `GET view`. */
  readonly requests: string[];
  /** How much of what was shown has moved since the page was opened, by the Layout Instability API. */
  shift(): Promise<number>;
}

let stack: LocalStack;
let browser: Browser;
let hurry: () => void;
const visits: AccountVisit[] = [];

async function visit(customer?: string): Promise<AccountVisit> {
  const made = await visitShop(browser, stack.shopAddress ?? '', customer && customerId(customer));
  const { page } = made;
  const requests: string[] = [];
  page.on('request', (request) => {
    const [, path] = /\/example-store\/account\/([^?]+)/.exec(request.url()) ?? [];
    if (path !== undefined) requests.push(`${request.method()} ${path}`);
  });
  await page.addInitScript(`
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) globalThis.shift += value;
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  const whole = { ...made, requests, shift: () => page.evaluate<number>('globalThis.shift') };
  visits.push(whole);
  return whole;
}

const customerId = (firstName: string) => customerNamed(stack, firstName);

const discountOf = (code: string) => {
  const { rows } = stack.store;
  return rows.discounts.get(rows.codes.get(code.toLowerCase())?.discountId ?? '');
};

describe.skipIf(browserPath === undefined)('the account page, in a browser', () => {
  let orderId = '';
  useShopInBrowser(visits, async (started) => {
    ({ stack, browser, hurry } = started);
    [orderId] = await Promise.all([earnPoints(stack, 'Robin', 10), earnPoints(stack, 'Sasha', 1)]);
  });

  it.each([WIDE, NARROW])(
    'shows everything once, asks once, and moves nothing at %j',
    async (size) => {
      const { page, open, requests, shift } = await visit('Robin');
      await page.setViewportSize(size);
      await open(PAGE);
      await page.getByRole('heading', { name: 'History' }).waitFor();
      expect(await page.getByText('490 points', { exact: true }).count()).toBe(1);
      await page.getByRole('region', { name: 'Tier: Bronze' }).getByText('490 of 500').waitFor();
      const [progress] = await page.getByRole('progressbar').all();
      expect(await progress?.getAttribute('aria-label')).toBe('Points earned: 490 of 500');
      await page.getByRole('listitem').filter({ hasText: '+490 points' }).waitFor();
      expect(requests.toSorted()).toEqual(['GET history', 'GET view']);
      expect(await shift()).toBe(0);
      expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(size.width);
    },
    120_000,
  );

  it('proves the customer by a session token, and sends no cookie', async () => {
    const { page, open } = await visit('Robin');
    const asked = page.waitForRequest((request) =>
      request.url().endsWith('/account/history?page=1'),
    );
    await open(PAGE);
    const headers = await (await asked).allHeaders();
    const [, claims = ''] = (headers.authorization ?? '').split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      sub: `gid://shopify/Customer/${customerId('Robin')}`,
    });
    expect(headers).not.toHaveProperty('cookie');
    expect(headers.origin).toBe(stack.shopAddress);
  });

  it('redeems once by keyboard, keeps the focus, and shows the code, the balance and the history', async () => {
    const { page, open, tabTo, requests } = await visit('Robin');
    await open(PAGE);
    const button = page.getByRole('button', { name: 'Redeem for 50 points: 3 off' });
    await tabTo(button);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const offer = page.getByRole('listitem').filter({ has: button });
    // Only for screen readers: the code itself is shown.
    const said = offer.getByRole('status').filter({ hasText: 'Done. Your code is THREE' });
    await said.waitFor({ state: 'attached' });
    expect(await button.evaluate((element) => element.matches(':focus'))).toBe(true);
    const copy = offer.getByRole('button', { name: /^Copy code: THREE/ });
    const code = (await copy.getAttribute('aria-label'))?.replace('Copy code: ', '') ?? '';
    expect(discountOf(code)).toMatchObject({
      usageLimit: 1,
      context: { kind: 'customers', ids: [customerId('Robin')] },
    });
    expect(requests.filter((request) => request === 'POST redeem')).toHaveLength(1);
    expect(await page.getByRole('button', { name: `Copy code: ${code}` }).count()).toBe(1);
    await page.getByText('440 points', { exact: true }).waitFor();
    await page.getByRole('listitem').filter({ hasText: '−50 points' }).waitFor();
    await tabTo(copy);
    await page.keyboard.press('Space');
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code);
    await open(PAGE);
    const codes = page.getByRole('region', { name: 'Your redeemed rewards' });
    await codes.getByRole('listitem').filter({ hasText: code }).getByText('Ready').waitFor();
  });

  it('asks for an amount of cashback, and makes a code that needs an order of its size', async () => {
    const { page, open, requests } = await visit('Sasha');
    await open(PAGE);
    const amount = page.getByLabel('Amount (€0.01 to €2.45)');
    const button = page.getByRole('button', { name: /^Redeem for [\d.]+ points: Cashback/ });
    await amount.fill('2.46');
    await button.click();
    await page.getByText('This amount is not possible').waitFor();
    expect(requests).not.toContain('POST redeem');
    await amount.fill('1.5');
    await button.click();
    const copy = page.getByRole('button', { name: /^Copy code: CASH/ });
    const code = (await copy.getAttribute('aria-label'))?.replace('Copy code: ', '') ?? '';
    // The program allows half of a purchase, so 1.50 need an order of 3.00.
    expect(discountOf(code)).toMatchObject({
      value: { kind: 'fixed', minor: 150 },
      minimumMinor: 300,
    });
  });

  it('says in words why a reward cannot be had', async () => {
    const { page, open } = await visit('Robin');
    await open(PAGE);
    const offer = (title: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) });
    await page.getByRole('button', { name: 'More rewards' }).click();
    await offer('25 off for Gold').getByText('For Gold customers').waitFor();
    expect(await offer('25 off for Gold').getByRole('button').isDisabled()).toBe(true);
    await offer('Enamel mug').getByText('Put the product into your cart').waitFor();
    expect(await offer('A visit to the workshop').getByRole('button').count()).toBe(0);
  });

  it.each([
    ['PT', 'pt-BR', 'Pontos e recompensas', 'Resgatar por 200 pontos', 'Histórico'],
    ['ES', 'es', 'Puntos y recompensas', 'Canjear por 200 puntos', 'Historial'],
  ])(
    'speaks %s',
    async (button, language, heading, redeem, history) => {
      const { page, open } = await visit('Robin');
      await open(PAGE);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('heading', { name: heading }).waitFor();
      await page.getByRole('button', { name: `${redeem}: 10 percent off` }).waitFor();
      await page.getByRole('heading', { name: history }).waitFor();
      expect(await page.getAttribute('html', 'lang')).toBe(language);
    },
    120_000,
  );

  it('reports a lost connection without losing the reward, and repeats the same request', async () => {
    const { page, open } = await visit('Robin');
    const bodies: (string | null)[] = [];
    await page.route('**/account/redeem', async (route) => {
      if (route.request().method() === 'OPTIONS') return route.continue();
      bodies.push(route.request().postData());
      await (bodies.length === 1 ? route.abort() : route.continue());
    });
    await open(PAGE);
    const button = page.getByRole('button', { name: 'Redeem for 10 points: Welcome gift' });
    await button.click();
    await page.getByText(/connection was lost.*never taken twice/).waitFor();
    await button.click();
    // It can be had once: its code stays when the reward is no longer listed.
    await button.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Copy code: HELLO/ }).waitFor();
    expect(bodies).toEqual([expect.stringContaining('clientKey'), bodies[0]]);
  });

  it('shows a hostile title as the text that it is', async () => {
    const { page, open } = await visit('Robin');
    const title = `<img src=x onerror="document.title='owned'">`;
    await page.route('**/account/view*', async (route) => {
      const view = await (await route.fetch()).json();
      const rewards = view.rewards.map((reward: object) => ({ ...reward, title }));
      await route.fulfill({ json: { ...view, rewards } });
    });
    await open(PAGE);
    await page.getByRole('heading', { name: title }).first().waitFor();
    expect(await page.locator('main img').count()).toBe(0);
  });

  it.each([WIDE, NARROW])(
    'says on the page of an order what it earns, and leads to the account page, at %j',
    async (size) => {
      const { page, open, shift } = await visit('Robin');
      await page.setViewportSize(size);
      await open(`/account/orders/${orderId}`);
      await page.getByRole('status').getByText('This order earns you 490 points').waitFor();
      expect(await shift()).toBe(0);
      await page.getByRole('status').getByText('Your history shows them once added.').waitFor();
      await page.getByRole('link', { name: 'See points and rewards' }).click();
      await page.getByRole('heading', { name: 'Points and rewards' }).waitFor();
    },
    120_000,
  );

  it.each([
    ['the account page', PAGE, /^Use it now: THREE/],
    ['the page of an order', '', /^Use it now: (?:3 off|Welcome gift)$/],
  ])(
    'has on %s a link that puts a code into the cart',
    async (_, path, name) => {
      const { page, open, shift } = await visit('Robin');
      await open('/products/linen-shirt');
      await page.getByRole('button', { name: 'Add to cart' }).click();
      await page.getByRole('heading', { name: 'Cart', exact: true }).waitFor();
      await open(path || `/account/orders/${orderId}`);
      const link = page.getByRole('link', { name });
      await link.waitFor();
      expect(await shift()).toBe(0);
      await link.click();
      await page.getByText(/^Code (?:THREE|HELLO)\S+ is applied\.$/).waitFor();
      expect(new URL(page.url()).pathname).toBe('/cart');
    },
    120_000,
  );

  it('takes a code back after a question, by keyboard, and says how far it is', async () => {
    const { page, open, tabTo, requests } = await visit('Robin');
    await open(PAGE);
    const back = page.getByRole('button', { name: /^Take back: HELLO/ });
    await tabTo(back);
    await page.keyboard.press('Enter');
    await page.getByText('Take it back? The code stops working').waitFor();
    await page.getByRole('button', { name: /^No: HELLO/ }).click();
    await back.click();
    expect(requests).not.toContain('POST take-back');
    const yes = page.getByRole('button', { name: /^Yes, take it back: HELLO/ });
    await tabTo(yes);
    await page.keyboard.press('Enter');
    const codes = page.getByRole('region', { name: 'Your redeemed rewards' });
    const gift = codes.getByRole('listitem').filter({ hasText: 'Welcome gift' });
    await gift.getByText('Being taken back.').first().waitFor();
    expect(await gift.getByRole('link').count()).toBe(0);
    // It waits a minute for an order that is just being placed.
    hurry();
    await gift.getByText('Cancelled: the points are back.').first().waitFor({ timeout: 180_000 });
    expect(requests.filter((request) => request === 'POST take-back')).toHaveLength(1);
  });

  it("gives the customer's own link for friends, to copy and to send", async () => {
    const { page, open } = await visit('Robin');
    await open(PAGE);
    const invite = page.getByRole('region', { name: 'Invite friends' });
    const link = await invite.getByText(/^https:/).textContent();
    await invite.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
    const whatsapp = await invite.getByRole('link', { name: 'WhatsApp' }).getAttribute('href');
    expect(whatsapp).toContain(encodeURIComponent(link ?? ''));
  });

  it("tells nothing of another customer's order", async () => {
    const { page, open } = await visit('Sasha');
    await open(`/account/orders/${orderId}`);
    await page.getByRole('status').getByText('on its way to the loyalty program').waitFor();
  });

  it('asks a visitor by a link to log in first, and sends no request', async () => {
    const { page, open, requests } = await visit();
    await open(`/account/orders/${orderId}`);
    await page.getByText('Log in to see what this order earns.').waitFor();
    expect(requests).toEqual([]);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**/account');
  });

  it.runIf(DOCS_PICTURES === '1')(
    'is in the pictures of the docs',
    async () => {
      const { page, open } = await visit('Robin');
      mkdirSync('docs', { recursive: true });
      for (const [size, suffix] of [
        [WIDE, ''],
        [NARROW, '-mobile'],
      ] as const) {
        await page.setViewportSize({ ...size, height: 1200 });
        await open(PAGE);
        await page.getByRole('heading', { name: 'History' }).waitFor();
        await page.screenshot({ path: `docs/account-page${suffix}.png` });
        await page.setViewportSize({ ...size, height: 480 });
        await open(`/account/orders/${orderId}`);
        await page.getByText('This order earns you 490 points').waitFor();
        await page.screenshot({ path: `docs/account-order${suffix}.png` });
      }
    },
    120_000,
  );

  // The last: what an outage stopped goes on in each process in its own time.
  it('says that the program cannot be reached, and shows all after trying again', async () => {
    const { page, open } = await visit('Robin');
    const fault = stack.loyalty.faults.add({ kind: 'outage' });
    await open(PAGE);
    await page.getByRole('alert').getByText('cannot be reached').waitFor();
    // What was known before is still shown.
    await page.getByText('440 points', { exact: true }).waitFor();
    stack.loyalty.faults.clear(fault.id);
    await expect
      .poll(
        async () => {
          const again = page.getByRole('button', { name: 'Try again' }).first();
          if (await again.isVisible()) await again.click();
          return page.getByRole('heading', { name: '10 percent off' }).count();
        },
        { timeout: 90_000, interval: 5_000 },
      )
      .toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('needed no permission that its function does not have', () => {
    expect(stack.problems).toEqual([]);
  });
});
