import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { OrderRow } from '../../../local/store-sandbox/model/rows.ts';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import { runCommand } from '../../support/connector-command.ts';
import { SHOP, useCutOver } from './world.ts';

/* Beside an integration that sends by the public API. What each customer must have is computed by hand. */

const OBSERVE = 'test/fixtures/cut-over-observed.config.ts';
const LIVE = 'test/fixtures/cut-over-gone-live.config.ts';
/** Hours before the test. */
const OBSERVED = 24;
const OFF = 12;
const REALLY_OFF = 5;

const world = useCutOver({ settings: OBSERVE, deployedHoursAgo: 30 });
const goLive = (words: string) => world.run(`go-live --shop ${SHOP} ${words}`);

const NAMES = ['ana', 'ben', 'cid', 'dia', 'eva', 'fay', 'gus', 'hal'] as const;
type Name = (typeof NAMES)[number];
const idOf: Partial<Record<Name, string>> = {};
const orderOf: Partial<Record<Name, OrderRow>> = {};
const order = (name: Name): OrderRow => {
  const found = orderOf[name];
  if (!found) throw new Error(`${name} has no order`);
  return found;
};
const nameOf = (name: Name) => `#${order(name).number}`;

const pointsNow = () => {
  const { customers } = world.loyalty.state();
  const held = new Map(customers.map((one) => [one.OriginalId, one.points]));
  return Object.fromEntries(NAMES.map((name) => [name, held.get(idOf[name] ?? '') ?? 0]));
};

/** By the public API, with keys of its own: nothing marks what it sends. */
const other = () => {
  const { address: baseUrl, credentials } = world.loyalty;
  const service = createLoyaltyClient({ baseUrl, credentials });
  return {
    async sends(name: Name, OrderTotal: number, OriginalId = nameOf(name)): Promise<void> {
      const { processedAt, customerId } = order(name);
      const sent = await service.sendOrder({
        ...{ OriginalId, OrderPlacementDate: processedAt, OrderCompletedDate: processedAt },
        ...{ OrderCancelledDate: null, OrderStatus: 'done', UpdatedDate: processedAt },
        ...{ IsCancelledOrReturned: false, IsCompleted: true, OrderTotal },
        Customer: { OriginalId: customerId ?? '', Email: `${name}@example.org` },
      });
      expect(sent.kind).toBe('success');
    },
    async takes(name: Name, ValueToRefund: number): Promise<void> {
      const body = { ValueToRefund, CancelKey: `their own, of ${name}` };
      const taken = await service.partiallyCancelPosOrder(nameOf(name), body);
      expect(taken.kind).toBe('success');
    },
    async cancels(name: Name): Promise<void> {
      const at = new Date().toISOString();
      const body = { OrderCancelledDate: at, OrderStatus: 'cancelled' };
      world.loyalty.integrate({ operation: 'cancelOrder', id: nameOf(name), body });
    },
  };
};

beforeAll(() => {
  for (const name of NAMES) {
    const { id } = world.store.actions.createCustomer({
      ...{ firstName: name, email: `${name}@example.org` },
    });
    idOf[name] = id;
  }
});

it('while the shop is observed, the other one sends and takes, and we do neither', async () => {
  world.setClock(OBSERVED - 1);
  const { sends, takes } = other();
  for (const name of ['ana', 'ben', 'cid'] as const) {
    orderOf[name] = world.sell(idOf[name] ?? '', 30, 2);
  }
  orderOf.dia = world.store.actions.placeOrder({
    ...{ customerId: idOf.dia ?? '', payment: 'paid', taxes: [] },
    lines: [{ title: 'Goods', price: 30, quantity: 2 }],
  });
  await sends('ana', 60);
  await sends('ben', 60);
  await sends('cid', 60, order('cid').id);
  world.giveBack(order('ben').id, 1);
  await takes('ben', 30);
  world.setClock(OFF - 0.5);
  orderOf.eva = world.sell(idOf.eva ?? '', 40, 2);
  orderOf.fay = world.sell(idOf.fay ?? '', 25, 2);
  world.giveBack(order('cid').id, 1);
  world.setClock(REALLY_OFF - 0.5);
  await world.rest();
  world.loyalty.journal.clear();
  const { text } = await world.run(`compare orders --since ${OBSERVED + 1}h --shop ${SHOP}`);
  expect(text).toContain('its points show that what was refunded is taken back');
  expect(pointsNow()).toEqual({
    ...{ ana: 60, ben: 30, cid: 60, dia: 0, eva: 0, fay: 0, gus: 0, hal: 0 },
  });
  expect(world.changingCalls()).toEqual([]);
});

it('an import is refused until go-live', async () => {
  await world.deploy(LIVE);
  await writeFile(join(world.folder, 'old.csv'), `customer,points\n${idOf.ana},5\n`);
  const { code, text } = await world.run(`import balances ${join(world.folder, 'old.csv')} --yes`);
  expect(text).toContain('is only observed until go-live');
  expect(code).toBe(1);
});

