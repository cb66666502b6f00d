import { expect, it } from 'vitest';
import { changeControl } from '../../../shared/core/calls/shop-pause.ts';
import { runConnectors, SHOP } from '../../support/running-connector.ts';
import { openProgram } from '../../support/running-program.ts';

const connectors = runConnectors();

/** Only then is the store asked whether an order has used the code, or an account has the credit. */
it.each([
  ['is certain', undefined, false],
  ['was lost', { since: 0, until: 1 }, true],
  ['was lost, and all of it has been compared', { since: 0, until: 1, comparedAt: 2 }, false],
])('a click may have redeemed before where the ledger %s', async (_, doubt, tried) => {
  const { connector, one, shopper, click } = await openProgram(connectors, {
    shops: [{ domain: SHOP }],
  });
  const robin = await shopper('Robin');
  const { ledger } = connector.deployment;
  await changeControl(ledger, SHOP, (control) => ({ ...control, ...(doubt && { doubt }) }));
  const { status } = await one.proxy(robin, 'redeem', {}, { body: click(1) });
  expect(status).toBe(200);
  expect((await connector.ledgerText()).includes(String.raw`\"tried\":true`)).toBe(tried);
});
