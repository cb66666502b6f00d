import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issueAccessToken } from '../../../local/store-sandbox/session-tokens.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { openShoppers } from '../../support/stack-shoppers.ts';

let stack: LocalStack;
beforeAll(async () => {
  stack = await startLocalStack({ settings: 'test/fixtures/headless.config.ts' });
}, 180_000);
afterAll(() => stack?.stop());

const run = promisify(execFile);

it("the documentation's example shows a customer's balance and redeems a reward", async () => {
  const shop = openShoppers(stack);
  const shopper = shop.newShopper('of a headless storefront');
  shop.buy(shopper, 120);
  await shop.expectPoints([shopper], 120);
  const address = `${stack.outputs.StorefrontAddress}/example-store/headless`;
  const example = (token: string) =>
    run(process.execPath, ['docs/how-to/headless-storefront.mjs', address, token]);

  const { stdout } = await example(
    issueAccessToken(shopper.id, stack.store.credentials.clientSecret),
  );
  const [points, reward] = stdout.split('\n');
  expect(points).toBe('120 points');
  const [code] = shop.look().codesOf(shopper);
  expect(code).toBeDefined();
  expect(reward).toContain(`ready, code ${code?.code}`);

  const stranger = example(issueAccessToken(shopper.id, 'another secret'));
  await expect(stranger).rejects.toThrow('This request has no valid token.');
  expect(shop.look().redemptionsOf(shopper)).toHaveLength(1);
}, 120_000);
