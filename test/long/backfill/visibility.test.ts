import { afterEach, describe, expect, it } from 'vitest';
import { openStoreAdmin } from '../../../local/stack/start-sandboxes.ts';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { defaultServerSettings } from '../../../local/store-sandbox/settings.ts';
import type { ShopDeps } from '../../../scripts/connector/ground/checks/check.ts';
import { checkVisibility } from '../../../scripts/connector/ground/compare/send.ts';
import {
  customerAccountsCheck,
  installedAppCheck,
} from '../../../scripts/connector/set-up/shopify/store-checks.ts';
import connector from '../../fixtures/project/connector.config.ts';

let sandbox: StoreSandbox | undefined;
afterEach(async () => {
  await sandbox?.stop();
  sandbox = undefined;
});

async function open(settings: Parameters<typeof startStoreSandbox>[0] = {}) {
  const sandboxed = await startStoreSandbox(settings);
  sandbox = sandboxed;
  const [shop] = connector.shops;
  if (!shop) throw new Error('the fixture has a shop');
  return { sandboxed, store: openStoreAdmin(sandboxed), shop };
}

const without = (...scopes: readonly string[]) => ({
  settings: {
    scopes: defaultServerSettings.scopes.filter((scope) => !scopes.includes(scope)),
  },
});
const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

describe("the doctor's look at app and shop", { timeout: 60_000 }, () => {
  const look = ({ store, shop }: Awaited<ReturnType<typeof open>>, check = installedAppCheck) => {
    const deps = {
      shops: [shop],
      services: () => ({ asked: () => ({ ask: store.ask(shop.domain) }) }),
    };
    return check(deps as unknown as ShopDeps).look();
  };

  it.each([
    ['MERCHANT', 'pass', 'belongs to this shop'],
    ['PARTNER', 'info', 'needs an IP allowlist'],
    ['UNKNOWN', 'info', 'no API shows who made the app'],
  ] as const)('says what Shopify asks of one of %s', async (developerType, verdict, text) => {
    const here = await open({ settings: { developerType } });
    expect(await look(here)).toMatchObject([{ verdict, what: expect.stringContaining(text) }]);
    await here.sandboxed.stop();
    expect(await look(here)).toMatchObject([{ verdict: 'unknown' }]);
  });

  it.each([
    ['NEW_CUSTOMER_ACCOUNTS', 'pass'],
    ['CLASSIC', 'warn'],
  ] as const)('warns of accounts that show no extension: %s', async (customerAccounts, verdict) => {
    const here = await open({ shop: { customerAccounts } });
    expect(await look(here, customerAccountsCheck)).toMatchObject([{ verdict }]);
    await here.sandboxed.stop();
    expect(await look(here, customerAccountsCheck)).toMatchObject([{ verdict: 'unknown' }]);
  });
});

describe('orders of more than sixty days ago', { timeout: 60_000 }, () => {
  const now = new Date();

  it('are refused where the app may not see them, with the first day that it may see', async () => {
    const here = await open(without('read_all_orders'));
    const old = checkVisibility({ kind: 'orders', since: daysAgo(61) }, here, now);
    await expect(old).rejects.toThrow(/read_all_orders/);
    await expect(checkVisibility({ kind: 'orders' }, here, now)).rejects.toMatchObject({
      next: expect.stringMatching(/--since \d{4}-\d\d-\d\d$/),
    });
    await checkVisibility({ kind: 'orders', since: daysAgo(59) }, here, now);
    await checkVisibility({ kind: 'products' }, here, now);
  });

  it('are sent where it may', async () => {
    await checkVisibility({ kind: 'orders', since: daysAgo(900) }, await open(), now);
  });

  it('are not assumed to be visible where the store refuses the app', async () => {
    const here = await open();
    here.sandboxed.faults.add({ kind: 'unauthorized' });
    await expect(checkVisibility({ kind: 'orders' }, here, now)).rejects.toMatchObject({
      message: expect.stringContaining('refuses the credentials'),
      next: expect.stringContaining('doctor'),
    });
  });
});
