import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryLedger } from '../../../local/harness/memory-ledger.ts';
import { openStoreAdmin } from '../../../local/stack/start-sandboxes.ts';
import { type StoreSandbox, startStoreSandbox } from '../../../local/store-sandbox/sandbox.ts';
import { type OpenBackfill, sendPeriods } from '../../../scripts/connector/backfill/backfill.ts';
import {
  type BackfillDeps,
  type BackfillState,
  openBackfills,
  runBackfill,
  SavedElsewhere,
} from '../../../scripts/connector/backfill/run-backfill.ts';
import {
  deduplicationIdOf,
  isStoreEvent,
  type StoreEvent,
} from '../../../shared/core/events/event.ts';
import { type Ask, createAdminClient } from '../../../shared/shopify/admin/client/admin-client.ts';
import {
  type BulkKind,
  type BulkState,
  bulkQuery,
  readBulkState,
  startBulkQuery,
} from '../../../shared/shopify/bulk/bulk-operation.ts';
import { FILE_START } from '../../../shared/shopify/bulk/read-entities.ts';

const WINDOW = 4;
const ORDERS = 18;

let sandbox: StoreSandbox;
const files = new Map<BulkKind, Extract<BulkState, { kind: 'completed' }>>();

beforeAll(async () => {
  sandbox = await startStoreSandbox({ settings: { bulkMs: 0 } });
  for (let n = 0; n < ORDERS; n += 1) sandbox.actions.placeRandomOrder();
  const [discount] = sandbox.rows.discounts.values();
  const codes = Array.from({ length: 11 }, (_, n) => `MORE-${n}`);
  sandbox.actions.addCodes({ discountId: discount?.id ?? '', codes });
  for (const kind of ['orders', 'products', 'discounts'] as const)
    files.set(kind, await fileOf(kind));
}, 60_000);
afterAll(() => sandbox.stop());

async function fileOf(kind: BulkKind) {
  const value = { kind: 'static', accessToken: sandbox.credentials.accessToken } as const;
  const ask = createAdminClient({
    shop: sandbox.shop.domain,
    secret: { get: async () => value, refresh: async () => value },
    sandboxAddress: sandbox.address,
  }).until(undefined);
  const started = await startBulkQuery(ask, bulkQuery(kind, '', {}));
  if (started.kind !== 'data' || started.data.kind !== 'started') throw new Error('not started');
  for (;;) {
    const state = await readBulkState(ask, started.data.id);
    if (state.kind === 'data' && state.data.kind === 'completed') return state.data;
    await sleep(20);
  }
}

class Killed extends Error {}

