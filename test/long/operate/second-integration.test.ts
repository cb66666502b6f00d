import { beforeAll, expect, it } from 'vitest';
import { changeControl } from '../../../shared/core/calls/shop-pause.ts';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';

/* Going live beside an integration that sends by the public API: what the preview says is what happens. */

const HOUR_MS = 3_600_000;
const started = Date.now();
const moment = (hoursAgo: number) => new Date(started - hoursAgo * HOUR_MS).toISOString();
const connector = useOperatedConnector({ rules: { goLive: moment(12) } });
const OFF = `--other-off-since ${moment(12)} --from ${moment(12)}`;

interface Sold {
  readonly id: string;
  readonly number: number;
  readonly customerId: string;
}

/** An order of its own customer, placed then; the store's clock goes on from there. */
function place(hoursAgo: number, price: number, name: string): Sold {
  const { store } = connector;
  const ahead = store.rows.counters.get('clock ms') ?? 0;
  store.advanceClock((started - hoursAgo * HOUR_MS - (Date.now() + ahead)) / 1_000);
  const { id: customerId } = store.actions.createCustomer({
    ...{ firstName: name, email: `${name}@example.org` },
  });
  const lines = [{ title: 'Shirt', price, quantity: 2 }];
  const { id, number } = store.actions.placeOrder({
    ...{ customerId, lines, payment: 'paid', taxes: [] },
  });
  return { id, number, customerId };
}

function sell(...given: Parameters<typeof place>): Sold {
  const sold = place(...given);
  connector.store.actions.fulfilOrder({ orderId: sold.id });
  return sold;
}

function giveBack({ id }: Sold): void {
  const [line] = connector.store.rows.orders.get(id)?.lines ?? [];
  const lines = [{ lineId: line?.id ?? '', quantity: 1 }];
  connector.store.actions.refundOrder({ orderId: id, lines });
}

/** As another system would: by the same API, without a mark of its own. */
function otherSends({ id, customerId }: Sold, OrderTotal: number, OriginalId: string): void {
  const { processedAt } = connector.store.rows.orders.get(id) ?? {};
  const { email, firstName } = connector.store.rows.customers.get(customerId) ?? {};
  const answer = connector.loyalty.integrate({
    operation: 'sendOrder',
    body: {
      ...{ OriginalId, OrderPlacementDate: processedAt, OrderCompletedDate: processedAt },
      ...{ IsCompleted: true, OrderTotal, Origin: 5 },
      Customer: { OriginalId: customerId, Name: firstName, Email: email },
    },
  });
  expect(answer).not.toMatchObject({ HasError: true });
}

async function otherTakes(id: string, ValueToRefund: number): Promise<void> {
  const { address: baseUrl, credentials } = connector.loyalty;
  const service = createLoyaltyClient({ baseUrl, credentials });
  const body = { ValueToRefund, CancelKey: `theirs-${id}` };
  expect((await service.partiallyCancelPosOrder(id, body)).kind).toBe('success');
}

function otherCancels(id: string): void {
  const body = { OrderCancelledDate: moment(1), OrderStatus: 'cancelled' };
  connector.loyalty.integrate({ operation: 'cancelOrder', id, body });
}

const points = () => {
  const held = new Map(
    connector.loyalty.state().customers.map((one) => [one.OriginalId, one.points]),
  );
  return Object.fromEntries(
    Object.entries(sold).map(([name, { customerId }]) => [name, held.get(customerId) ?? 0]),
  );
};

const sold: Record<string, Sold> = {};
const of = (name: string): Sold => sold[name] ?? { id: '', number: 0, customerId: '' };

beforeAll(async () => {
  const observing = started - 24 * HOUR_MS;
  await changeControl(connector.ledger, SHOP, (one) => ({ ...one, observing }));
  for (const name of ['plain', 'named', 'own', 'took', 'forgot', 'nobody']) {
    sold[name] = sell(20, 30, name);
  }
  sold.late = place(20, 30, 'late');
  for (const name of ['plain', 'named', 'took', 'forgot']) otherSends(of(name), 60, nameOf(name));
  otherSends(of('own'), 60, of('own').id);
  giveBack(of('took'));
  giveBack(of('forgot'));
  await otherTakes(nameOf('took'), 30);
  // After it was off.
  sold.ours = sell(10, 40, 'ours');
  giveBack(of('named'));
  connector.store.actions.cancelOrder({ orderId: of('own').id });
  connector.store.actions.fulfilOrder({ orderId: of('late').id });
});

