import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import type { State } from '../../../local/loyalty-sandbox/state.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { type Installed, mustRun, runOutside } from '../../support/packed-project.ts';

const NEXT = '99.0.0';

export function describeUpgrades(given: () => Installed): void {
  let folder: string;
  let project: string;
  let releases: { readonly now: string; readonly next: string };
  let running: ChildProcess | undefined;

  beforeAll(async () => {
    const { tarballs, ...installed } = given();
    ({ folder, project } = installed);
    releases = { now: tarballs.connector, next: await packNextRelease(tarballs.connector) };
  });
  afterEach(stop);

  /** The same code with another version, which writes other forms of messages and ledger items. */
  async function packNextRelease(tarball: string): Promise<string> {
    const place = join(folder, 'next');
    mkdirSync(place);
    await mustRun(place, ['tar', '-xzf', tarball]);
    const change = (file: string, from: RegExp, to: string) => {
      const path = join(place, 'package', file);
      const text = readFileSync(path, 'utf8');
      expect(text).toMatch(from);
      writeFileSync(path, text.replace(from, to));
    };
    for (const file of ['package.json', 'dist/package.json']) {
      change(file, /"version": "[^"]+"/, `"version": "${NEXT}"`);
    }
    change('dist/shared/core/formats.js', /ENVELOPE_VERSION = 1/, 'ENVELOPE_VERSION = 2');
    change('dist/shared/core/formats.js', /LEDGER_FORMAT = 1/, 'LEDGER_FORMAT = 2');
    const words = ['npm', 'pack', './package', '--ignore-scripts', '--silent'];
    const printed = await mustRun(place, words);
    return join(place, basename(printed.trim()));
  }

  const install = (tarball: string) =>
    mustRun(project, ['npm', 'install', tarball, '--prefer-offline', '--no-audit', '--no-fund']);

  const command = (...words: readonly string[]) =>
    // Not through npx, whose warnings would stand before the JSON.
    runOutside(project, ['node_modules/.bin/loyalty-connector', ...words]);

  /** Starts what is installed, on the data that the run before left. */
  async function start() {
    const file = join(project, '.connector/stack.json');
    const program = join(project, 'node_modules/.bin/loyalty-connector');
    const words = ['start', '--no-demo', '--data', join(folder, 'data'), '--port', '0'];
    const { NODE_OPTIONS: _, ...env } = process.env;
    running = spawn(program, words, { cwd: project, env, stdio: 'ignore' });
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), {
      timeout: 120_000,
      interval: 200,
    });
    const { storeAddress, loyaltyAddress, outputs } = JSON.parse(readFileSync(file, 'utf8'));
    const post = async (address: string, body: object) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(await answer.text());
      return (await answer.json()) as { readonly result: { id: string; lines: { id: string }[] } };
    };
    return {
      version: outputs.Version,
      act: async (action: string, input: object) =>
        (await post(`${storeAddress}/sandbox/actions/${action}`, input)).result,
      failLoyalty: () => post(`${loyaltyAddress}/sandbox/faults`, { kind: 'outage' }),
      async held(id: string) {
        const answer = await fetch(`${loyaltyAddress}/sandbox/state`);
        const state = (await answer.json()) as State;
        const order = state.orders.find(({ OriginalId }) => OriginalId === id);
        return order && { amount: amountHeld(order), points: order.points };
      },
    };
  }

  async function stop(): Promise<void> {
    if (!running) return;
    const ended = once(running, 'exit');
    running.kill('SIGTERM');
    await ended;
    running = undefined;
  }

  type Stack = Awaited<ReturnType<typeof start>>;

  const waitFor = (stack: Stack, id: string, amount: number) =>
    vi.waitFor(async () => expect((await stack.held(id))?.amount).toBe(amount), {
      timeout: 120_000,
      interval: 500,
    });

  /** Five things for 10 each, delivered. */
  async function buy(stack: Stack): Promise<{ id: string; lineId: string }> {
    const email = `robin.${Date.now()}@example.com`;
    const customer = await stack.act('createCustomer', { firstName: 'Robin', email });
    const line = { title: 'Shirt', price: 10, quantity: 5, taxable: false };
    const draft = { customerId: customer.id, lines: [line], taxes: [], payment: 'paid' };
    const { id, lines } = await stack.act('placeOrder', draft);
    await stack.act('fulfilOrder', { orderId: id });
    return { id, lineId: lines[0]?.id ?? '' };
  }

  const refundOne = (stack: Stack, { id, lineId }: { id: string; lineId: string }) =>
    stack.act('refundOrder', { orderId: id, lines: [{ lineId, quantity: 1 }] });

  /** The message stays on its queue: the service does not answer until the next start. */
  async function refundInFlight(
    stack: Stack,
    order: { id: string; lineId: string },
  ): Promise<void> {
    await stack.failLoyalty();
    await refundOne(stack, order);
    await vi.waitFor(
      async () => {
        const { output } = await command('status', '--json');
        const { queues } = JSON.parse(output);
        const orders = queues.value.find((one: { family: string }) => one.family === 'orders');
        expect(orders.waiting + orders.inFlight).toBeGreaterThan(0);
      },
      { timeout: 60_000, interval: 500 },
    );
  }

  describe('a merchant who upgrades, goes back and upgrades again', () => {
    it('with refunds in flight: every point is exact, nothing is lost, no part is taken twice', async () => {
      let stack = await start();
      expect(stack.version).toBe(VERSION);
      const order = await buy(stack);
      await waitFor(stack, order.id, 50);
      await refundOne(stack, order);
      await waitFor(stack, order.id, 40);
      await refundInFlight(stack, order);
      await stop();

      await install(releases.next);
      stack = await start();
      expect(stack.version).toBe(NEXT);
      await waitFor(stack, order.id, 30);
      await refundInFlight(stack, order);
      await stop();

      await install(releases.now);
      stack = await start();
      // The old version works on, and leaves alone what the newer one wrote.
      const other = await buy(stack);
      await waitFor(stack, other.id, 50);
      await refundOne(stack, order);
      const traced = await command('trace', 'order', order.id);
      expect(traced.output).toContain('written by a newer release');
      expect(await stack.held(order.id)).toEqual({ amount: 30, points: 30 });
      const { output } = await command('dead-letters', 'list', '--json');
      expect(JSON.parse(output)).toMatchObject({ matching: 0 });
      await stop();

      await install(releases.next);
      stack = await start();
      await waitFor(stack, order.id, 10);
      expect(await stack.held(order.id)).toEqual({ amount: 10, points: 10 });
      expect(await stack.held(other.id)).toEqual({ amount: 50, points: 50 });
    });
  });
}
