import { amountHeld } from '../../../local/harness/held-order.ts';
import { changeControl, inDoubt, wentLive } from '../../../shared/core/calls/shop-pause.ts';
import { SHOP } from '../../support/in-process-connector.ts';
import { connectorScenario, workerOf, wrongIn } from './connector-scenario.ts';
import { sendElsewhere } from './go-live-schedules.ts';
import { orderAt, UNIT, UNITS } from './refund-schedules.ts';

interface LostLedgerStory {
  /** How many units are left after each change that the ledger has forgotten. */
  readonly forgotten: readonly number[];
  /** And after each change since. */
  readonly since: readonly number[];
  /** Another integration sent the order, and counted so much more than we do. */
  readonly theirs?: number;
}

/**
 * An order was sent, or taken over from another integration, and changed. Then the ledger is lost. More changes follow,
 * whose webhooks arrive in any order. What the service counts is what it would count if the ledger had been kept.
 */
export const lostLedgerScenario = ({ forgotten, since, theirs }: LostLedgerStory) =>
  connectorScenario((connector) => {
    const { store, loyalty, clock, ledger, dead } = connector;
    const moments = [UNITS, ...forgotten, ...since].map((left, index) =>
      orderAt(index, Math.max(UNITS - left, 0), false, Math.max(left, UNITS)),
    );
    const now = () => new Date(clock.ms);
    const first = moments[0];
    if (!first) throw new Error('an order has a first moment');
    let changes = 0;
    const change = (index: number) => {
      changes = index;
      store.putOrder(SHOP, (moments[index] ?? first).order);
    };
    const deliver = (index: number) =>
      connector.deliver({
        ...{ topic: 'orders/updated', payload: moments[index]?.payload },
        webhookId: `change-${index}`,
      });
    const goLive = Date.parse(first.order.updatedAt);
    const takeOver = async (more: number) => {
      await sendElsewhere(loyalty, first.order, UNITS * UNIT + more);
      await changeControl(ledger, SHOP, (one) => wentLive(one, goLive, now()));
    };
    const later = [...moments.keys()].slice(1 + forgotten.length);
    return {
      async prepare() {
        change(0);
        if (theirs !== undefined) await takeOver(theirs);
        else await deliver(0);
        await connector.drain();
        for (const index of forgotten.keys()) {
          change(index + 1);
          await deliver(index + 1);
          await connector.drain();
        }
        clock.ms += 600_000;
        ledger.restore();
        await changeControl(ledger, SHOP, (one) => ({
          ...inDoubt(one, 0, now()),
          ...(theirs !== undefined && { goLive }),
        }));
      },
      outside: [
        {
          process: 'store',
          steps: later.map((index) => ({ what: 'changes', act: () => change(index) })),
        },
        ...later.map((index) => ({
          process: `webhook-${index}`,
          steps: [{ what: 'arrives', act: () => deliver(index), when: () => changes >= index }],
        })),
      ],
      inside: [1, 2].map((number) => workerOf(connector, 'orders', `worker-${number}`)),
      state: () => changes,
      judge() {
        const held = [...loyalty.rows.orders.values()];
        const left = (since.at(-1) ?? UNITS) * UNIT + (theirs ?? 0);
        const amount = held.reduce((sum, one) => sum + amountHeld(one), 0);
        return wrongIn([
          [dead.size === 0, `${dead.size} dead letters need a person`],
          [amount === left, `the service holds ${amount} and not ${left}`],
        ]);
      },
    };
  });
