import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../../local/harness/held-order.ts';
import type { LoyaltyAssumptions } from '../../../../shared/config/connector-settings.ts';
import { changeControl } from '../../../../shared/core/calls/shop-pause.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { storeOrderOf } from '../../../fixtures/order-life.ts';
import { buildOrder, moneySet, paidBack } from '../../../fixtures/order-payload.ts';
import { simpleOrder } from '../../../fixtures/order-spec.ts';
import { refusal } from '../../../fixtures/service-answers.ts';
import { amount, storeProduct } from '../../../fixtures/store-entities.ts';
import { sendEvent } from '../../../support/change-order.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

const ID = '5512345678901';

type Connector = ReturnType<typeof openConnector>;

/** Pieces of 10.00 that each refund took back, the oldest first; fewer than the ten that were sold. */
type Refunds = readonly number[];

/** The fulfilled order, ten pieces of 10.00 and those that an edit added, after these refunds. */
function payloadOf({ clock }: Connector, refunds: Refunds, added = 0, changes = {}) {
  const takenBack = refunds.reduce((sum, pieces) => sum + pieces, 0);
  const piece = { priceCents: 1000, discountCents: 0 };
  const lines = [
    { ...piece, product: 1, quantity: 10, takenBack },
    ...(added > 0 ? [{ ...piece, product: 2, quantity: added, takenBack: 0 }] : []),
  ];
  const { payload } = buildOrder({ ...simpleOrder, fulfilledAfterDays: 1, lines });
  return {
    ...payload,
    updated_at: new Date(clock.ms).toISOString(),
    refunds: refunds.map((quantity, index) => ({
      created_at: new Date(Date.parse('2026-10-07T10:00:00Z') + index * 60_000).toISOString(),
      refund_line_items: [
        { line_item_id: 9000, quantity, subtotal_set: moneySet(quantity * 1000) },
      ],
    })),
    ...changes,
  };
}

/** A second later the order is so; the webhook arrives, and is worked on. */
async function change(connector: Connector, refunds: Refunds, added = 0, changes = {}) {
  connector.clock.ms += 1_000;
  const payload = payloadOf(connector, refunds, added, changes);
  connector.store.putOrder(SHOP, storeOrderOf(payload));
  await connector.deliver({ topic: 'orders/updated', payload });
  await connector.drain();
}

function held({ loyalty, dead }: Connector) {
  const order = loyalty.rows.orders.get(ID);
  const [points] = [...loyalty.rows.points.values()].map((row) => row.pointsHundredths / 100);
  return { amount: order && amountHeld(order), points, parked: dead.size };
}

const operations = ({ loyalty }: Connector) => loyalty.journal.map(({ operation }) => operation);

const copyOf = ({ ledger }: Connector) => new Map(ledger.entries);

/** What `recover` writes first. */
async function doubt({ ledger, clock }: Connector, since = 0) {
  await changeControl(ledger, SHOP, (control) => ({
    ...control,
    doubt: { since, until: clock.ms },
  }));
}

