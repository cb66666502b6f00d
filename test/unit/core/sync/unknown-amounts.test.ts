import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../../local/harness/held-order.ts';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import type { LoyaltyAssumptions } from '../../../../shared/config/connector-settings.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { buildOrder } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { refusal } from '../../../fixtures/service-answers.ts';
import { storeOrder } from '../../../fixtures/store-entities.ts';

const ID = '5512345678901';
const key = { shop: SHOP, kind: 'order', id: ID } as const;
const DAY_MS = 86_400_000;

type Connector = ReturnType<typeof openConnector>;

/** The fulfilled order, of which so many of ten pieces of 10.00 were refunded. */
async function change(connector: Connector, second: number, takenBack: number, changes = {}) {
  const [spec, fields] = bodyOf(connector, second, takenBack);
  connector.store.putOrder(SHOP, storeOrder(spec, { ...fields, ...changes }));
  const { payload } = buildOrder(spec, { ...fields, ...changes });
  await connector.deliver({ topic: 'orders/updated', payload });
  await connector.drain();
}

function bodyOf({ clock }: Connector, second: number, takenBack: number) {
  const updated_at = new Date(clock.ms - DAY_MS / 24 + second * 1000).toISOString();
  const line = { product: 1, priceCents: 1000, quantity: 10, discountCents: 0, takenBack };
  return [{ ...simpleOrder, fulfilledAfterDays: 1, lines: [line] }, { updated_at }] as const;
}

function held({ loyalty, dead }: Connector) {
  const order = loyalty.rows.orders.get(ID);
  const [points] = [...loyalty.rows.points.values()].map((row) => row.pointsHundredths / 100);
  return { amount: order && amountHeld(order), points, parked: dead.size };
}

const entryOf = ({ ledger }: Connector) => ledger.entries.get(ledgerKeyText(key));

const operations = ({ loyalty }: Connector) => loyalty.journal.map(({ operation }) => operation);

describe('an order whose sent amounts are not known', () => {
  async function openOlder() {
    const connector = openConnector();
    await change(connector, 1, 0);
    const entry = connector.ledger.entries.get(ledgerKeyText(key));
    if (!entry?.amounts) throw new Error('no entry');
    const { amounts: _, revision, ...older } = entry;
    await connector.ledger.write(key, older, revision);
    return connector;
  }

  it('needs no call while nothing changes', async () => {
    const connector = await openOlder();
    await change(connector, 2, 0);
    expect(operations(connector)).toEqual(['sendOrder']);
  });

  it('is read, and corrected by the difference: 100 → 70 points', async () => {
    const connector = await openOlder();
    await change(connector, 2, 3);
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 0 });
    expect(operations(connector).slice(1, 3)).toEqual(['getOrder', 'partiallyCancelPosOrder']);
    // From then on its amounts are known.
    await change(connector, 3, 5);
    expect(held(connector)).toEqual({ amount: 50, points: 50, parked: 0 });
    expect(operations(connector).filter((name) => name === 'getOrder')).toHaveLength(1);
  });

  it('is sent again if the service does not have it', async () => {
    const connector = await openOlder();
    connector.loyalty.rows.orders.delete(ID);
    await change(connector, 2, 3);
    expect(held(connector)).toMatchObject({ amount: 70, parked: 0 });
    expect(operations(connector)).toEqual(['sendOrder', 'getOrder', 'sendOrder']);
  });

  it('is read if its worker died while it completed: 100 → 70 points', async () => {
    const connector = openConnector();
    await change(connector, 1, 0, { fulfillment_status: null, fulfillments: [] });
    const pending = connector.ledger.entries.get(ledgerKeyText(key));
    await change(connector, 2, 0);
    const { revision } = connector.ledger.entries.get(ledgerKeyText(key)) ?? {};
    if (!pending || pending.amounts) throw new Error('no pending entry');
    const { revision: _, ...older } = pending;
    await connector.ledger.write(key, { ...older, uncertain: true }, revision);
    await change(connector, 3, 3);
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 0 });
    expect(operations(connector)).toContain('partiallyCancelPosOrder');
  });
});

describe('an order whose ledger entry has expired', () => {
  async function openForgetful(takenBack: number, assumptions: LoyaltyAssumptions = {}) {
    const connector = openConnector({ assumptions });
    await change(connector, 1, 0);
    if (takenBack > 0) await change(connector, 2, takenBack);
    connector.clock.ms += 401 * DAY_MS;
    connector.ledger.expire(connector.clock.ms / 1000);
    expect(connector.ledger.entries.size).toBe(0);
    return connector;
  }

  it('needs no call while the service holds its amount', async () => {
    const connector = await openForgetful(0);
    await change(connector, 3, 0);
    expect(operations(connector)).toEqual(['sendOrder', 'getOrder']);
    expect(held(connector)).toEqual({ amount: 100, points: 100, parked: 0 });
    expect(entryOf(connector)?.outcomes.at(-1)?.outcome).toBe('unchanged');
  });

  it.each([
    ['is known again where the service shows what was sent', 'as-sent', false],
    ['is known again where it shows what is left', 'less-partial-cancels', false],
    ['is known where the service had none and gets it', 'less-partial-cancels', true],
  ] as const)('%s: its amount', async (_, readTotals, isLost) => {
    const connector = await openForgetful(0, { readTotals });
    if (isLost) connector.loyalty.rows.orders.delete(ID);
    await change(connector, 3, 0);
    expect(entryOf(connector)?.appliedKey).toBeDefined();
    expect(entryOf(connector)?.amounts?.sent.total).toBe(100_000);
  });

  it('is not one that is old and still known: 100 → 70 points', async () => {
    const connector = openConnector();
    await change(connector, 1, 0);
    for (const second of [2, 3]) {
      connector.clock.ms += 300 * DAY_MS;
      connector.ledger.expire(connector.clock.ms / 1000);
      await change(connector, second, second === 3 ? 3 : 0);
    }
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 0 });
  });

  it('is for a person when the service has it as cancelled: it is not taken for sent', async () => {
    const connector = await openForgetful(0);
    const row = connector.loyalty.rows.orders.get(ID);
    if (!row) throw new Error('no order');
    connector.loyalty.rows.orders.put(ID, { ...row, IsCancelledOrReturned: true });
    await change(connector, 3, 0);
    expect(held(connector).parked).toBe(1);
  });

  it('is parked when the service holds an amount that it never had', async () => {
    const connector = await openForgetful(0);
    const row = connector.loyalty.rows.orders.get(ID);
    if (!row) throw new Error('no order');
    connector.loyalty.rows.orders.put(ID, { ...row, OrderTotal: 110 });
    await change(connector, 3, 0);
    expect(held(connector)).toMatchObject({ amount: 110, parked: 1 });
  });
});

