import { describe, expect, it } from 'vitest';
import { changeControl, readControl } from '../../../../shared/core/calls/shop-pause.ts';
import type { Doubt } from '../../../../shared/core/ledger/entry.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { cursorKey, openCursor } from '../../../../shared/core/reconcile/dependencies.ts';
import { readLastReconcile, sumOf } from '../../../../shared/core/reconcile/last-reconcile.ts';
import { orderWithId, storeOrderOf } from '../../../fixtures/order-life.ts';
import { storeProduct } from '../../../fixtures/store-entities.ts';
import { openConnector, SHOP } from '../../../support/in-process-connector.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GO_LIVE = Date.parse('2026-10-01T00:00:00Z');

type Connector = ReturnType<typeof openConnector>;

/** Orders of the store, of which the webhooks arrived. */
async function live(connector: Connector, ids: readonly number[]) {
  for (const id of ids) {
    const payload = orderWithId(id);
    connector.store.putOrder(SHOP, storeOrderOf(payload));
    await connector.deliver({ topic: 'orders/updated', payload });
  }
  await connector.drain();
}

const put = ({ ledger, clock }: Connector, doubt: Partial<Doubt> = {}) =>
  changeControl(ledger, SHOP, (control) => ({
    ...control,
    goLive: GO_LIVE,
    doubt: { since: GO_LIVE, until: clock.ms, ...doubt },
  }));

const doubtOf = async ({ ledger }: Connector) => (await readControl(ledger, SHOP)).doubt;
const knownIn = ({ ledger }: Connector) =>
  [...ledger.entries.keys()].filter((text) => text.startsWith('order|')).length;

async function run(connector: Connector, deadline?: AbortSignal) {
  connector.clock.ms += HOUR_MS;
  await connector.reconcile(deadline ? { deadline } : {});
  await connector.drain();
}

describe('go-live', () => {
  it('is recorded by the first run, and stays when the ledger is restored into a new table', async () => {
    const createdAt = Date.parse('2026-09-01T00:00:00Z');
    const connector = openConnector({ createdAt });
    await run(connector);
    expect((await readControl(connector.ledger, SHOP)).goLive).toBe(createdAt);
    const newTable = openConnector({ createdAt: Date.parse('2026-10-09T00:00:00Z') });
    newTable.ledger.restore(connector.ledger.entries);
    await live(newTable, [71]);
    // It was placed before the table was made, and after go-live.
    const { Metadatas = [] } = newTable.loyalty.rows.orders.get('71') ?? {};
    expect(Metadatas.map(({ Name }) => Name)).toContain('currency');
    expect(Metadatas.map(({ Name }) => Name)).not.toContain('history');
    await run(newTable);
    expect((await readControl(newTable.ledger, SHOP)).goLive).toBe(createdAt);
  });
});

describe('a ledger in doubt', () => {
  it('knows everything again after the runs, which count nothing as lost', async () => {
    const connector = openConnector();
    await live(connector, [71, 72, 73, 74, 75, 76]);
    connector.store.putProduct(SHOP, storeProduct());
    connector.ledger.restore();
    await put(connector);
    await run(connector);
    expect(knownIn(connector)).toBe(6);
    expect(await doubtOf(connector)).toMatchObject({ comparedAt: expect.any(Number) });
    expect(connector.telemetry.total('webhooks-lost')).toBe(0);
    const last = await readLastReconcile(connector.ledger, SHOP);
    expect(sumOf(last?.healed)).toBe(0);
    expect(last?.sent).toContainEqual({ kind: 'order', id: '71', why: 'recovered' });
    expect(last?.sent).toContainEqual(expect.objectContaining({ kind: 'product' }));
  });

  it('knows orders from before go-live that the service holds, and leaves the others alone', async () => {
    const connector = openConnector();
    await live(connector, [71]);
    connector.store.putOrder(SHOP, storeOrderOf(orderWithId(72)));
    connector.ledger.restore();
    await put(connector);
    await changeControl(connector.ledger, SHOP, (control) => ({
      ...control,
      goLive: connector.clock.ms,
    }));
    await run(connector);
    expect([...connector.loyalty.rows.orders.values()].map(({ OriginalId }) => OriginalId)).toEqual(
      ['71'],
    );
    const isSent = (id: string) =>
      connector.ledger.entries.get(ledgerKeyText({ shop: SHOP, kind: 'order', id }))?.appliedKey !==
      undefined;
    expect([isSent('71'), isSent('72')]).toEqual([true, false]);
    expect(await doubtOf(connector)).toMatchObject({ comparedAt: expect.any(Number) });
  });

  it('stays so until everything was compared, over as many runs as that takes', async () => {
    const connector = openConnector();
    await live(connector, [71]);
    connector.ledger.restore();
    await put(connector);
    const ended = AbortSignal.abort();
    await run(connector, ended);
    expect(await doubtOf(connector)).not.toHaveProperty('comparedAt');
    await run(connector);
    expect(await doubtOf(connector)).toHaveProperty('comparedAt');
    expect(knownIn(connector)).toBe(1);
  });

  it('is compared again by a deep scan that was under way when it was restored', async () => {
    const connector = openConnector();
    await live(connector, [71, 72]);
    await run(connector);
    connector.clock.ms += HOUR_MS;
    await connector.reconcile({ deep: true, deadline: AbortSignal.abort() });
    const copy = new Map(connector.ledger.entries);
    await live(connector, [73]);
    connector.ledger.restore(copy);
    await put(connector);
    await run(connector);
    await run(connector);
    expect(knownIn(connector)).toBe(3);
    expect(await doubtOf(connector)).toHaveProperty('comparedAt');
  });

  it('is compared from the beginning: a turn of older orders that began before is not continued', async () => {
    const connector = openConnector();
    await live(connector, [71]);
    connector.clock.ms += 60 * DAY_MS;
    await run(connector);
    connector.ledger.restore();
    await put(connector);
    const { ms } = connector.clock;
    const behind = { from: ms - 40 * DAY_MS, until: ms - 35 * DAY_MS };
    const deep = await openCursor(connector.ledger, cursorKey(SHOP, 'deep'));
    const turn = { began: ms - DAY_MS, scan: behind };
    await deep.keep({ began: ms, phase: 'ledger', turn }, ms);
    await run(connector);
    expect(knownIn(connector)).toBe(1);
    expect(await doubtOf(connector)).toHaveProperty('comparedAt');
  });
});