describe('a ledger that was lost', () => {
  it('costs a new order no call, and one with a refund a question', async () => {
    const connector = openConnector();
    await change(connector, []);
    expect(operations(connector)).toEqual(['sendOrder']);
    const refunded = openConnector();
    await change(refunded, [3]);
    expect(operations(refunded)).toEqual(['getOrder', 'sendOrder']);
    expect(held(refunded)).toEqual({ amount: 70, points: 70, parked: 0 });
  });

  it('asks for an order again that was refunded before it was complete', async () => {
    const connector = openConnector();
    await change(connector, [], 0, { fulfillment_status: null, fulfillments: [] });
    const copy = copyOf(connector);
    await change(connector, []);
    await change(connector, [3]);
    connector.ledger.restore(copy);
    await change(connector, [3]);
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 0 });
  });

  it('asks the store before it believes an event that is late', async () => {
    const connector = openConnector();
    await change(connector, []);
    const late = payloadOf(connector, [3]);
    await change(connector, [3]);
    await change(connector, [3, 2]);
    connector.ledger.restore();
    await connector.deliver({ topic: 'orders/updated', payload: late });
    await connector.drain();
    expect(held(connector)).toEqual({ amount: 50, points: 50, parked: 0 });
  });

  it('asks the store before it believes an old event about a product that it has forgotten', async () => {
    const connector = openConnector();
    const updatedAt = new Date(connector.clock.ms).toISOString();
    connector.store.putProduct(SHOP, storeProduct({ id: '8', price: amount('7'), updatedAt }));
    connector.clock.ms += 1_000;
    await doubt(connector);
    const before = new Date(connector.clock.ms - 2_000).toISOString();
    const old = { id: 8, title: 'Shirt', updated_at: before, status: 'active' };
    const payload = { ...old, variants: [{ price: '5' }] };
    await connector.deliver({ topic: 'products/update', payload });
    await connector.drain();
    expect(connector.loyalty.rows.products.get('8')).toMatchObject({ ProductPrice: 7 });
  });

  it('leaves an order to a person whose amount in the service was never its own', async () => {
    const connector = openConnector();
    await change(connector, []);
    await change(connector, [3]);
    const row = connector.loyalty.rows.orders.get(ID);
    if (!row) throw new Error('no order');
    connector.loyalty.rows.orders.put(ID, { ...row, OrderTotal: 95 });
    connector.ledger.restore();
    await change(connector, [3, 1]);
    expect(held(connector)).toMatchObject({ amount: 65, parked: 1 });
  });

  it.each([0, 1, 2])(
    'takes each of three refunds once where the answer to call %i of the search is lost',
    async (lost) => {
      const refunds = [1, 2, 3];
      for (const taken of [0, 1, 2, 3]) {
        const connector = openConnector();
        await change(connector, []);
        for (const [n] of refunds.entries()) {
          const until = refunds.slice(0, n + 1);
          if (n < taken) await change(connector, until);
          else {
            // Its webhook never comes.
            connector.clock.ms += 1_000;
            connector.store.putOrder(SHOP, storeOrderOf(payloadOf(connector, until)));
          }
        }
        connector.ledger.restore();
        let calls = 0;
        connector.loyalty.world.interfere = ({ operation }, pass) => {
          const answer = pass();
          if (operation !== 'partiallyCancelPosOrder') return answer;
          calls += 1;
          const isLost = calls === lost + 1;
          return isLost ? { kind: 'failure', reason: 'time-out', mayHaveHappened: true } : answer;
        };
        await change(connector, refunds);
        expect({ taken, ...held(connector) }).toEqual({ taken, amount: 40, points: 40, parked: 0 });
      }
    },
  );

  it('is no reason to send orders again to a service that takes none twice', async () => {
    const connector = openConnector({
      assumptions: { ordersAreReplaced: false },
      service: { repeatedOrder: 'refuse' },
    });
    await change(connector, []);
    connector.ledger.restore();
    await doubt(connector);
    await change(connector, []);
    expect(held(connector)).toEqual({ amount: 100, points: 100, parked: 0 });
  });
});

describe('refunds that count from the same second, and a ledger that was lost', () => {
  const made = '2026-10-07T10:00:00Z';
  const second = '2026-10-07T11:00:00Z';

  const moneyBack = (cents: number, isSettled: boolean) => ({
    created_at: made,
    refund_line_items: [],
    order_adjustments: [{ kind: 'refund_discrepancy', amount: `-${cents / 100}` }],
    transactions: [paidBack(cents, isSettled ? { processed_at: second } : { status: 'pending' })],
  });

  const goodsBack = {
    created_at: second,
    refund_line_items: [{ line_item_id: 9000, quantity: 2, subtotal_set: moneySet(2000) }],
    transactions: [paidBack(2000, { processed_at: second })],
  };

  /** Money of 10.00 and 5.00 was on its way; in that second both settle, and goods of 20.00 are refunded. */
  const counting = (done: readonly string[]) => {
    const hasGoods = done.includes('goods');
    const refunds = [
      moneyBack(1000, done.includes('ten')),
      moneyBack(500, done.includes('five')),
      ...(hasGoods ? [goodsBack] : []),
    ];
    return [hasGoods ? [2] : [], 0, { refunds }] as const;
  };

  it('takes none twice where the later one of two settled first: 100 → 80 → 70 points', async () => {
    const connector = openConnector();
    const ten = (isSettled: boolean) => moneyBack(1000, isSettled);
    await change(connector, [], 0, { refunds: [ten(false)] });
    await change(connector, [2], 0, { refunds: [ten(false), goodsBack] });
    expect(held(connector)).toEqual({ amount: 80, points: 80, parked: 0 });
    connector.ledger.restore();
    await change(connector, [2], 0, { refunds: [ten(true), goodsBack] });
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 0 });
  });

  it.each([
    [['ten', 'five', 'goods']],
    [['ten', 'goods', 'five']],
    [['five', 'ten', 'goods']],
    [['five', 'goods', 'ten']],
    [['goods', 'ten', 'five']],
    [['goods', 'five', 'ten']],
  ])('takes each of three once, whenever the ledger is lost or restored: %j', async (steps) => {
    for (const accident of ['lost', 'restored']) {
      for (const after of [0, 1, 2, 3]) {
        const connector = openConnector();
        await change(connector, ...counting([]));
        const copy = accident === 'lost' ? undefined : copyOf(connector);
        for (let count = 1; count <= after; count += 1) {
          await change(connector, ...counting(steps.slice(0, count)));
        }
        connector.ledger.restore(copy);
        await change(connector, ...counting(steps));
        const expected = { amount: 65, points: 65, parked: 0 };
        expect({ accident, after, ...held(connector) }).toEqual({ accident, after, ...expected });
      }
    }
  });
});

