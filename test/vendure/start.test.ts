import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../../local/stack/synthesize.ts';
import { VendureShop } from '../../local/vendure-engine/shop.ts';
import { openShopkeeper } from '../../local/vendure-engine/shopkeeper.ts';
import { createProject } from '../support/project.ts';
import { type StartedCommand, startStackCommand } from '../support/started-command.ts';

const folder = createProject('vendure-start');
afterAll(() => rmSync(folder, { recursive: true }));

const patient = { timeout: 120_000, interval: 100 };
const started: StartedCommand[] = [];

function start(...args: readonly string[]): StartedCommand {
  const command = startStackCommand(folder, '--store', 'vendure', '--port', '0', ...args);
  started.push(command);
  return command;
}

afterEach(async () => {
  for (const command of started.splice(0)) {
    if (isAlive(command.pid)) command.kill('SIGKILL');
    await command.ended();
  }
});

describe('npm start -- --store vendure', () => {
  it('--once ends in sync', async () => {
    const command = start('--once');
    expect(await command.ended()).toBe(0);
    expect(command.output()).toMatch(/\nin sync: 3 orders, 3 products, 1 coupon\n$/);
  });

  it('turns the next order into points, and Ctrl-C leaves no process behind', async () => {
    const command = start();
    await command.says('Ctrl-C stops everything.');
    const state = JSON.parse(readFileSync(join(folder, '.connector/stack.json'), 'utf8'));
    // The page that the console links to.
    const { port } = new URL(state.storeAddress);
    expect(await (await fetch(`${state.storeAddress}/`)).text()).toContain('<vdr-root>');

    const shop = openShopkeeper(new VendureShop(Number(port)));
    await shop.addProduct('Lamp', { LAMP: 2380 });
    const ada = { emailAddress: 'ada@example.com', firstName: 'Ada', lastName: 'Sampleson' };
    const { id } = await shop.buy(await shop.register(ada), { goods: { LAMP: 1 } });
    await shop.ship(id);
    await vi.waitFor(async () => {
      const held = await (await fetch(`${state.loyaltyAddress}/sandbox/state`)).json();
      // 23.80 with 19 % of tax in it.
      const order = expect.objectContaining({ OriginalId: id, points: 20 });
      expect(held).toMatchObject({ orders: expect.arrayContaining([order]) });
    }, patient);

    const processes = command.descendants();
    command.kill('SIGINT');
    expect(await command.ended()).toBe(0);
    await vi.waitFor(() => expect(processes.filter(isAlive)).toEqual([]), patient);
  });
});
