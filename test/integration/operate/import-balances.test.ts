import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeControl } from '../../../shared/core/calls/shop-pause.ts';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();
const FIRST = 'imre.varga@example.org';
const SECOND = 'noemi.toth@example.org';
const ids: string[] = [];

beforeAll(async () => {
  connector.confidential.addPersonal({ customers: [{ email: FIRST }, { email: SECOND }] });
  for (const email of [FIRST, SECOND]) {
    const { id } = connector.store.actions.createCustomer({ firstName: 'Imre', email });
    const lines = [{ title: 'Linen shirt', price: 60 }];
    const order = connector.store.actions.placeOrder({ lines, customerId: id, payment: 'paid' });
    connector.store.actions.fulfilOrder({ orderId: order.id });
    ids.push(id);
    await connector.send({
      ...{ shop: SHOP, kind: 'order', id: order.id, topic: 'orders/updated', deliveryId: order.id },
      ...{ receivedAt: new Date().toISOString(), body: undefined },
      ...{ claim: 'changed', origin: 'reconcile' },
    });
  }
  await connector.work();
});

/** A file of the operator; its path. */
async function fileOf(name: string, ...lines: readonly string[]): Promise<string> {
  const path = join(connector.folder, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const changes = () =>
  connector.loyalty.journal
    .entries()
    .filter(({ operation }) => operation === 'changePoints' || operation === 'changeCashback');
const pointsOf = (id = '') =>
  connector.loyalty
    .state()
    .points.filter(({ customerId, source }) => customerId === id && 'changeKey' in source)
    .reduce((sum, { points }) => sum + points, 0);
const dataOf = (stdout: string) => JSON.parse(stdout).data;

describe('loyalty-connector import balances', () => {
  it('ends with 2 and lists all faults by their lines, before anything is sent', async () => {
    const path = await fileOf(
      'faults.csv',
      ...['email,points', `${FIRST},100`, `${SECOND},1.5`, 'nobody@example.org,5'],
      ...[`${FIRST.toUpperCase()},7`],
    );
    for (const option of ['--check', '--yes']) {
      const { code, stdout } = await connector.run(`import balances ${path} ${option}`);
      expect(stdout).toMatch(/^line 3 +points must be a whole number, above 0$/m);
      expect(stdout).toMatch(/^line 4 +the store has no customer with this e-mail address$/m);
      expect(stdout).toMatch(/^line 5 +the same customer as in line 2$/m);
      expect(stdout).toContain('The file has 3 faults. Nothing was changed.');
      expect(code).toBe(2);
    }
    expect(changes()).toEqual([]);
  });

  it('writes all faults to a file where there are too many for a screen', async () => {
    const rows = Array.from({ length: 250 }, () => `${FIRST},none`);
    const path = await fileOf('many.csv', 'email,points', ...rows);
    const { code, stdout } = await connector.run(`import balances ${path} --check`);
    expect(stdout).toContain(`and 50 more: all are in ${path}.faults.csv`);
    expect(code).toBe(2);
    const written = await readFile(`${path}.faults.csv`, 'utf8');
    expect(written.trim().split('\n')).toHaveLength(251);
    expect(written).not.toContain(FIRST);
  });

  it('ends with 2 for arguments that cannot be', async () => {
    const path = await fileOf('good.csv', 'customer,points', `${ids[0]},1`);
    const wrong = [
      ...['missing.csv', `${path} --check --undo`, `${path} --name a@example.org`],
      `${path} --per-second 0`,
      await fileOf("member's.csv", 'customer,points', `${ids[0]},1`),
    ];
    for (const words of wrong) {
      const { code, stderr } = await connector.run(`import balances ${words}`);
      expect(code, words).toBe(2);
      expect(stderr, words).not.toBe('');
    }
    const missing = await connector.run('import balances old/missing.csv');
    expect(missing.stderr).toContain(
      'import balances: the file old/missing.csv cannot be read: it does not exist.',
    );
    expect(changes()).toEqual([]);
  });

  it('shows what it comes to, and gives nothing without a yes', async () => {
    const path = await fileOf('points.csv', 'email,points', `${FIRST},100`, `${SECOND},250`);
    const { code, stdout } = await connector.run(`import balances ${path}`);
    expect(stdout).toContain('give 350 points');
    expect(stdout).toContain('2 of 2, the largest 250 points');
    // All is checked by then, and in seconds: it said how long one question for each row would take.
    expect(stdout).not.toMatch(/^Checks/m);
    expect(stdout).toMatch(/^Changes +2, in about \d+ s at 5\/s \(--per-second\)$/m);
    expect(stdout).not.toContain('create');
    expect(stdout).not.toContain('observed');
    expect(stdout).toMatch(/npx loyalty-connector import balances \S+points\.csv .*--yes/);
    expect(code).toBe(0);
    const checked = await connector.run(`import balances ${path} --check`);
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('no faults') });
    expect(changes()).toEqual([]);
  });

  it('gives nothing while a shop is observed or waits for go-live, and checks the file all the same', async () => {
    const define = JSON.stringify(resolve('shared/config/connector-config.ts'));
    const observed = await fileOf(
      'observed.config.ts',
      `import { defineConnector } from ${define};`,
      `export default defineConnector({ shops: [{ domain: '${SHOP}', mode: 'observe' }],`,
      "loyalty: { address: 'https://loyalty.example.com', callsPerSecond: 7 } });",
    );
    await connector.describe({ settings: observed });
    const path = await fileOf('one.csv', 'customer,points', `${ids[0]},1`);
    const refused = async () => {
      for (const words of ['--per-second 1', '--yes', '--undo --yes']) {
        const { code, stderr } = await connector.run(`import balances ${path} ${words}`);
        expect(stderr).toContain('is only observed until go-live');
        expect(code).toBe(1);
      }
      const { code } = await connector.run(`import balances ${path} --check`);
      expect(code).toBe(0);
    };
    await refused();
    await connector.describe();
    await changeControl(connector.ledger, SHOP, (one) => ({ ...one, observing: 1 }));
    await refused();
    await changeControl(connector.ledger, SHOP, ({ observing: _, ...one }) => one);
    expect(changes()).toEqual([]);
  });

  it('gives to each once, reports it, takes it back, and gives it no second time', async () => {
    const path = await fileOf('points.csv', 'email,points', `${FIRST},100`, `${SECOND},250`);
    for (const _ of ['first', 'again']) {
      const { code, stdout } = await connector.run(`import balances ${path} --yes --per-second 50`);
      expect(stdout).toMatch(/^Given +350 points, in 2 rows$/m);
      expect(code).toBe(0);
      expect(ids.map(pointsOf)).toEqual([100, 250]);
    }
    expect(changes()).toHaveLength(2);
    const undone = await connector.run(`import balances ${path} --undo --yes --json`);
    expect(undone.code).toBe(0);
    expect(dataOf(undone.stdout)).toMatchObject({
      ...{ given: { rows: 0, sum: 0 }, takenBack: { rows: 2, sum: 350 }, refused: [], left: 0 },
    });
    expect(ids.map(pointsOf)).toEqual([0, 0]);
    const third = await connector.run(`import balances ${path} --yes`);
    expect(third).toMatchObject({ code: 2, stderr: expect.stringContaining('another --name') });
  });

  it('goes on with a corrected file of the same name, and lists what it gave otherwise', async () => {
    const had = ids.map(pointsOf);
    const gained = () => ids.map(pointsOf).map((points, index) => points - (had[index] ?? 0));
    const run = (options: string) => connector.run(`import balances ${path} ${options}`);
    const path = await fileOf('moved.csv', 'customer,points', `${ids[0]},10`);
    expect(await run('--yes')).toMatchObject({ code: 0 });
    await fileOf('moved.csv', 'customer,points', `${ids[0]},10`, `${ids[1]},50`);
    expect(await run('--yes')).toMatchObject({ code: 0 });
    expect(gained()).toEqual([10, 50]);
    await fileOf('moved.csv', 'customer,points', `${ids[0]},25`, `${ids[1]},50`);
    for (const option of ['--check', '--yes']) {
      const { code, stdout } = await run(option);
      expect(stdout).toMatch(/^line 2 +10 were given under this name, the file says 25$/m);
      expect(stdout).toContain('1 row with another amount than was given, or gone.');
      expect(code).toBe(1);
    }
    expect(gained()).toEqual([10, 50]);
    await fileOf('moved.csv', 'customer,points', `${ids[1]},50`);
    for (const option of ['--check', '--yes']) {
      const { code, stdout } = await run(option);
      expect(stdout).toMatch(new RegExp(`^not in it +customer ${ids[0]}: 10 were given$`, 'm'));
      expect(code).toBe(1);
    }
    expect((await run('--yes')).stdout).toMatch(/^Given +60 points, in 2 rows$/m);
    expect(await run('--undo --yes')).toMatchObject({
      ...{ code: 0, stdout: expect.stringMatching(/^Taken back +60 points, in 2 rows$/m) },
    });
    expect(gained()).toEqual([0, 0]);
  });

  it('ends with 1 and names the lines that the service refuses', async () => {
    const path = await fileOf('more.csv', 'customer;cashback', `${ids[0]};2,50`, `${ids[1]};1`);
    await connector.run(`import balances ${path} --yes --name more`);
    const { address: baseUrl, credentials } = connector.loyalty;
    const service = createLoyaltyClient({ baseUrl, credentials });
    await service.changeCustomerStatus(ids[1] ?? '', { IsEnabled: false, Reason: 'left' });
    const { code, stdout } = await connector.run(
      `import balances ${path} --undo --yes --name more`,
    );
    expect(stdout).toMatch(/^line 3 +error 69 /m);
    expect(stdout).toContain('1 row refused, 0 not reached.');
    expect(code).toBe(1);
  });

  it('creates a customer whom only the store knows, and says so before', async () => {
    const email = 'zsofia.balogh@example.org';
    connector.confidential.addPersonal({ customers: [{ email }] });
    const { id } = connector.store.actions.createCustomer({ firstName: 'Zsofia', email });
    const path = await fileOf('new.csv', 'email,points', `${FIRST},5`, `${email},30`);
    const isHeld = () =>
      connector.loyalty.state().customers.some(({ OriginalId }) => OriginalId === id);
    const checked = await connector.run(`import balances ${path} --check`);
    const shown = await connector.run(`import balances ${path}`);
    for (const one of [checked, shown]) {
      expect(one.stdout).toMatch(/^Would create +1 customer of the store in the loyalty service$/m);
      expect(one.code).toBe(0);
    }
    expect(shown.stdout).toMatch(/^Changes +3, in about/m);
    expect(isHeld()).toBe(false);
    const { code, stdout } = await connector.run(`import balances ${path} --yes`);
    expect(stdout).toMatch(/^Created +1 customer of the store in the loyalty service$/m);
    expect(stdout).toMatch(/^Given +35 points, in 2 rows$/m);
    expect(code).toBe(0);
    expect(isHeld()).toBe(true);
    expect(pointsOf(id)).toBe(30);
    const unknown = await fileOf('unknown.csv', 'customer,points', '999999999,5');
    const faulty = await connector.run(`import balances ${unknown} --yes`);
    expect(faulty.stdout).toMatch(
      /^line 2 +neither the loyalty service nor the store knows the customer$/m,
    );
    expect(faulty.code).toBe(2);
  });

  it('is recorded, without who is in the file', async () => {
    const { stdout } = await connector.run('history --json');
    const own = dataOf(stdout).changes.filter(
      ({ command }: { command: string }) => command === 'import balances',
    );
    expect(own.at(-1)).toMatchObject({ end: { result: 'finished', counts: { rows: 2 } } });
    expect(own).toHaveLength(8);
  });
});
