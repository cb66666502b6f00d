import { beforeEach, describe, expect, it } from 'vitest';
import { describeEventQueueContract } from '../contract/event-queue-contract.ts';
import { describeFifoQueueContract } from '../contract/fifo-queue-contract.ts';
import { describeLedgerContract } from '../contract/ledger-contract.ts';
import { describeBalanceStore, describeRewardStore } from '../contract/reward-store-contract.ts';
import { describeStoreContract } from '../contract/store-contract.ts';
import { storeCoupon, storeOrder, storeProduct } from '../fixtures/store-entities.ts';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import {
  createMemoryDeadLetters,
  createMemoryEventQueue,
  createMemoryQueue,
  createMemoryQueueDepth,
  createMemorySourceQueue,
  type MemoryQueue,
} from '../support/memory-queue.ts';
import {
  createMemoryBalanceStore,
  createMemoryRewardStore,
} from '../support/memory-reward-store.ts';
import { createMemoryStore } from '../support/memory-store.ts';

describeLedgerContract('the ledger in memory', async () => createMemoryLedger());

it('removes only what has expired', async () => {
  const ledger = createMemoryLedger();
  const key = (id: string) => ({ shop: 'example.myshopify.com', kind: 'order', id }) as const;
  const entry = { version: 1, uncertain: false, outcomes: [] };
  await ledger.write(key('1'), { ...entry, expiresAt: 100 }, undefined);
  await ledger.write(key('2'), { ...entry, expiresAt: 200 }, undefined);
  await ledger.write(key('3'), entry, undefined);
  ledger.expire(150);
  expect([...ledger.entries.keys()]).toEqual([
    'order|example.myshopify.com|2',
    'order|example.myshopify.com|3',
  ]);
});

describeEventQueueContract('the queues in memory', async () => {
  let milliseconds = 0;
  const now = () => milliseconds;
  const queues = {
    orders: createMemoryQueue({ now, name: 'orders' }),
    products: createMemoryQueue({ now, name: 'products' }),
    coupons: createMemoryQueue({ now, name: 'coupons' }),
    dead: createMemoryQueue({ now, name: 'dead' }),
  };
  return {
    events: createMemoryEventQueue(queues),
    deadLetters: createMemoryDeadLetters(queues.dead),
    source: createMemorySourceQueue(queues.orders),
    depth: createMemoryQueueDepth(queues),
    receive: async (from, limits) => queues[from].receive(limits),
    remove: async (from, message) => queues[from].delete(message.receiptHandle),
    pass: async (seconds) => {
      milliseconds += seconds * 1000;
    },
  };
});

describe('the queue in memory, where the emulator differs from the real service', () => {
  let milliseconds: number;
  let queue: MemoryQueue;
  const send = (groupId: string, body: string) =>
    queue.send({ groupId, body, deduplicationId: `${groupId}-${body}` });
  const bodies = (max?: number) => queue.receive(max ? { max } : {}).map(({ body }) => body);

  beforeEach(() => {
    milliseconds = 0;
    queue = createMemoryQueue({ now: () => milliseconds, visibilitySeconds: 30 });
  });

  it('keeps a group locked behind a message in flight whose predecessor is done', () => {
    for (const body of ['1', '2', '3']) send('a', body);
    const [first] = queue.receive({ max: 2 });
    if (!first) throw new Error('three messages were sent');
    queue.delete(first.receiptHandle);
    expect(bodies()).toEqual([]);
    milliseconds = 31_000;
    expect(bodies()).toEqual(['2', '3']);
  });

  it('refuses the receipt of a message that was given to another worker', () => {
    send('a', '1');
    const [late] = queue.receive();
    milliseconds = 31_000;
    const [again] = queue.receive();
    if (!late || !again) throw new Error('one message was sent');
    expect(again.attempts).toBe(2);
    expect(() => queue.delete(late.receiptHandle)).toThrow();
    expect(() => queue.changeVisibility(late.receiptHandle, 1)).toThrow();
    queue.delete(again.receiptHandle);
    expect(queue.size).toBe(0);
  });

  it('takes a deduplication id again after five minutes, not before', () => {
    const first = send('a', '1');
    milliseconds = 299_999;
    expect(send('a', '1')).toEqual(first);
    milliseconds = 300_000;
    expect(send('a', '1')).not.toEqual(first);
    expect(queue.size).toBe(2);
  });

  it.each([
    ['a body above 1 MiB', { body: 'x'.repeat(1_048_577) }],
    ['a character that SQS refuses', { body: '\u0000' }],
    ['an empty body', { body: '' }],
    ['a group id with a space', { groupId: 'a b' }],
    ['a group id that is too long', { groupId: 'a'.repeat(129) }],
    ['a deduplication id with an emoji', { deduplicationId: '🎁' }],
    ['an empty attribute', { attributes: { why: '' } }],
  ])('refuses %s', (_, changes) => {
    const message = { body: 'x', groupId: 'a', deduplicationId: 'd' };
    expect(() => queue.send({ ...message, ...changes })).toThrow();
  });
});

