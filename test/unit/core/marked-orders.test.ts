import { describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../local/harness/in-process-connector.ts';
import { ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { recallOrder } from '../../../shared/core/mapping/wanted-state.ts';
import { orderAt, storeOrderOf } from '../../fixtures/order-life.ts';
import { persons } from '../../fixtures/persons.ts';
import { changeOrder } from '../../support/change-order.ts';
import { withoutRecords } from '../../support/dying-worker.ts';

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
    await connector.send({
      ...{ ...KEY, claim: 'changed', origin: 'backfill', topic: 'backfill/order', history: true },
      ...{ deliveryId: 'backfill/1', body: undefined },
      receivedAt: new Date(connector.clock.ms).toISOString(),
    });
    await dieAtCall(connector);
    const entry = entryOf(connector);
    expect(entry).toMatchObject({
      ...{ uncertain: true, history: true, rules: expect.any(String) },
      ...{ expiresAt: expect.any(Number), amounts: { sent: { total: 50_000 }, taken: 0 } },
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
    expect(recallOrder(entryOf(connector)?.remembered)?.basics?.OrderCompletedDate).toBeDefined();
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
      amounts: { sent: { total: 90_000 } },
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
    const { amounts: _, revision, ...older } = entryOf(connector) ?? { revision: 0 };
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
    expect(entryOf(connector)?.amounts?.step).toMatchObject({ value: 20_000 });
    await changeOrder(connector, 3, { ...shipped, cancelledAfterDays: 3 });
    connector.clock.ms += 31_000;
    await connector.drain();
    expect(operations(connector)).toEqual([
      'sendOrder',
      'partiallyCancelPosOrder',
      'cancelPosOrder',
    ]);
    const { sent, ...rest } = entryOf(connector)?.amounts ?? {};
    expect([sent?.total, rest]).toEqual([50_000, { taken: 0 }]);
  });
});
