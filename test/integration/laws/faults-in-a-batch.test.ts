import { describe, expect, it } from 'vitest';
import { SHOP } from '../../../local/harness/in-process-connector.ts';
import type { CallFailure } from '../../../shared/loyalty/result.ts';
import { bodyOf } from '../../fixtures/order-payload.ts';
import { emailOf, openBatches, PENDING, payloadOf, type SentOrder } from './batch-of-orders.ts';

const [A, B, C] = ['7001', '7002', '7003'] as const;
const REFUSED: CallFailure = { kind: 'failure', reason: 'connection', mayHaveHappened: false };
const LOST: CallFailure = { kind: 'failure', reason: 'time-out', mayHaveHappened: true };

type World = ReturnType<typeof openBatches>;

const four: readonly SentOrder[] = [
  { id: 1, by: A, nowBy: B },
  { id: 2, by: C },
  { id: 3, by: A, nowBy: B },
  { id: 4, by: B },
];
const fourEarned = { 1: [B, 50], 2: [C, 50], 3: [B, 50], 4: [B, 50] };

/** Every order of the batch earns once, for the one of two who was a customer then. */
function expectEachOnce(world: World, ids: readonly number[], who: readonly string[]): void {
  const earned = world.earned();
  for (const id of ids) {
    expect(earned[id]?.[1], `points of ${id}`).toBe(50);
    expect(who).toContain(earned[id]?.[0]);
  }
  expect(who.reduce((sum, one) => sum + world.balance(one), 0)).toBe(50 * ids.length);
}

describe('a read that fails', () => {
  it('of the ledger sends no order for a customer who is gone, whichever read it is', async () => {
    let reads = 1;
    for (let nth = 1; nth <= reads; nth += 1) {
      const world = openBatches({ parallel: 1 });
      await world.merge(A, B);
      await world.send(...four);
      const fault = world.failRead(nth);
      await world.work('orders').catch(() => {});
      reads = Math.max(reads, fault.reads);
      for (const [who] of Object.values(world.earned())) expect(who, `read ${nth}`).not.toBe(A);
      fault.stop();
      await world.workLater();
      expect(world.earned(), `read ${nth}`).toEqual(fourEarned);
    }
  });

  it('of the store lets only orders of merged customers wait, and sends none for the one who is gone', async () => {
    const world = openBatches();
    await world.merge(A, B);
    await world.send(...four);
    world.store.outage = { kind: 'unavailable', why: 'time-out', misconfigured: false };
    await world.work('orders');
    expect(world.earned()).toEqual({ 2: [C, 50], 4: [B, 50] });
    world.store.outage = undefined;
    await world.workLater();
    expect(world.earned()).toEqual(fourEarned);
  });
});

describe('a merge between two attempts at an order', () => {
  it.each([
    ['was not executed', REFUSED, false, [A, B]],
    ['was executed and not answered', LOST, true, [A]],
    ['may have been executed, and was not', LOST, false, [A, B]],
  ] as const)(
    'gives its points once, and moves none that were earned: the first call %s',
    async (_, failure, isExecuted, holders) => {
      const world = openBatches();
      const first: readonly SentOrder[] = [1, 2, 3].map((id) => ({ id, by: A }));
      await world.send(...first);
      await world.workWhile((_, pass) => {
        if (isExecuted) pass();
        return failure;
      });
      await world.merge(A, B);
      for (const sent of first) world.keep({ ...sent, nowBy: B });
      await world.workLater();
      expectEachOnce(world, [1, 2, 3], holders);
    },
  );

  it.each([
    ['after', A],
    ['before', B],
  ])(
    'moves no points of a completion whose answer was lost: merged %s it',
    async (when, holder) => {
      const world = openBatches();
      await world.send({ id: 1, by: A, spec: PENDING });
      await world.drain();
      if (when === 'before') await world.merge(A, B);
      await world.send({ id: 1, by: A, nowBy: holder, second: 2 });
      await world.workWhile((_, pass) => {
        pass();
        return LOST;
      });
      expect(world.earned()).toEqual({ 1: [holder, 50] });
      if (when === 'after') await world.merge(A, B);
      world.keep({ id: 1, by: B, second: 2 });
      await world.workLater();
      expect(world.earned()).toEqual({ 1: [holder, 50] });
    },
  );

  it('that the service refused gives the kept customer the points of its replay', async () => {
    const world = openBatches();
    await world.send({ id: 1, by: A }, { id: 2, by: A });
    const text = JSON.stringify({
      HasError: true,
      ErrorCode: 50,
      ErrorMessage: 'no',
      Result: null,
    });
    await world.workWhile(() => ({ kind: 'answer', status: 200, headers: {}, text }));
    expect(world.dead.size).toBe(2);
    await world.merge(A, B);
    for (const id of [1, 2]) world.keep({ id, by: B });
    await world.replay();
    await world.drain();
    expect(world.earned()).toEqual({ 1: [B, 50], 2: [B, 50] });
    expect(world.dead.size).toBe(0);
  });

  it('of which an older version waits behind the failed one gives the kept customer its points', async () => {
    const world = openBatches();
    const versions = [1, 2, 3].map((second) => ({ id: 1, by: A, second, spec: PENDING }));
    await world.send(...versions);
    const asked: string[] = [];
    await world.workWhile(({ operation }) => {
      asked.push(operation);
      return REFUSED;
    });
    expect(asked).toEqual(['sendOrder']);
    await world.merge(A, B);
    world.keep({ id: 1, by: B, second: 3 });
    await world.workLater();
    expectEachOnce(world, [1], [B]);
  });

  it('whose newest version cannot be read gives the kept customer the points of the older one', async () => {
    const world = openBatches();
    await world.merge(A, B);
    await world.send({ id: 1, by: A, nowBy: B });
    const broken = { ...payloadOf({ id: 1, by: C, second: 9 }), line_items: 'none' };
    await world.connector.deliver({ topic: 'orders/updated', payload: bodyOf(broken) });
    await world.drain();
    expect(world.earned()).toEqual({ 1: [B, 50] });
    expect(world.dead.size).toBe(1);
  });
});

