import { beforeAll, expect, it } from 'vitest';
import { BEFORE_ALL_FIXTURES } from '../../fixtures/order-payload.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { addSetting } from '../../support/project.ts';
import { runSuggested } from '../../support/suggested-command.ts';

const connector = useOperatedConnector();

beforeAll(() => {
  // A change of the last quarter of an hour is left to its webhook.
  connector.store.advanceClock(-20 * 60);
  // The store's orders are older than the ledger of this test.
  addSetting(connector.folder, `rules: { goLive: '${BEFORE_ALL_FIXTURES}' }`);
});

let customers = 0;

function placeOrder(): string {
  const { actions } = connector.store;
  customers += 1;
  const email = `ilse-${customers}@example.org`;
  const { id: customerId } = actions.createCustomer({ firstName: 'Ilse', email });
  const lines = [{ title: 'Shirt', price: 9 }];
  const { id } = actions.placeOrder({ lines, customerId, payment: 'paid' });
  actions.fulfilOrder({ orderId: id });
  return id;
}

it('sends an order whose webhook was lost, then says that both sides are in sync', async () => {
  const ids = [placeOrder(), placeOrder(), placeOrder()];
  const lost = await connector.run(`trace order ${ids[0]}`);
  expect(lost.stdout).toContain('No webhook of it came');
  const found = await connector.run(`reconcile --shop ${SHOP}`);
  expect(found.stdout).toContain('Compared: 3 orders. Sent again');
  expect(found.code).toBe(3);
  const status = await connector.run('reconcile status');
  expect(status.stdout.match(/order #\d+ +no webhook of it was settled/g)).toHaveLength(3);
  await connector.work();
  const traced = await connector.run(`trace order ${ids[0]}`);
  expect(traced.stdout).toContain('WELL');
  expect(traced.stdout).toMatch(/its\s+webhook\s+was\s+lost/);

  const again = await connector.run('reconcile');
  expect(again.stdout).toMatch(
    /Store and ledger agree: 3 orders, compared just now\.\s+The\s+loyalty\s+service\s+was\s+not\s+asked\./,
  );
  expect(again.code).toBe(0);
  const deep = await connector.run(`reconcile --deep --shop ${SHOP}`);
  expect(deep.stdout).toMatch(
    /Store and ledger agree: \d+ orders, each counted as often as it was/,
  );
  expect(deep.code).toBe(0);
});

it('keeps the runs and what they sent, as values too', async () => {
  const { stdout, code } = await connector.run('reconcile status --json');
  const [{ shop, runs }] = JSON.parse(stdout).data.shops;
  expect(shop).toBe(SHOP);
  expect(runs.length).toBeGreaterThan(2);
  expect(runs.at(-1).sent[0]).toMatchObject({ kind: 'order', why: 'missing' });
  expect(runs[0].sent).toEqual([]);
  expect(code).toBe(0);
});

it('says that it could not compare, with what to do next', async () => {
  connector.store.faults.add({ kind: 'unauthorized' });
  const stopped = await connector.run('reconcile');
  expect(stopped.stdout).toContain('Not everything was compared (orders: ');
  expect(stopped.code).toBe(4);
  const [status] = await runSuggested(stopped, connector);
  expect(status?.line).toContain('status');
  connector.store.faults.clear();
});

it('refuses a shop that the settings do not have', async () => {
  const { code, stderr } = await connector.run('reconcile --shop nowhere');
  expect(stderr).toContain('the settings have no shop "nowhere"');
  expect(code).toBe(2);
});
