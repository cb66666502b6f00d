import type { EntityKind, EventQueue } from '../../../shared/core/events/event.ts';
import {
  type EntityEntry,
  type Ledger,
  LedgerEntries,
  type LedgerKey,
  ledgerKeyText,
  NewerItem,
} from '../../../shared/core/ledger/ledger.ts';
import type { Store, StoreAnswer, StoreScan } from '../../../shared/core/store/store.ts';
import type { MemoryStore } from '../../support/memory-store.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { SimulatedProcess } from '../kernel/simulated-process.ts';
import type { LivingStore } from './living-store.ts';
import type { Queues } from './queues.ts';

/** The ledger as one process calls it. */
export function ledgerOf(process: SimulatedProcess, ledger: Ledger): Ledger {
  const call = <Value>(what: string, effect: () => Promise<Value>) =>
    process.call('ledger', what, effect);
  return {
    readMany: (keys) =>
      call(`reads the ledger for ${keys.length}`, async () =>
        withoutNewer(process, await ledger.readMany(keys)),
      ),
    write: (key, entry, revision) =>
      call(`writes ${key.kind} ${key.id}${entry.uncertain ? ' as uncertain' : ''}`, async () => {
        const written = await ledger.write(key, entry, revision);
        if (process.isNewer && written.kind === 'written') {
          process.writtenByNewer.add(ledgerKeyText(key));
        }
        return written;
      }),
    markUncertain: (key) =>
      call(`marks ${key.kind} ${key.id} uncertain`, () => ledger.markUncertain(key)),
    listCodes: (shop, discountId, from) =>
      call('lists codes', () => ledger.listCodes(shop, discountId, from)),
    scanEntities: (from) =>
      call('scans the ledger', async () => {
        const { entries, ...rest } = await ledger.scanEntities(from);
        return { ...rest, entries: entries.filter(({ key }) => !isFromNewer(process, key)) };
      }),
    createdAt: () => ledger.createdAt(),
    redact: (keys, mark) =>
      call('redacts', async () => {
        const newer = keys.filter((key) => isFromNewer(process, key));
        await ledger.redact(
          keys.filter((key) => !newer.includes(key)),
          mark,
        );
        for (const key of newer) throw new NewerItem(ledgerKeyText(key), 2);
      }),
  };
}

/** The ledger refuses to show this to a process of the older release. */
const isFromNewer = ({ isNewer, writtenByNewer }: SimulatedProcess, key: LedgerKey): boolean =>
  !isNewer && writtenByNewer.has(ledgerKeyText(key));

function withoutNewer(
  { isNewer, writtenByNewer }: SimulatedProcess,
  read: ReadonlyMap<string, EntityEntry>,
): ReadonlyMap<string, EntityEntry> {
  if (isNewer || writtenByNewer.size === 0) return read;
  const found = new LedgerEntries();
  for (const [text, entry] of read) {
    if (writtenByNewer.has(text)) found.newer.set(text, 2);
    else found.set(text, entry);
  }
  return found;
}

/** The queues as one process calls them. */
export function eventQueueOf(process: SimulatedProcess, queues: Queues): EventQueue {
  return {
    send: (event, name) =>
      process.call('queue', `sends ${event.kind} ${event.id} (${event.topic})`, () =>
        queues.send(event, { by: process, ...(name !== undefined && { name }) }),
      ),
  };
}

/** Below the ten minutes after which the connector considers a missing code deleted. */
const LONGEST_LAG_MS = 90_000;

const UNAVAILABLE = { kind: 'unavailable', why: 'unreachable' } as const;

/** The store as one process calls it: a fault is no answer, never an exception. */
export function storeOf(
  process: SimulatedProcess,
  living: LivingStore,
  kernel: Kernel,
  signal?: AbortSignal,
): Store & StoreScan {
  const ask = <Value>(
    what: string,
    effect: (store: MemoryStore) => Promise<Value>,
    read = () => living.now(),
  ): Promise<Value | typeof UNAVAILABLE> => {
    if (signal?.aborted) return Promise.resolve(UNAVAILABLE);
    return process
      .call('store', `asks the store for ${what}`, async () => effect(await read()))
      .catch(() => UNAVAILABLE);
  };
  const read = async <Value>(
    kind: EntityKind,
    id: string,
    effect: (store: MemoryStore) => Promise<StoreAnswer<Value>>,
  ): Promise<StoreAnswer<Value>> => {
    const what = `${kind} ${id}`;
    const name = process.nextName();
    const lags = kernel.happens(
      name,
      kernel.rates.storeLags,
      'store: lags',
      () => `the store lags on ${what}`,
    );
    const lagMs = kernel.chance(name, 6) * LONGEST_LAG_MS;
    const answer = async (store: MemoryStore) =>
      lags ? ((await living.asOf(kind, id, lagMs)) as StoreAnswer<Value>) : effect(store);
    return ask(what, answer, () => living.nowOf(kind, id));
  };
  return {
    readOrder: (shop, id, evidence) =>
      read('order', id, (store) => store.readOrder(shop, id, evidence)),
    readProduct: (shop, id) => read('product', id, (store) => store.readProduct(shop, id)),
    readCoupon: (shop, code) => read('coupon', code, (store) => store.readCoupon(shop, code)),
    readMember: (shop, id) => read('member', id, (store) => store.readMember(shop, id)),
    readDiscount: (shop, id, from) =>
      ask(`discount ${id}`, (store) => store.readDiscount(shop, id, from)),
    changedOrders: (shop, span, after) =>
      ask('changed orders', (store) => store.changedOrders(shop, span, after)),
    changedProducts: (shop, span, after) =>
      ask('changed products', (store) => store.changedProducts(shop, span, after)),
    changedMembers: (shop, span, after) =>
      ask('changed customers', (store) => store.changedMembers(shop, span, after)),
    changedDiscounts: (shop, span, after) =>
      ask('changed discounts', (store) => store.changedDiscounts(shop, span, after)),
    overriddenDiscounts: async () => ({ kind: 'found', value: new Map() }),
    findAbsent: (shop, kind, ids) =>
      ask(`absent ${kind}s`, (store) => store.findAbsent(shop, kind, ids)),
    seesAllOrders: (shop) => ask('its scopes', (store) => store.seesAllOrders(shop)),
    until: (next) => storeOf(process, living, kernel, next),
  };
}

/** As deployed: see infra/storage.ts. */
const RECONCILE_TIMEOUT_MS = 15 * 60_000;

interface ScheduledRun {
  readonly process: SimulatedProcess;
  readonly deadline: AbortSignal;
  readonly pause: (ms: number) => Promise<void>;
}

/** One run of the scheduled function. It may die at any point; the next one continues. */
export function runScheduled(
  kernel: Kernel,
  name: string,
  work: (run: ScheduledRun) => Promise<string>,
): void {
  const { time, journal } = kernel;
  const process = new SimulatedProcess(kernel, name);
  const deadline = new AbortController();
  const cancel = [
    time.after(RECONCILE_TIMEOUT_MS - 20_000, () => process.hear(() => deadline.abort())),
    time.after(RECONCILE_TIMEOUT_MS, () => process.die()),
  ];
  const end = (how: string) => {
    for (const one of cancel) one();
    journal.note(process.key, () => `${name} ${how}`);
  };
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      time.after(ms, () => process.hear(resolve));
    });
  // A failing ledger or queue ends the run.
  work({ process, deadline: deadline.signal, pause }).then(end, () => end('breaks off'));
}