describe('an order that is raised after a refund', () => {
  it('is for a person, and its next refund is exact all the same: 100 → 70 → 70 → 50', async () => {
    const connector = openConnector();
    await change(connector, 1, 0);
    await change(connector, 2, 3);
    await change(connector, 3, 3, { current_subtotal_price: '120.00' });
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 1 });
    await change(connector, 4, 5);
    expect(held(connector)).toEqual({ amount: 50, points: 50, parked: 1 });
    expect(operations(connector)).not.toContain('getOrder');
  });
});

describe('an order that was cancelled because its money went back', () => {
  const refunded = { financial_status: 'refunded' };
  const paidAgain = { financial_status: 'partially_refunded' };

  it('and goes on in the store is parked for a person: the service does not revive it', async () => {
    const connector = openConnector();
    await change(connector, 1, 0);
    await change(connector, 2, 0, refunded);
    await change(connector, 3, 0, paidAgain);
    expect(held(connector).parked).toBe(1);
    expect(operations(connector)).toEqual(['sendOrder', 'cancelPosOrder', 'sendOrder']);
  });

  it('is sent if the service never had it: 0 → 100 points', async () => {
    const connector = openConnector();
    await change(connector, 2, 0, refunded);
    await change(connector, 3, 0, paidAgain);
    expect(held(connector)).toEqual({ amount: 100, points: 100, parked: 0 });
  });
});

describe('an order that the service lost', () => {
  it.each([
    ['although nothing changed', false],
    ['although a request without that option waits behind it', true],
  ])('is sent again when a person asks for it, %s: 0 → 100 points', async (_, isFollowed) => {
    const connector = openConnector();
    await change(connector, 1, 0);
    connector.loyalty.rows.orders.delete(ID);
    const receivedAt = new Date(connector.clock.ms).toISOString();
    await connector.send({
      ...{ ...key, claim: 'changed', origin: 'webhook', topic: 'orders/updated', force: true },
      ...{ deliveryId: 'forced', receivedAt, body: undefined },
    });
    const refund = { id: 9, order_id: Number(ID) };
    if (isFollowed) await connector.deliver({ topic: 'refunds/create', payload: refund });
    await connector.drain();
    expect(held(connector)).toMatchObject({ amount: 100, parked: 0 });
    expect(operations(connector)).toEqual(['sendOrder', 'sendOrder']);
  });
});

describe('a call that the service refuses', () => {
  /** The next calls of the operation are refused; `arrives`: and have their effect all the same. */
  function refuse({ loyalty: { world } }: Connector, refused: string, arrives = false) {
    world.interfere = ({ operation }, pass) => {
      if (operation !== refused) return pass();
      if (arrives) pass();
      return refusal(30);
    };
  }

  it('leaves a refund to the next one, which takes it too: 100 → 100 → 50 points', async () => {
    const connector = openConnector();
    await change(connector, 1, 0);
    const before = entryOf(connector);
    refuse(connector, 'partiallyCancelPosOrder');
    await change(connector, 2, 3);
    expect(held(connector)).toEqual({ amount: 100, points: 100, parked: 1 });
    const { uncertain, appliedKey, amounts, version } = before ?? {};
    expect(entryOf(connector)).toMatchObject({ uncertain, appliedKey, version });
    expect(entryOf(connector)?.amounts).toEqual(amounts);
    connector.loyalty.world.interfere = undefined;
    await change(connector, 3, 5);
    expect(held(connector)).toEqual({ amount: 50, points: 50, parked: 1 });
    expect(connector.loyalty.journal.at(-1)?.body).toMatchObject({ CancelKey: `${ID}-50000` });
  });

  it('leaves open whether the order is cancelled: what follows is not taken for unchanged', async () => {
    const connector = openConnector();
    await change(connector, 1, 0);
    refuse(connector, 'cancelPosOrder', true);
    await change(connector, 2, 0, { financial_status: 'refunded' });
    expect(held(connector).parked).toBe(1);
    connector.loyalty.world.interfere = undefined;
    await change(connector, 3, 0);
    expect(operations(connector)).toEqual(['sendOrder', 'cancelPosOrder', 'sendOrder']);
    expect(held(connector).parked).toBe(2);
  });
});
