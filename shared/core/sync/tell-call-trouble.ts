import type { OperationId } from '../../loyalty/operations.ts';
import type { Telemetry } from '../batch/telemetry.ts';
import type { CallsMade } from './make-calls.ts';

/**
 * Counts and logs a call of the storefront that the loyalty service did not answer. A worker's calls are
 * told of with their message; these have none.
 */
export function tellCallTrouble(
  operation: OperationId,
  { outcome }: CallsMade,
  telemetry: Telemetry,
): void {
  if (outcome.kind !== 'retry') return;
  if (outcome.misconfigured) telemetry.count('misconfigured');
  if (outcome.throttled) telemetry.count('throttled');
  telemetry.log('warn', 'the loyalty service did not answer the storefront', {
    operation,
    why: outcome.why,
  });
}