const nameOf = (name: string) => `#${of(name).number}`;

interface Order {
  readonly name: string;
  readonly verdict: string;
  readonly would?: { readonly call: string; readonly amount?: number };
}

/** What the preview says, by the name of the story. */
async function preview(words: string) {
  const { code, stdout } = await connector.run(`go-live ${words} --json`);
  const { data, verdict } = JSON.parse(stdout);
  const found = new Map((data.orders as Order[]).map((one) => [one.name, one]));
  const said = Object.keys(sold).map((name) => {
    const { verdict, would } = found.get(nameOf(name)) ?? {};
    return [name, would ? `${would.call} ${(would.amount ?? 0) / 1_000}` : verdict];
  });
  return { code, verdict, said: Object.fromEntries(said) };
}

it('goes not live while the service may have an order under an id that the settings do not name', async () => {
  otherSends(of('ours'), 80, 'A-1');
  const { code, said, verdict } = await preview(`${OFF} --yes`);
  expect(code).toBe(1);
  expect(said.ours).toBe('send 80');
  expect(verdict.what).toContain(nameOf('ours'));
  expect(verdict.what).toContain('otherOrderIds');
  otherCancels('A-1');
});

it('goes not live while the service has an order of since then that is not ours, of any origin', async () => {
  const late = sell(9, 50, 'on');
  otherSends(late, 100, `#${late.number}`);
  const { code, verdict } = await preview(`${OFF} --yes`);
  expect(code).toBe(1);
  expect(verdict.what).toContain(`1 that we did not send: #${late.number}.`);
  expect(points()).toMatchObject({ named: 60, ours: 0 });
  // It was still on then: the moment was too early.
  sold.on = late;
});

it('previews every call, with amounts, and makes exactly these', async () => {
  sold.hidden = sell(9, 25, 'hidden');
  otherSends(of('hidden'), 50, 'A-2');
  const before = points();
  const { code, said } = await preview(`${OFF} --although`);
  expect(code).toBe(0);
  expect(said).toEqual({
    ...{ plain: 'same', named: 'take 30', own: 'cancel 60', forgot: 'other amount' },
    // Its points say that the other one took it back.
    ...{ took: 'same', nobody: 'not counted by us', late: 'send 60', ours: 'send 80', on: 'same' },
    hidden: 'send 50',
  });
  expect(points()).toEqual(before);
  const { stdout } = await connector.atWork(connector.run(`go-live ${OFF} --although --yes`));
  expect(stdout).toContain('went live in');
  expect(points()).toEqual({
    ...{ plain: 60, named: 30, own: 0, forgot: 60, took: 30 },
    ...{ nobody: 0, late: 60, ours: 80, on: 100, hidden: 100 },
  });
  expect(stdout).toContain('perhaps twice');
  expect(stdout).toContain(nameOf('hidden'));
  const { stdout: traced } = await connector.run(`trace ${of('forgot').number}`);
  expect(traced).not.toMatch(/unknown/i);
});

// It had forgotten which orders the preview could not match, and said that all is well.
it('goes on where it was killed, and names the orders again that the preview could not match', async () => {
  await changeControl(connector.ledger, SHOP, ({ doubt, ...one }) => {
    const { comparedAt: _, ...open } = doubt ?? { since: 0, until: 0 };
    return { ...one, doubt: open };
  });
  const asked = await connector.run(`go-live ${OFF} --although`);
  expect(asked.stdout.replace(/\s+/g, ' ')).toContain('Not everything was compared yet.');
  const { stdout, code } = await connector.atWork(connector.run(`go-live ${OFF} --yes`));
  expect(code).toBe(1);
  expect(stdout).toContain('perhaps twice');
  expect(stdout).toContain(nameOf('hidden'));
});

it('names, afterwards, every order that counts twice', async () => {
  otherSends(of('late'), 60, nameOf('late'));
  const { stdout, code } = await connector.run('compare orders --since 1d');
  expect(stdout).toContain('twice');
  expect(stdout).toContain(nameOf('late'));
  expect(code).toBe(1);
});
