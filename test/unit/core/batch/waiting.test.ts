import { beforeEach, describe, expect, it } from 'vitest';
import { openConnector, SHOP } from '../../../../local/harness/in-process-connector.ts';
import { waitingIn } from '../../../../shared/core/batch/waiting.ts';
import { ledgerKeyText } from '../../../../shared/core/ledger/ledger.ts';
import { orderWithId } from '../../../fixtures/order-life.ts';
import { TIME_OUT, UNREACHABLE } from '../../../fixtures/service-answers.ts';
import { retryNow } from '../../../support/retry-now.ts';
import { openWebhookConnector, type WebhookConnector } from '../../../support/webhook-connector.ts';

let connector: WebhookConnector;
beforeEach(() => {
  connector = openWebhookConnector();
});

/** The operator's clock may be wrong by so many milliseconds. */
const wake = ({ ledger, queues, clock }: WebhookConnector, aheadMs = 0) =>
  retryNow({ shop: SHOP, ledger, queues, now: new Date(clock.ms + aheadMs) }, ledger);

const waits = () =>
  [...connector.ledger.entries].flatMap(([text, { remembered }]) =>
    text.startsWith(ledgerKeyText({ shop: SHOP, kind: 'waiting', id: '' }))
      ? (waitingIn(remembered) ?? [])
      : [],
  );

/** Every worker tries what it gets, second by second. */
async function workFor(seconds: number, ...workers: Pick<WebhookConnector, 'work'>[]) {
  for (let second = 0; second < seconds; second += 1) {
    for (const worker of workers) await worker.work('orders', { max: 1 });
    connector.clock.ms += 1_000;
  }
}

/** A process beside the first: the same queue, ledger and service, and a circuit breaker of its own. */
function openBeside() {
  const beside = openConnector({ beside: connector });
  beside.parts.ledger = connector.ledger;
  return beside;
}

describe('after an outage', () => {
  it('retry-now sends everything with one call each, from every process, and nothing waits again', async () => {
    const other = openBeside();
    connector.loyalty.world.interfere = () => UNREACHABLE;
    await connector.deliverOrders(1, 2, 3, 4, 5, 6);
    await workFor(120, connector, other);
    let calls = 0;
    connector.loyalty.world.interfere = (_, pass) => {
      calls += 1;
      return pass();
    };
    // Both circuit breakers are open.
    expect((await wake(connector)).woken).toHaveLength(6);
    await other.work('orders', { max: 3 });
    await connector.work('orders', { max: 3 });
    expect(connector.orderIds()).toEqual(['1', '2', '3', '4', '5', '6']);
    expect([calls, connector.queues.orders.size]).toEqual([6, 0]);
  });

  it('what became of each woken message is recorded where the command reads it', async () => {
    connector.loyalty.world.interfere = () => UNREACHABLE;
    await connector.deliverOrders(1, 2);
    await workFor(3, connector);
    connector.loyalty.world.interfere = undefined;
    await wake(connector);
    await connector.work('orders');
    const newest = new Map(waits().map((one) => [one.messageId, one.ended]));
    expect([...newest.values()]).toEqual(['applied', 'applied']);
    expect((await wake(connector)).woken).toEqual([]);
  });
});

describe('a call without an answer', () => {
  /** Sends 115, gets no answer, and the service executes the call only when `land` is called. */
  async function timeOut() {
    let land = () => {};
    connector.loyalty.world.interfere = (_, pass) => {
      land = pass;
      connector.loyalty.world.interfere = undefined;
      return TIME_OUT;
    };
    await connector.deliver({ topic: 'orders/create', payload: orderWithId(1) });
    await connector.work('orders');
    return () => land();
  }

  const changed = (second: number) =>
    orderWithId(1, second, { current_subtotal_price: '130.00', subtotal_price: '130.00' });

  it.each([
    ['right', 0],
    ['21 seconds ahead', 21_000],
    ['five minutes behind', -300_000],
  ])('holds the message back for 30 seconds, with a clock that is %s', async (_, aheadMs) => {
    const land = await timeOut();
    await connector.deliver({ topic: 'orders/updated', payload: changed(2) });
    connector.clock.ms += 10_000;
    const { woken } = await wake(connector, aheadMs);
    expect(woken.map(({ isHeldBack }) => isHeldBack)).toEqual([aheadMs <= 0]);
    await connector.work('orders');
    expect(connector.orderIds()).toEqual([]);
    connector.clock.ms += 19_000;
    await connector.work('orders');
    expect(connector.orderIds()).toEqual([]);
    land();
    connector.clock.ms += 12_000;
    await connector.work('orders');
    expect(connector.queues.orders.size).toBe(0);
    expect(connector.loyalty.rows.orders.get('1')?.OrderTotal).toBe(130);
  });

  it('counts as one try, and being held back as none', async () => {
    await timeOut();
    await wake(connector, 31_000);
    await connector.work('orders');
    expect(waits().map(({ why, tries }) => [why, tries])).toEqual([
      ['time-out', 1],
      ['call-under-way', 1],
    ]);
  });
});
