import type { Browser, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ANY_PURCHASE } from '../../../app/program/program.ts';
import { closeWindow, findBrowser, startBrowser } from '../../support/browser.ts';
import { serveInProcess } from '../../support/served-storefront.ts';
import { CDN, openThemeBlocks } from '../../support/theme-blocks.ts';
import { beLate } from '../../support/uneven.ts';

type Theme = Awaited<ReturnType<typeof openThemeBlocks>>;

/** Where the blocks stand on the page. */
export interface Placed {
  readonly header?: string;
  readonly main: string;
  /** App embeds. */
  readonly bodyEnd?: string;
}

/** A page that Shopify would render: header, one section, text below it. */
function pageOf({ header = '', main, bodyEnd = '' }: Placed): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Linen Shirt</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
  body { margin: 0; font: 16px/1.6 system-ui, sans-serif; color: #1c1c1c }
  header, main, footer { max-width: 68rem; margin: auto; padding: 1rem }
  header { display: flex; justify-content: space-between; align-items: center; min-height: 3rem; border-bottom: 1px solid #ddd }
</style>
<header><a href="#loyalty">Rewards</a>${header}</header>
<main>${main}<p>Washed linen from Portugal, in three colours.</p><p>Sent within two days.</p></main>
<footer>Terms of service</footer>
${bodyEnd}</html>`;
}

interface CartItem {
  readonly product_id: number;
  readonly final_price: number;
  readonly quantity: number;
}

/** When this is answered, a frame was painted. */
const PAINTED =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))';

/** A visitor of a page with blocks: Shopify's part is played here, the storefront's answers are the real ones. */
export async function visitTheme(
  browser: Browser,
  theme: Theme,
  { width, customerId }: { readonly width: number; readonly customerId?: string },
) {
  const storefront = serveInProcess();
  if (customerId !== undefined) {
    await storefront.enroll(customerId, 490);
    await storefront.remember(customerId, '490', '2.45', 'Bronze');
  }
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const requests: string[] = [];
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  const cart: CartItem[] = [];
  const paid = { part: 1 };
  const seen = { currency: 'EUR' };
  const asked: string[] = [];
  let html = '';

  const answer = async (route: Route): Promise<void> => {
    const request = route.request();
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: html });
    requests.push(pathname);
    await beLate();
    if (pathname.startsWith(CDN)) {
      // What the page looked like before the script came must be painted first; a page that was left paints no more.
      await page.evaluate(PAINTED).catch(() => undefined);
      const body = theme.read(`assets/${pathname.slice(CDN.length)}`);
      return route.fulfill({ contentType: 'text/javascript', body });
    }
    if (pathname === '/cart.js') {
      const subtotal = cart.reduce((sum, item) => sum + item.final_price * item.quantity, 0);
      const totals = { items_subtotal_price: subtotal, total_price: subtotal * paid.part };
      return route.fulfill({ json: { currency: seen.currency, items: cart, ...totals } });
    }
    const name = pathname.split('/').at(-1) ?? '';
    asked.push(`${name}${decodeURIComponent(searchParams.size > 0 ? `?${searchParams}` : '')}`);
    const sent = request.postData();
    const { status, headers, body } = await storefront.ask(name, {
      own: Object.fromEntries(searchParams),
      ...(sent !== null && { body: sent }),
      ...(customerId !== undefined && { customerId }),
    });
    return route.fulfill({ status, headers: { ...headers }, body });
  };
  await page.route('http://shop.example/**', answer);
  await page.addInitScript(WATCH_SHIFTS);

  return {
    page,
    requests,
    /** Those of them that the storefront answered, with their queries. */
    asked,
    /** What the visitor redeemed, and for which cart. */
    redeemed: storefront.redeemed,
    /** The store's cart, as its Cart API answers. */
    cart,
    /** What a discount on the whole cart leaves of it. */
    paid,
    /** The visitor's currency, in the cart's answer. */
    seen,
    problems,
    close: () => closeWindow(context),
    async open(placed: Placed, hash = ''): Promise<void> {
      html = pageOf(placed);
      await page.goto(`http://shop.example/${hash}`);
    },
    /** Cumulative layout shift so far, by the Layout Instability API. */
    async layoutShift(): Promise<number> {
      await page.waitForLoadState('networkidle');
      return readShifts(page);
    },
  };
}

const WATCH_SHIFTS = `
  globalThis.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) if (!shift.hadRecentInput) globalThis.layoutShift += shift.value;
  }).observe({ type: 'layout-shift', buffered: true });`;

/** A shift is reported with the frame after it. */
const readShifts = (page: Page): Promise<number> =>
  page.evaluate(
    `${PAINTED}.then(() => new Promise((done) => setTimeout(done))).then(() => globalThis.layoutShift)`,
  );