it('go-live is refused while the other one, left on by mistake, sent an order placed since', async () => {
  await other().sends('fay', 50);
  const { code, text } = await goLive(`--other-off-since ${world.moment(OFF)} --yes`);
  expect(text).toContain(`that we did not send: ${nameOf('fay')}.`);
  expect(code).toBe(1);
  expect(pointsNow()).toMatchObject({ ana: 60, cid: 60, eva: 0, fay: 50 });
});

const WORDS = () => `--other-off-since ${world.moment(REALLY_OFF)} --from ${world.moment(OFF)}`;

it('go-live, killed and repeated, ends with what the preview said', async () => {
  world.loyalty.journal.clear();
  const shown = await goLive(`${WORDS()} --json`);
  const { orders } = JSON.parse(shown.stdout).data;
  const said = orders.map(({ name, would, verdict }: Record<string, never>) => {
    const { call, amount = 0 } = (would ?? {}) as { call?: string; amount?: number };
    return [name, call ? `${call} ${amount / 1_000}` : verdict];
  });
  // What changed since. Cid's refund the other one had time to take, and so it is not ours.
  expect(Object.fromEntries(said)).toEqual({
    ...{ [nameOf('cid')]: 'other amount', [nameOf('eva')]: 'send 80', [nameOf('fay')]: 'same' },
  });
  expect(world.changingCalls()).toEqual([]);

  let isKilled = false;
  await runCommand(['go-live', '--shop', SHOP, ...WORDS().split(' '), '--yes'], {
    folder: world.folder,
    onOutput: (output, child) => {
      if (!output.includes('Shops compared')) return;
      isKilled = true;
      child.kill('SIGKILL');
    },
  });
  expect(isKilled).toBe(true);
  const { code, text } = await goLive(`${WORDS()} --yes`);
  expect({ code, text }).toMatchObject({ code: 0 });
  await world.rest();
  expect(pointsNow()).toEqual({
    ...{ ana: 60, ben: 30, cid: 60, dia: 0, eva: 80, fay: 50, gus: 0, hal: 0 },
  });
});

it('what was placed before and is shipped since is ours, and so are refunds since', async () => {
  world.setClock(2);
  world.store.actions.fulfilOrder({ orderId: order('dia').id });
  world.giveBack(order('fay').id, 1);
  world.giveBack(order('ben').id, 1);
  orderOf.gus = world.sell(idOf.gus ?? '', 35, 2);
  await world.rest();
  expect(pointsNow()).toEqual({
    ...{ ana: 60, ben: 0, cid: 60, dia: 60, eva: 80, fay: 25, gus: 70, hal: 0 },
  });
});

it('switched on again by mistake, it doubles an order, and compare names it', async () => {
  await other().sends('gus', 70);
  const { code, text } = await world.run(`compare orders --since 1d --shop ${SHOP}`);
  expect(text).toMatch(new RegExp(`^${nameOf('gus')} +twice`, 'm'));
  expect(code).toBe(1);
  await other().cancels('gus');
  expect(pointsNow()).toMatchObject({ gus: 70 });
});

it('an import that is killed, and goes on with a file from which a row is gone, counts what it gave', async () => {
  const file = join(world.folder, 'old.csv');
  const rows = NAMES.map((name, index) => `${idOf[name]},${index + 1}`);
  await writeFile(file, `customer,points\n${rows.join('\n')}\n`);
  const before = pointsNow();
  await runCommand(['import', 'balances', file, '--yes', '--per-second', '1'], {
    folder: world.folder,
    onOutput: (output, child) => {
      if (/Given: [1-9]/.test(output)) child.kill('SIGKILL');
    },
  });
  const given = () => {
    const now = pointsNow();
    return NAMES.map((name) => (now[name] ?? 0) - (before[name] ?? 0));
  };
  expect(given()[0]).toBe(1);
  await writeFile(file, `customer,points\n${rows.slice(1).join('\n')}\n`);
  const { code, text } = await world.run(`import balances ${file} --yes`);
  expect(text).toContain(`customer ${idOf.ana}: 1 were given`);
  expect(text).toMatch(/^Given +36 points, in 8 rows$/m);
  expect(code).toBe(1);
  expect(given()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const undone = await world.run(`import balances ${file} --undo --yes`);
  expect(undone.text).toMatch(/^Taken back +36 points, in 8 rows$/m);
  expect(pointsNow()).toEqual(before);
});

it('a deep scan finds nothing to repair', async () => {
  world.loyalty.journal.clear();
  await world.run('reconcile --deep');
  await world.rest();
  expect(world.changingCalls()).toEqual([]);
  expect(world.stack.problems).toEqual([]);
  expect(pointsNow()).toEqual({
    ...{ ana: 60, ben: 0, cid: 60, dia: 60, eva: 80, fay: 25, gus: 70, hal: 0 },
  });
});
