import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../../support/browser.ts';
import { type ConsoleInBrowser, useConsoleInBrowser } from '../../support/console-in-browser.ts';
import { findBarriers } from './find-barriers.ts';
import { fillWithHostileTexts } from './hostile-store.ts';
// biome-ignore lint/correctness/useImportExtensions: it is JavaScript, with its types beside it
import * as inPage from './in-page.mjs';

let world: ConsoleInBrowser;

const VIEWS = [
  ...(['Now', 'Find', 'Dead letters', 'Customers', 'Healing', 'Set-up', 'History'] as const),
];
const MOST_TABS = 150;

/** Until its first answer is there. */
async function openView(page: Page, view: string): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name: view });
  await link.click();
  await expect.poll(() => link.getAttribute('aria-current')).toBe('page');
  await expect.poll(() => page.locator('[aria-busy="true"]').count(), { timeout: 60_000 }).toBe(0);
}

/** What Tab comes to, until it is back at the beginning. */
async function tabStops(page: Page): Promise<number> {
  await page.evaluate(inPage.forgetTabs);
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    await page.keyboard.press('Tab');
    const isNew = await page.evaluate(inPage.rememberTab);
    if (!isNew) break;
  }
  return page.locator('[data-visited]').count();
}

describe.runIf(findBrowser() !== undefined)('the console', { timeout: 600_000 }, () => {
  useConsoleInBrowser(async (started) => {
    world = started;
  });
  beforeAll(async () => {
    await fillWithHostileTexts(world.stack);
  });

  it.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('has no barrier on %d pixels in %s colours', async (width, colours) => {
    const { page } = await world.visit({ width, colours });
    for (const view of VIEWS) {
      await openView(page, view);
      expect({ view, barriers: await findBarriers(page) }).toEqual({ view, barriers: [] });
    }
  });

  it('fits a telephone, with the longest texts', async () => {
    const { page } = await world.visit({ width: 390 });
    const tooWide: string[] = [];
    for (const view of VIEWS) {
      await openView(page, view);
      const widest = await page.evaluate(inPage.findTooWide);
      if (widest.length > 0) tooWide.push(`${view}: ${widest.slice(0, 5).join(' ')}`);
    }
    expect(tooWide).toEqual([]);
  });

  it('needs no mouse: Tab reaches every control of every view, and shows where it is', async () => {
    const { page } = await world.visit();
    // A view that asks by itself switches its button off meanwhile; a hidden page does not ask.
    await page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })`,
    );
    for (const view of VIEWS) {
      await openView(page, view);
      await tabStops(page);
      const missed = await page.evaluate(inPage.missedByTab);
      const unmarked = await page.locator('[data-unmarked]').count();
      expect({ view, missed, unmarked }).toEqual({ view, missed: [], unmarked: 0 });
    }
  });
});
