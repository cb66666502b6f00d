import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyOrder, type OrderSpec } from '../../fixtures/order-spec.ts';
import { openConnector } from '../../support/in-process-connector.ts';
import { createStoreHistory, heldBy } from '../../support/store-history.ts';

const HOUR_MS = 3_600_000;

type Step = { readonly isTold: boolean; readonly afterMs: number } & (
  | { readonly kind: 'order'; readonly id: string; readonly spec: OrderSpec }
  | { readonly kind: 'product'; readonly id: string; readonly title: string }
  | { readonly kind: 'discount'; readonly id: string; readonly codes: readonly string[] }
  | { readonly kind: 'work' }
);

const anyStep: fc.Arbitrary<Step> = fc
  .record({
    isTold: fc.boolean(),
    // Often within one second, sometimes hours later.
    afterMs: fc.oneof(fc.nat(900), fc.nat(90_000), fc.nat(4 * HOUR_MS)),
  })
  .chain((common) =>
    fc.oneof(
      fc.record({
        ...constants(common),
        kind: fc.constant('order' as const),
        id: fc.constantFrom('71', '72', '73', '74', '75'),
        spec: anyOrder.map(withoutEnd),
      }),
      fc.record({
        ...constants(common),
        kind: fc.constant('product' as const),
        id: fc.constantFrom('81', '82', '83'),
        title: fc.constantFrom('Shirt', 'Coat', 'Hat'),
      }),
      fc.record({
        ...constants(common),
        kind: fc.constant('discount' as const),
        id: fc.constantFrom('91', '92'),
        // Without any it would be deleted, which only a deep scan finds.
        codes: fc.subarray(['A', 'B', 'C', 'D'], { minLength: 1 }),
      }),
      fc.record({ ...constants(common), kind: fc.constant('work' as const) }),
    ),
  );

function constants({ isTold, afterMs }: { isTold: boolean; afterMs: number }) {
  return { isTold: fc.constant(isTold), afterMs: fc.constant(afterMs) };
}

/** Cancelled is final in the loyalty service, and a test may not bring an order back. */
function withoutEnd(spec: OrderSpec): OrderSpec {
  const lines = spec.lines.map((line) => ({ ...line, takenBack: 0 }));
  return { ...spec, lines, cancelledAfterDays: undefined };
}

type Connector = ReturnType<typeof openConnector>;

async function play(
  connector: Connector,
  history: ReturnType<typeof createStoreHistory>,
  steps: readonly Step[],
) {
  for (const step of steps) {
    connector.clock.ms += step.afterMs;
    if (step.kind === 'order') await history.putOrder(step.id, step.spec, step.isTold);
    else if (step.kind === 'product') await history.putProduct(step.id, step.title, step.isTold);
    else if (step.kind === 'work') await connector.drain();
    else {
      const codes = step.codes.map((code) => `${code}-${step.id}`);
      await history.putDiscount(step.id, codes, {}, step.isTold);
    }
  }
}

describe('reconciling', () => {
  it('whatever was lost, one run brings both sides together and a second heals nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 25 }), async (steps) => {
        const assumptions = { raiseAfterPartialCancel: 'send-gross' } as const;
        const connector = openConnector({ assumptions });
        await connector.reconcile();
        const first = connector.telemetry.total('healed');
        const history = createStoreHistory(connector);
        await play(connector, history, steps);
        await connector.drain();
        connector.clock.ms += HOUR_MS;
        await connector.reconcile();
        await connector.drain();

        const told = openConnector();
        await history.tellAll(told);
        expect(heldBy(connector)).toEqual(heldBy(told));
        expect(connector.dead.size).toBe(0);
        expect(first).toBe(0);

        const healed = connector.telemetry.total('healed');
        const changes = () =>
          connector.loyalty.journal.filter(({ operation }) => operation !== 'getOrder').length;
        const calls = changes();
        connector.clock.ms += HOUR_MS;
        await connector.reconcile();
        await connector.reconcile({ deep: true });
        await connector.drain();
        expect(connector.telemetry.total('healed')).toBe(healed);
        expect(changes()).toBe(calls);
        expect(connector.telemetry.total('order-differs')).toBe(0);
      }),
      { numRuns: 120 },
    );
  });

  it('heals nothing where nothing was lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 20 }), async (steps) => {
        const connector = openConnector();
        await connector.reconcile();
        const history = createStoreHistory(connector);
        // Every change is told, and worked on before the next: nothing is left to a second.
        for (const step of steps) {
          await play(connector, history, [{ ...step, isTold: true, afterMs: step.afterMs + 1000 }]);
          await connector.drain();
        }
        const removals = steps.some(({ kind }) => kind === 'discount');
        connector.clock.ms += HOUR_MS;
        await connector.reconcile({ deep: true });
        if (!removals) expect(connector.telemetry.total('healed')).toBe(0);
        expect(connector.telemetry.total('healed', { kind: 'order' })).toBe(0);
        expect(connector.telemetry.total('healed', { kind: 'product' })).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
