import { beforeEach, describe, expect, it } from 'vitest';
import { amountHeld } from '../../../local/harness/held-order.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { orderAt, storeOrderOf } from '../../fixtures/order-life.ts';
import { buildOrder } from '../../fixtures/order-payload.ts';
import { type LineSpec, lineOf, simpleOrder } from '../../fixtures/order-spec.ts';
import { personalFields, persons } from '../../fixtures/persons.ts';
import { refusal } from '../../fixtures/service-answers.ts';
import { storeOrder } from '../../fixtures/store-entities.ts';
import { changeOrder, sendEvent } from '../../support/change-order.ts';
import { withoutRecords } from '../../support/dying-worker.ts';
import { openConnector, SHOP } from '../../support/in-process-connector.ts';
import { openWebhookConnector, type WebhookConnector } from '../../support/webhook-connector.ts';

// A worker that dies between its call and the record leaves only what it marked before the call.

type Connector = ReturnType<typeof openConnector>;
const ID = '5512345678901';
const KEY = { shop: SHOP, kind: 'order', id: ID } as const;
const { quillane, ...others } = persons;
const [other = quillane] = Object.values(others);
const shipped = { fulfilledAfterDays: 1 };
const worth = (current_subtotal_price: string) => ({ current_subtotal_price });
const entryOf = ({ ledger }: Connector) => ledger.entries.get(ledgerKeyText(KEY));
const operations = ({ loyalty }: Connector) => loyalty.journal.map(({ operation }) => operation);

/** The worker's next call has its effect, and the worker dies over it. */
async function dieAtCall(connector: Connector): Promise<void> {
  connector.loyalty.world.interfere = (_, pass) => {
    pass();
    return new Promise<never>(() => {});
  };
  void connector.work('orders');
  for (let turn = 0; turn < 40; turn += 1) await new Promise(setImmediate);
  connector.loyalty.world.interfere = undefined;
}

describe('a worker that dies over the first send of a completed order', () => {
  it('leaves whose order it is, by which rules it was counted, and when it expires', async () => {
    const connector = openConnector({ rules: { goLive: '2026-10-06' } });
    const payload = orderAt(1, shipped);
    connector.store.putOrder(SHOP, storeOrderOf(payload));
    await sendEvent(connector, KEY, { topic: 'backfill/order', history: true });
    await dieAtCall(connector);
    const entry = entryOf(connector);
    expect(entry).toMatchObject({
      ...{ uncertain: true, history: true, rules: expect.any(String) },
      ...{ expiresAt: expect.any(Number), service: { total: 50_000, taken: 0 } },
    });
    expect(entry?.remembered).toContain(String(quillane.id));
  });

  it('leaves the customer who may have earned, also where a pending order named another', async () => {
    const connector = openConnector();
    await changeOrder(connector, 1, {}, {}, other);
    await connector.drain();
    expect(entryOf(connector)?.remembered).toContain(String(other.id));
    await changeOrder(connector, 2, shipped, {}, quillane);
    await dieAtCall(connector);
    expect(entryOf(connector)).toMatchObject({ uncertain: true });
    expect(entryOf(connector)?.service?.completedAt).toBeDefined();
    expect(entryOf(connector)?.remembered).toContain(String(quillane.id));
  });
});

describe('a worker that dies over a change of a completed order', () => {
  it('leaves what it sent, although another died before it', async () => {
    const connector = openConnector();
    await changeOrder(connector, 1, shipped);
    await dieAtCall(connector);
    connector.clock.ms += 31_000; // the visibility is over
    await changeOrder(connector, 2, shipped, worth('90.00'));
    await dieAtCall(connector);
    expect(entryOf(connector)).toMatchObject({
      uncertain: true,
      service: { total: 90_000 },
    });
  });

  it.each([
    ['completed', shipped],
    ['pending', {}],
  ])('leaves of an applied state what it was, besides the amounts: %s', async (_, spec) => {
    const connector = openConnector();
    await changeOrder(connector, 1, spec);
    await connector.drain();
    const { remembered, appliedKey } = entryOf(connector) ?? {};
    await changeOrder(connector, 2, spec, worth('90.00'));
    await dieAtCall(connector);
    expect(entryOf(connector)).toMatchObject({ uncertain: true, remembered, appliedKey });
  });
});

