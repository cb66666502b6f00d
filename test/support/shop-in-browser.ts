import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import type { StackOptions } from '../../local/stack/start-parts.ts';
import type { ActionInput } from '../../local/store-sandbox/model/actions.ts';
import { closeWindow, findBrowser, type ShopVisit, startBrowser } from './browser.ts';
import { type HurriedStack, startHurriedStack } from './hurried-stack.ts';
import type { LocalStack } from './local-stack.ts';

export const SETTINGS = 'local/harness/storefront.config.ts';

export interface ShopInBrowser {
  readonly stack: LocalStack;
  readonly browser: Browser;
  /** From now on, messages that wait are delivered at once. */
  readonly hurry: () => void;
}

/**
 * For the tests of one `describe`: a local stack with its shop, and a browser. After each test the visits end, and
 * must have had no problem: among others, nothing that the pages' strict policy forbids.
 */
export function useShopInBrowser(
  visits: Pick<ShopVisit, 'context' | 'problems'>[],
  started: (shop: ShopInBrowser) => Promise<unknown> | undefined,
  options: Pick<StackOptions, 'storeSettings' | 'loyaltySettings'> & {
    readonly settings?: string;
  } = {},
): void {
  let world: HurriedStack | undefined;
  let browser: Browser | undefined;
  beforeAll(async () => {
    world = await startHurriedStack({ settings: SETTINGS, ...options });
    browser = await startBrowser(findBrowser() ?? '');
    await started({ stack: world.stack, browser, hurry: world.hurry });
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await world?.stop();
  }, 120_000);
  afterEach(async () => {
    const ended = visits.splice(0);
    for (const { context } of ended) await closeWindow(context);
    expect(ended.flatMap(({ problems }) => problems)).toEqual([]);
  });
}

export const customerNamed = ({ store }: LocalStack, firstName: string): string =>
  [...store.rows.customers.values()].find((one) => one.firstName === firstName)?.id ?? '';

/** Buys shirts at 49, or another product, and waits for points to come back into the store; gives the order's id. */
export async function earnPoints(
  stack: LocalStack,
  firstName: string,
  quantity: number,
  { title = 'Linen Shirt', ...draft }: { title?: string } & Partial<ActionInput<'placeOrder'>> = {},
): Promise<string> {
  const { actions, rows } = stack.store;
  const customerId = customerNamed(stack, firstName);
  const variant = [...rows.products.values()].find((one) => one.title === title)?.variants[0];
  const lines = [{ variantId: variant?.id ?? '', quantity }];
  const usual = { customerId, lines, payment: 'paid' as const, taxes: [] };
  const { id } = actions.placeOrder({ ...usual, ...draft });
  actions.fulfilOrder({ orderId: id });
  const gid = `gid://shopify/Customer/${customerId}`;
  const hasPoints = () =>
    [...rows.metafields.values()].some((one) => one.ownerGid === gid && one.key === 'points');
  await vi.waitUntil(hasPoints, { timeout: 120_000, interval: 250 });
  return id;
}