describe('a merge while the batch is running', () => {
  const ids = [1, 2, 3, 4];

  /** One batch of four orders. At the nth call the two are merged, and that takes so long. */
  async function mergeAtCall(
    nth: number,
    sent: Partial<SentOrder> = {},
    seconds = 0,
  ): Promise<World> {
    const world = openBatches({ parallel: 1 });
    await world.send(...ids.map((id) => ({ id, by: A, ...sent })));
    let calls = 0;
    await world.workWhile(async ({ operation }, pass) => {
      if (operation === 'sendOrder') calls += 1;
      if (operation === 'sendOrder' && calls === nth) {
        for (const id of ids) world.keep({ id, by: B, ...sent });
        await world.merge(A, B);
        world.clock.ms += seconds * 1000;
      }
      return pass();
    });
    return world;
  }

  it.each(ids)(
    'at call %i gives the points of each order once, and later moves none',
    async (nth) => {
      const world = await mergeAtCall(nth);
      expectEachOnce(world, ids, [A, B]);
      const before = world.earned();
      // The store's webhooks after the merge name the kept customer, and one more order was late.
      await world.send(...ids.map((id) => ({ id, by: B, second: 9 })), { id: 5, by: A, nowBy: B });
      await world.drain();
      expect(world.earned()).toEqual({ ...before, 5: [B, 50] });
    },
  );

  it('gives the kept customer the points of orders that are sent ten seconds later', async () => {
    const world = await mergeAtCall(1, {}, 10);
    expect(world.earned()).toEqual({ 1: [A, 50], 2: [B, 50], 3: [B, 50], 4: [B, 50] });
  });

  it('leaves no pending order with the customer who is gone after its next event', async () => {
    const world = await mergeAtCall(1, { spec: PENDING });
    await world.send(...ids.map((id) => ({ id, by: A, nowBy: B, second: 9 })));
    await world.drain();
    expectEachOnce(world, ids, [B]);
  });
});

describe('a redaction in the batch', () => {
  it('leaves nothing of the person in the ledger, and others get their points', async () => {
    const world = openBatches();
    await world.sign(A, 0);
    await world.send({ id: 1, by: A });
    await world.drain();
    const customer = { id: Number(A), email: emailOf(A) };
    const payload = { shop_domain: SHOP, customer, orders_to_redact: [1, 2, 3] };
    await world.send({ id: 2, by: A });
    await world.connector.deliver({ topic: 'customers/redact', payload });
    await world.send({ id: 1, by: A, second: 4 }, { id: 3, by: A }, { id: 4, by: C });
    await world.drain();
    expect(JSON.stringify([...world.ledger.entries])).not.toContain(emailOf(A));
    expect(world.earned()).toMatchObject({ 1: [A, 50], 4: [C, 50] });
    expect(world.balance(A)).toBeLessThanOrEqual(150);
    expect(world.dead.size).toBe(0);
  });
});

describe('one message that is wrong', () => {
  const by = (customer: unknown) => bodyOf({ ...payloadOf({ id: 99, by: null }), customer });
  const named = (id: unknown) => by({ id, email: 'x@example.com' });

  it.each([
    [
      'a customer named __proto__',
      by({ admin_graphql_api_id: 'gid://shopify/Customer/__proto__' }),
    ],
    ['a customer with the key of another', named(`customer|${SHOP}|${A}`)],
    ['a customer with a number of 3,000 digits', named(`#id:${'7'.repeat(3_000)}`)],
    ['a customer whose number is a list', named([A])],
    ['a customer who is a text', by(A)],
    ['a body that is no JSON', '{"id": 99, "customer": {"id"'],
    ['a body of nothing', '{"id": 99}'],
    ['an order of a shop that is not configured', named(Number(A)), 'closed.myshopify.com'],
  ])('takes no points from the others in its batch: %s', async (_, payload, shop = SHOP) => {
    const world = openBatches();
    await world.merge(A, B);
    await world.connector.deliver({ topic: 'orders/updated', payload, shop });
    await world.send(...four);
    await world.work('orders');
    const { 99: wrong, ...others } = world.earned();
    expect(others).toEqual(fourEarned);
    expect([A, B, C]).not.toContain(wrong?.[0]);
  });
});
