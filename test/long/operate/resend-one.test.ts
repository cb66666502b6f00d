import { beforeAll, describe, expect, it } from 'vitest';
import { useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();
const email = 'orsolya@example.org';

beforeAll(() => {
  connector.confidential.addPersonal({
    customer: { first_name: 'Orsolya', last_name: 'Veracruz', email },
  });
});

const placeOrder = () => connector.sell({ firstName: 'Orsolya', lastName: 'Veracruz', email });

const callsOf = (id: string) =>
  connector.loyalty.journal
    .entries()
    .filter(
      ({ operation, ...entry }) => operation === 'sendOrder' && JSON.stringify(entry).includes(id),
    );

const runAtWork = (line: string) => connector.atWork(connector.run(line));

describe('resend of one order', () => {
  it('shows both sides without the person, and sends nothing without consent', async () => {
    const { id, number } = placeOrder();
    const { code, stdout } = await connector.run(`resend order ${number}`);
    expect(stdout).toContain('Not sent yet.');
    expect(stdout).toMatch(/^amount that counts +50.00 +not sent +does not have it +differs/m);
    expect(stdout).not.toContain(email);
    expect(code).toBe(0);
    const asked = await connector.run(`resend order ${id} --json`);
    expect(JSON.parse(asked.stdout).data).toMatchObject({ id, wouldSend: true, sent: 0 });
    expect(asked.code).toBe(0);
    const two = await connector.run(`resend order ${id} ${placeOrder().id}`);
    expect(two.stdout).toMatch(/^Send orders #\d+, #\d+ of /);
    connector.store.actions.createProduct({ title: 'Beanie', price: 12 });
    const product = await connector.run('resend product beanie');
    expect(product.stdout).toMatch(/^Send product Beanie of /);
    expect(await connector.queues.waiting()).toBe(0);
  });

  it('follows it to its outcome, and sends nothing twice unless it is forced', async () => {
    const { id } = placeOrder();
    const sent = await runAtWork(`resend order ${id} --yes --wait --json`);
    expect(JSON.parse(sent.stdout).data).toMatchObject({ sent: 1, outcomes: { applied: 1 } });
    expect(sent.code).toBe(0);
    expect(callsOf(id)).toHaveLength(1);
    const points = () => connector.loyalty.state().customers.map((customer) => customer.points);
    const before = points();
    expect(before).toContain(50);

    const again = await runAtWork(`resend order ${id} --yes --wait`);
    expect(again.stdout).toContain('Nothing to send. Both sides were read just now');
    expect(again.code).toBe(0);
    expect(callsOf(id)).toHaveLength(1);

    const forced = await runAtWork(`resend order ${id} --yes --wait --force`);
    expect(forced.stdout).toContain('Done: 1 delivered.');
    expect(callsOf(id)).toHaveLength(2);
    expect(points()).toEqual(before);

    const { stdout } = await connector.run('history --command resend --json');
    const recorded = { arguments: { kind: 'order', id }, end: { counts: { sent: 1 } } };
    expect(JSON.parse(stdout).data.changes).toMatchObject([recorded, recorded]);
  });

  it('says that there is nothing to send of what does not exist, and ends with 1', async () => {
    const { code, stdout } = await connector.run('resend order 5512300000009 --yes --wait');
    expect(stdout).toContain('neither the store nor the ledger has it');
    expect(code).toBe(1);
  });

  it('names --force where the service lost what was sent before', async () => {
    const { id } = placeOrder();
    await runAtWork(`resend order ${id} --yes --wait`);
    connector.loyalty.faults.add({ operation: 'getOrder', kind: 'business-error', code: 37 });
    const { code, stdout } = await connector.run(`resend order ${id} --yes --wait`);
    connector.loyalty.faults.clear();
    expect(stdout).toMatch(/The loyalty\s+service\s+does not have it, though it was sent/);
    expect(stdout).toMatch(new RegExp(`resend order ${id} .*--wait --yes --force`));
    expect(code).toBe(1);
  });

  it('waits for no pause, which only a person ends: it names the command that does', async () => {
    const { id } = placeOrder();
    await connector.run('pause --because stocktaking --yes');
    const { code, stdout } = await connector.run(`resend order ${id} --yes --wait`);
    expect(stdout).toContain('because: stocktaking');
    expect(stdout).toContain('npx loyalty-connector resume --shop');
    expect(code).toBe(3);
    await connector.run('resume');
    await connector.work();
    expect(callsOf(id)).toHaveLength(1);
  });
});
