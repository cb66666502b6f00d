import type { Browser, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { hostedPages } from '../../../local/storefront-demo/demo.ts';
import { findBrowser, type ShopVisit, visitShop } from '../../support/browser.ts';
import type { LocalStack } from '../../support/local-stack.ts';
import { customerNamed, useShopInBrowser } from '../../support/shop-in-browser.ts';
import { findBarriers } from '../console/find-barriers.ts';

const browserPath = findBrowser();
const WIDTHS = [390, 1280];
const COLOURS = ['dark', 'light'] as const;
const patient = { timeout: 60_000, interval: 250 };

let stack: LocalStack;
let browser: Browser;
const visits: ShopVisit[] = [];

const customerId = (firstName: string) => customerNamed(stack, firstName);

async function visit(width: number, customer?: string): Promise<ShopVisit> {
  const id = customer === undefined ? undefined : customerId(customer);
  const made = await visitShop(browser, stack.shopAddress ?? '', id);
  visits.push(made);
  await made.page.setViewportSize({ width, height: 844 });
  return made;
}

interface Faults {
  /** Pixels that the page is wider than the window. */
  readonly tooWide: number;
  readonly actions: number;
  /** Actions that are outside of the window, or below something else. */
  readonly off: readonly string[];
  /** Actions that are too small for a finger. */
  readonly small: readonly string[];
}

/** Only the page's own elements, not those of the widget or of Swagger UI. A text: it runs in the page. */
const FIND_FAULTS = `(() => {
  for (const list of document.querySelectorAll('details.fold')) list.open = true;
  const named = (one) => one.tagName + ' ' + one.textContent.trim().slice(0, 30);
  const actions = [...document.querySelectorAll('a, button, select, textarea, summary, input')].filter(
    (one) => one.checkVisibility() && !one.matches('.skip, [aria-hidden], #docs *'),
  );
  const off = actions.filter((one) => {
    one.scrollIntoView({ block: 'center' });
    const { left, right, top, height, width } = one.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return left < 0 || right > innerWidth || !hit || !(one.contains(hit) || hit.contains(one));
  });
  const small = actions.filter(
    (one) => one.matches('button, select, nav a') && one.getBoundingClientRect().height < 40,
  );
  scrollTo(0, 0);
  return {
    tooWide: Math.max(0, document.documentElement.scrollWidth - innerWidth),
    actions: actions.length,
    off: off.map(named),
    small: innerWidth < 500 ? small.map(named) : [],
  };
})()`;

/** How far visible things moved without the person's doing: Chromium's measure, poor from 0.1. */
const SUM_SHIFTS = `(() => {
  const shifts = new PerformanceObserver(() => {});
  shifts.observe({ type: 'layout-shift', buffered: true });
  return shifts.takeRecords().reduce((sum, { value }) => sum + value, 0);
})()`;

/** `docs/local-shop.png` and `docs/storefront-widget.png`. */
async function takePictures({ page, open }: ShopVisit): Promise<void> {
  const order = page.url();
  await page.setViewportSize({ width: 1000, height: 760 });
  await page.screenshot({ path: 'docs/local-shop.png' });
  await open('/account');
  await page.setViewportSize({ width: 600, height: 900 });
  const widget = page.locator('loyalty-widget');
  await widget.getByRole('button', { name: /^Redeem for 10 / }).waitFor();
  const { x = 0, y = 0, width = 0 } = (await widget.boundingBox()) ?? {};
  const clip = { x: x - 12, y: y - 12, width: width + 24, height: 880 };
  await page.screenshot({ path: 'docs/storefront-widget.png', fullPage: true, clip });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(order);
}

async function fillCart({ page, open }: ShopVisit): Promise<void> {
  await open('/products/linen-shirt');
  await page.getByLabel('Variant').selectOption({ label: 'L' });
  await page.getByLabel('Quantity').fill('2');
  const inCart = page.getByRole('button', { name: 'Place order' });
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await inCart.waitFor();
  await open('/products/enamel-mug');
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await inCart.waitFor();
}

describe.skipIf(browserPath === undefined)('the pages of npm start, in a browser', () => {
  useShopInBrowser(visits, (started) => {
    ({ stack, browser } = started);
  });

  it('follows an order to its points, and waits with the step that has not happened', async () => {
    const one = await visit(390, 'Robin');
    const { page } = one;
    await fillCart(one);
    stack.loyalty.faults.add({ kind: 'outage' });
    await page.getByRole('button', { name: 'Place order' }).click();
    const states = async () => {
      const steps = await page.locator('[data-step]').all();
      return Promise.all(steps.map((step) => step.getAttribute('data-state')));
    };
    await expect.poll(states, patient).toEqual(['done', 'done', 'waiting', 'waiting', 'waiting']);
    stack.loyalty.faults.clear();
    await expect.poll(states, patient).toEqual(Array(5).fill('done'));
    const shown = await page.locator('[data-step] time').allTextContents();
    // The store writes whole seconds; midnight may pass meanwhile.
    const times = shown.map((time) => time.slice(0, 8).replace(/^00/, '24'));
    expect(times.filter((time) => /^\d\d:\d\d:\d\d$/.test(time))).toHaveLength(5);
    expect(times.toSorted()).toEqual(times);
    const { points } =
      stack.loyalty.state().customers.find(({ Name }) => Name === 'Robin Sample') ?? {};
    expect(points).toBeGreaterThan(0);
    const header = page.locator('header [data-loyalty="points"]');
    expect(await header.textContent()).toBe(String(points));
    expect(await page.evaluate<number>(SUM_SHIFTS)).toBeLessThan(0.1);
    if (process.env.DOCS_PICTURES === '1') await takePictures(one);

    await page.getByRole('link', { name: 'See your points' }).click();
    await page.locator('loyalty-widget').getByText(`${points} points`, { exact: true }).waitFor();
    expect(await header.textContent()).toBe(String(points));
  });

  it.each(WIDTHS)(
    'has every action within %i px, and nothing to scroll sideways',
    async (width) => {
      const one = await visit(width, 'Robin');
      const { page, open } = one;
      const guest = await visit(width);
      await fillCart(one);
      await page.getByLabel('Discount code').fill('NOPE');
      await page.getByRole('button', { name: 'Apply' }).click();
      const { store, loyalty } = stack;
      const shown: Record<string, Faults> = {};
      const look = async (on: Page, address: string) => {
        await on.goto(address);
        await on.waitForLoadState('networkidle').catch(() => {});
        shown[address] = await on.evaluate<Faults>(FIND_FAULTS);
        expect(await on.evaluate<number>(SUM_SHIFTS), address).toBeLessThan(0.1);
        for (const colorScheme of COLOURS) {
          await on.emulateMedia({ colorScheme });
          const barriers = await findBarriers(on);
          expect({ address, colorScheme, barriers }).toEqual({
            address,
            colorScheme,
            barriers: [],
          });
        }
      };
      const shop = stack.shopAddress ?? '';
      const order = [...store.rows.orders.values()].find(
        (placed) => placed.customerId === customerId('Robin'),
      );
      const own = [
        '/',
        '/products/linen-shirt',
        '/cart',
        '/account',
        '/api',
        `/orders/${order?.id}`,
        '/no',
      ];
      for (const path of [...own, ...hostedPages.map((hosted) => hosted.path)]) {
        await look(page, `${shop}${path}`);
      }
      for (const path of ['/account', '/cart']) await look(guest.page, `${shop}${path}`);
      const others = ['', '/no'].flatMap((path) => [
        `${store.address}${path}`,
        `${loyalty.address}${path}`,
      ]);
      for (const address of [...others, `${loyalty.address}/state`]) await look(page, address);
      await open('/');
      const faulty = Object.entries(shown).filter(
        ([, { tooWide, off, small, actions }]) =>
          tooWide > 0 || off.length > 0 || small.length > 0 || actions === 0,
      );
      expect(faulty).toEqual([]);
      // The buttons of every order, product, discount and customer.
      expect(shown[store.address]?.actions).toBeGreaterThan(60);
    },
    240_000,
  );
});
