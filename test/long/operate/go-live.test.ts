import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changeControl } from '../../../shared/core/calls/shop-pause.ts';
import { placeOrder, SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();
const sent = () =>
  connector.loyalty.journal.entries().filter(({ operation }) => operation === 'sendOrder');

it('a shop that was observed sends nothing until go-live, and then what is absent, once', async () => {
  const observing = Date.now() - 3_600_000;
  await changeControl(connector.ledger, SHOP, (one) => ({ ...one, observing }));
  const id = await placeOrder(connector);
  await connector.work();
  const { code: needs, stdout: status } = await connector.run('status');
  expect(status).toContain('waits for go-live: observed since');
  expect(status).toContain(`npx loyalty-connector go-live --shop ${SHOP} --no-other`);
  expect(needs).toBe(1);
  const { stdout: resumed } = await connector.run('resume');
  expect(resumed).toContain('waits for go-live');

  const file = join(connector.folder, 'compared.csv');
  const compared = await connector.run(`compare orders --since 1h --csv ${file}`);
  expect(compared.stdout).toContain('absent: the service does not have it');
  expect(compared.stdout).toContain('planned 50.00, held 0.00, difference −50.00');
  expect(compared.code).toBe(3);
  expect(readFileSync(file, 'utf8')).toMatch(
    new RegExp(`^${id},#\\d+,50.00,,,,absent,-50.00$`, 'm'),
  );
  const { stdout: traced } = await connector.run(`trace order ${id}`);
  expect(traced).toContain('only being observed');
  expect(traced).toMatch(/In the\s+service: absent/);

  const preview = await connector.run('go-live --no-other');
  expect(preview.stdout).toContain('Nothing is done before you agree.');
  expect(preview.code).toBe(0);
  expect(sent()).toEqual([]);

  const { code, stdout } = await connector.atWork(connector.run('go-live --no-other --yes'));
  expect(stdout).toContain('went live in');
  expect(code).toBe(0);
  expect(sent()).toHaveLength(1);
  expect((await connector.run('history')).stdout).toMatch(/go-live .*: done/);
  expect((await connector.run('compare orders --since 1h')).code).toBe(0);
  // May be repeated: whoever was interrupted is told what was found.
  const again = await connector.atWork(connector.run('go-live --no-other --yes'));
  expect(again.stdout).toContain('can be compared again');
  expect(again.code).toBe(0);
  expect(sent()).toHaveLength(1);
});
