import type { WalkAnswer } from '../store-walk.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Stopped } from './reconcile-world.ts';

/** The walk goes on when the store answers again; credentials and scopes need a person. */
export function storeDidNotAnswer(
  { why, misconfigured }: Extract<WalkAnswer<never>, { kind: 'unavailable' }>,
  telemetry: Telemetry,
): Stopped {
  if (misconfigured) telemetry.count('misconfigured', { why: `store-${why}` });
  return { kind: 'stopped', why: `store-${why}` };
}
