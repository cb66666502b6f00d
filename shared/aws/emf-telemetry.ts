import type { Dimensions, LogFields, Metric, Telemetry } from '../sync/telemetry.ts';

export interface EmfTelemetry extends Telemetry {
  /** Writes what was counted since the last flush. A frozen process would lose it. */
  flush(): void;
}

/** CloudWatch takes at most 100 values of one metric in one line. */
const VALUES_PER_LINE = 100;

/**
 * Logs as JSON lines, metrics in CloudWatch's embedded metric format: written to standard output,
 * they cost no call. Counted per invocation and written once, because every line is paid for.
 */
export function createEmfTelemetry(
  settings: { readonly namespace: string; readonly service: string },
  write: (line: string) => void = (line) => console.log(line),
  now: () => Date = () => new Date(),
): EmfTelemetry {
  const counted = new Map<string, { metric: Metric; dimensions: Dimensions; values: number[] }>();

  function writeMetric(metric: Metric, dimensions: Dimensions, values: readonly number[]): void {
    const fields = { service: settings.service, ...dimensions };
    write(
      JSON.stringify({
        _aws: {
          Timestamp: now().getTime(),
          CloudWatchMetrics: [
            {
              Namespace: settings.namespace,
              // With all details, and by service alone: an alarm looks at one figure, not at a sum of many.
              Dimensions: [['service'], Object.keys(fields)].slice(
                Object.keys(dimensions).length === 0 ? 1 : 0,
              ),
              Metrics: [{ Name: metric, Unit: metric.endsWith('-ms') ? 'Milliseconds' : 'Count' }],
            },
          ],
        },
        ...fields,
        [metric]: values.length === 1 ? values[0] : values,
      }),
    );
  }

  return {
    count(metric, dimensions = {}, value = 1) {
      const key = JSON.stringify([metric, dimensions]);
      const entry = counted.get(key) ?? { metric, dimensions, values: [] };
      counted.set(key, entry);
      // A count is a sum; only measurements need their single values.
      if (metric.endsWith('-ms')) entry.values.push(value);
      else entry.values[0] = (entry.values[0] ?? 0) + value;
    },
    log(level, message, fields: LogFields) {
      const at = now().toISOString();
      write(JSON.stringify({ level, message, at, service: settings.service, ...fields }));
    },
    flush() {
      for (const { metric, dimensions, values } of counted.values()) {
        for (let start = 0; start < values.length; start += VALUES_PER_LINE) {
          writeMetric(metric, dimensions, values.slice(start, start + VALUES_PER_LINE));
        }
      }
      counted.clear();
    },
  };
}
