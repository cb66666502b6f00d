import { beforeAll, describe, expect, it } from 'vitest';
import { SHOP, tellOf, useOperatedConnector } from '../../support/operated-connector.ts';
import { letterEvent, parkLetters } from '../../support/parked-letters.ts';

const connector = useOperatedConnector();

beforeAll(async () => {
  connector.confidential.addPersonal({
    customer: { first_name: 'Orsolya', last_name: 'Veracruz', email: 'orsolya@example.org' },
  });
  connector.confidential.addPersonal({ customer: { email: 'nicanor@example.org' } });
  connector.confidential.addPersonal({ customer: { email: 'zenobia@example.org' } });
});

const placeOrder = () =>
  connector.sell({
    ...{ firstName: 'Orsolya', lastName: 'Veracruz', email: 'orsolya@example.org', price: 49.9 },
  }).id;

async function sync(kind: 'order' | 'product' | 'coupon', id: string): Promise<void> {
  await tellOf(connector, kind, id);
  await connector.work();
}

describe('loyalty-connector trace', () => {
  it('shows the life of an order in time order and that both sides agree', async () => {
    const id = placeOrder();
    await sync('order', id);
    const { code, stdout } = await connector.run(`trace order ${id} --full`);
    expect(stdout).toMatch(new RegExp(`^Order #\\d+ of ${SHOP}\n\nOK\n  Both sides were read`));
    expect(stdout).toMatch(/^amount that counts +41\.58 +41\.58 +41\.58 *$/m);
    expect(stdout).toMatch(
      / {2}Connector +sent\n +Counts for points: 41\.58; [\s\S]*Event: orders\/updated/,
    );
    expect(stdout).toMatch(/^In the store now\nPayment +paid\nFulfilment +fulfilled\n/m);
    // Without the 20 % of taxes that the store's prices include.
    expect(stdout).toMatch(/^ *49\.90 {2}goods kept, .*\n *−8\.32 {2}taxes in it\n/m);
    expect(stdout).toMatch(/^ *41\.58 {2}counts for points$/m);
    expect(stdout).toContain('"OrderTotal": 41.58');
    expect(stdout).toContain('personal data is masked');
    expect(stdout).toMatch(/the loyalty service has\s+the\s+order,\s+and\s+grants\s+\d/i);
    const times = [...stdout.matchAll(/^(\d{4}-\S+ \S+) {2}(?:Store|Connector)/gm)].map(
      ([, at]) => at,
    );
    expect(times.length).toBeGreaterThanOrEqual(2);
    expect(times).toEqual(times.toSorted());
    expect(code).toBe(0);
  });

  it('shows personal data only with its option, and records that it did', async () => {
    const id = placeOrder();
    await sync('order', id);
    const line = 'trace order orsolya@example.org --full --reveal';
    await expect(connector.run(line)).rejects.toThrow('must not be told');
    const { stdout } = await connector.run('history --json');
    expect(JSON.parse(stdout).data.changes).toMatchObject([
      {
        command: 'trace',
        // Whose data it was, without the address that was typed.
        arguments: { 2: '(an e-mail address)', reveal: 'true', shop: SHOP, kind: 'order', id },
        end: { result: 'finished', counts: { revealed: 1 } },
      },
    ]);
  });

  it('shows no personal data where that cannot be recorded', async () => {
    const id = placeOrder();
    await connector.describe({ outputs: { ...connector.outputs, LedgerTable: 'none' } });
    const { code, stdout, stderr } = await connector.run(`trace order ${id} --full --reveal`);
    await connector.describe();
    expect(stderr).toContain('No personal data is shown, because the ledger does not accept');
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });

  it('says what the store says now was never applied, and what lies dead about it', async () => {
    const id = placeOrder();
    const lost = await connector.run(`trace order ${id}`);
    expect(lost.stdout).toContain('PENDING\n');
    expect(lost.stdout).toMatch(/No event about\s+it was accepted/);
    expect(lost.stdout).toMatch(/first\s+reconcile\s+after\s+(?:\S+\s+)?\d\d:\d\d\s+UTC/);
    expect(lost.stdout).toContain('No points yet.');
    expect(lost.stdout).toContain(
      `npx loyalty-connector resend order ${id} --shop ${SHOP} --wait --yes\n`,
    );
    expect(lost.code).toBe(3);

    connector.loyalty.faults.add({
      operation: 'sendOrder',
      kind: 'business-error',
      code: 34,
    });
    await sync('order', id);
    connector.loyalty.faults.clear();
    const { code, stdout } = await connector.run(`trace order ${id} --json`);
    const { verdict, next, data } = JSON.parse(stdout);
    expect(verdict.kind).toBe('action required');
    expect(data.deadLetters).toHaveLength(1);
    const [letter] = data.deadLetters;
    expect(next[0].line).toBe(`npx loyalty-connector dead-letters show ${letter.letterId}`);
    expect(data.ledger.outcomes.at(-1).outcome).toBe('rejected');
    expect(code).toBe(1);
  });

  it('finds a dead letter without a summary, which SQS moved because every worker died on it', async () => {
    const id = placeOrder();
    const event = letterEvent({ id, receivedAt: new Date().toISOString() });
    const { sqs, queues } = connector;
    await parkLetters(sqs, queues.urls.orders.deadLetterUrl, [{ event, reason: undefined }]);
    const { stdout } = await connector.run(`trace order ${id} --json`);
    expect(JSON.parse(stdout).data.deadLetters).toMatchObject([{ reason: 'crashed' }]);
  });

  it('traces products and coupons, and says what a rule leaves out', async () => {
    const product = connector.store.actions.createProduct({ title: 'Linen shirt', price: 49.9 });
    await sync('product', product.id);
    const traced = await connector.run(`trace product ${product.id}`);
    expect(traced.stdout).toContain('Its current state was sent at');
    expect(traced.stdout).toMatch(/^price +49.9 +sent +not readable *$/m);
    expect(traced.code).toBe(0);
    connector.store.actions.updateProduct({ productId: product.id, title: 'Linen shirt, blue' });
    // Versions count in seconds: the change may fall into the same one, but its state differs.
    const changed = await connector.run(`trace product ${product.id}`);
    expect(changed.stdout).toContain('an earlier state was sent');

    connector.store.actions.createDiscount({ percentage: 10, codes: ['SUMMER10'] });
    await sync('coupon', 'SUMMER10');
    const coupon = await connector.run('trace coupon SUMMER10');
    expect(coupon.stdout).toContain('OK\n  Both sides were read just now and agree.');
    expect(coupon.stdout).toMatch(/^value +10 +sent +10 *$/m);

    const { actions } = connector.store;
    const guest = actions.placeOrder({ lines: [{ title: 'Shirt', price: 1 }] }).id;
    const skipped = await connector.run(`trace order ${guest}`);
    expect(skipped.stdout).toContain('Skipped: ordered as a guest');
    expect(skipped.code).toBe(0);
  });

  it('tells the spellings of a code that was renamed in case only apart', async () => {
    const { actions } = connector.store;
    const { id: discountId } = actions.createDiscount({ percentage: 10, codes: ['WINTER'] });
    await sync('coupon', 'WINTER');
    actions.removeCodes({ discountId, codes: ['WINTER'] });
    actions.addCodes({ discountId, codes: ['Winter'] });
    const missed = await connector.run('trace coupon WINTER');
    expect(missed.stdout).toContain('PENDING\n');
    await sync('coupon', 'WINTER');
    await connector.work();
    for (const [code, state] of [
      ['WINTER', 'over'],
      ['Winter', 'usable'],
    ]) {
      const { stdout } = await connector.run(`trace coupon ${code}`);
      expect(stdout).toMatch(new RegExp(`^state +${state} `, 'm'));
      expect(stdout).toContain('OK\n');
    }
  });

  it('finds an order by its number, its name or an e-mail address, and a customer by theirs', async () => {
    const { actions } = connector.store;
    const email = 'nicanor@example.org';
    const customer = actions.createCustomer({ firstName: 'Nicanor', lastName: 'Belisle', email });
    const place = () =>
      actions.placeOrder({ lines: [{ title: 'Shirt', price: 9 }], customerId: customer.id, email });
    const { id: earlier } = place();
    const { id, number } = place();
    const name = `#${number}`;
    for (const typed of [name, String(number), email]) {
      const { code, stdout } = await connector.run(`trace order ${typed}`);
      // A slow machine shows the progress of the search, too.
      expect(code).toBe(0);
      expect(stdout).toContain(`Order ${name} of ${SHOP}`);
      expect(stdout).toMatch(new RegExp(`^Id +${id}$`, 'm'));
    }
    const { stdout } = await connector.run(`trace customer ${email} --json`);
    const { data } = JSON.parse(stdout);
    expect(data.id).toBe(customer.id);
    expect(data.otherOrders.map((order: { id: string }) => order.id)).toEqual([id, earlier]);
  });

  it('finds what a text may mean without being given its kind, and lists it if there are several', async () => {
    const { actions } = connector.store;
    const email = 'zenobia@example.org';
    const customer = actions.createCustomer({ firstName: 'Zenobia', lastName: 'Quispe', email });
    const lines = [{ title: 'Shirt', price: 9 }];
    const { id, number } = actions.placeOrder({ lines, customerId: customer.id, email });
    const product = actions.createProduct({ title: 'Beanie', price: 12 });
    actions.createDiscount({ percentage: 10, codes: ['--AUTUMN'] });
    const traced = async (text: string) =>
      JSON.parse((await connector.run(`trace --json -- ${text}`)).stdout).data;
    for (const text of [`${number}`, `#${number}`, id, `gid://shopify/Order/${id}`]) {
      expect(await traced(text)).toMatchObject({ kind: 'order', id });
    }
    expect(await traced(email)).toMatchObject({ kind: 'member', id: customer.id });
    expect(await traced(product.id)).toMatchObject({ kind: 'product', id: product.id });
    expect(await traced('beanie')).toMatchObject({ name: 'Beanie' });
    expect(await traced('product beanie')).toMatchObject({ name: 'Beanie' });
    expect(await traced('--autumn')).toMatchObject({ kind: 'coupon', id: '--AUTUMN' });

    actions.createDiscount({ percentage: 20, codes: [`${number}`] });
    const { code, stdout } = await connector.run(`trace ${number}`);
    expect(stdout).toContain('2 matches: choose one.');
    expect(stdout).toContain(`trace order ${id} --shop ${SHOP}`);
    expect(stdout).toContain(`trace coupon ${number} --shop ${SHOP}`);
    expect(code).toBe(4);

    const unknown = await connector.run('trace somebody@example.org');
    expect(unknown.stderr).toContain('with this e-mail address in');
    expect(unknown.stderr).not.toContain('somebody');
    expect(unknown.code).toBe(1);
  });

  it.each([
    ['trace 9999', 'order, product, coupon or customer'],
    ['trace order 9999', 'order'],
    ['trace order 5512300000001', 'order'],
    ['trace customer 9999', 'customer'],
  ])('answers "%s" that nobody knows it, and how to look for it', async (line, what) => {
    const { code, stdout, stderr } = await connector.run(line);
    const typed = line.slice(line.lastIndexOf(' ') + 1);
    expect(stderr).toContain(`There is no ${what} "${typed}" in ${SHOP}.`);
    expect(stderr.includes('An order is found by its number')).toBe(what !== 'customer');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it.each([
    ['trace order #9999999', `There is no order "#9999999" in ${SHOP}.`],
    ['trace order nobody@example.org', `There is no order with this e-mail address in ${SHOP}.`],
    ['trace product Nothing', `There is no product "Nothing" in ${SHOP}.`],
    ['trace customer robin', `There is no customer "robin" in ${SHOP}.`],
    [
      'trace customer nobody@example.org',
      `There is no customer with this e-mail address in ${SHOP}.`,
    ],
  ])('answers "%s" without repeating an address', async (line, words) => {
    const { code, stderr } = await connector.run(line);
    expect(stderr.split('\n')[0]).toBe(words);
    expect(code).toBe(1);
  });
});
