import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { EmfTelemetry } from '../shared/aws/emf-telemetry.ts';
import { errorFields } from '../shared/core/events/telemetry.ts';

/**
 * What every handler has around it: a fault is logged without its message, which may quote what was
 * being read, and the metrics are written at the end of every invocation: a frozen process would lose
 * them. The time budget differs by function: see time-budget.ts.
 * See docs/decisions/0039-what-surrounds-a-handler.md.
 */
export function surround<Event, Result>(
  telemetry: EmfTelemetry,
  handle: (event: Event, context: Pick<Context, 'getRemainingTimeInMillis'>) => Promise<Result>,
) {
  return middy(handle).use({
    after: () => telemetry.flush(),
    onError({ error }) {
      telemetry.log('error', 'an invocation broke off', errorFields(error));
      telemetry.flush();
    },
  });
}
