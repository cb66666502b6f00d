import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFunctions } from '../../../infra/bundle-functions.ts';
import { ConnectorStack, functionsOf } from '../../../infra/connector-stack.ts';
import { createApp } from '../../../infra/create-app.ts';
import { settle } from '../../../local/stack/demo/settle.ts';
import { portsFrom } from '../../../local/stack/ports.ts';
import { type RunningStack, startStack } from '../../../local/stack/running-stack.ts';
import { PROJECT } from '../../../local/stack/synthesize.ts';
import { type Assembly, readAssembly } from '../../../local/stack/template/assembly.ts';
import connector from '../../fixtures/storefront.config.ts';
import { proxyValues, signedQuery } from '../../support/signed-query.ts';

const folder = join(PROJECT, '.connector/test-balances');
const problems: string[] = [];
let stack: RunningStack;

/** What infra/app.ts makes, of settings that are in no file of the project's folder. */
async function synthesize(): Promise<Assembly> {
  rmSync(folder, { recursive: true, force: true });
  const app = createApp({ outdir: folder, builtinCloudFormationValidation: false });
  const bundles = await bundleFunctions({
    root: PROJECT,
    functions: functionsOf(connector),
    configFile: 'test/fixtures/storefront.config.ts',
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

interface Told {
  readonly points?: number;
  readonly redemption?: unknown;
  readonly redemptions?: unknown;
}

function balanceOf(customerId: string): Record<string, string> {
  const own = stack.store
    .state()
    .metafields.filter(({ ownerGid }) => ownerGid === `gid://shopify/Customer/${customerId}`);
  return Object.fromEntries(own.map(({ namespace, key, value }) => [`${namespace}.${key}`, value]));
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
      lines: [{ title: 'Kettle', price: 64.9, quantity: 1 }],
      payment: 'paid',
    });
    store.actions.fulfilOrder({ orderId: order.id });

    await expect
      .poll(() => balanceOf(customer.id), { timeout: 90_000, interval: 250 })
      .toMatchObject({ 'loyalty.points': '64.9' });
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

  it('answers shoppers at its address, and redeems, with the grants of its role', async () => {
    const { store, loyalty, outputs, webhookSecret } = stack;
    const customer = store.actions.createCustomer({
      firstName: 'Sasha',
      lastName: 'Exampleson',
      email: 'sasha.exampleson@example.com',
    });
    const order = store.actions.placeOrder({
      customerId: customer.id,
      lines: [{ title: 'Lamp', price: 150, quantity: 1 }],
      payment: 'paid',
    });
    store.actions.fulfilOrder({ orderId: order.id });
    const ask = async (name: string, body?: object): Promise<Told> => {
      const values = proxyValues('example-store.myshopify.com', new Date(), customer.id);
      const query = signedQuery(values, webhookSecret);
      const address = `${outputs.StorefrontAddress}/example-store/${name}?${query}`;
      const headers = { 'content-type': 'application/json' };
      const sent = body && { method: 'POST', headers, body: JSON.stringify(body) };
      return (await fetch(address, { ...sent })).json() as Promise<Told>;
    };
    await expect
      .poll(async () => (await ask('me')).points, { timeout: 90_000, interval: 500 })
      .toBe(150);
    const { redemption } = await ask('redeem', { rewardId: 1, clientKey: 'click-0001' });
    expect(redemption).toMatchObject({ rewardId: 1, kind: 'fixed', value: 5 });
    await expect
      .poll(async () => (await ask('redemptions')).redemptions, { timeout: 90_000, interval: 500 })
      .toMatchObject([{ state: 'ready', code: expect.any(String) }]);
    expect(
      loyalty.journal.entries().filter((call) => call.operation === 'redeemReward'),
    ).toHaveLength(1);
    expect(await settle(stack, 60_000)).toBe(0);
    expect(problems).toEqual([]);
  }, 240_000);

  it('lets nobody in by guessing an address', async () => {
    const { PointsAddress: address = '' } = stack.outputs;
    const guess = `${address}/example-store/Point_Add/${'A'.repeat(43)}`;
    const answer = await fetch(guess, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(401);
    const unsigned = await fetch(`${stack.outputs.StorefrontAddress}/example-store/me?shop=x`);
    expect(unsigned.status).toBe(401);
  });
});
