import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { readVisit, visitCookie } from '../../local/storefront-demo/visit.ts';

/** Somebody in the shop of the local stack, with a browser window and cookies of their own. */
export interface ShopVisit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The paths below the app proxy that the page has asked: `me`, `redeem`, … */
  readonly asked: string[];
  /** What went wrong in the page: errors of scripts, breaches of its policy. */
  readonly problems: string[];
  open(path: string): Promise<void>;
  /** Presses Tab until it stands on this, as somebody without a mouse does. */
  tabTo(target: Locator): Promise<void>;
}

/** On a loaded machine a page takes its time. */
const PATIENCE_MS = 45_000;
const MOST_TABS = 60;

/** `customerId`: who is logged in already; undefined: a visitor. */
export async function visitShop(
  browser: Browser,
  address: string,
  customerId?: string,
): Promise<ShopVisit> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.setDefaultTimeout(PATIENCE_MS);
  const [cookie = ''] = visitCookie({ ...readVisit(undefined), customerId }).split(';');
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: address }]);
  const page = await context.newPage();
  const asked: string[] = [];
  const problems: string[] = [];
  page.on('request', (request) => {
    const [, path] = /\/apps\/loyalty\/([^?]+)/.exec(request.url()) ?? [];
    if (path !== undefined) asked.push(path);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // Chromium tells of every answer that is not 2xx; those are looked at where they are wanted.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(message.text());
    }
  });
  return {
    page,
    context,
    asked,
    problems,
    async open(path) {
      await page.goto(`${address}${path}`);
    },
    async tabTo(target) {
      await target.waitFor();
      for (let tabs = 0; tabs < MOST_TABS; tabs++) {
        if (await target.evaluate((element) => element.matches(':focus'))) return;
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab never came to ${target}`);
    },
  };
}
