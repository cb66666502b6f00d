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
  expect(lost.stdout).toMatch(/No\s+webhook\s+of\s+it\s+was\s+accepted/);
  const found = await connector.run(`reconcile --shop ${SHOP}`);
  expect(found.stdout).toMatch(/Sent again: 3; the workers go on with them\.\s+Compared\s+up\s+to/);
  expect(found.code).toBe(3);
  const lines = async () => (await connector.run('reconcile status')).stdout;
  expect((await lines()).match(/#\d+ +no webhook of it came +on its way/g)).toHaveLength(3);
  await connector.work();
  expect((await lines()).match(/#\d+ +no webhook of it came +arrived/g)).toHaveLength(3);
  expect(await lines()).toContain('Compare now');
  const traced = await connector.run(`trace order ${ids[0]}`);
  expect(traced.stdout).toContain('WELL');
  expect(traced.stdout).toMatch(/its\s+webhook\s+was\s+lost/);

  const again = await connector.run('reconcile');
  expect(again.stdout).toMatch(
    /Store and ledger agree up to .* UTC;\s+the\s+loyalty\s+service\s+was/,
  );
  expect(again.stdout).not.toContain('Compare now');
  expect(again.code).toBe(0);
  const deep = await connector.run(`reconcile --deep --shop ${SHOP}`);
  expect(deep.stdout).toMatch(/agree up to .* UTC;\s+the\s+loyalty\s+service\s+holds\s+3\s+orders/);
  expect(deep.stdout).not.toContain('everything');
  expect(deep.code).toBe(0);
});

it('says that it could not compare, with what to do next', async () => {
  connector.store.faults.add({ kind: 'unauthorized' });
  const stopped = await connector.run('reconcile');
  expect(stopped.stdout).toContain('Not everything was compared: ');
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