/** A queue that recognises repetitions, a ledger, and a death at a chosen effect, before or after it. */
function openDeps() {
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

  const backfills = openBackfills(ledger, sandbox.shop.domain, () => new Date());
  const world: BackfillDeps = {
    ledger: { ...ledger, write: (...given) => effect(() => ledger.write(...given)) },
    backfills: { ...backfills, save: (...given) => effect(() => backfills.save(...given)) },
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

  async function begin(kind: BulkKind): Promise<string> {
    const at = new Date().toISOString();
    const state: BackfillState = {
      id: `${kind}_test`,
      shop: sandbox.shop.domain,
      kind,
      run: 1,
      startedAt: at,
      savedAt: at,
      place: FILE_START,
      sent: 0,
      unreadable: 0,
    };
    await backfills.save(state, undefined);
    return state.id;
  }

  return {
    world: world as BackfillDeps,
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
    async run(id: string, changes: Partial<BackfillDeps> = {}) {
      const kept = await backfills.load(id);
      if (!kept) throw new Error('not kept');
      const file = files.get(kept.state.kind);
      if (!file) throw new Error('no file');
      return runBackfill(kept, file, { ...(world as BackfillDeps), ...changes });
    },
  };
}

const idsOf = (kind: BulkKind): string[] =>
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
    expect(state).toMatchObject({ sent: sends.length, unreadable: 0 });
    expect(state.finishedAt).toBeDefined();
    for (const event of held.values()) {
      expect(event.history).toBe(kind === 'orders' ? true : undefined);
      expect(event.topic).toBe(`backfill/${event.kind}`);
    }
  });

  it.each(['orders', 'discounts'] as const)(
    'of %s that is killed at any point goes on where it stopped, and the queue holds each once',
    async (kind) => {
      const dry = openDeps();
      const dryId = await dry.begin(kind);
      dry.killAt(Number.POSITIVE_INFINITY, false);
      await dry.run(dryId);
      const all = idsOf(kind).toSorted();
      for (let effect = 1; effect <= dry.effects(); effect += 1) {
        for (const after of [false, true]) {
          const here = openDeps();
          const id = await here.begin(kind);
          here.killAt(effect, after);
          await expect(here.run(id)).rejects.toThrow(Killed);
          here.killAt(Number.POSITIVE_INFINITY, false);
          await here.run(id);
          const events = [...here.held.values()];
          expect(events.map((event) => event.id).toSorted()).toEqual(all);
          // What the crash left open is sent again under the same name; nothing else is.
          expect(here.sends.length - all.length).toBeLessThanOrEqual(WINDOW);
        }
      }
    },
  );

  it('stops at a signal, between two windows, and keeps its place', async () => {
    const { run, begin, sends, backfills } = openDeps();
    const id = await begin('orders');
    const controller = new AbortController();
    const onProgress = ({ sent }: BackfillState) => {
      if (sent >= WINDOW * 2) controller.abort();
    };
    const stopped = await run(id, { signal: controller.signal, onProgress });
    expect(stopped.finishedAt).toBeUndefined();
    expect((await backfills.load(id))?.state.sent).toBe(WINDOW * 2);
    await run(id);
    expect(sends.toSorted()).toEqual(idsOf('orders').toSorted());
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

  it('adds nothing while too many wait', async () => {
    const { run, begin, sends } = openDeps();
    const id = await begin('orders');
    let looks = 0;
    const waits: (string | undefined)[] = [];
    await run(id, {
      depth: {
        of: async () => {
          looks += 1;
          if (looks <= 3) expect(sends).toEqual([]);
          return looks <= 3 ? { ready: 60, hidden: 60 } : { ready: 10, hidden: 0 };
        },
      },
      pause: async () => {},
      onProgress: (_state, waitsFor) => waits.push(waitsFor),
    });
    expect(waits.slice(0, 3)).toEqual(['the workers', 'the workers', 'the workers']);
    expect(sends).toHaveLength(ORDERS);
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

  it('reads on after the connection to the file broke', async () => {
    const { createServer } = await import('node:http');
    const { listen } = await import('../../../local/stack/emulators.ts');
    const file = files.get('orders');
    const whole = Buffer.from(await (await fetch(file?.url ?? '')).arrayBuffer());
    let requests = 0;
    const server = await listen(
      createServer((request, response) => {
        requests += 1;
        const start = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
        const length = whole.length - start;
        response.writeHead(start > 0 ? 206 : 200, { 'content-length': length });
        // A few hundred bytes more than one order, and then the line is cut.
        if (length > 5_000)
          response.write(whole.subarray(start, start + 5_000), () => response.destroy());
        else response.end(whole.subarray(start));
      }),
    );
    const { begin, backfills, world, sends } = openDeps();
    const kept = await backfills.load(await begin('orders'));
    if (!kept || !file) throw new Error('not kept');
    const state = await runBackfill(
      kept,
      { ...file, url: `${server.endpoint}/file` },
      { ...world, pause: async () => {} },
    );
    await server.stop();
    expect(requests).toBeGreaterThan(3);
    expect(state.sent).toBe(ORDERS);
    expect(sends.toSorted()).toEqual(idsOf('orders').toSorted());
  });
});

describe('a backfill that is too large for one file', { timeout: 120_000 }, () => {
  const MOST_IN_FILE = 5;
  const DAY_SECONDS = 86_400;
  let store: StoreSandbox;
  beforeAll(async () => {
    store = await startStoreSandbox({ settings: { bulkMs: 0 } });
    for (let n = 0; n < ORDERS; n += 1) {
      store.actions.placeRandomOrder();
      store.advanceClock(DAY_SECONDS);
    }
  }, 60_000);
  afterAll(() => store.stop());

  /** Within the second period, behind its first order. */
  const inSecondPeriod = ({ doneUntil, period, sent }: BackfillState) =>
    doneUntil !== undefined && sent - (period?.sentBefore ?? sent) === 1;

  interface Course {
    /** Interrupts it. */
    readonly stopAt?: (state: BackfillState) => boolean;
    /** So many addresses of a file are wrong when they are used. */
    readonly lost?: number;
  }

  /** As the command does it. */
  async function open() {
    const { world, backfills, held, sends } = openDeps();
    const ask = openStoreAdmin(store).ask(store.shop.domain);
    const files: string[] = [];
    const totals = new Set<number | undefined>();
    const at = new Date().toISOString();
    const until = new Date(Date.now() + (ORDERS + 1) * DAY_SECONDS * 1_000).toISOString();
    const state: BackfillState = {
      ...{ id: 'orders_test', shop: sandbox.shop.domain, kind: 'orders', run: 1, until },
      ...{ startedAt: at, savedAt: at, place: FILE_START, sent: 0, unreadable: 0 },
    };
    await backfills.save(state, undefined);
    async function send({ stopAt = () => false, lost = 0 }: Course = {}) {
      let left = lost;
      const kept = await backfills.load(state.id);
      if (!kept) throw new Error('not kept');
      const controller = new AbortController();
      const asked: Ask = async (document, variables) => {
        const { query } = Object(variables);
        if (typeof query === 'string') files.push(query);
        const answer = await ask(document, variables);
        const operation = answer.kind === 'data' ? Object(answer.data).bulkOperation : undefined;
        if (!operation?.url || left === 0) return answer;
        left -= 1;
        const wrong = { ...operation, url: `${store.address}/bulk-results/none.jsonl` };
        return { ...answer, data: { ...Object(answer).data, bulkOperation: wrong } };
      };
      const deployment = { where: 'aws' } as unknown as OpenBackfill['deployment'];
      const opened = { ...world, deployment, enrichment: {}, ask: asked, backfills };
      return sendPeriods(kept, opened, {
        ...world,
        pace: { window: 1, before: () => 0 },
        signal: controller.signal,
        mostInFile: MOST_IN_FILE,
        onFile: () => {},
        onProgress: (state) => {
          totals.add(state.total);
          if (stopAt(state)) controller.abort();
        },
      });
    }
    return { send, backfills, held, sends, files, totals };
  }
  const all = () => [...store.rows.orders.values()].map(({ id }) => id).toSorted();

  it('goes on by periods by itself, each with its own file, and says how many there are in all', async () => {
    const { send, sends, files, totals } = await open();
    const ended = await send();
    expect(ended).toMatchObject({ sent: ORDERS, total: ORDERS, finishedAt: expect.any(String) });
    expect(sends.toSorted()).toEqual(all());
    expect(totals).toEqual(new Set([ORDERS]));
    expect(files.length).toBeGreaterThanOrEqual(Math.ceil(ORDERS / MOST_IN_FILE));
    // The oldest first, and none without an end: the file of all would outlive its seven days.
    expect(files[0]).not.toContain('created_at:>=');
    for (const query of files) expect(query).toContain('created_at:<');
  });

  it('goes on where a file expired in between: with that period, and not from the beginning', async () => {
    const { send, sends, held, files, backfills } = await open();
    const stopped = await send({ stopAt: inSecondPeriod });
    expect(stopped.finishedAt).toBeUndefined();
    const before = files.length;
    store.advanceClock(8 * DAY_SECONDS);
    const ended = await send();
    expect(ended).toMatchObject({ sent: ORDERS, unreadable: 0, finishedAt: expect.any(String) });
    // What was sent again has the same names: the queue or the ledger recognises it.
    expect([...held.values()].map(({ id }) => id).toSorted()).toEqual(all());
    expect(sends.length - ORDERS).toBeLessThan(MOST_IN_FILE);
    expect(files[before]).toBe(files[before - 1]);
    expect((await backfills.load(ended.id))?.state.sent).toBe(ORDERS);
  });

  it('asks for the new address of a file, and gives up where no file can be read', async () => {
    const { send, sends, files } = await open();
    await expect(send({ lost: 9 })).rejects.toThrow("The store's files are gone before");
    expect(sends).toEqual([]);
    const before = files.length;
    await send({ lost: 1, stopAt: ({ sent }) => sent === 1 });
    expect(files).toHaveLength(before);
    expect(await send()).toMatchObject({ sent: ORDERS, finishedAt: expect.any(String) });
  });
});
