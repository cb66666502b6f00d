import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openConnector } from '../../../local/harness/in-process-connector.ts';
import { createStoreHistory, heldBy } from '../../support/store-history.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

type Connector = ReturnType<typeof openConnector>;

/** A store in which most of what happened was lost on its way. */
async function openAfterLosses(): Promise<Connector> {
  const connector = openConnector();
  const history = createStoreHistory(connector);
  await connector.reconcile();
  await history.putDiscount('91', ['KEPT', 'LOST'], {}, true);
  await connector.drain();
  connector.clock.ms += HOUR_MS;
  for (let i = 0; i < 10; i += 1) {
    await history.putOrder(String(7_000 + i), {}, i % 3 === 0);
    if (i % 2 === 0) await history.putProduct(String(8_000 + i), `Shirt ${i}`, i % 4 === 0);
    connector.clock.ms += 1_000;
  }
  const codes = Array.from({ length: 5 }, (_, index) => `CODE-${index}`);
  await history.putDiscount('91', ['KEPT'], {}, false);
  await history.putDiscount('92', codes, {}, false);
  await connector.drain();
  connector.clock.ms += HOUR_MS;
  return connector;
}

class Killed extends Error {}

/**
 * Every call of the run to the world is a step at which it can be killed: before the call, or after it
 * has had its effect. Gives how many steps there were.
 */
function killAt(connector: Connector, step: number, when: 'before' | 'after') {
  const counter = { steps: 0 };
  const { parts } = connector;
  const whole = { ...parts };
  const watch = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const member = Reflect.get(object, name);
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          counter.steps += 1;
          const isLast = counter.steps >= step;
          if (isLast && when === 'before') throw new Killed();
          const result = await member.apply(object, given);
          if (isLast) throw new Killed();
          return result;
        };
      },
    });
  parts.ledger = watch(whole.ledger);
  parts.queue = watch(whole.queue);
  parts.walked = watch(whole.walked);
  return {
    counter,
    revive() {
      Object.assign(parts, whole);
    },
  };
}

async function runUntilKilled(
  connector: Connector,
  step: number,
  when: 'before' | 'after',
  deep = false,
): Promise<number> {
  const kill = killAt(connector, step, when);
  try {
    await connector.reconcile({ deep });
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  } finally {
    kill.revive();
  }
  return kill.counter.steps;
}

const waiting = ({ queues }: Connector) => Object.values(queues).map((queue) => queue.size);

describe('a reconcile that is killed', () => {
  it('at any step, goes on where it stopped and enqueues nothing twice', async () => {
    const whole = await openAfterLosses();
    const steps = await runUntilKilled(whole, Number.POSITIVE_INFINITY, 'after');
    const expected = waiting(whole);
    expect(steps).toBeGreaterThan(40);
    expect(expected.every((size) => size > 0)).toBe(true);
    for (let step = 1; step <= steps; step += 1) {
      for (const when of ['before', 'after'] as const) {
        const connector = await openAfterLosses();
        await runUntilKilled(connector, step, when);
        // Begun again by hand, or by the schedule.
        connector.clock.ms += MINUTE_MS;
        await connector.reconcile();
        expect(waiting(connector), `killed ${when} step ${step}`).toEqual(expected);
      }
    }
  }, 120_000);

  it('again and again, ends with what one whole run does, and calls the service no more', async () => {
    const whole = await openAfterLosses();
    await whole.reconcile({ deep: true });
    await whole.drain();
    // A page that is repeated is read again, which changes nothing.
    const calls = (connector: Connector) =>
      connector.loyalty.journal
        .filter(({ operation }) => operation !== 'getOrder')
        .map(({ operation, path }) => JSON.stringify([operation, path]));
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            step: fc.integer({ min: 1, max: 60 }),
            when: fc.constantFrom('before', 'after'),
            deep: fc.boolean(),
            // Within the five minutes of deduplication, or with the next schedule.
            afterMs: fc.constantFrom(MINUTE_MS, HOUR_MS),
            isWorking: fc.boolean(),
          }),
          { maxLength: 8 },
        ),
        async (kills) => {
          const connector = await openAfterLosses();
          for (const { step, when, deep, afterMs, isWorking } of kills) {
            await runUntilKilled(connector, step, when, deep);
            if (isWorking) await connector.drain();
            connector.clock.ms += afterMs;
          }
          await connector.reconcile({ deep: true });
          await connector.drain();
          expect(heldBy(connector)).toEqual(heldBy(whole));
          expect(calls(connector).toSorted()).toEqual(calls(whole).toSorted());
          expect(connector.dead.size).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
  });
});
