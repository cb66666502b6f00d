import { describe, expect, it } from 'vitest';
import {
  type BackfillState,
  createPace,
  type EntitySource,
  sendEntities,
} from '../../../scripts/connector/backfill/run-backfill.ts';
import { scanSource } from '../../../scripts/connector/backfill/scan-source.ts';
import type { StoreEvent } from '../../../shared/core/events/event.ts';
import type { ScanAnswer, ScanPage, StoreScan } from '../../../shared/core/store/store.ts';
import type { StoreOrder } from '../../../shared/store/store-entities.ts';
import { readVendureEvent } from '../../../shared/vendure/deliveries.ts';

const READ_AT = '2026-11-17T10:00:00.000Z';
const order = (id: number, placedAt = '2026-11-01T00:00:00.000Z') =>
  ({ id: String(id), placedAt, updatedAt: READ_AT }) as StoreOrder;

/** Pages of three. */
function storeOf(orders: readonly StoreOrder[], failures: readonly object[] = []) {
  const left = [...failures];
  const changedOrders = async (
    _shop: string,
    _span: object,
    after = '0',
  ): Promise<ScanAnswer<ScanPage<StoreOrder>>> => {
    const failure = left.shift();
    if (failure) return { kind: 'unavailable', why: 'server-error', ...failure };
    const end = Number(after) + 3;
    const values = orders.slice(Number(after), end);
    const changed = values.map((value) => ({ id: value.id, updatedAt: READ_AT, value }));
    return {
      kind: 'found',
      value: { changed, ...(end < orders.length && { next: String(end) }) },
    };
  };
  return { changedOrders } as StoreScan;
}

const state: BackfillState = {
  ...{ id: 'orders_first_now', shop: 'shop.example.com', kind: 'orders', run: 1 },
  ...{ startedAt: READ_AT, savedAt: READ_AT, place: { byte: 0, skip: 0 }, sent: 0, unreadable: 0 },
};

const sourceOf = (store: StoreScan, since?: string): EntitySource =>
  scanSource(store, { ...state, ...(since && { since }) }, async () => {});

async function idsOf(source: EntitySource, skip = 0) {
  const found = await Array.fromAsync(source.read({ byte: 0, skip }));
  return found.map(
    (one) => one.kind === 'entity' && one.entity.kind === 'order' && one.entity.order.id,
  );
}

const orders = [1, 2, 3, 4, 5, 6, 7].map((id) => order(id));

describe('a backfill of a store that is read page by page', () => {
  it('reads every page, and goes on behind what was sent', async () => {
    const source = sourceOf(storeOf(orders));
    expect(await idsOf(source)).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    expect(await idsOf(source, 4)).toEqual(['5', '6', '7']);
  });

  it('leaves out what was placed before its period', async () => {
    const old = order(8, '2026-01-01T00:00:00.000Z');
    expect(await idsOf(sourceOf(storeOf([old, order(9)]), '2026-06-01T00:00:00.000Z'))).toEqual([
      '9',
    ]);
  });

  it('waits for a server that restarts, and ends where a person must act', async () => {
    expect(await idsOf(sourceOf(storeOf(orders, [{}, {}])))).toHaveLength(7);
    const refused = sourceOf(storeOf(orders, [{ why: 'unauthorized', misconfigured: true }]));
    await expect(idsOf(refused)).rejects.toThrow('could not be read (unauthorized)');
  });

  it('sends each order once as history, read as the worker of the platform reads it', async () => {
    const sent: StoreEvent[] = [];
    const saved: number[] = [];
    const stop = new AbortController();
    const deps = {
      queue: {
        sendAll: async (events: readonly StoreEvent[]) => {
          sent.push(...events);
          return [];
        },
      },
      backfills: {
        save: async (one: { readonly place: { readonly skip: number } }) => {
          saved.push(one.place.skip);
          if (saved.length === 2) stop.abort();
          return saved.length;
        },
      },
      depth: { of: async () => ({ ready: 0, hidden: 0 }) },
      ledger: { readMany: async () => new Map() },
      ...{ pace: createPace(2), mostWaiting: 10, now: () => new Date(READ_AT) },
      ...{ pause: async () => {}, onProgress: () => {} },
    };
    const source = sourceOf(storeOf(orders));
    const run = (given: BackfillState, signal: AbortSignal) =>
      sendEntities({ state: given, revision: 0 }, source, { ...deps, signal } as never);
    const stopped = await run(state, stop.signal);
    expect([stopped.sent, stopped.finishedAt]).toEqual([4, undefined]);
    const ended = await run(stopped, new AbortController().signal);
    expect([ended.sent, ended.finishedAt]).toEqual([7, READ_AT]);
    expect(sent.map(({ id, history }) => [id, history])).toEqual(
      orders.map(({ id }) => [id, true]),
    );
    const [first] = sent;
    expect(first && readVendureEvent(first)).toMatchObject({
      ...{ kind: 'snapshot', version: Date.parse(READ_AT), readAt: Date.parse(READ_AT) },
    });
  });
});