describe('a worker that dies over a first send', () => {
  /** The call has its effect, and only the mark is written. */
  async function dieUnrecorded(connector: Connector, family: 'orders' | 'products') {
    const { ledger } = connector;
    connector.parts.ledger = withoutRecords(ledger);
    await connector.work(family);
    connector.parts.ledger = ledger;
  }
  const noCustomer = { customer: null, email: null };

  it('leaves the customer of a pending order to the next event, which does not name one', async () => {
    const connector = openConnector();
    await changeOrder(connector, 1);
    await dieUnrecorded(connector, 'orders');
    expect(operations(connector)).toEqual(['sendOrder']);
    await changeOrder(connector, 2, {}, { ...noCustomer, ...worth('20.00') });
    await connector.drain();
    expect(connector.loyalty.journal.at(-1)?.body).toMatchObject({
      OrderTotal: 20,
      Customer: { OriginalId: String(quillane.id) },
    });
  });

  it.each([
    ['completed', shipped],
    ['pending', {}],
  ])('sent nothing where it could not mark: %s', async (_, spec) => {
    const connector = openConnector();
    const { ledger } = connector;
    await changeOrder(connector, 1, spec);
    connector.parts.ledger = { ...ledger, write: () => Promise.reject(new Error('dead')) };
    await connector.work('orders');
    connector.parts.ledger = ledger;
    expect(operations(connector)).toEqual([]);
    await changeOrder(connector, 2, spec, noCustomer);
    await connector.drain();
    expect(operations(connector)).toEqual([]);
    expect(connector.telemetry.total('skipped', { why: 'guest' })).toBe(1);
    expect(connector.dead.size).toBe(0);
  });
});

describe('a question about an order', () => {
  it('is not marked: a worker that dies over it leaves the order as certain as it was', async () => {
    const connector = openConnector();
    await changeOrder(connector, 1, shipped);
    await connector.drain();
    const { service: _, revision, ...older } = entryOf(connector) ?? { revision: 0 };
    await connector.ledger.write(KEY, older as never, revision);
    await changeOrder(connector, 2, shipped, worth('90.00'));
    await dieAtCall(connector);
    expect(operations(connector)).toEqual(['sendOrder', 'getOrder']);
    expect(entryOf(connector)).toMatchObject({ uncertain: false });
  });
});

describe('an order that is cancelled after a worker died over a refund', () => {
  it('has no refund left to finish', async () => {
    const connector = openConnector();
    await changeOrder(connector, 1, shipped);
    await connector.drain();
    await changeOrder(connector, 2, shipped, worth('30.00'));
    await dieAtCall(connector);
    expect(entryOf(connector)?.service?.step).toMatchObject({ value: 20_000 });
    await changeOrder(connector, 3, { ...shipped, cancelledAfterDays: 3 });
    connector.clock.ms += 31_000;
    await connector.drain();
    expect(operations(connector)).toEqual([
      'sendOrder',
      'partiallyCancelPosOrder',
      'cancelPosOrder',
    ]);
    const { total, taken, step, ended } = entryOf(connector)?.service ?? {};
    expect({ total, taken, step, ended }).toEqual({ total: 50_000, taken: 0, ended: true });
  });
});

const fulfilled = { fulfilledAfterDays: 1 };
const cancelled = { ...fulfilled, cancelledAfterDays: 3 };

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

/** The worker dies after the call and before it records it. */
async function sendUnrecorded(): Promise<void> {
  const { ledger } = connector;
  connector.parts.ledger = withoutRecords(ledger);
  await connector.deliver({ topic: 'orders/paid', payload: orderAt(1) });
  await connector.work('orders');
  connector.parts.ledger = ledger;
}

