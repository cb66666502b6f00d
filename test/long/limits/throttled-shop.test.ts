import { describe, expect, it } from 'vitest';
import {
  deliverAll,
  deliverOfBoth,
  expectAllOnce,
  expectEachRefundedOnce,
  ORDERS_OF_A,
  ORDERS_OF_B,
  order,
  refundEach,
  worth,
} from '../../integration/limits/entities.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { A, B, useTwoAccounts } from '../../support/two-accounts.ts';

const open = useTwoAccounts(runConnectors());

const error103 = (fields: object) => ({
  HasError: true,
  ErrorMessage: 'no',
  Result: null,
  ...fields,
});
const seconds = { 'retry-after': '900' };
/** 900 seconds after the start of every test. */
const date = { 'retry-after': 'Fri, 09 Oct 2026 12:15:00 GMT' };

describe('a shop whose calls are refused with', () => {
  it.each([
    ['429 and seconds', { status: 429, headers: seconds }],
    ['429 and a date', { status: 429, headers: date }],
    [
      '429, seconds and the page of a gateway',
      { status: 429, headers: { ...seconds, 'content-type': 'text/html' }, body: '<html>' },
    ],
    ['error 103 in a 200', { status: 200, headers: seconds, body: error103({ ErrorCode: 103 }) }],
    ['error 103 in a 400', { status: 400, headers: seconds, body: error103({ ErrorCode: 103 }) }],
    [
      'error 103 by its name alone',
      {
        status: 200,
        headers: seconds,
        body: error103({ ErrorCode: null, Code: '90', CodeName: 'Too_Many_Requests', Severity: 2 }),
      },
    ],
  ])(
    '%s is not called before the time is over; its neighbour has everything at once',
    async (_, refusal) => {
      const accounts = await open();
      const { callsOf } = accounts;
      accounts.answer(A, () => refusal);
      await deliverOfBoth(accounts);
      await accounts.workNow();
      // Those that had begun when the first was refused. Products and coupons come later, and are not tried.
      const refused = callsOf(A).length;
      expect(refused).toBeGreaterThan(0);
      expect(refused).toBeLessThanOrEqual(5);
      expect(new Set(callsOf(A).map(({ what }) => what))).toEqual(new Set(['POST /POS/orders']));
      expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B);
      const mostPassedMs = 5_000;
      expect(Math.max(...callsOf(B).map(({ at }) => at))).toBeLessThan(mostPassedMs);

      accounts.answer(A);
      const left = 900 - (callsOf(A)[0]?.at ?? 0) / 1_000;
      await accounts.workFor(left - 10, 60);
      expect(callsOf(A)).toHaveLength(refused);
      await expectAllOnce(accounts);
    },
  );

  it('error 103 without a time waits at least ten seconds between tries, and loses nothing', async () => {
    const accounts = await open();
    const { callsOf } = accounts;
    accounts.answer(A, () => ({ status: 200, body: error103({ ErrorCode: 103 }) }));
    await deliverOfBoth(accounts);
    await accounts.workFor(300, 2);
    expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B);
    // Calls that run at the same time are one try.
    const tries = callsOf(A)
      .map(({ at }) => at)
      .filter((at, index, all) => at - (all[index - 1] ?? Number.NEGATIVE_INFINITY) > 1_000);
    expect(tries.length).toBeGreaterThan(2);
    for (const [index, at] of tries.slice(1).entries()) {
      expect(at - (tries[index] ?? 0)).toBeGreaterThanOrEqual(10_000);
    }
    expect(callsOf(A).length).toBeLessThan(40);
    accounts.answer(A);
    await expectAllOnce(accounts);
  });
});

describe('a Retry-After of', () => {
  it.each(['', 'soon', '-5', '99999999999', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    '"%s" pauses for a second at least and an hour at most',
    async (header) => {
      const accounts = await open();
      const { connector, callsOf } = accounts;
      accounts.answer(A, () => ({ status: 429, headers: { 'retry-after': header } }));
      await deliverOfBoth(accounts);
      await accounts.workNow();
      expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B);
      const refused = callsOf(A).length;
      expect(refused).toBeLessThanOrEqual(5);
      accounts.answer(A);
      // The pause, the half of it over which the messages are spread, and the seconds in which others go first.
      await accounts.workFor(1.5 * 3_600 + 600, 300);
      expect(await connector.waiting()).toBe(0);
      await expectAllOnce(accounts);
      const next = callsOf(A)[refused]?.at ?? 0;
      expect(next - (callsOf(A)[0]?.at ?? 0)).toBeGreaterThanOrEqual(1_000);
    },
  );
});

