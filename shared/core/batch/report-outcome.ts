import type { EventHead } from '../events/event.ts';
import type { Outcome } from './outcome.ts';
import { correlationOf, type Telemetry } from './telemetry.ts';

/** Counts and logs how the work on one event ended. */
export function reportOutcome(
  event: EventHead & { readonly triggeredAt?: string },
  outcome: Outcome,
  { telemetry, now }: { readonly telemetry: Telemetry; readonly now: () => Date },
): void {
  if (outcome.kind === 'retry' || outcome.kind === 'rejected') return; // told where they are acted on
  telemetry.count(outcome.kind, {
    kind: event.kind,
    ...(outcome.kind === 'skipped' && { why: outcome.why }),
    ...(outcome.kind === 'handled' && { why: outcome.how }),
  });
  telemetry.log('info', outcome.kind, {
    ...correlationOf(event),
    ...(outcome.kind === 'skipped' && { why: outcome.why }),
    ...(outcome.kind === 'handled' && { how: outcome.how }),
    ...(outcome.kind === 'applied' && { calls: outcome.calls.join(',') }),
  });
  const triggered = Date.parse(event.triggeredAt ?? '');
  if (outcome.kind === 'applied' && Number.isFinite(triggered)) {
    telemetry.count('latency-ms', { kind: event.kind }, now().getTime() - triggered);
  }
}
