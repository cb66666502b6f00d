import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { StackOptions } from '../../local/stack/start-parts.ts';
import { findBrowser, type ShopVisit, startBrowser } from './browser.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';

export const SETTINGS = 'local/harness/storefront.config.ts';

export interface ShopInBrowser {
  readonly stack: LocalStack;
  readonly browser: Browser;
}

/**
 * For the tests of one `describe`: a local stack with its shop, and a browser. After each test the visits end, and
 * must have had no problem: among others, nothing that the pages' strict policy forbids.
 */
export function useShopInBrowser(
  visits: Pick<ShopVisit, 'context' | 'problems'>[],
  started: (shop: ShopInBrowser) => Promise<unknown> | undefined,
  options: Pick<StackOptions, 'storeSettings' | 'loyaltySettings'> = {},
): void {
  let shop: Partial<ShopInBrowser> = {};
  beforeAll(async () => {
    const stack = await startLocalStack({ settings: SETTINGS, ...options });
    shop = { stack };
    const browser = await startBrowser(findBrowser() ?? '');
    shop = { stack, browser };
    await started({ stack, browser });
  }, 240_000);
  afterAll(async () => {
    await shop.browser?.close();
    await shop.stack?.stop();
  }, 120_000);
  afterEach(async () => {
    const ended = visits.splice(0);
    for (const { context } of ended) await context.close();
    expect(ended.flatMap(({ problems }) => problems)).toEqual([]);
  });
}
