import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openStoreAdmin } from '../../../local/stack/start-sandboxes.ts';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { defaultServerSettings } from '../../../local/store-sandbox/settings.ts';
import {
  awaitFile,
  checkVisibility,
  fileProblem,
  type OpenBackfill,
  orderFile,
} from '../../../scripts/connector/backfill/backfill.ts';
import type { ShopDeps } from '../../../scripts/connector/checks/check.ts';
import { installedAppCheck } from '../../../scripts/connector/checks/store.ts';
import connector from '../../fixtures/project/connector.config.ts';
import { askAdmin } from '../../support/ask-admin.ts';

let sandbox: StoreSandbox | undefined;
afterEach(async () => {
  await sandbox?.stop();
  sandbox = undefined;
});

async function open(
  settings: Parameters<typeof startStoreSandbox>[0] = {},
): Promise<OpenBackfill & { readonly store: StoreSandbox }> {
  const store = await startStoreSandbox(settings);
  sandbox = store;
  const ask = openStoreAdmin(store).ask(store.shop.domain);
  const deployment = { where: 'aws', connector } as unknown as OpenBackfill['deployment'];
  return { store, ask, deployment, enrichment: {} } as unknown as OpenBackfill & {
    readonly store: StoreSandbox;
  };
}

const waiting = (signal = new AbortController().signal) => ({
  signal,
  pause: sleep,
  onWait: () => {},
});
const without = (...scopes: readonly string[]) => ({
  settings: {
    bulkMs: 0,
    scopes: defaultServerSettings.scopes.filter((scope) => !scopes.includes(scope)),
  },
});
const DAY = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();

describe('the file of a bulk operation', { timeout: 60_000 }, () => {
  it('is waited for, and its search is the span', async () => {
    const here = await open({ settings: { bulkMs: 100 } });
    here.store.actions.placeRandomOrder();
    for (const [since, objects] of [
      [daysAgo(1), 1],
      [new Date(Date.now() + DAY).toISOString(), 0],
    ] as const) {
      const id = await orderFile({ kind: 'orders', since }, here);
      const file = await awaitFile(id, here, waiting());
      expect(file).toMatchObject({ kind: 'completed', rootObjects: objects });
    }
  });

  it('is reported as busy with others', async () => {
    const here = await open({ settings: { bulkMs: 60_000 } });
    for (let n = 0; n < 5; n += 1) await orderFile({ kind: 'orders' }, here);
    await expect(orderFile({ kind: 'orders' }, here)).rejects.toThrow(/as many bulk operations/);
  });

  it('is reported as lacking a scope', async () => {
    const here = await open(without('read_products', 'write_products'));
    const id = await orderFile({ kind: 'products' }, here);
    const file = await awaitFile(id, here, waiting());
    expect(file).toEqual({ kind: 'failed', errorCode: 'ACCESS_DENIED' });
    if (file?.kind !== 'failed') return;
    expect(fileProblem(file).message).toContain('lacks an access scope');
  });

  it('is refused to an app that may not run bulk queries, with what to do in Shopify', async () => {
    const here = await open({ settings: { bulkQueries: 'denied' } });
    await expect(orderFile({ kind: 'orders' }, here)).rejects.toMatchObject({
      message: expect.stringContaining('does not let this app run bulk queries'),
      next: expect.stringContaining('API access requests, Run bulk operations'),
    });
  });

  it('is reported as cancelled, or gone', async () => {
    const here = await open({ settings: { bulkMs: 60_000 } });
    const id = await orderFile({ kind: 'orders' }, here);
    await askAdmin(
      here.store,
      'mutation($id: ID!) { bulkOperationCancel(id: $id) { userErrors { message } } }',
      { id },
    );
    expect(await awaitFile(id, here, waiting())).toEqual({ kind: 'canceled' });
    const unknown = await awaitFile('gid://shopify/BulkOperation/1', here, waiting());
    expect(unknown).toEqual({ kind: 'expired' });
  });

  it('is no longer waited for after an interruption', async () => {
    const here = await open({ settings: { bulkMs: 60_000 } });
    const id = await orderFile({ kind: 'orders' }, here);
    expect(await awaitFile(id, here, waiting(AbortSignal.timeout(200)))).toBeUndefined();
  });
});

describe("the doctor's look at the app", { timeout: 60_000 }, () => {
  const look = ({ store, ask }: Awaited<ReturnType<typeof open>>) => {
    const deps = { shops: [store.shop], services: () => ({ ask: () => ask }) };
    return installedAppCheck(deps as unknown as ShopDeps).look();
  };

  it.each([
    ['MERCHANT', 'pass', "the merchant's own"],
    ['PARTNER', 'info', 'permission for bulk queries'],
    ['UNKNOWN', 'info', 'no API shows who made the app'],
  ] as const)('says what Shopify asks of one of %s', async (developerType, verdict, text) => {
    const here = await open({ settings: { developerType } });
    expect(await look(here)).toMatchObject([{ verdict, what: expect.stringContaining(text) }]);
    await here.store.stop();
    expect(await look(here)).toMatchObject([{ verdict: 'unknown' }]);
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
});
