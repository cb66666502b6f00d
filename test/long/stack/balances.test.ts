import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunctions } from '../../../infra/bundle-functions.ts';
import { ConnectorStack } from '../../../infra/connector-stack.ts';
import { createApp } from '../../../infra/create-app.ts';
import { functionsOf } from '../../../infra/functions-of.ts';
import connector from '../../../local/harness/storefront.config.ts';
import { settle } from '../../../local/stack/demo/settle.ts';
import { type RunningStack, startStack } from '../../../local/stack/running-stack.ts';
import { portsFrom } from '../../../local/stack/start-options.ts';
import { type Assembly, readAssembly } from '../../../local/stack/template/template.ts';
import type { Deployment } from '../../../scripts/connector/deployment/deployment.ts';
import {
  type CloseOptions,
  closeCommand,
} from '../../../scripts/connector/redemptions/close-redemption.ts';
import {
  listCommand,
  showCommand,
} from '../../../scripts/connector/redemptions/show-redemptions.ts';
import type { Session } from '../../../scripts/connector/session.ts';
import { renderTable, type Table } from '../../../scripts/connector/terminal/table.ts';
import { createTerminal } from '../../../scripts/connector/terminal/terminal.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { VERSION } from '../../../shared/config/release.ts';
import type { RedemptionView } from '../../../shared/core/redeem/redemption-view.ts';
import { REWARD_TAG } from '../../../shared/shopify/admin/storefront/make-reward-code.ts';
import { proxyValues, signedQuery } from '../../support/running-storefront.ts';

const folder = join(PACKAGE_FOLDER, '.connector/test-balances');
const problems: string[] = [];
let stack: RunningStack;

/** What infra/app.ts makes, of settings that are in no file of the project's folder. */
async function synthesize(): Promise<Assembly> {
  rmSync(folder, { recursive: true, force: true });
  const app = createApp({ outdir: folder, builtinCloudFormationValidation: false });
  const bundles = await bundleFunctions({
    functions: functionsOf(connector),
    configFile: 'local/harness/storefront.config.ts',
    outFolder: join(folder, 'bundles'),
  });
  new ConnectorStack(app, { stage: 'test', connector, bundleOf: bundles.folderOf });
  app.synth();
  return readAssembly(folder, 'loyalty-connector-test');
}

beforeAll(async () => {
  stack = await startStack({
    connector,
    assembly: synthesize(),
    ports: portsFrom(0),
    onProblem: (problem) => problems.push(problem),
  });
}, 180_000);
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function balanceOf(customerId: string): Record<string, string> {
  const own = stack.store
    .state()
    .metafields.filter(({ ownerGid }) => ownerGid === `gid://shopify/Customer/${customerId}`);
  return Object.fromEntries(own.map(({ namespace, key, value }) => [`${namespace}.${key}`, value]));
}

const SHOP = 'example-store.myshopify.com';
const PATIENCE = { timeout: 90_000, interval: 500 };

function newCustomer(firstName: string) {
  const email = `${firstName.toLowerCase()}.sampleson@example.com`;
  return stack.store.actions.createCustomer({ firstName, lastName: 'Sampleson', email });
}

/** A paid and fulfilled order. */
function buy(customerId: string, price: number, code?: string): void {
  const { actions } = stack.store;
  const order = actions.placeOrder({
    customerId,
    lines: [{ title: 'Lamp', price, quantity: 1 }],
    payment: 'paid',
    ...(code !== undefined && { discounts: [{ code }] }),
  });
  actions.fulfilOrder({ orderId: order.id });
}

/** The fields of whichever answer. */
interface Told {
  readonly points: number;
  readonly redemption: RedemptionView;
  readonly redemptions: readonly RedemptionView[];
}

