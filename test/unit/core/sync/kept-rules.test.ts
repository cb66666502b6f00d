import { describe, expect, it } from 'vitest';
import { amountHeld } from '../../../../local/harness/held-order.ts';
import type { MappingSettings } from '../../../../shared/config/mapping-settings.ts';
import { readEntry } from '../../../../shared/core/ledger/ledger.ts';
import { rulesRevision } from '../../../../shared/core/mapping/wanted-state.ts';
import { orderAt, storeOrderOf } from '../../../fixtures/order-life.ts';
import { lineOf } from '../../../fixtures/order-spec.ts';
import { rules as ofFixtures } from '../../../fixtures/store-entities.ts';
import { changeOrder, sendEvent } from '../../../support/change-order.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

type Connector = ReturnType<typeof openConnector>;
const ID = '5512345678901';
const KEY = { shop: SHOP, kind: 'order', id: ID } as const;
const DAY_MS = 86_400_000;

/** Two shirts of 60.00, of which 10.00 is tax, shipped. */
const line = lineOf(6000, { quantity: 2 });
const shirts = { lines: [line], taxPercent: 20, taxesIncluded: true, fulfilledAfterDays: 1 };
const oneBack = { ...shirts, lines: [{ ...line, takenBack: 1 }] };
const bothBack = { ...shirts, lines: [{ ...line, takenBack: 2 }] };
const dearer = { ...shirts, lines: [line, { ...line, product: 2, quantity: 1 }] };

async function tell(connector: Connector, ...given: Parameters<typeof orderAt>) {
  await changeOrder(connector, ...given);
  await connector.drain();
}

/** What the loyalty service counts for the order, which is its points. */
const points = ({ loyalty }: Connector) => {
  const order = loyalty.rows.orders.get(ID);
  return order?.IsCompleted && !order.IsCancelledOrReturned ? amountHeld(order) : 0;
};
/** Reading an order in the service changes nothing. */
const calls = ({ loyalty }: Connector) =>
  loyalty.journal.filter(({ operation }) => operation !== 'getOrder').length;

/** Sent with taxes; then a setting counts without them. */
async function sentUnderOldRules(next: MappingSettings = { taxes: 'exclude' }) {
  const connector = openConnector({ rules: { taxes: 'include' } });
  await tell(connector, 1, shirts);
  connector.changeRules({ pendingOrders: 'send', ...next });
  return connector;
}

async function reconcileDeeply(connector: Connector): Promise<void> {
  await connector.reconcile();
  connector.clock.ms += DAY_MS;
  await connector.reconcile({ deep: true });
  await connector.drain();
  expect(connector.telemetry.total('looked-at', { kind: 'order' })).toBeGreaterThan(0);
}

it('the ledger keeps what an order counted after each call, as it was then', async () => {
  const connector = await sentUnderOldRules();
  await tell(connector, 2, oneBack);
  await tell(connector, 3, { ...oneBack, cancelledAfterDays: 2 });
  const entry = await readEntry(connector.ledger, KEY);
  const applied = entry?.outcomes.filter(({ outcome }) => outcome === 'applied');
  expect(applied?.map(({ counts }) => counts)).toEqual([120_000, 60_000, 0]);
});

const states = {
  ...{ shirts, oneBack, bothBack, dearer },
  pending: { ...shirts, fulfilledAfterDays: undefined },
  cancelled: { ...shirts, cancelledAfterDays: 2 },
  amountRefunded: { ...shirts, amountRefundedCents: 3000 },
};
const changes = {
  ...{
    vip: { tags: 'vip' },
    refunded: { financial_status: 'refunded' },
  },
};
type State = `${number} ${keyof typeof states}${'' | ` ${keyof typeof changes}`}`;
const included = { taxes: 'include', metadata: () => ({ a: 'b' }) } as const;

/** Each state by its second; the first is sent under the settings before, the others under those after. */
type Life = [
  title: string,
  life: readonly State[],
  points: readonly number[],
  before?: MappingSettings,
  after?: MappingSettings,
];
const lives: Life[] = [
  ['keeps its points when a tag changes it', ['1 shirts', '2 shirts vip'], [120, 120]],
  ['loses what is refunded', ['1 shirts', '2 oneBack', '3 oneBack vip'], [120, 60, 60]],
  ['loses all that is refunded', ['1 shirts', '2 bothBack refunded'], [120, 0]],
  ['loses what is refunded in its second', ['1 shirts', '1 oneBack'], [120, 60]],
  [
    'loses what is refunded in the second of a tag',
    ['1 shirts', '2 shirts vip', '2 oneBack vip'],
    [120, 120, 60],
  ],
  ['loses an amount refunded without lines', ['1 shirts', '2 amountRefunded'], [120, 90]],
  ['gains what is added', ['1 shirts', '2 dearer'], [120, 180]],
  ['is cancelled in its second', ['1 shirts', '1 cancelled'], [120, 0]],
  ['without points yet is counted by the new rules', ['1 pending', '2 shirts'], [0, 100]],
  ['that is completed in its second is counted so, too', ['1 pending', '1 shirts'], [0, 100]],
  ['is counted exactly under other rules', ['1 shirts', '2 oneBack'], [120, 60], {}, included],
];

