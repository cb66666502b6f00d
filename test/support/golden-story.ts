import { openConnector, SHOP } from '../../local/harness/in-process-connector.ts';
import type { MemoryLedger } from '../../local/harness/memory-ledger.ts';
import type { MemoryQueue } from '../../local/harness/memory-queue.ts';
import { productAt } from '../../local/harness/product-payload.ts';
import { fromItem, type LedgerItem, toItem } from '../../shared/aws/ledger-item.ts';
import { recallBalance } from '../../shared/core/balances/remembered-balance.ts';
import type { EntityEntry } from '../../shared/core/ledger/ledger.ts';
import { type LedgerKey, ledgerKeyText } from '../../shared/core/ledger/ledger-key.ts';
import { mergedInto } from '../../shared/core/ledger/merged-customer.ts';
import {
  recallCoupon,
  recallMember,
  recallOrder,
  recallProduct,
} from '../../shared/core/mapping/remembered.ts';
import { controlIn, controlKey } from '../../shared/core/pause/shop-control.ts';
import { recallBook } from '../../shared/core/redeem/redemption-book.ts';
import type { CallAnswer } from '../../shared/loyalty/result.ts';
import { decodeMessage } from '../../shared/shopify/webhooks/read-event.ts';
import { buildOrder } from '../fixtures/order-payload.ts';
import { type OrderSpec, simpleOrder } from '../fixtures/order-spec.ts';
import { storeCoupon, storeOrder } from '../fixtures/store-entities.ts';
import { openBalanceWorker } from './balance-worker.ts';
import { openRedeeming, ROBIN } from './redeem-world.ts';

export interface GoldenMessage {
  readonly queue: string;
  readonly group: string;
  readonly deduplication: string;
  readonly body: string;
  /** How the release that wrote it reads it. */
  readonly means: unknown;
}

export interface GoldenItem {
  readonly item: LedgerItem;
  readonly means: unknown;
}

/** What a release reads in a message; a body as text. */
export function readMessage(text: string): unknown {
  const decoded = decodeMessage(text);
  if (decoded.kind !== 'event') return decoded;
  const { event } = decoded;
  if (!('body' in event) || !event.body) return event;
  return { ...event, body: Buffer.from(event.body).toString('utf8') };
}

const NOW = new Date('2026-10-09T12:00:00.000Z');

/** What a release reads in an item of the ledger. */
export function readItem(kind: string, item: LedgerItem): unknown {
  const { entry, faults } = fromItem(item);
  return { entry, faults, recalled: recall(kind, entry) };
}

function recall(kind: string, entry: EntityEntry): unknown {
  const { remembered } = entry;
  switch (kind) {
    case 'order':
      return recallOrder(remembered);
    case 'product':
      return recallProduct(remembered);
    case 'coupon':
      return recallCoupon(remembered);
    case 'member':
      return recallMember(remembered);
    case 'customer':
      return mergedInto(entry) ?? recallBalance(remembered);
    case 'redemption':
      return recallBook(remembered, NOW);
    case 'control':
      return controlIn(entry);
    default:
      return undefined;
  }
}

/** Collects every form of message, and the ledger's items where the story asks for them. */
function openCollection() {
  const messages: Record<string, GoldenMessage> = {};
  const items: Record<string, GoldenItem> = {};
  return {
    messages,
    items,
    watch(name: string, queue: MemoryQueue): void {
      const { send } = queue;
      queue.send = (message) => {
        const { body, groupId: group, deduplicationId: deduplication } = message;
        const { v: _, body: carried, ...head } = JSON.parse(body);
        const { kind, claim, origin, topic, history, force } = head;
        const how = [claim ?? topic, origin, history && 'history', force && 'forced'];
        const form = carried ? `body as ${Object.keys(carried)}` : 'no body';
        const title = [kind, ...how, form].filter(Boolean).join(', ');
        messages[title] ??= { queue: name, group, deduplication, body, means: readMessage(body) };
        return send(message);
      };
    },
    keep(name: string, key: LedgerKey, ledger: MemoryLedger): void {
      const entry = ledger.entries.get(ledgerKeyText(key));
      if (!entry) throw new Error(`the ledger has nothing for: ${name}`);
      const item = toItem(key, entry, entry.revision, '0'.repeat(12));
      items[`${key.kind}, ${name}`] = { item, means: readItem(key.kind, item) };
    },
  };
}

const line = { product: 1, priceCents: 1000, quantity: 5, discountCents: 0, takenBack: 0 };
const completed: OrderSpec = { ...simpleOrder, fulfilledAfterDays: 1, lines: [line] };

/** A day with everything that a release writes: the golden files of a version are made from it. */
export async function tellGoldenStory() {
  const { messages, items, watch, keep } = openCollection();
  await tellOfTheStore(watch, keep);
  await tellOfBalances(watch, keep);
  await tellOfRedemptions(watch, keep);
  return { messages, items };
}

type Watch = ReturnType<typeof openCollection>['watch'];
type Keep = ReturnType<typeof openCollection>['keep'];