describe('a shop that is throttled in the middle of its work', () => {
  it('has each of its orders sent once, whether early or late calls are refused', async () => {
    for (const last of [1, 4, 7]) {
      const accounts = await open();
      let executed = 0;
      accounts.answer(A, () => {
        executed += 1;
        return executed > last ? { status: 429, headers: seconds } : undefined;
      });
      await deliverAll(accounts, A, ORDERS_OF_A);
      await accounts.workNow();
      expect(accounts.takenOrders(A)).toHaveLength(last);
      accounts.answer(A);
      await deliverAll(accounts, B, ORDERS_OF_B);
      await expectAllOnce(accounts);
    }
  });

  it('has a refund taken once that was refused, while others of its orders wait', async () => {
    const accounts = await open();
    const { connector, callsOf } = accounts;
    await deliverAll(accounts, A, ORDERS_OF_A);
    await connector.settle();
    accounts.calls.splice(0);
    accounts.answer(A, () => ({ status: 429, headers: seconds }));
    await refundEach(accounts);
    await accounts.workNow();
    const refused = callsOf(A).length;
    await accounts.workFor(850, 50);
    expect(callsOf(A)).toHaveLength(refused);
    accounts.answer(A);
    await expectEachRefundedOnce(accounts);
    const taken = callsOf(A).filter(({ wasExecuted }) => wasExecuted);
    const parts = taken.filter(({ what }) => what.endsWith('/partialcancel'));
    expect(parts.map(({ what }) => what).toSorted()).toEqual(
      ORDERS_OF_A.map((id) => `POST /POS/${id}/partialcancel`),
    );
    // After a step that was tried twice the order is sent again, with the total that it had.
    for (const { body } of taken.filter((call) => !parts.includes(call))) {
      expect(body.OrderTotal).toBe(worth([Number(body.OriginalId)]));
    }
  });
});

describe('a shop whose credentials are refused', () => {
  it('does not slow its neighbour, is asked seldom, and has everything once soon after the new secret', async () => {
    const accounts = await open();
    const { connector, callsOf } = accounts;
    await accounts.giveKey('example-store', 'an-old-key-51c0');
    await deliverAll(accounts, A, ORDERS_OF_A);
    await deliverAll(accounts, B, ORDERS_OF_B.slice(0, 4));
    await accounts.workNow();
    expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B.slice(0, 4));
    const first = callsOf(A).length;
    await accounts.workFor(3 * 3_600, 120);
    // One try in five minutes: each of up to five calls that begin side by side.
    expect(callsOf(A).length - first).toBeLessThanOrEqual((3 * 12 + 1) * 5);
    await deliverAll(accounts, B, ORDERS_OF_B.slice(4));
    const before = Date.now();
    await accounts.workNow();
    expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B);
    expect(Date.now() - before).toBeLessThan(5_000);

    await accounts.giveKey('example-store');
    // A message that comes at the end of the last pause, of five minutes, waits for half an hour at most, and then
    // for minutes, while others go first.
    await accounts.workFor(300 + 1_800 + 600, 60);
    expect(accounts.takenOrders(A)).toEqual(ORDERS_OF_A);
    expect(await connector.waiting()).toBe(0);
    expect(await connector.deadLetters()).toEqual([]);
  });
});

describe('a shop whose secret is no secret', () => {
  it.each([[{ token: 'token-of-example-store' }], [{ token: 'a:b', key: '' }]])(
    '%o waits and parks nothing; its neighbour has everything at once',
    async (fields) => {
      const accounts = await open();
      const { connector } = accounts;
      await connector.keepSecret('example-store/loyalty', fields);
      await deliverOfBoth(accounts);
      await accounts.workNow();
      expect(accounts.takenOrders(B)).toEqual(ORDERS_OF_B);
      await accounts.workFor(7_200, 300);
      expect(accounts.takenOrders(A)).toEqual([]);
      await accounts.giveKey('example-store');
      await expectAllOnce(accounts);
    },
  );
});

describe('a service that asks for one second again and again', () => {
  it('does not use up the thousand receives of a message', async () => {
    const accounts = await open();
    accounts.answer(A, () => ({ status: 429, headers: { 'retry-after': '1' } }));
    await accounts.connector.post('orders/create', order(1), { shop: A });
    let receives = 0;
    for (let second = 0; second < 600; second += 3) {
      receives += await accounts.connector.work();
      accounts.connector.pass(3);
    }
    expect(receives).toBeGreaterThan(3);
    // At this pace a thousand would last for more than four hours, and the pauses grow.
    expect(receives).toBeLessThan(40);
  });
});
