import { describe, expect, it } from 'vitest';
import { recordTelemetry } from '../../../local/harness/recorded-telemetry.ts';
import { callForShopper, createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { type LoyaltyResult, transportFailure } from '../../../shared/loyalty/result.ts';

const failure = { mayHaveHappened: false, message: '' };

describe('a call for a shopper', () => {
  it.each<[string, LoyaltyResult<object>, number[]]>([
    ['refused credentials', transportFailure('misconfigured', failure), [1, 0]],
    ['too many calls', transportFailure('throttled', failure), [0, 1]],
    ['no answer', transportFailure('time-out', failure), [0, 0]],
    ['an answer', { kind: 'success', value: {} }, [0, 0]],
  ])('counts for the alarms what it means: %s', async (_, result, counted) => {
    const telemetry = recordTelemetry();
    const world = { breaker: createCircuitBreaker(), now: () => new Date(), telemetry };
    await callForShopper('getCustomerPoints', async () => result, world);
    expect([telemetry.total('misconfigured'), telemetry.total('throttled')]).toEqual(counted);
    const logged = telemetry.logged.map(({ fields }) => fields.operation);
    expect(logged).toEqual(result.kind === 'success' ? [] : ['getCustomerPoints']);
  });
});