describe('a ledger that was restored', () => {
  it('trusts an entry again that was settled since', async () => {
    const connector = openConnector();
    await change(connector, []);
    connector.clock.ms += 1_000;
    await doubt(connector);
    await change(connector, [1]);
    await change(connector, [1, 1]);
    const reads = operations(connector).filter((name) => name === 'getOrder');
    expect(reads).toHaveLength(1);
    expect(held(connector)).toEqual({ amount: 80, points: 80, parked: 0 });
  });

  it.each(['as-sent', 'less-partial-cancels'] as const)(
    'gives every order its amount in the end, or leaves it to a person: totals %s',
    async (readTotals) => {
      const step = fc.record({
        refund: fc.nat(2),
        added: fc.nat(2),
        accident: fc.constantFrom('none', 'none', 'copy', 'restore', 'lost'),
      });
      const assumptions = { readTotals, raiseAfterPartialCancel: 'send-gross' } as const;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 7 }), async (life) => {
          const connector = openConnector({ assumptions, service: { readTotal: readTotals } });
          let refunds: Refunds = [];
          let added = 0;
          let copy: ReturnType<typeof copyOf> | undefined;
          await change(connector, refunds);
          for (const { refund, added: more, accident } of life) {
            const left = 9 - refunds.reduce((sum, pieces) => sum + pieces, 0);
            if (refund > 0 && refund <= left) refunds = [...refunds, refund];
            else added += more;
            await change(connector, refunds, added);
            if (accident === 'copy') copy = copyOf(connector);
            if (accident !== 'restore' && accident !== 'lost') continue;
            connector.ledger.restore(accident === 'lost' ? undefined : copy);
            connector.clock.ms += 1_000;
            await doubt(connector);
            connector.clock.ms += 1_000;
          }
          await change(connector, refunds, added);
          const { amount = 0, points, parked } = held(connector);
          expect(points).toBe(amount);
          // Only goods that were added after the accident can leave a question.
          if (parked > 0) expect(added).toBeGreaterThan(0);
          else expect(amount).toBe((10 + added - refunds.reduce((sum, one) => sum + one, 0)) * 10);
        }),
        { numRuns: 20 },
      );
    },
  );
});

const key = { shop: SHOP, kind: 'order', id: ID } as const;
const DAY_MS = 86_400_000;

const entryOf = ({ ledger }: Connector) => ledger.entries.get(ledgerKeyText(key));

describe('an order of which it is not known what the service holds', () => {
  async function openOlder() {
    const connector = openConnector();
    await change(connector, []);
    const entry = connector.ledger.entries.get(ledgerKeyText(key));
    if (!entry?.service) throw new Error('no entry');
    const { service: _, revision, ...older } = entry;
    await connector.ledger.write(key, older, revision);
    return connector;
  }

  it('needs no call while nothing changes', async () => {
    const connector = await openOlder();
    await change(connector, []);
    expect(operations(connector)).toEqual(['sendOrder']);
  });

  it('is read, and corrected by the difference: 100 → 70 points', async () => {
    const connector = await openOlder();
    await change(connector, [3]);
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 0 });
    expect(operations(connector).slice(1, 3)).toEqual(['getOrder', 'partiallyCancelPosOrder']);
    // From then on its amounts are known.
    await change(connector, [3, 2]);
    expect(held(connector)).toEqual({ amount: 50, points: 50, parked: 0 });
    expect(operations(connector).filter((name) => name === 'getOrder')).toHaveLength(1);
  });
});

