import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from '../../support/browser.ts';
import { type ConsoleInBrowser, useConsoleInBrowser } from '../../support/console-in-browser.ts';
import { fillWithHostileTexts } from '../../support/hostile-store.ts';

let world: ConsoleInBrowser;

const VIEWS = ['now', 'story', 'letters', 'customers', 'healing', 'set-up', 'history'] as const;
const MOST_TABS = 150;

/** Until its first answer is there. */
async function openView(page: Page, view: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/${view}`);
  await page.waitForTimeout(500);
  await expect.poll(() => page.locator('[aria-busy="true"]').count(), { timeout: 60_000 }).toBe(0);
}

/** Visible texts whose contrast to what lies behind them is too low: WCAG 2.2, 1.4.3. */
const faintTexts = (page: Page) =>
  page.evaluate(() => {
    type Colour = readonly [red: number, green: number, blue: number, opacity: number];
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const read = (text: string): Colour => {
      if (!canvas) throw new Error('no canvas');
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, opacity = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, opacity / 255];
    };
    const over = ([r, g, b, opacity]: Colour, [r2, g2, b2]: Colour): Colour => {
      const mix = (one: number, other: number) => one * opacity + other * (1 - opacity);
      return [mix(r, r2), mix(g, g2), mix(b, b2), 1];
    };
    const behind = (element: Element | null): Colour => {
      if (!element)
        return read(
          getComputedStyle(document.documentElement).colorScheme === 'dark' ? 'black' : 'Canvas',
        );
      const own = read(getComputedStyle(element).backgroundColor);
      return own[3] === 1 ? own : over(own, behind(element.parentElement));
    };
    const luminance = ([red, green, blue]: Colour) => {
      const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const faint: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      const text = [...element.childNodes]
        .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
        .map(({ textContent }) => textContent?.trim())
        .join('');
      const isSvg = element instanceof SVGElement;
      const { color, fill, opacity, visibility } = getComputedStyle(element);
      const disabled = element.closest(':disabled, [aria-disabled="true"], .visually-hidden');
      if (!text || disabled || visibility !== 'visible' || !element.checkVisibility()) continue;
      const ground = behind(element);
      const written = read(isSvg ? fill : color);
      const ink = over([written[0], written[1], written[2], written[3] * Number(opacity)], ground);
      const [light = 0, dark = 0] = [luminance(ink), luminance(ground)].sort((a, b) => b - a);
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < 4.5) faint.push(`${ratio.toFixed(2)} ${element.tagName} ${text.slice(0, 40)}`);
    }
    return [...new Set(faint)];
  });

/** Controls without a name, by the tree that a screen reader gets. */
async function unnamedControls(page: Page): Promise<string[]> {
  const tree = await page.locator('body').ariaSnapshot();
  const control =
    /^\s*- (button|link|textbox|searchbox|combobox|checkbox|radio|spinbutton|tab|switch)\b(?!.*")/;
  return tree.split('\n').filter((line) => control.test(line) && !/\w"/.test(line));
}

/** What Tab comes to, until it is back at the beginning. */
async function tabStops(page: Page): Promise<number> {
  await page.evaluate(() => {
    for (const element of document.querySelectorAll('[data-visited]')) {
      element.removeAttribute('data-visited');
    }
    (document.activeElement as HTMLElement | null)?.blur();
  });
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    await page.keyboard.press('Tab');
    const isNew = await page.evaluate(() => {
      const { activeElement: at } = document;
      if (!at || at === document.body) return true;
      const style = getComputedStyle(at);
      // In a field for a date, the browser marks the part.
      const isMarked = style.outlineStyle !== 'none' || at.matches('[type="date"]');
      if (!isMarked) {
        at.setAttribute('data-unmarked', '');
      }
      // A field for a date has several stops.
      const before = document.querySelector('[data-last]');
      before?.removeAttribute('data-last');
      at.setAttribute('data-last', '');
      if (at !== before && at.hasAttribute('data-visited')) return false;
      at.setAttribute('data-visited', '');
      return true;
    });
    if (!isNew) break;
  }
  return page.locator('[data-visited]').count();
}

describe.runIf(findBrowser() !== undefined)('the console', { timeout: 240_000 }, () => {
  useConsoleInBrowser('console-usable', async (started) => {
    world = started;
  });
  beforeAll(async () => {
    await fillWithHostileTexts(world.stack);
  }, 180_000);

  it.each(['light', 'dark'] as const)(
    'has texts that can be read, in %s colours',
    async (colours) => {
      const { page } = await world.visit({ colours });
      for (const view of VIEWS) {
        await openView(page, view);
        expect({ view, faint: await faintTexts(page) }).toEqual({ view, faint: [] });
      }
    },
  );

  it('fits a telephone, with the longest texts', async () => {
    const { page } = await world.visit({ width: 390 });
    const tooWide: string[] = [];
    for (const view of VIEWS) {
      await openView(page, view);
      const widest = await page.evaluate(() => {
        if (document.documentElement.scrollWidth <= innerWidth) return [];
        return [...document.querySelectorAll('main *')]
          .filter((one) => one.getBoundingClientRect().right > innerWidth)
          .filter((one) => !one.closest('.scrolls, pre'))
          .map((one) => `${one.tagName}.${one.className}`);
      });
      if (widest.length > 0) tooWide.push(`${view}: ${widest.slice(0, 5).join(' ')}`);
    }
    expect(tooWide).toEqual([]);
  });

  it('gives every control a name, one main heading and one main part, in every language', async () => {
    for (const locale of ['en-GB', 'pt-BR', 'es'] as const) {
      const { page } = await world.visit({ locale });
      for (const view of VIEWS) {
        await openView(page, view);
        expect({ view, unnamed: await unnamedControls(page) }).toEqual({ view, unnamed: [] });
        expect(await page.getByRole('main').count()).toBe(1);
        expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
        expect(await page.title()).not.toBe('');
        expect(await page.locator('html').getAttribute('lang')).toContain(locale.slice(0, 2));
      }
    }
  });

  it('needs no mouse: Tab reaches every control of every view, and shows where it is', async () => {
    const { page } = await world.visit();
    for (const view of VIEWS) {
      await openView(page, view);
      await tabStops(page);
      const missed = await page.evaluate(() =>
        [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
          .filter((one) => one.checkVisibility() && !one.matches(':disabled, [data-visited]'))
          // Of a group of radio buttons one is reached, and arrows lead to the others.
          .filter((one) => !one.matches('[type="radio"], [role="tab"]'))
          .map((one) => `${one.tagName} ${one.textContent?.slice(0, 40)}`),
      );
      const unmarked = await page.locator('[data-unmarked]').count();
      expect({ view, missed, unmarked }).toEqual({ view, missed: [], unmarked: 0 });
    }
  });

  it('leads to each view by keys alone', async () => {
    const { page } = await world.visit();
    const links = page.getByRole('navigation').first().getByRole('link');
    expect(await links.count()).toBe(VIEWS.length);
    for (let index = 0; index < VIEWS.length; index++) {
      await links.nth(index).focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => links.nth(index).getAttribute('aria-current')).toBe('page');
    }
  });
});
