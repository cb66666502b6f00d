import type { Browser, Page, Route } from 'playwright-core';
import { serveInProcess } from './served-storefront.ts';
import { CDN, type openThemeBlocks } from './theme-blocks.ts';

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
  header { display: flex; justify-content: space-between; align-items: center; border-bottom: 1px solid #ddd }
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

/** What the page looked like before a script came must be painted first. */
const SCRIPT_DELAY_MS = 150;

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
    if (pathname.startsWith(CDN)) {
      await new Promise((resolve) => setTimeout(resolve, SCRIPT_DELAY_MS));
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
    close: () => context.close(),
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

/** After two frames: a shift is reported with the frame after it. */
const readShifts = (page: Page): Promise<number> =>
  page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(globalThis.layoutShift)))))',
  );