describe('after a changed setting, an order that was sent', () => {
  it.each(lives)('%s: %j → %j', async (_, life, expected, before, after) => {
    const common = { pendingOrders: 'send' } as const;
    const connector = openConnector({ rules: { ...common, taxes: 'include', ...before } });
    const counted: number[] = [];
    for (const state of life) {
      const [second, name, change] = state.split(' ') as [string, keyof typeof states, 'vip'?];
      await tell(connector, Number(second), states[name], change && changes[change]);
      counted.push(points(connector));
      connector.changeRules({ ...common, taxes: 'exclude', ...after });
    }
    expect([counted, connector.dead.size]).toEqual([expected, 0]);
  });

  it('loses its share of a refund without lines where taxes come on top: 50 → 7.98 points, not 0', async () => {
    const connector = openConnector({ rules: { taxes: 'exclude' } });
    const lines = [{ ...line, priceCents: 5000, quantity: 1 }];
    const onTop = { lines, taxPercent: 19, taxesIncluded: false, fulfilledAfterDays: 1 };
    await tell(connector, 1, onTop);
    connector.changeRules({ taxes: 'include' });
    await tell(connector, 2, { ...onTop, amountRefundedCents: 5000 });
    expect(points(connector)).toBe(7.98);
  });

  it('keeps its 120 points in a deep scan, without a call', async () => {
    const connector = await sentUnderOldRules();
    await reconcileDeeply(connector);
    expect([calls(connector), points(connector)]).toEqual([1, 120]);
  });

  it('is not sent in a deep scan while it has no points', async () => {
    const connector = openConnector({ rules: { pendingOrders: 'send', taxes: 'include' } });
    await tell(connector, 1, states.pending);
    connector.changeRules({ pendingOrders: 'send', taxes: 'exclude' });
    await reconcileDeeply(connector);
    expect(calls(connector)).toBe(1);
  });

  it('loses in a deep scan what was refunded in the second in which it was sent: 120 → 60 points', async () => {
    const connector = await sentUnderOldRules();
    connector.store.putOrder(SHOP, storeOrderOf(orderAt(1, oneBack)));
    await reconcileDeeply(connector);
    expect(points(connector)).toBe(60);
  });

  it('is ended when the store deletes it in the second in which it was sent', async () => {
    const connector = await sentUnderOldRules();
    connector.store.remove(SHOP, 'order', ID);
    const receivedAt = '2026-10-09T11:00:01.500Z';
    await sendEvent(connector, KEY, { topic: 'orders/delete', claim: 'deleted', receivedAt });
    await connector.drain();
    expect(points(connector)).toBe(0);
  });

  it('is counted by the new rules on request, and from then on: 120 → 100 → 50 points', async () => {
    const connector = await sentUnderOldRules();
    await sendEvent(connector, KEY, { newRules: true });
    // A request without that option waits behind it.
    await sendEvent(connector, KEY, { deliveryId: 'reconcile/1' });
    await connector.drain();
    expect(points(connector)).toBe(100);
    await tell(connector, 2, shirts, changes.vip);
    expect(points(connector)).toBe(100);
    await tell(connector, 3, oneBack);
    expect(points(connector)).toBe(50);
  });

  it('is not sent again for new rules alone: the same version is skipped', async () => {
    const connector = await sentUnderOldRules({ metadata: () => ({ channel: 'web' }) });
    await tell(connector, 1, shirts);
    expect(calls(connector)).toBe(1);
    expect(connector.telemetry.total('skipped', { why: 'rules-changed' })).toBe(1);
    await tell(connector, 2, shirts, changes.vip);
    expect(points(connector)).toBe(120);
    expect(connector.loyalty.rows.orders.get(ID)?.Metadatas).toContainEqual(
      expect.objectContaining({ Name: 'channel', Value: 'web' }),
    );
  });
});

describe('the revision of the rules', () => {
  it('changes with every rule that decides how an order is mapped, and with no other', () => {
    const revision = rulesRevision(ofFixtures);
    expect(rulesRevision({ ...ofFixtures })).toBe(revision);
    expect(rulesRevision({ ...ofFixtures, goLive: '2026-01-01' })).toBe(revision);
    const changes = [
      { completeWhen: 'paid' },
      { taxes: 'include' },
      { giftCards: 'never' },
      { lostDisputes: 'take-back' },
      { pendingOrders: 'skip' },
      { customersWithoutEmail: 'send' },
      { document: { from: 'note-attribute', name: 'document' } },
      { birthday: { from: 'note-attribute', name: 'document' } },
      { enrich: { cardDetails: true } },
      { enrolment: 'everyone' },
      { metadata: () => ({ a: 'b' }) },
      { metadata: () => ({ a: 'c' }) },
    ] as const;
    const others = changes.map((change) => rulesRevision({ ...ofFixtures, ...change }));
    expect(new Set([revision, ...others]).size).toBe(changes.length + 1);
  });
});
