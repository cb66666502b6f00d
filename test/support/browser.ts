import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { readVisit, type Visit, visitCookie } from '../../local/storefront-demo/visit.ts';
import { slowDown, unevenProxy } from './uneven.ts';

/** Debian's Chromium, then the usual places of Chromium and Chrome on Linux and macOS. */
const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** The browser must call nothing but the pages under test. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const { CHROMIUM_PATH, REQUIRE_BROWSER } = process.env;

/**
 * The browser of this machine. Without one the tests of pages are skipped with a message; with
 * `REQUIRE_BROWSER=1` they fail.
 */
export function findBrowser(): string | undefined {
  const path = CHROMIUM_PATH || USUAL_PLACES.find((place) => existsSync(place));
  if (path !== undefined) return path;
  const reason =
    'No browser was found: install Chromium (Debian: apt-get install chromium) or name one in CHROMIUM_PATH.';
  if (REQUIRE_BROWSER === '1') throw new Error(reason);
  console.warn(`${reason} The tests of pages are skipped.`);
  return undefined;
}

/** With its own profile, which is deleted with it. */
export async function startBrowser(executablePath: string): Promise<Browser> {
  const args = [...QUIET, ...(await unevenProxy())];
  return slowDown(await chromium.launch({ executablePath, args, timeout: 110_000 }));
}

/** What its handlers of requests still do then is of no interest. */
export async function closeWindow(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}

/** A visitor of the local stack's shop, with their own browser window and cookies. */
export interface ShopVisit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The paths below the app proxy that the page has requested: `me`, `redeem`, … */
  readonly asked: string[];
  /** Errors of scripts and violations of the content security policy. */
  readonly problems: string[];
  open(path: string): Promise<void>;
  /** Presses Tab until this has the focus. */
  tabTo(target: Locator): Promise<void>;
}

/** For a busy machine. */
const PATIENCE_MS = 90_000;
const MOST_TABS = 60;

/** `customerId`: the customer who is logged in; undefined means a visitor. `more`: of the visit's cookie. */
export async function visitShop(
  browser: Browser,
  address: string,
  customerId?: string,
  more: Partial<Visit> = {},
): Promise<ShopVisit> {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  context.setDefaultTimeout(PATIENCE_MS);
  const [cookie = ''] = visitCookie({ ...readVisit(undefined), customerId, ...more }).split(';');
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
    // Chromium reports every answer that is not 2xx; the tests check those themselves.
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