/** What the shop's pages ask for through the app proxy, on behalf of this customer. */
const asCustomer =
  (customerId: string) =>
  async (name: string, body?: object): Promise<Told> => {
    const values = proxyValues(SHOP, new Date(), customerId);
    const query = signedQuery(values, stack.webhookSecret);
    const address = `${stack.outputs.StorefrontAddress}/example-store/${name}?${query}`;
    const headers = { 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
    return (await (await fetch(address, sent)).json()) as Told;
  };

const redeemedAs = (code: string) =>
  stack.loyalty.state().redemptions.find(({ ExternalCode }) => ExternalCode === code);
const usesOf = (code: string) => stack.store.state().codes.find((one) => one.code === code)?.used;
const callsOf = (operation: string): number =>
  stack.loyalty.journal.entries().filter((call) => call.operation === operation).length;

/** A command of the operator's on this stack; gives its exit code and what it prints. */
async function operate(command: (session: Session) => Promise<number>) {
  const lines: string[] = [];
  const { accessKeyId, secretAccessKey } = stack.keys.operator;
  const deployment: Deployment = {
    where: 'local',
    version: VERSION,
    stage: 'test',
    stack: stack.name,
    region: 'us-east-1',
    aws: {
      region: 'us-east-1',
      endpoint: stack.endpoint,
      credentials: { accessKeyId, secretAccessKey },
      maxAttempts: 2,
      requestHandler: {
        connectionTimeout: 10_000,
        requestTimeout: 10_000,
        throwOnRequestTimeout: true,
        socketTimeout: 10_000,
      },
    },
    output: (name) => stack.outputs[name] ?? '',
    connector,
    sandbox: {
      storeAddress: stack.store.address,
      loyaltyAddress: stack.loyalty.address,
      metricsAddress: stack.metricsAddress,
    },
  };
  const terminal = createTerminal({ quiet: false });
  const session = {
    terminal: {
      ...terminal,
      line: (text = '') => lines.push(text),
      table: (table: Table) => lines.push(renderTable(table, 200, (_, text) => text)),
    },
    json: false,
    findDeployment: async () => deployment,
    beginChange: async () => ({ count: () => {} }),
  } as unknown as Session;
  const code = await command(session);
  return { code, text: lines.join('\n') };
}

describe('the local stack with a storefront', () => {
  it('turns an order in the store into points, and the points into the customer’s metafields', async () => {
    const { store, loyalty } = stack;
    const customer = store.actions.createCustomer({
      firstName: 'Robin',
      lastName: 'Sampleson',
      email: 'robin.sampleson@example.com',
    });
    const order = store.actions.placeOrder({
      customerId: customer.id,
      // The store's prices hold 20 % of taxes, which earn no points.
      lines: [{ title: 'Kettle', price: 60, quantity: 1 }],
      payment: 'paid',
    });
    store.actions.fulfilOrder({ orderId: order.id });

    await expect
      .poll(() => balanceOf(customer.id), { timeout: 90_000, interval: 250 })
      .toMatchObject({ 'loyalty.points': '50' });
    expect(loyalty.events.all().map(({ delivery }) => delivery?.state)).toEqual(['delivered']);
    expect(balanceOf(customer.id)['loyalty.tier']).toBeTruthy();

    store.actions.refundOrder({
      orderId: order.id,
      lines: [{ lineId: order.lines[0]?.id ?? '', quantity: 1 }],
    });
    await expect
      .poll(() => balanceOf(customer.id)['loyalty.points'], { timeout: 90_000, interval: 250 })
      .toBe('0');
    expect(await settle(stack, 60_000)).toBe(0);
    // Each function did all of this with the grants of its own role.
    expect(problems).toEqual([]);
  }, 240_000);

  it('redeems points for a code, and store and loyalty service show when it was used', async () => {
    const { store, loyalty } = stack;
    const customer = newCustomer('Sasha');
    const ask = asCustomer(customer.id);
    buy(customer.id, 312);
    await expect.poll(async () => (await ask('me')).points, PATIENCE).toBe(260);
    await expect.poll(() => balanceOf(customer.id)['loyalty.points'], PATIENCE).toBe('260');

    // A double click.
    const click = { rewardId: 1, clientKey: 'click-0001', items: '11:100:1' };
    const answers = await Promise.all([ask('redeem', click), ask('redeem', click)]);
    expect(new Set(answers.map(({ redemption }) => redemption.id)).size).toBe(1);
    expect(answers[0]?.redemption).toMatchObject({ rewardId: 1, kind: 'fixed', value: 5 });
    const listed = async () => (await ask('redemptions')).redemptions;
    await expect.poll(listed, PATIENCE).toMatchObject([{ state: 'ready' }]);
    const code = (await listed())[0]?.code ?? '';
    expect(callsOf('redeemRewardByKey')).toBe(1);
    expect(redeemedAs(code)).toMatchObject({ customerId: customer.id, usedByOrderId: null });
    expect(usesOf(code)).toBe(0);

    const stranger = newCustomer('Kim');
    expect(() => buy(stranger.id, 50, code)).toThrow('for another customer');
    expect(await asCustomer(stranger.id)('redemptions')).toEqual({ redemptions: [] });
    buy(customer.id, 59, code);
    await expect.poll(() => redeemedAs(code)?.usedByOrderId, PATIENCE).not.toBeNull();
    expect(usesOf(code)).toBe(1);
    // 160 are left of the first order, and the second one adds what was paid, less 20 % of taxes.
    await expect.poll(() => balanceOf(customer.id)['loyalty.points'], PATIENCE).toBe('205');

    // The next answer is lost; the queue asks again with the same key.
    loyalty.faults.add({ operation: 'redeemRewardByKey', kind: 'reset-after', count: 1 });
    const lost = await ask('redeem', { rewardId: 3, clientKey: 'click-0002', items: '11:100:1' });
    expect(lost.redemption).toMatchObject({ rewardId: 3, kind: 'fixed', value: 3 });
    await expect.poll(listed, PATIENCE).toMatchObject([
      { state: 'ready', rewardId: 3 },
      { state: 'used', code },
    ]);
    expect(callsOf('redeemRewardByKey')).toBe(3);
    expect(await settle(stack, 60_000)).toBe(0);
    expect(store.state().discounts.filter(({ tags }) => tags.includes(REWARD_TAG))).toHaveLength(2);
    const redeemed = loyalty.state().redemptions;
    expect(redeemed.map(({ configurationId }) => configurationId)).toEqual([1, 3]);
    // Each function did all of this with the grants of its own role.
    expect(problems).toEqual([]);
  }, 300_000);

  it('lets the operator see and close a redemption that needs a person', async () => {
    const { loyalty } = stack;
    const customer = newCustomer('Toni');
    const ask = asCustomer(customer.id);
    buy(customer.id, 144);
    await expect.poll(async () => (await ask('me')).points, PATIENCE).toBe(120);
    // A lost call, a refusal that proves nothing, and a look-up that the service refuses.
    loyalty.faults.add({ operation: 'redeemRewardByKey', kind: 'reset-before', count: 1 });
    const click = { rewardId: 1, clientKey: 'click-0003', items: '11:100:1' };
    const { redemption } = await ask('redeem', click);
    expect(redemption).toMatchObject({ state: 'pending' });
    const refusal = { kind: 'business-error', count: 1 } as const;
    loyalty.faults.add({ ...refusal, operation: 'redeemRewardByKey', code: 47 });
    loyalty.faults.add({ ...refusal, operation: 'updateRewardMetadata', code: 7 });
    const list = () => operate((session) => listCommand(session, {}));
    await expect.poll(async () => (await list()).code, { ...PATIENCE, timeout: 120_000 }).toBe(1);
    const pending = await list();
    expect(pending.text).toContain('refuses to look it up');
    expect(pending.text).toContain(redemption.id);
    const close = (options: CloseOptions) =>
      operate((session) => closeCommand(session, customer.id, redemption.id, options));
    expect((await close({ refused: true })).text).toContain('Nothing was changed.');
    expect(await ask('redemptions')).toMatchObject({ redemptions: [{ state: 'pending' }] });
    await expect(close({})).rejects.toThrow('--refused or --cancelled');
    expect((await close({ refused: true, yes: true })).text).toContain('Done');
    await expect(close({ cancelled: true, yes: true })).rejects.toThrow('is refused');
    expect(await ask('redemptions')).toMatchObject({ redemptions: [{ state: 'refused' }] });
    expect((await list()).code).toBe(0);

    // Another click, another redemption: this one is answered.
    const again = await ask('redeem', { ...click, clientKey: 'click-0004' });
    expect(again.redemption.id).not.toBe(redemption.id);
    await expect
      .poll(async () => (await ask('redemptions')).redemptions, PATIENCE)
      .toMatchObject([{ state: 'ready' }, { state: 'refused' }]);
    const show = async () =>
      (await operate((session) => showCommand(session, customer.id, {}))).text;
    await expect.poll(show, PATIENCE).toContain('Balance: 20 points');
    const shown = await show();
    expect(shown).toMatch(/ready .*\n.*refused/s);
    expect(shown).not.toMatch(/Toni|example\.com/);
    expect(shown).toMatch(/^points +20 +20 +20$/m);
    const nobody = await operate((session) => showCommand(session, '404', {}));
    expect(nobody.text).toContain('not known yet');
    expect(await settle(stack, 60_000)).toBe(0);
  }, 300_000);

  it('refuses guessed addresses', async () => {
    const { PointsAddress: address = '' } = stack.outputs;
    const guess = `${address}/example-store/Point_Add/${'A'.repeat(43)}`;
    const answer = await fetch(guess, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
    const unsigned = await fetch(`${stack.outputs.StorefrontAddress}/example-store/me?shop=x`);
    expect(unsigned.status).toBe(401);
  });
});