describe('a first send that arrived and was not recorded', () => {
  it.each([
    ['cancelled', 'orders/cancelled', orderAt(2, cancelled, { customer: null })],
    ['deleted', 'orders/delete', { id: Number(ID) }],
  ])(
    'still gives its points back when the order is %s without its customer',
    async (_, topic, next) => {
      connector.loseNextAnswer();
      await connector.deliver({ topic: 'orders/fulfilled', payload: orderAt(1, fulfilled) });
      await connector.work('orders');
      expect(connector.loyalty.rows.points.size).toBe(1);
      await connector.handle(topic, next);
      expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
      expect(connector.loyalty.rows.points.size).toBe(0);
    },
  );

  it('is cancelled after it was deleted where the service refuses the cancel call, without an old address', async () => {
    connector = openWebhookConnector({ service: { error13: 'cancel-completed' } });
    await connector.handle('orders/fulfilled', orderAt(1, fulfilled));
    const [customer] = connector.loyalty.rows.customers.values();
    if (!customer) throw new Error('no customer');
    const Email = 'new@example.org';
    connector.loyalty.rows.customers.put(customer.OriginalId, { ...customer, Email });
    await connector.handle('orders/delete', { id: Number(ID) });
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ IsCancelledOrReturned: true });
    expect(connector.loyalty.rows.customers.get(customer.OriginalId)).toMatchObject({ Email });
    expect(connector.entry('order', ID)?.remembered).toBeUndefined();
  });

  it('is forgotten with its customer when it is cancelled first and deleted later', async () => {
    await connector.deliver({ topic: 'orders/fulfilled', payload: orderAt(1, fulfilled) });
    await connector.handle('orders/cancelled', orderAt(2, cancelled));
    await connector.handle('orders/delete', { id: Number(ID) });
    const entry = connector.entry('order', ID);
    expect(entry?.outcomes.at(-1)?.outcome).toBe('unchanged');
    expect(entry?.remembered).toBeUndefined();
  });

  it('is still corrected after such a crash, a refused repetition and the loss of its customer', async () => {
    await sendUnrecorded();
    connector.loyalty.world.interfere = () => refusal(30);
    await connector.drain();
    expect(connector.deadLetters()).toHaveLength(1);
    connector.loyalty.world.interfere = undefined;
    const lines = [lineOf(2000)];
    await connector.handle('orders/updated', orderAt(2, { lines }, { customer: null }));
    expect(connector.loyalty.rows.orders.get(ID)).toMatchObject({ OrderTotal: 20 });
  });
});

const line = lineOf(1000, { quantity: 5 });

interface Moment {
  readonly lines: readonly LineSpec[];
  readonly changes?: object;
}

/** Refunds, an edit that raises the amount, another change beside a refund, then the end. */
const life: readonly Moment[] = [
  { lines: [line] },
  { lines: [{ ...line, takenBack: 1 }] },
  {
    lines: [
      { ...line, takenBack: 1 },
      { ...line, product: 2, quantity: 2 },
    ],
  },
  {
    lines: [
      { ...line, takenBack: 2 },
      { ...line, product: 2, quantity: 2 },
    ],
    changes: personalFields(persons.quillane),
  },
];

const specOf = (second: number) => {
  const { lines, changes } = life[second] ?? { lines: [] };
  const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
  return [
    { ...simpleOrder, fulfilledAfterDays: 1, lines },
    { updated_at, ...changes },
  ] as const;
};

/** Lives the order's life; the worker dies before or after the effect of this number. */
async function live(diesAt: number, before: boolean) {
  const assumptions = { raiseAfterPartialCancel: 'send-gross' } as const;
  const connector = openConnector({ assumptions });
  const { ledger } = connector;
  let effects = 0;
  const orDie = async <Value>(effect: () => Promise<Value> | Value): Promise<Value> => {
    effects += 1;
    const dies = effects === diesAt;
    if (dies && before) return new Promise<never>(() => {});
    const value = await effect();
    return dies ? new Promise<never>(() => {}) : value;
  };
  const write: Ledger['write'] = (...args) => orDie(() => ledger.write(...args));
  connector.parts.ledger = { ...ledger, write };
  connector.loyalty.world.interfere = (_, pass) => orDie(pass);
  for (const second of life.keys()) {
    const [spec, changes] = specOf(second);
    connector.store.putOrder(SHOP, storeOrder(spec, changes));
    const { payload } = buildOrder(spec, changes);
    await connector.deliver({ topic: 'orders/updated', payload });
    void connector.work('orders');
    for (let turn = 0; turn < 40; turn += 1) await new Promise(setImmediate);
    // Beyond the visibility of a message whose worker died.
    connector.clock.ms += 31_000;
  }
  await connector.drain();
  const held = connector.loyalty.rows.orders.get(ID);
  const points = [...connector.loyalty.rows.points.values()].map((row) => row.pointsHundredths);
  return { effects, amount: held && amountHeld(held), points, dead: connector.dead.size };
}

describe('a worker that dies', () => {
  it('at any write or call leaves the amount and the points exact: 50 → 40 → 60 → 50', async () => {
    const { effects, ...whole } = await live(0, false);
    expect(whole).toEqual({ amount: 50, points: [5000], dead: 0 });
    expect(effects).toBeGreaterThan(10);
    for (let at = 1; at <= effects + 3; at += 1) {
      for (const before of [true, false]) {
        const { effects: _, ...ended } = await live(at, before);
        expect(ended, `dies ${before ? 'before' : 'after'} effect ${at}`).toEqual(whole);
      }
    }
  });
});
