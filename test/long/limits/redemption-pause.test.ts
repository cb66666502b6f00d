import { afterEach, describe, expect, it } from 'vitest';
import type { Treat } from '../../support/outside-line.ts';
import { runConnectors } from '../../support/running-connector.ts';
import { at } from '../../support/treatments.ts';
import { expectSpentOnce } from '../redeem-by-key/laws.ts';
import { openRedeemWorld, type RedeemWorld } from '../redeem-by-key/redeem-world.ts';

const connectors = runConnectors({ posCustomerId: 'email-or-document' });
let world: RedeemWorld | undefined;
afterEach(() => world?.stop());

/** The shop is paused while the nth call is under way; then the process goes on, loses the answer, or dies. */
const pausedAt =
  (index: number, then: 'pass' | 'lost' | 'killed-before' | 'killed-after'): Treat =>
  async (call) => {
    if (!at(index)(call)) return 'pass';
    await world?.connector.pauseShop();
    return then;
  };

it('a redemption that is throttled at any of its calls spends the points once', async () => {
  for (let index = 0; ; index += 1) {
    world = await openRedeemWorld(connectors);
    const robin = await world.shopper();
    const click = world.click();
    const shop = await world.startStorefront((call) =>
      at(index)(call) && call.service === 'loyalty' ? { answer: {}, status: 429 } : 'pass',
    );
    await shop.redeem(robin, click);
    const calls = shop.line.calls.length;
    world.pass(11);
    await world.rest();
    await (await world.startStorefront()).redeem(robin, click);
    await world.rest();
    await expectSpentOnce(world, robin, { when: `throttled at call ${index}` });
    await world.stop();
    world = undefined;
    if (calls <= index) return;
  }
}, 240_000);

describe.each(['pass', 'lost', 'killed-before', 'killed-after'] as const)(
  'a redemption whose shop is paused during a call that ends as "%s"',
  (then) => {
    it('spends the points once, whichever call it is, after a pause longer than the retry window', async () => {
      for (let index = 0; ; index += 1) {
        world = await openRedeemWorld(connectors);
        const robin = await world.shopper();
        const click = world.click();
        const shop = await world.startStorefront(pausedAt(index, then));
        await shop.redeem(robin, click);
        const calls = shop.line.calls.length;
        const when = `${then} at call ${index}`;
        await world.workFor(6 * 24 * 60);
        await world.connector.resumeShop();
        world.pass(11);
        await world.rest();
        // The customer clicks again, as the page suggests.
        const again = await (await world.startStorefront()).redeem(robin, click);
        expect(again === 'no answer' ? 0 : again.status, when).toBeLessThan(500);
        await world.rest();
        await expectSpentOnce(world, robin, { when });
        await world.stop();
        world = undefined;
        if (calls <= index) {
          expect(index).toBeGreaterThan(5);
          return;
        }
      }
    }, 240_000);
  },
);