describe.each([
  ['behind', 'before-hidden'],
  ['group', 'unless-hidden'],
] as const)('a hidden message locks: %s', (locks, rule) => {
  describeFifoQueueContract('the queue in memory', rule, async () => {
    let milliseconds = 0;
    const now = () => milliseconds;
    const dead = createMemoryQueue({ now, name: 'dead' });
    const queue = createMemoryQueue({ now, redrive: { to: dead, maxReceiveCount: 2 } });
    return {
      send: async (groupId, body, deduplicationId = body) => {
        queue.send({ groupId, body, deduplicationId });
      },
      receive: async (limits) => queue.receive({ ...limits, locks }),
      remove: async ({ receiptHandle }) => queue.delete(receiptHandle),
      hide: async ({ receiptHandle }, seconds) => queue.changeVisibility(receiptHandle, seconds),
      receiveDead: async () => dead.receive(),
      pass: async (seconds) => {
        milliseconds += seconds * 1000;
      },
    };
  });
});

const unavailable = { kind: 'unavailable', why: 'asleep' } as const;

describeStoreContract('the store in memory', async () => {
  const store = createMemoryStore();
  const shop = 'example-store.myshopify.com';
  const moment = (at: number) => new Date(at).toISOString();
  let count = 0;
  const nextId = () => {
    count += 1;
    return String(1_000 + count);
  };
  let now = 0;
  store.now = () => now;
  return {
    ...{ shop, otherShop: 'second-store.myshopify.com', store },
    async placeOrder(at) {
      const order = { ...storeOrder(), id: nextId(), placedAt: moment(at), updatedAt: moment(at) };
      store.putOrder(shop, order);
      return order.id;
    },
    changeOrder(id, at) {
      store.putOrder(shop, { ...storeOrder(), id, updatedAt: moment(at) });
    },
    async createProduct(at) {
      const product = storeProduct({ id: nextId(), updatedAt: moment(at) });
      store.putProduct(shop, product);
      return product.id;
    },
    async createDiscount(at, codes) {
      const discountId = nextId();
      for (const code of codes) {
        store.putCoupon(shop, storeCoupon({ code, discountId, updatedAt: moment(at) }));
      }
      return discountId;
    },
    async createAutomaticDiscount() {
      const id = nextId();
      store.putAutomaticDiscount(shop, id);
      return id;
    },
    remove: (kind, id) => store.remove(shop, kind, id),
    setNow(at) {
      now = at;
    },
    grantAllOrders(granted) {
      store.allOrders = granted;
    },
    turn(how) {
      store.outage =
        how === 'well' ? undefined : { ...unavailable, misconfigured: how === 'refusing' };
    },
  };
});

describeBalanceStore('the store in memory', () => {
  const customers = Array.from({ length: 20 }, (_, index) => String(index + 1));
  const store = createMemoryBalanceStore(customers);
  return {
    store,
    shop: 'example-store.myshopify.com',
    customers,
    held: (id, field) => store.customers.get(id)?.[field] ?? undefined,
  };
});

describeRewardStore('the store in memory', () => {
  const store = createMemoryRewardStore();
  return {
    store,
    shop: 'example-store.myshopify.com',
    customers: ['7001', '7002'],
    since: () => new Date(Date.now() - 1_000),
    makeForeign: (code) => store.foreign.add(code.toLowerCase()),
    use: (code, customerId) => {
      const made = store.codes.get(code.toLowerCase());
      if (made) made.used += 1;
      store.orders.push({ customerId, at: new Date(), codes: [code] });
    },
  };
});
