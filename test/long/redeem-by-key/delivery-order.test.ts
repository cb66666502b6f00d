import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { runConnectors } from '../../support/running-connector.ts';
import { ADDRESS, type Event, forms, openPoints } from './point-deliveries.ts';
import type { Shopper } from './processes.ts';
import { openRedeemWorld, type RedeemWorld } from './redeem-world.ts';

const connectors = runConnectors();
let world: RedeemWorld;
afterEach(() => world.stop());

async function open() {
  world = await openRedeemWorld(connectors);
  return openPoints(world);
}

const pointsShown = (robin: Shopper) => Number(world.metafieldsOf(robin).points);

type Change = 'earn' | 'cancel' | 'spend' | 'update';

/** Something that moves points in the service. */
async function move(robin: Shopper, change: Change, orders: string[]): Promise<void> {
  world.pass(60);
  const at = new Date().toISOString();
  const send = (OriginalId: string, OrderTotal: number) =>
    world.callLoyalty('POST', '/POS/orders', {
      OriginalId,
      OrderPlacementDate: new Date(Date.now() - 3_600_000).toISOString(),
      OrderCompletedDate: at,
      OrderStatus: 'completed',
      IsCancelledOrReturned: false,
      IsCompleted: true,
      OrderTotal,
      Customer: { OriginalId: robin.id, Email: robin.email },
      UpdatedDate: at,
    });
  if (change === 'spend' && (world.pointsOf(robin) ?? 0) >= 100) {
    await world.callLoyalty('POST', '/POS/rewards/1/redeem', {
      CustomerId: robin.email,
      OriginalKey: crypto.randomUUID(),
    });
    return;
  }
  const last = orders.at(-1);
  if (change === 'update' && last !== undefined) await send(last, 75);
  else if (change === 'cancel' && last !== undefined) {
    orders.pop();
    await world.callLoyalty('POST', `/POS/orders/${last}/cancel`, {
      OrderCancelledDate: at,
      OrderStatus: 'cancelled',
    });
  } else {
    orders.push(`order-${crypto.randomUUID()}`);
    await send(orders.at(-1) ?? '', 120);
  }
}

describe('whatever the order of delivery', () => {
  it('the store shows the balance of the service in the end', async () => {
    const { receiver, headers } = await open();
    const post = async (event: Event, form: keyof typeof forms) =>
      expect(await receiver.post(ADDRESS, JSON.stringify(forms[form](event)), headers)).toBe(200);
    const changes = fc.array(fc.constantFrom<Change>('earn', 'cancel', 'spend', 'update'), {
      minLength: 1,
      maxLength: 6,
    });
    const deliveries = fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 0.999, noNaN: true }),
        form: fc.constantFrom(...(Object.keys(forms) as (keyof typeof forms)[])),
        works: fc.boolean(),
        hours: fc.constantFrom(0, 1, 72),
      }),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(changes, deliveries, async (made, delivered) => {
        const robin = await world.shopper({ points: 200 });
        const orders: string[] = [];
        for (const change of made) await move(robin, change, orders);
        const events = world.eventsOf(robin);
        // Some of them in any order, twice, or days late; then each at least once, from the newest.
        for (const { at, form, works, hours } of delivered) {
          const event = events[Math.floor(at * events.length)];
          if (event) await post(event, form);
          if (works) await world.rest();
          world.pass(hours * 3600);
        }
        for (const event of events.toReversed()) await post(event, 'wrapped');
        await world.rest();
        expect(pointsShown(robin)).toBe(world.pointsOf(robin));
      }),
      { numRuns: 12 },
    );
    expect(await world.deadLetters()).toBe(0);
  });

  it('a refund that comes before its points, days later, leaves the balance of the service', async () => {
    const { receiver, headers } = await open();
    const robin = await world.shopper({ points: 30 });
    const orders: string[] = [];
    await move(robin, 'earn', orders);
    await move(robin, 'cancel', orders);
    const [first, earned, refunded] = world.eventsOf(robin);
    for (const event of [first, refunded, earned]) {
      if (!event) throw new Error('the sandbox sent no event');
      const body = JSON.stringify(forms.wrapped(event));
      expect(await receiver.post(ADDRESS, body, headers)).toBe(200);
      await world.rest();
      world.pass(3 * 86_400);
    }
    expect(world.pointsOf(robin)).toBe(30);
    expect(pointsShown(robin)).toBe(30);
  });
});