describe('an order whose ledger entry has expired', () => {
  async function openForgetful(assumptions: LoyaltyAssumptions = {}) {
    const connector = openConnector({ assumptions });
    await change(connector, []);
    connector.clock.ms += 401 * DAY_MS;
    connector.ledger.expire(connector.clock.ms / 1000);
    expect(connector.ledger.entries.size).toBe(0);
    return connector;
  }

  it('needs no call while the service holds its amount', async () => {
    const connector = await openForgetful();
    await change(connector, []);
    expect(operations(connector)).toEqual(['sendOrder', 'getOrder']);
    expect(held(connector)).toEqual({ amount: 100, points: 100, parked: 0 });
    expect(entryOf(connector)?.outcomes.at(-1)?.outcome).toBe('unchanged');
  });

  it.each([
    ['is known again where the service shows what was sent', 'as-sent', false],
    ['is known again where it shows what is left', 'less-partial-cancels', false],
    ['is known where the service had none and gets it', 'less-partial-cancels', true],
  ] as const)('%s: its amount', async (_, readTotals, isLost) => {
    const connector = await openForgetful({ readTotals });
    if (isLost) connector.loyalty.rows.orders.delete(ID);
    await change(connector, []);
    expect(entryOf(connector)?.appliedKey).toBeDefined();
    expect(entryOf(connector)?.service?.total).toBe(100_000);
  });

  it('is not one that is old and still known: 100 → 70 points', async () => {
    const connector = openConnector();
    await change(connector, []);
    for (const refunds of [[], [3]]) {
      connector.clock.ms += 300 * DAY_MS;
      connector.ledger.expire(connector.clock.ms / 1000);
      await change(connector, refunds);
    }
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 0 });
  });

  it('is for a person when the service has it as cancelled: it is not taken for sent', async () => {
    const connector = await openForgetful();
    const row = connector.loyalty.rows.orders.get(ID);
    if (!row) throw new Error('no order');
    connector.loyalty.rows.orders.put(ID, { ...row, IsCancelledOrReturned: true });
    await change(connector, []);
    expect(held(connector).parked).toBe(1);
  });
});

describe('an order that is raised after a refund', () => {
  it('is for a person, and its next refund is exact all the same: 100 → 70 → 70 → 50', async () => {
    const connector = openConnector();
    await change(connector, []);
    await change(connector, [3]);
    await change(connector, [3], 0, { current_subtotal_price: '120.00' });
    expect(held(connector)).toEqual({ amount: 70, points: 70, parked: 1 });
    await change(connector, [3, 2]);
    expect(held(connector)).toEqual({ amount: 50, points: 50, parked: 1 });
    expect(operations(connector)).not.toContain('getOrder');
  });
});

describe('an order that was cancelled because its money went back', () => {
  const refunded = { financial_status: 'refunded' };
  const paidAgain = { financial_status: 'partially_refunded' };

  it('is sent if the service never had it: 0 → 100 points', async () => {
    const connector = openConnector();
    await change(connector, [], 0, refunded);
    await change(connector, [], 0, paidAgain);
    expect(held(connector)).toEqual({ amount: 100, points: 100, parked: 0 });
  });
});

describe('an order that the service lost', () => {
  it.each([
    ['although nothing changed', false],
    ['although a request without that option waits behind it', true],
  ])('is sent again when a person asks for it, %s: 0 → 100 points', async (_, isFollowed) => {
    const connector = openConnector();
    await change(connector, []);
    connector.loyalty.rows.orders.delete(ID);
    await sendEvent(connector, key, { force: true });
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
    await change(connector, []);
    const before = entryOf(connector);
    refuse(connector, 'partiallyCancelPosOrder');
    await change(connector, [3]);
    expect(held(connector)).toEqual({ amount: 100, points: 100, parked: 1 });
    const { uncertain, appliedKey, service, version } = before ?? {};
    expect(entryOf(connector)).toMatchObject({ uncertain, appliedKey, version });
    expect(entryOf(connector)?.service).toEqual(service);
    connector.loyalty.world.interfere = undefined;
    await change(connector, [3, 2]);
    expect(held(connector)).toEqual({ amount: 50, points: 50, parked: 1 });
    const keys = connector.loyalty.journal.slice(-2).map(({ body }) => body);
    expect(keys).toMatchObject([{ CancelKey: `${ID}-30000` }, { CancelKey: `${ID}-50000` }]);
  });

  it('leaves open whether the order is cancelled: what follows is not taken for unchanged', async () => {
    const connector = openConnector();
    await change(connector, []);
    refuse(connector, 'cancelPosOrder', true);
    await change(connector, [], 0, { financial_status: 'refunded' });
    expect(held(connector).parked).toBe(1);
    connector.loyalty.world.interfere = undefined;
    await change(connector, []);
    expect(operations(connector)).toEqual(['sendOrder', 'cancelPosOrder', 'sendOrder']);
    expect(held(connector).parked).toBe(2);
  });
});

it('two refunds of one moment are taken by one call, and by the next event if it is refused', async () => {
  const connector = openConnector();
  await change(connector, []);
  connector.store.putOrder(SHOP, storeOrderOf(payloadOf(connector, [3])));
  let refunds = 0;
  connector.loyalty.world.interfere = ({ operation }, pass) => {
    if (operation !== 'partiallyCancelPosOrder') return pass();
    refunds += 1;
    return refusal(30);
  };
  await change(connector, [3, 2]);
  expect(refunds).toBe(1);
  expect(held(connector).amount).toBe(100);
  connector.loyalty.world.interfere = undefined;
  await change(connector, [3, 2]);
  expect(held(connector)).toMatchObject({ amount: 50, points: 50 });
});
