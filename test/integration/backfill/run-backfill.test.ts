import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStoreAdmin } from '../../../local/stack/start-sandboxes.ts';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import {
  SavedElsewhere,
  type SendDeps,
  sendPortions,
} from '../../../scripts/connector/ground/compare/send.ts';
import {
  type BackfillState,
  openBackfills,
  type ReadDeps,
  readPast,
} from '../../../scripts/connector/set-up/backfill.ts';
import {
  deduplicationIdOf,
  isStoreEvent,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import type { StoreUnavailable } from '../../../shared/core/store/store.ts';
import { createMemoryLedger } from '../../support/memory-ledger.ts';

type Kind = BackfillState['kind'];
type BackfillDeps = SendDeps<BackfillState> & ReadDeps;

const WINDOW = 4;
const ORDERS = 18;
/** Orders, products, or codes that come with their discount: a crash repeats a page at most. */
const PAGES: Readonly<Record<Kind, number>> = { orders: 7, products: 50, discounts: 50 };

let sandbox: StoreSandbox;

beforeAll(async () => {
  sandbox = await startStoreSandbox({ settings: { bucketSize: 1e6 } });
  for (let n = 0; n < ORDERS; n += 1) sandbox.actions.placeRandomOrder();
  // More than come with a discount.
  const [discount] = sandbox.rows.discounts.values();
  const codes = Array.from({ length: 55 }, (_, n) => `MORE-${n}`);
  sandbox.actions.addCodes({ discountId: discount?.id ?? '', codes });
});
afterAll(() => sandbox.stop());

class Killed extends Error {}

/** A queue that recognises repetitions, a ledger, and a death at a chosen effect, before or after it. */
function openDeps(store = sandbox) {
  const ledger = createMemoryLedger();
  const held = new Map<string, StoreEvent>();
  const sends: string[] = [];
  let effects = 0;
  let dieAt = Number.POSITIVE_INFINITY;
  let dieAfter = false;

  async function effect<T>(act: () => T): Promise<Awaited<T>> {
    effects += 1;
    const dies = effects === dieAt;
    if (dies && !dieAfter) throw new Killed();
    const result = await act();
    if (dies) throw new Killed();
    return result;
  }

  const backfills = openBackfills(ledger, store.shop.domain, () => new Date());
  const world: BackfillDeps = {
    store: openStoreAdmin(store),
    ledger: { ...ledger, write: (...given) => effect(() => ledger.write(...given)) },
    save: (...given) => effect(() => backfills.save(...given)),
    queue: {
      sendAll: async (events) => {
        // Half of a window may arrive before the process dies.
        for (const half of [events.slice(0, 2), events.slice(2)]) {
          await effect(() => {
            for (const event of half) {
              sends.push(event.id);
              if (isStoreEvent(event)) held.set(deduplicationIdOf(event), event);
            }
          });
        }
        return [];
      },
    },
    depth: { of: async () => ({ ready: 0, hidden: 0 }) },
    pace: { window: WINDOW, before: () => 0 },
    mostWaiting: 100,
    now: () => new Date(),
    pause: sleep,
    signal: new AbortController().signal,
    onProgress: () => {},
  };

  async function begin(kind: Kind, since?: string, at = new Date().toISOString()): Promise<Kind> {
    const state: BackfillState = {
      shop: store.shop.domain,
      kind,
      ...(since !== undefined && { since }),
      run: 1,
      startedAt: at,
      savedAt: at,
      place: {},
      sent: 0,
    };
    await backfills.save(state, undefined);
    return kind;
  }

  return {
    world,
    backfills,
    ledger,
    held,
    sends,
    begin,
    effects: () => effects,
    killAt(effect: number, after: boolean) {
      effects = 0;
      dieAt = effect;
      dieAfter = after;
    },
    async run(kind: Kind, changes: Partial<BackfillDeps> = {}) {
      const kept = await backfills.load(kind);
      if (!kept) throw new Error('not kept');
      const deps = { ...world, ...changes };
      return sendPortions(kept, (state, onWait) => readPast(state, deps, onWait), deps);
    },
  };
}

const idsOf = (kind: Kind): string[] =>
  kind === 'orders'
    ? [...sandbox.rows.orders.values()].map(({ id }) => id)
    : kind === 'products'
      ? [...sandbox.rows.products.values()].map(({ id }) => id)
      : [...sandbox.rows.codes.values()].map(({ code }) => code);

describe('a backfill', { timeout: 120_000 }, () => {
  it.each(['orders', 'products', 'discounts'] as const)('sends all %s once', async (kind) => {
    const { run, begin, held, sends } = openDeps();
    const state = await run(await begin(kind));
    expect(sends.toSorted()).toEqual(idsOf(kind).toSorted());
    expect(state).toMatchObject({ sent: sends.length });
    expect(state.finishedAt).toBeDefined();
    for (const event of held.values()) {
      expect(event.history).toBe(kind === 'orders' ? true : undefined);
      expect(event.topic).toBe(`backfill/${event.kind}`);
    }
  });

  // Of any feeder in send-portions.test.ts; the place within a discount's codes is this one's own.
  it('of discounts that is killed at any point goes on where it stopped, and the queue holds each once', async () => {
    const dry = openDeps();
    const id = await dry.begin('discounts');
    dry.killAt(Number.POSITIVE_INFINITY, false);
    await dry.run(id);
    const all = idsOf('discounts').toSorted();
    for (let effect = 1; effect <= dry.effects(); effect += 1) {
      for (const after of [false, true]) {
        const here = openDeps();
        await here.begin('discounts');
        here.killAt(effect, after);
        await expect(here.run(id)).rejects.toThrow(Killed);
        here.killAt(Number.POSITIVE_INFINITY, false);
        const stateOf = async () => (await here.backfills.load(id))?.state;
        // Killed after its last save it is finished, and the command does not run it.
        if ((await stateOf())?.finishedAt === undefined) await here.run(id);
        const finishedAt = expect.any(String);
        expect(await stateOf()).toMatchObject({ sent: all.length, finishedAt });
        const events = [...here.held.values()];
        expect(events.map((event) => event.id).toSorted()).toEqual(all);
        // What the crash left open is sent again under the same name; nothing else is.
        expect(here.sends.length - all.length).toBeLessThanOrEqual(PAGES.discounts);
      }
    }
  });

  it('stops at a signal, between two windows, and goes on with the page that it was in', async () => {
    const { run, begin, sends, held, backfills } = openDeps();
    const id = await begin('orders');
    const controller = new AbortController();
    const onProgress = ({ sent }: BackfillState) => {
      if (sent > PAGES.orders) controller.abort();
    };
    const stopped = await run(id, { signal: controller.signal, onProgress });
    expect(stopped.finishedAt).toBeUndefined();
    expect(sends).toHaveLength(PAGES.orders + WINDOW);
    expect((await backfills.load(id))?.state.sent).toBe(PAGES.orders);
    expect(await run(id)).toMatchObject({ sent: ORDERS });
    expect([...held.values()].map((event) => event.id).toSorted()).toEqual(
      idsOf('orders').toSorted(),
    );
  });

  it('does not go on beside another process that does', async () => {
    const { run, begin, world } = openDeps();
    const id = await begin('orders');
    const rival: BackfillDeps = {
      ...world,
      queue: {
        async sendAll(events) {
          const refused = await world.queue.sendAll(events);
          await run(id);
          return refused;
        },
      },
    };
    await expect(run(id, rival)).rejects.toThrow(SavedElsewhere);
  });

  it('writes a code to the ledger before it sends it', async () => {
    const { run, begin, ledger, world } = openDeps();
    await run(await begin('discounts'), {
      queue: {
        async sendAll(events) {
          for (const { shop, id } of events) {
            expect(ledger.entries.get(`coupon|${shop}|${id}`)?.discountId).toBeDefined();
          }
          return world.queue.sendAll(events);
        },
      },
    });
  });

  it('waits while the store is busy or does not answer, and goes on', async () => {
    const { run, begin, world, sends } = openDeps();
    const answers: StoreUnavailable[] = [
      { kind: 'unavailable', why: 'throttled', afterSeconds: 7 },
      { kind: 'unavailable', why: 'connection' },
    ];
    const pauses: number[] = [];
    const waits: [number, string | undefined][] = [];
    await run(await begin('orders'), {
      store: failing(world.store, () => (sends.length > 0 ? answers.shift() : undefined)),
      pause: async (ms) => ms > 0 && pauses.push(ms),
      onProgress: ({ sent }, waitsFor) => waits.push([sent, waitsFor]),
    });
    expect(pauses).toEqual([7_000, 4_000]);
    expect(waits.filter(([, waitsFor]) => waitsFor)).toEqual([
      [PAGES.orders, 'the store'],
      [PAGES.orders, 'the store'],
    ]);
    expect(sends.toSorted()).toEqual(idsOf('orders').toSorted());
  });

  it.each([
    ['no longer answers', { why: 'connection' }, 'could not be read (connection)', 8],
    ['refuses the app', { why: 'bad-credentials', misconfigured: true }, '(bad-credentials)', 1],
    ['refuses the cursor', { why: 'query-refused', queryRefused: true }, 'refuses the place', 1],
  ] as const)(
    'ends with the reason where the store %s, and keeps its place',
    async (_, given, said, tries) => {
      const { run, begin, world, sends } = openDeps();
      const id = await begin('orders');
      let asked = 0;
      const isDown = () => sends.length >= PAGES.orders;
      const broken = run(id, {
        pause: async () => {},
        store: failing(world.store, () => {
          if (!isDown()) return undefined;
          asked += 1;
          return { kind: 'unavailable', ...given };
        }),
      });
      await expect(broken).rejects.toThrow(said);
      expect(asked).toBe(tries);
      await run(id);
      expect(sends.toSorted()).toEqual(idsOf('orders').toSorted());
    },
  );

  it('names what it could not read, for the worker to read', async () => {
    for (const kind of ['orders', 'products', 'discounts'] as const) {
      const { run, begin, world, held } = openDeps();
      const emptied = (page: Awaited<ReturnType<typeof world.store.changedOrders>>) =>
        page.kind === 'found'
          ? {
              ...page,
              value: {
                ...page.value,
                changed: page.value.changed.map((one) => ({ ...one, value: undefined })),
              },
            }
          : page;
      const { store } = world;
      await run(await begin(kind), {
        store: {
          ...store,
          changedOrders: async (...given) => emptied(await store.changedOrders(...given)),
          changedProducts: async (...given) =>
            emptied((await store.changedProducts(...given)) as never) as never,
          changedDiscounts: async (...given) =>
            emptied((await store.changedDiscounts(...given)) as never) as never,
        },
      });
      const events = [...held.values()];
      expect(new Set(events.map((event) => event.kind))).toEqual(new Set([kind.slice(0, -1)]));
      expect(events.every(({ body }) => body === undefined)).toBe(true);
      expect(events.every(({ history }) => history === (kind === 'orders' || undefined))).toBe(
        true,
      );
    }
  });
});

/** Answers instead of the store where `answer` does. */
function failing(
  store: BackfillDeps['store'],
  answer: () => StoreUnavailable | undefined,
): BackfillDeps['store'] {
  return {
    ...store,
    changedOrders: async (...given) => answer() ?? store.changedOrders(...given),
  };
}

describe('a backfill of a store that changes meanwhile', { timeout: 60_000 }, () => {
  const HOUR_SECONDS = 3_600;
  let store: StoreSandbox;
  afterEach(() => store.stop());

  it('sends every order of its span once: changes move none, deletions shift none', async () => {
    store = await startStoreSandbox({ settings: { bucketSize: 1e6 } });
    const { actions } = store;
    const ids: string[] = [];
    for (let n = 0; n < ORDERS; n += 1) {
      ids.push(actions.placeRandomOrder().id);
      store.advanceClock(HOUR_SECONDS);
    }
    const [tooOld, first = ''] = ids;
    const since = store.rows.orders.get(first)?.createdAt;
    const { run, begin, world, sends } = openDeps(store);
    const until = store.rows.orders.get(ids.at(-1) ?? '')?.createdAt;
    const id = await begin('orders', since, until);
    const gone: string[] = [];
    await run(id, {
      queue: {
        async sendAll(events) {
          const refused = await world.queue.sendAll(events);
          // One that was sent and the next one are gone, the last one changes, and a new one comes.
          const next = ids[ids.indexOf(sends.at(-1) ?? '') + 1];
          for (const orderId of [sends.at(-1), next]) {
            if (orderId === undefined || orderId === ids.at(-1)) continue;
            actions.deleteOrder({ orderId });
            gone.push(orderId);
          }
          actions.tagOrder({ orderId: ids.at(-1) ?? '', tags: [`tag ${sends.length}`] });
          actions.placeRandomOrder();
          return refused;
        },
      },
    });
    const isThere = (one: string) => one !== tooOld && !gone.includes(one);
    expect(sends.filter((one) => !gone.includes(one))).toEqual(ids.filter(isThere));
    expect(new Set(sends).size).toBe(sends.length);
  });
});
