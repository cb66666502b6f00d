import type { MiddlewareObj } from '@middy/core';
import type { EmfTelemetry } from '../shared/aws/emf-telemetry.ts';

/** Writes the metrics of one invocation, however it ended: a frozen process would lose them. */
export function flushTelemetry(telemetry: EmfTelemetry): MiddlewareObj {
  return {
    after: () => telemetry.flush(),
    onError: () => telemetry.flush(),
  };
}