const browserPath = findBrowser();
const customerId = '115310627314723954';
const customer = { metafields: { loyalty: { points: { value: 490 } } } };
const product = {
  id: '8012300032771',
  price_varies: true,
  selected_or_first_available_variant: { id: '11', price: 4900 },
  variants: [
    { id: '11', price: 4900 },
    { id: '12', price: 9800 },
  ],
};
const LOADER = '/cdn/extensions/loyalty.js';
const WIDGET = '/cdn/extensions/loyalty-widget.js';
const FAR = '<div style="height: 3000px"></div>';

let browser: Browser;
let theme: Awaited<ReturnType<typeof openThemeBlocks>>;
const visits: Awaited<ReturnType<typeof visitTheme>>[] = [];

async function visit(width: number) {
  const made = await visitTheme(browser, theme, { width, customerId });
  visits.push(made);
  return made;
}

const block = (name: string, settings: object = {}) =>
  theme.render(name, { product, ...settings }, { customer });

describe.skipIf(browserPath === undefined)('the blocks of the theme, in a browser', () => {
  beforeAll(async () => {
    theme = await openThemeBlocks();
    browser = await startBrowser(browserPath ?? '');
  });
  afterAll(() => browser?.close(), 60_000);
  afterEach(async () => {
    const ended = visits.splice(0);
    for (const { close } of ended) await close();
    expect(ended.flatMap(({ problems }) => problems)).toEqual([]);
  });

  describe.each([1280, 390])('%i pixels wide', (width) => {
    it('a product page shows points, badge and button, moves nothing, and makes three requests', async () => {
      const { page, open, requests, layoutShift } = await visit(width);
      await open({
        header: block('loyalty-badge'),
        main: block('loyalty-points'),
        bodyEnd: block('loyalty-button'),
      });
      await page.getByText('This product earns you about 49 points').waitFor();
      expect(await page.getByRole('button', { name: '490 points' }).count()).toBe(2);
      expect(await layoutShift()).toBe(0);
      expect(requests.toSorted()).toEqual([
        ...['/apps/loyalty/points', '/cdn/extensions/loyalty-points.js', LOADER],
      ]);
    });

    it('moves nothing wherever the page pauses while it arrives', async () => {
      const { page, open, layoutShift } = await visit(width);
      await open({ main: '' });
      const html = pageOf({
        header: block('loyalty-badge'),
        main: block('loyalty-points') + block('loyalty', { reserve: 1200 }),
        bodyEnd: block('loyalty-button'),
      })
        .replaceAll(/<script.*?<\/script>/gs, '')
        // Not every header has a height of its own.
        .replace('min-height: 3rem;', '');
      const moved: string[] = [];
      let before = await layoutShift();
      const tags = [...html.matchAll(/</g)].map(({ index }) => index);
      for (const cut of tags.filter((index) => index >= html.indexOf('<button'))) {
        await page.evaluate(
          `document.open(); document.write(${JSON.stringify(html.slice(0, cut))})`,
        );
        await page.evaluate(PAINTED);
        await page.evaluate(`document.write(${JSON.stringify(html.slice(cut))}); document.close()`);
        const after = await readShifts(page);
        if (after !== before) moved.push(html.slice(cut, cut + 40));
        before = after;
      }
      expect(moved).toEqual([]);
    });

    it('the program fills its reserved room and moves nothing below it', async () => {
      const { page, open, layoutShift } = await visit(width);
      await open({ main: block('loyalty', { reserve: 1200 }) });
      await page.getByText('490 points', { exact: true }).waitFor();
      await page.getByRole('heading', { name: 'Rewards' }).waitFor();
      expect(await layoutShift()).toBe(0);
    });

    it('the program far below is loaded when the visitor comes near, and moves nothing', async () => {
      const { page, open, requests, layoutShift } = await visit(width);
      await open({ main: FAR + block('loyalty', { reserve: 0 }) });
      expect(await layoutShift()).toBe(0);
      expect(requests).toEqual([LOADER]);
      await page.mouse.wheel(0, 2200);
      await page.getByRole('heading', { name: 'Rewards' }).waitFor();
      expect(requests.filter((path) => path === WIDGET)).toHaveLength(1);
      expect(await layoutShift()).toBe(0);
    });

    it('the button asks for nothing before it is pressed, and once after', async () => {
      const { page, open, requests, layoutShift } = await visit(width);
      await open({ main: '', bodyEnd: block('loyalty-button') });
      expect(await layoutShift()).toBe(0);
      expect(requests).toEqual([LOADER]);
      const button = page.getByRole('button', { name: '490 points' });
      await button.press('Enter');
      const panel = page.getByRole('dialog', { name: 'Loyalty program' });
      await panel.getByRole('heading', { name: 'Rewards' }).waitFor();
      await page.waitForLoadState('networkidle');
      const shown = requests.toSorted();
      expect(shown).toEqual([...['/apps/loyalty/view', '/cart.js', WIDGET, LOADER]]);
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'hidden' });
      await button.and(page.locator(':focus')).waitFor();
      await button.press('Enter');
      await panel.waitFor();
      await panel.getByRole('button', { name: 'Close' }).click();
      await panel.waitFor({ state: 'hidden' });
      if (width > 1000) {
        await button.press('Enter');
        await panel.waitFor();
        await page.mouse.click(20, 400);
        await panel.waitFor({ state: 'hidden' });
      }
      // Only the cart, which may have changed.
      expect(new Set(requests)).toEqual(new Set(shown));
      expect(requests.filter((path) => path !== '/cart.js')).toHaveLength(3);
      expect(await layoutShift()).toBe(0);
    });
  });

  it('notices a page that moves: a program at the top without a reserved height', async () => {
    const { page, open, layoutShift } = await visit(1280);
    await open({ main: block('loyalty', { reserve: 0 }) });
    await page.getByRole('heading', { name: 'Rewards' }).waitFor();
    expect(await layoutShift()).toBeGreaterThan(0.01);
  });

  it('requests nothing on a page without blocks', async () => {
    const { open, requests, layoutShift } = await visit(1280);
    await open({ main: theme.render('loyalty-points'), bodyEnd: '' });
    expect(await layoutShift()).toBe(0);
    expect(requests).toEqual([]);
  });

  it('follows the variant: by the standard event, and by the form of older themes', async () => {
    const { page, open } = await visit(1280);
    const form = '<form action="/cart/add"><select name="id"><option>11<option>12</select></form>';
    // Of another product, as themes put into their lists.
    const other = '<form action="/cart/add"><input type="hidden" name="id" value="7"></form>';
    await open({ main: other + form + block('loyalty-points') });
    await page.getByText('This product earns you about 49 points').waitFor();
    await page.locator('select').selectOption('12');
    await page.getByText('This product earns you about 98 points').waitFor();
    await page.evaluate(`document.querySelector('form').dispatchEvent(Object.assign(
      new Event('shopify:product:select', { bubbles: true }),
      { promise: Promise.resolve({ variant: { id: 'gid://shopify/ProductVariant/11' } }) }))`);
    await page.getByText('This product earns you about 49 points').waitFor();
  });

  it('shows in the button what the program found, where the page was older', async () => {
    const { page, open } = await visit(1280);
    const older = { metafields: { loyalty: { points: { value: 12 } } } };
    await open({
      main: block('loyalty'),
      bodyEnd: theme.render('loyalty-button', {}, { customer: older }),
    });
    await page.getByRole('button', { name: '490 points' }).waitFor();
    expect(await page.getByText('12 points').count()).toBe(0);
  });

  it('offers rewards for the cart of the moment, also after the theme changed it', async () => {
    const { page, open, asked, cart, paid } = await visit(1280);
    await open({ main: '', bodyEnd: theme.render('loyalty-button', {}, { customer }) });
    await page.waitForLoadState('networkidle');
    cart.push({ product_id: 8012300032771, final_price: 4900, quantity: 2 });
    const button = page.getByRole('button', { name: '490 points' });
    await button.click();
    const panel = page.getByRole('dialog');
    await panel.getByRole('heading', { name: 'Rewards' }).waitFor();
    expect(asked.filter((one) => one.startsWith('view'))).toEqual([
      'view?items=8012300032771:49:2',
    ]);
    await page.keyboard.press('Escape');
    cart.push({ product_id: 8012300032772, final_price: 850, quantity: 1 });
    await button.click();
    await expect
      .poll(() => asked.at(-1), { timeout: 45_000 })
      .toBe('view?items=8012300032771:49:2,8012300032772:8.5:1');
    await page.keyboard.press('Escape');
    paid.part = 0.9;
    await button.click();
    await expect
      .poll(() => asked.at(-1), { timeout: 45_000 })
      .toBe('view?items=8012300032771:44.1:2,8012300032772:7.65:1');
  });

  it('offers them for the newer cart, in whatever order the store answers', async () => {
    const { page, open, asked } = await visit(1280);
    const held: Route[] = [];
    await page.route('**/cart.js', (route) => void held.push(route));
    await open({ main: '', bodyEnd: block('loyalty-button') });
    await page.waitForLoadState('networkidle');
    const openPanel = async () => {
      const before = held.length;
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: '490 points' }).click();
      await expect.poll(() => held.length, { timeout: 45_000 }).toBe(before + 1);
    };
    const answer = async (index: number) => {
      const items = [{ product_id: 11, final_price: 100, quantity: index + 1 }];
      const totals = { items_subtotal_price: 100, total_price: 100 };
      await held[index]?.fulfill({ json: { currency: 'EUR', items, ...totals } });
    };
    await openPanel();
    await openPanel();
    await answer(1);
    await expect.poll(() => asked, { timeout: 45_000 }).toContain('view?items=11:1:2');
    await answer(0);
    await openPanel();
    await answer(2);
    await expect.poll(() => asked.at(-1), { timeout: 45_000 }).toBe('view?items=11:1:3');
    expect(asked).not.toContain('view?items=11:1:1');
  });

  it.each([
    // 60 of the store's money is 12.00 USD, 9,000 JPY or 0.40 USD.
    [1280, 'en', 'BRL', 'USD', 1200, 'BRL 3.00 off', 'BRL 2.45 cashback'],
    [390, 'en', 'USD', 'JPY', 900000, 'USD 3.00 off', 'USD 2.45 cashback'],
    [390, 'en', 'JPY', 'USD', 40, 'JPY 3 off', 'JPY 2 cashback'],
    [390, 'pt-BR', 'BRL', 'USD', 1200, 'BRL 3,00 de desconto', 'BRL 2,45 de cashback'],
    [1280, 'es', 'BRL', 'USD', 1200, '3,00 BRL de descuento', '2,45 BRL de cashback'],
  ])(
    "at %i pixels, in %s, in a store with %s: shows a visitor who pays in %s the program's money, and sends none of theirs",
    async (width, locale, currency, seenCurrency, price, worth, cashback) => {
      const { page, open, asked, redeemed, cart, seen } = await visit(width);
      const item = { product_id: 8012300032771, final_price: price, quantity: 1 };
      cart.push(item);
      seen.currency = seenCurrency;
      const shown = {
        ...{ currency, locale, customer },
        cart: { item_count: 1, items: [item], currency: { iso_code: seenCurrency } },
      };
      const all = { product, earned: true };
      await open({
        main: theme.render('loyalty-points', all, shown) + theme.render('loyalty', all, shown),
        bodyEnd: theme.render('loyalty-button', {}, shown),
      });
      const main = page.locator('loyalty-program');
      await main.getByText(cashback).waitFor();
      await main.getByText(worth, { exact: true }).first().waitFor();
      await main.getByRole('button', { name: /: 3 off$/ }).click();
      await expect.poll(() => redeemed.length, { timeout: 45_000 }).toBe(1);
      await page.locator('loyalty-panel > button').click();
      await page.getByRole('dialog').getByText(worth, { exact: true }).first().waitFor();
      await page.waitForLoadState('networkidle');
      const questions = new Set(asked.filter((one) => /items=/.test(one)));
      expect(questions).toEqual(new Set([`view?items=${ANY_PURCHASE}`]));
      expect(redeemed).toMatchObject([{ cart: [{ id: '0', quantity: 1 }] }]);
    },
    120_000,
  );

  it.runIf(process.env.DOCS_PICTURES === '1')(
    'is in the picture of the docs',
    async () => {
      const shown = async (width: number, isOpen: boolean) => {
        const { page, open } = await visit(width);
        await page.setViewportSize({ width, height: width === 390 ? 800 : 720 });
        await open({
          header: block('loyalty-badge'),
          main: `<h1>Linen Shirt</h1><p>€49.00</p>${block('loyalty-points')}`,
          bodyEnd: block('loyalty-button'),
        });
        await page.getByText('This product earns you about 49 points').waitFor();
        if (isOpen) await page.getByRole('link', { name: 'Rewards' }).click();
        if (isOpen) await page.getByRole('button', { name: /^Redeem for 200 / }).waitFor();
        const image = await page.screenshot();
        return `<img src="data:image/png;base64,${image.toString('base64')}" height="430">`;
      };
      const images = [await shown(1150, true), await shown(390, false), await shown(390, true)];
      const { page } = await visit(1180);
      await page.setViewportSize({ width: 1180, height: 462 });
      await page.setContent(`<body style="margin: 16px; background: #e7ebee; display: flex; gap: 16px">
        <style>img { border-radius: 8px; box-shadow: 0 1px 4px rgb(0 0 0 / 20%) }</style>${images.join('')}`);
      await page.screenshot({ path: 'docs/storefront-theme.png' });
    },
    120_000,
  );

  it('opens the panel from a link to #loyalty, and from an address with it', async () => {
    const { page, open } = await visit(390);
    const placed = { main: '', bodyEnd: block('loyalty-button') };
    await open(placed);
    await page.waitForLoadState('networkidle');
    await page.getByRole('link', { name: 'Rewards' }).click();
    const panel = page.getByRole('dialog');
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    await open(placed, '?from=mail#loyalty');
    await panel.waitFor();
  });
});
