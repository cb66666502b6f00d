import type {
  Dimensions,
  LogFields,
  Metric,
  Telemetry,
} from '../../shared/core/events/telemetry.ts';

/** Telemetry that a test can read. */
export interface RecordedTelemetry extends Telemetry {
  readonly counted: { metric: Metric; dimensions: Dimensions; value: number }[];
  readonly logged: { level: string; message: string; fields: LogFields }[];
  total(metric: Metric, dimensions?: Dimensions): number;
}

export function recordTelemetry(): RecordedTelemetry {
  const counted: RecordedTelemetry['counted'] = [];
  const logged: RecordedTelemetry['logged'] = [];
  return {
    counted,
    logged,
    count: (metric, dimensions = {}, value = 1) => {
      counted.push({ metric, dimensions, value });
    },
    log: (level, message, fields) => {
      logged.push({ level, message, fields });
    },
    total: (metric, wanted = {}) =>
      counted
        .filter((one) => one.metric === metric)
        .filter(({ dimensions }) =>
          Object.entries(wanted).every(([name, value]) => dimensions[name as 'why'] === value),
        )
        .reduce((sum, { value }) => sum + value, 0),
  };
}
