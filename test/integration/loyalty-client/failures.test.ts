import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadContract } from '../../../local/loyalty-sandbox/contract.ts';
import type { FaultRule } from '../../../local/loyalty-sandbox/fault-rule.ts';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import { createLoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { LoyaltyResult } from '../../../shared/loyalty/result.ts';

const contract = loadContract();

/** A sandbox and the client for it, over real HTTP. */
async function startClientAndSandbox() {
  const sandbox = await startLoyaltySandbox();
  const client = createLoyaltyClient({
    baseUrl: sandbox.address,
    credentials: sandbox.credentials,
    timeoutMs: 20_000,
  });
  return {
    sandbox,
    client,
    /** Checks every answer since the last reset against the contract; for `afterEach`. */
    checkAnswers() {
      for (const { operation, status, answer, fault, path } of sandbox.journal.entries()) {
        expect(fault, path).not.toBe('crash');
        if (fault === undefined) expect(status, path).not.toBe(500);
        if (operation && status === 200 && answer !== undefined) {
          const sent: unknown = JSON.parse(JSON.stringify(answer));
          expect(contract.validateAnswer(operation, sent), path).toEqual([]);
        }
      }
      for (const { payload } of sandbox.events.all()) {
        expect(contract.validatePointEvent(payload)).toEqual([]);
      }
    },
  };
}

/** The value of a call that must have succeeded. */
function unwrap<Value>(result: LoyaltyResult<Value>): Value {
  if (result.kind === 'success' || result.kind === 'warning') return result.value;
  throw new Error(`${result.kind}: ${result.message}`);
}

let world: Awaited<ReturnType<typeof startClientAndSandbox>>;
beforeAll(async () => {
  world = await startClientAndSandbox();
});
beforeEach(() => world.sandbox.reset());
afterEach(() => {
  world.sandbox.faults.clear();
  world.checkAnswers();
});
afterAll(() => world.sandbox.stop());

const order = {
  OriginalId: 'o1',
  OrderPlacementDate: '2026-10-05T09:00:00Z',
  OrderCompletedDate: '2026-10-06T09:00:00Z',
  IsCompleted: true,
  OrderTotal: 100,
  Customer: { OriginalId: 'c1', Name: 'Robin Sample', Email: 'robin@example.com' },
};

describe('what the client makes of a service in trouble', () => {
  it.each<[FaultRule, object, 'applied' | 'not applied']>([
    [
      { kind: 'http-429', retryAfterSeconds: 7 },
      { reason: 'throttled', class: 'throttled', retryAfterSeconds: 7 },
      'not applied',
    ],
    [
      { kind: 'code-103' },
      { kind: 'business-error', code: 103, class: 'throttled' },
      'not applied',
    ],
    [{ kind: 'http-401' }, { class: 'misconfigured', status: 401 }, 'not applied'],
    [{ kind: 'http-500' }, { reason: 'unavailable', class: 'retry', status: 500 }, 'not applied'],
    [
      { kind: 'http-503', retryAfterSeconds: 3 },
      { reason: 'unavailable', retryAfterSeconds: 3 },
      'not applied',
    ],
    [
      { kind: 'reset-before' },
      { reason: 'connection', class: 'retry', mayHaveHappened: true },
      'not applied',
    ],
    [
      { kind: 'reset-after' },
      { reason: 'connection', class: 'retry', mayHaveHappened: true },
      'applied',
    ],
    [{ kind: 'truncated' }, { class: 'retry', mayHaveHappened: true }, 'applied'],
    [
      { kind: 'not-json', status: 200 },
      { reason: 'not-the-contract', class: 'retry' },
      'not applied',
    ],
    [
      { kind: 'empty' },
      { reason: 'not-the-contract', class: 'retry', mayHaveHappened: true },
      'applied',
    ],
    [{ kind: 'outage' }, { reason: 'connection', class: 'retry' }, 'not applied'],
    [
      { kind: 'business-error', code: 80 },
      { code: 80, name: 'ApiTenant_NotFound', class: 'misconfigured' },
      'not applied',
    ],
  ])('%o', async (fault, expected, effect) => {
    world.sandbox.faults.add(fault);
    expect(await world.client.sendOrder(order)).toMatchObject(expected);
    expect(world.sandbox.state().orders).toHaveLength(effect === 'applied' ? 1 : 0);
    // And once it is over, the same call repairs everything.
    world.sandbox.faults.clear();
    expect(unwrap(await world.client.sendOrder(order)).Customer?.PointsBalance).toBe(100);
  });

  it('wrong credentials: misconfigured, and the service does nothing', async () => {
    const stranger = createLoyaltyClient({
      baseUrl: world.sandbox.address,
      credentials: { token: 'sandbox-token', key: 'wrong' },
    });
    expect(await stranger.sendOrder(order)).toMatchObject({
      kind: 'transport-failure',
      class: 'misconfigured',
      status: 401,
      mayHaveHappened: false,
    });
    expect(world.sandbox.state().orders).toEqual([]);
  });
});
