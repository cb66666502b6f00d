import { expect } from 'vitest';
import { loadContract } from '../../local/loyalty-sandbox/contract.ts';
import {
  type LoyaltySandboxOptions,
  startLoyaltySandbox,
} from '../../local/loyalty-sandbox/sandbox.ts';
import { createLoyaltyClient } from '../../shared/loyalty/client.ts';
import type { LoyaltyResult } from '../../shared/loyalty/result.ts';

const contract = loadContract();

/** A sandbox and the client for it, over real HTTP. */
export async function startClientAndSandbox(options: LoyaltySandboxOptions = {}) {
  const sandbox = await startLoyaltySandbox(options);
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
export function unwrap<Value>(result: LoyaltyResult<Value>): Value {
  if (result.kind === 'success' || result.kind === 'warning') return result.value;
  throw new Error(`${result.kind}: ${result.message}`);
}