async function tellOfTheStore(watch: Watch, keep: Keep): Promise<void> {
  const connector = openConnector({ rules: { customers: 'from-sign-up' } });
  const { store, ledger, loyalty, queues } = connector;
  for (const [name, queue] of Object.entries(queues)) watch(name, queue);
  const keepOrder = (name: string, id: string) =>
    keep(name, { shop: SHOP, kind: 'order', id }, ledger);
  const change = async (id: string, spec: OrderSpec, second: number, more: object = {}) => {
    const updated_at = new Date(Date.parse('2026-10-09T11:00:00Z') + second * 1000).toISOString();
    const changes = { id: Number(id), admin_graphql_api_id: `gid://shopify/Order/${id}` };
    const whole = { ...changes, updated_at, ...more };
    store.putOrder(SHOP, storeOrder(spec, whole));
    await connector.deliver({
      topic: 'orders/updated',
      payload: buildOrder(spec, whole).payload,
    });
  };

  await change('1001', simpleOrder, 0);
  await connector.drain();
  keepOrder('sent as pending', '1001');
  await change('1002', completed, 0);
  await connector.drain();
  keepOrder('sent as completed', '1002');

  // The worker dies after it has noted the step, before the call; then the part is taken.
  const refunded = { ...completed, lines: [{ ...line, takenBack: 2 }] };
  loyalty.world.interfere = () => new Promise(() => {});
  await change('1002', refunded, 60);
  void connector.work('orders');
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  keepOrder('a step of a refund begun', '1002');
  loyalty.world.interfere = undefined;
  connector.clock.ms += 31_000;
  await connector.drain();
  keepOrder('a part taken', '1002');

  await change('1003', completed, 0);
  await connector.drain();
  await change('1003', completed, 60, { cancelled_at: '2026-10-09T11:01:00Z' });
  await connector.drain();
  keepOrder('cancelled', '1003');
  await connector.send({
    ...{ shop: SHOP, kind: 'order', id: '1001', claim: 'changed', origin: 'backfill' },
    ...{ topic: 'backfill/order', deliveryId: 'backfill/1001', history: true, body: undefined },
    receivedAt: NOW.toISOString(),
  });
  await connector.drain();

  await connector.deliver({ topic: 'products/update', payload: productAt(0) });
  store.putCoupon(SHOP, storeCoupon());
  const discount = { admin_graphql_api_id: 'gid://shopify/DiscountCodeNode/1688847450345' };
  await connector.deliver({
    topic: 'discounts/update',
    payload: { ...discount, title: 'Autumn', updated_at: '2026-10-09T11:00:00Z' },
  });
  const named = { first_name: 'Robin', last_name: 'Sample' };
  const person = { ...named, state: 'enabled', created_at: '2026-10-01T00:00:00Z' };
  for (const id of [7001, 7002]) {
    const email = `robin.${id}@example.com`;
    const admin_graphql_api_id = `gid://shopify/Customer/${id}`;
    const updated_at = '2026-10-09T11:00:00Z';
    const payload = { id, admin_graphql_api_id, ...person, email, updated_at };
    await connector.deliver({ topic: 'customers/create', payload });
  }
  await connector.drain();
  keep('applied', { shop: SHOP, kind: 'product', id: '8012345678901' }, ledger);
  keep('applied', { shop: SHOP, kind: 'coupon', id: 'AUTUMN10' }, ledger);
  keep('applied', { shop: SHOP, kind: 'member', id: '7002' }, ledger);
  await connector.deliver({
    topic: 'customers/merge',
    payload: {
      admin_graphql_api_customer_kept_id: 'gid://shopify/Customer/7002',
      admin_graphql_api_customer_deleted_id: 'gid://shopify/Customer/7001',
      status: 'completed',
    },
  });
  await connector.drain();
  keep('merged into another', { shop: SHOP, kind: 'customer', id: '7001' }, ledger);
  const redacted = { shop_domain: SHOP, customer: { id: 6940095564 }, orders_to_redact: [1002] };
  await connector.deliver({ topic: 'customers/redact', payload: redacted });
  await connector.drain();
  keepOrder('redacted', '1002');
  await connector.reconcile({ deep: true });
  const cursor = (id: string) => ({ shop: SHOP, kind: 'cursor', id }) as const;
  keep('orders compared', cursor('walk/order'), ledger);
  keep('deep walk', cursor('deep'), ledger);

  const throttled = { kind: 'answer', status: 429, headers: { 'retry-after': '60' }, text: '' };
  loyalty.world.interfere = () => throttled as CallAnswer;
  await change('1004', simpleOrder, 0);
  await connector.work('orders');
  keep('paused by the service', controlKey(SHOP), ledger);
}

async function tellOfBalances(watch: Watch, keep: Keep): Promise<void> {
  const worker = openBalanceWorker([ROBIN]);
  watch('balances', worker.queue);
  await worker.announce(ROBIN, 310);
  await worker.ask(ROBIN);
  await worker.work();
  keep('balance', { shop: SHOP, kind: 'customer', id: ROBIN }, worker.ledger);
}

async function tellOfRedemptions(watch: Watch, keep: Keep): Promise<void> {
  const redeeming = openRedeeming();
  watch('balances', redeeming.queue);
  await redeeming.redeem();
  await redeeming.redeem({ rewardId: 2, clientKey: 'click-0002' });
  const book = { shop: SHOP, kind: 'redemption', id: ROBIN } as const;
  keep('made into codes', book, redeeming.ledger);
  // The answer of the third never comes.
  const unanswered = <Part extends object>(part: Part): Part =>
    'redeemRewardByKey' in part
      ? Object.assign(Object.create(part), { redeemRewardByKey: () => new Promise(() => {}) })
      : part;
  void redeeming.redeem({ clientKey: 'click-0003' }, unanswered);
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  keep('called without an answer', book, redeeming.ledger);
  await redeeming.drain();
}
