import type { EventQueue } from '../../../shared/core/events/queues.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import type { EntityKind } from '../../../shared/core/ledger/ledger-key.ts';
import type { Store, StoreAnswer } from '../../../shared/core/sync/store-reader.ts';
import type { StoreWalk } from '../../../shared/core/sync/store-walk.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { SimulatedProcess } from '../kernel/simulated-process.ts';
import type { LivingStore } from './living-store.ts';
import type { Queues } from './queues.ts';

/** The ledger as one process calls it. */
export function ledgerOf(process: SimulatedProcess, ledger: Ledger): Ledger {
  const call = <Value>(what: string, effect: () => Promise<Value>) =>
    process.call('ledger', what, effect);
  return {
    readMany: (keys) => call(`reads the ledger for ${keys.length}`, () => ledger.readMany(keys)),
    write: (key, entry, revision) =>
      call(`writes ${key.kind} ${key.id}${entry.uncertain ? ' as uncertain' : ''}`, () =>
        ledger.write(key, entry, revision),
      ),
    markUncertain: (key) =>
      call(`marks ${key.kind} ${key.id} uncertain`, () => ledger.markUncertain(key)),
    listCodes: (shop, discountId, from) =>
      call('lists codes', () => ledger.listCodes(shop, discountId, from)),
    scanEntities: (from) => call('scans the ledger', () => ledger.scanEntities(from)),
    createdAt: () => ledger.createdAt(),
    redact: (keys, mark) => call('redacts', () => ledger.redact(keys, mark)),
  };
}

/** The queues as one process calls them. */
export function eventQueueOf(process: SimulatedProcess, queues: Queues): EventQueue {
  return {
    send: (event) =>
      process.call('queue', `sends ${event.kind} ${event.id} (${event.topic})`, () =>
        queues.send(event),
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
): Store & StoreWalk {
  const ask = <Value>(
    what: string,
    effect: (store: LivingStore['now']) => Promise<Value>,
  ): Promise<Value | typeof UNAVAILABLE> => {
    if (signal?.aborted) return Promise.resolve(UNAVAILABLE);
    return process
      .call('store', `asks the store for ${what}`, () => effect(living.now))
      .catch(() => UNAVAILABLE);
  };
  const read = async <Value>(
    kind: EntityKind,
    id: string,
    effect: (store: LivingStore['now']) => Promise<StoreAnswer<Value>>,
  ): Promise<StoreAnswer<Value>> => {
    const what = `${kind} ${id}`;
    const name = process.nextName();
    const lags = kernel.happens(name, kernel.rates.storeLags, () => `the store lags on ${what}`);
    const lagMs = kernel.chance(name, 6) * LONGEST_LAG_MS;
    return ask(what, (store) =>
      lags ? Promise.resolve(living.asOf(kind, id, lagMs) as StoreAnswer<Value>) : effect(store),
    );
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
    changedDiscounts: (shop, span, after) =>
      ask('changed discounts', (store) => store.changedDiscounts(shop, span, after)),
    findAbsent: (shop, kind, ids) =>
      ask(`absent ${kind}s`, (store) => store.findAbsent(shop, kind, ids)),
    seesAllOrders: (shop) => ask('its scopes', (store) => store.seesAllOrders(shop)),
    until: (next) => storeOf(process, living, kernel, next),
  };
}
