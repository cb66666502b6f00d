import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../local/stack/emulators.ts';
import { findBrowser } from '../../support/browser.ts';
import { type ConsoleInBrowser, useConsoleInBrowser } from '../../support/console-in-browser.ts';
import { fillWithHostileTexts } from './hostile-store.ts';
// biome-ignore lint/correctness/useImportExtensions: it is JavaScript, with its types beside it
import { attack, findWritten, readTexts } from './in-page.mjs';

let world: ConsoleInBrowser;
let hostile: Awaited<ReturnType<typeof fillWithHostileTexts>>;

/** Each tab, with what is searched for on it. */
const TABS = {
  Now: () => [],
  Find: () => [hostile.applied.id, hostile.refused.id, hostile.code, hostile.customer.id],
  'Dead letters': () => [],
  Customers: () => [hostile.customer.id],
  Healing: () => [],
  'Set-up': () => [],
  History: () => [],
} satisfies Record<string, () => string[]>;
const MOST_OPENED = 4;
/** Line ends and tabs are the page's own. */
const FORBIDDEN = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

/** Until the answer is there. A new address is drawn as a question before the frame after the next one. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
  await page.locator('.answer[aria-busy="false"]').waitFor({ state: 'attached' });
}

async function expectHarmless(page: Page): Promise<string> {
  await page.evaluate(
    'for (const one of document.querySelectorAll("main details")) one.open = true',
  );
  await settle(page);
  const texts = await page.evaluate(readTexts);
  const found = texts.search(FORBIDDEN);
  expect(found < 0 ? '' : JSON.stringify(texts.slice(Math.max(0, found - 100), found + 20))).toBe(
    '',
  );
  const written = await page.evaluate(findWritten);
  expect(written).toEqual({ taken: false, elements: 0, links: 0, foreign: 0 });
  return texts;
}

/** A page of another origin, under another port or another name; `attack` runs in it. */
async function visitAttacker(name: '127.0.0.1' | 'localhost', opened?: Page) {
  const server = await listen(
    createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><body>x</body>'),
    ),
  );
  onTestFinished(server.stop);
  const page = (await opened?.context().newPage()) ?? (await world.browser.newPage());
  await page.goto(`${server.endpoint.replace('127.0.0.1', name)}/`);
  return page;
}

describe.runIf(findBrowser() !== undefined)('the console', { timeout: 240_000 }, () => {
  useConsoleInBrowser(async (started) => {
    world = started;
  });
  beforeAll(async () => {
    hostile = await fillWithHostileTexts(world.stack);
  });

  describe('beside a page of another origin, in the same browser', () => {
    it.each(['127.0.0.1', 'localhost'] as const)(
      'answers and obeys nothing of it: %s',
      async (name) => {
        const { page } = await world.visit();
        await settle(page);
        const { origin, port } = new URL(page.url());
        const attacker = await visitAttacker(name, page);
        const body = JSON.stringify({ command: 'resume', operands: [], options: { yes: true } });
        const result = await attacker.evaluate(attack, { address: origin, change: body });
        expect(result.fetched.filter((one) => !['blocked', 'opaque'].includes(one))).toEqual([]);
        expect(result.loaded).not.toContain('loaded');
        expect(result.framed).not.toContain('loyalty');
        expect(result.read).toBe('hidden');
        expect(result.cookies).not.toContain(`console-${port}`);
        await attacker.close();
        // Nothing was recorded: no command has run.
        await page.goto(`${origin}/#/history`);
        await settle(page);
        expect(await page.locator('main').innerText()).not.toMatch(/\bresume\b/);
      },
    );

    it('shows itself to no other browser, and to no second visit of its address', async () => {
      const { address } = await world.open();
      const first = await world.browser.newContext();
      const second = await world.browser.newContext();
      onTestFinished(async () => {
        await first.close();
        await second.close();
      });
      const page = await first.newPage();
      await page.goto(address);
      expect(page.url()).not.toContain('token');
      expect(await page.evaluate('document.cookie')).toBe('');
      const other = await second.newPage();
      expect((await other.goto(address))?.status()).toBe(403);
      expect((await other.goto(new URL('/', address).href))?.status()).toBe(403);
      // A reload keeps the session of its tab.
      expect((await page.reload())?.status()).toBe(200);
      await expect.poll(() => page.locator('main').count()).toBe(1);
    });
  });

  describe('with hostile texts in store, ledger, queues and answers', () => {
    it.each(Object.entries(TABS))(
      'writes them as texts, and loads nothing: %s',
      async (tab, searches) => {
        const { page } = await world.visit({ at: '#/trace' });
        const outside: string[] = [];
        const { host } = new URL(page.url());
        page.on('request', (request) => {
          const url = new URL(request.url());
          if (url.host !== host && url.protocol !== 'data:') outside.push(request.url());
        });
        await page.getByRole('link', { name: tab, exact: true }).click();
        await settle(page);
        const shown = [await expectHarmless(page)];
        for (const text of searches()) {
          await page.locator('.search input').fill(text);
          await page.keyboard.press('Enter');
          await settle(page);
          shown.push(await expectHarmless(page));
        }
        // Each document that this one opens.
        const at = page.url();
        const openers = page.locator('main a[href^="#/"]');
        const most = Math.min(MOST_OPENED, await openers.count());
        for (let index = 0; index < most; index++) {
          await openers
            .nth(index)
            .click({ timeout: 5_000 })
            .catch(() => {});
          await settle(page);
          shown.push(await expectHarmless(page));
          await page.goto(at);
          await settle(page);
        }
        expect(outside).toEqual([]);
        if (tab !== 'Now') expect(shown.join('\n')).toContain('globalThis.taken');
      },
    );
  });
});
