import {
  type Detail,
  METRICS,
  type Metric,
  type Service,
  type StorefrontService,
  type WrittenMetric,
} from '../config/metrics.ts';
import type { Dimensions, LogFields, Telemetry } from '../core/batch/telemetry.ts';

export interface EmfTelemetry extends Telemetry {
  /** Writes what was counted since the last flush. A frozen process would lose it. */
  flush(): void;
}

/** CloudWatch takes at most 100 values of one metric in one line. */
const VALUES_PER_LINE = 100;

/**
 * Not `console.log`: where a function's log format is JSON, the runtime wraps what the console is given,
 * and CloudWatch then finds no metric in it ("Using embedded metric format with JSON logs").
 */
function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** By service alone, and by what is kept apart: an alarm looks at one figure, not at a sum of many. */
function dimensionSets(metric: WrittenMetric, told: Dimensions): readonly (readonly string[])[] {
  const details: readonly Detail[] = METRICS[metric];
  const keptApart = details.length > 0 && details.every((detail) => told[detail] !== undefined);
  return [['service'], ...(keptApart ? [['service', ...details]] : [])];
}

interface Counted {
  readonly metric: WrittenMetric;
  readonly dimensions: Dimensions;
  readonly values: number[];
}

const isWritten = (metric: Metric): metric is WrittenMetric => METRICS[metric] !== null;

/**
 * Logs as JSON lines, metrics in CloudWatch's embedded metric format: written to standard output,
 * they cost no call. Counted per invocation and written once, because every line is paid for.
 * See docs/decisions/0009-telemetry-without-a-library.md.
 */
export function createEmfTelemetry(
  settings: { readonly namespace: string; readonly service: Service | StorefrontService },
  write: (line: string) => void = writeLine,
  now: () => Date = () => new Date(),
): EmfTelemetry {
  const counted = new Map<string, Counted>();

  function writeMetric(
    metric: WrittenMetric,
    dimensions: Dimensions,
    values: readonly number[],
  ): void {
    const fields = { service: settings.service, ...dimensions };
    write(
      JSON.stringify({
        _aws: {
          Timestamp: now().getTime(),
          CloudWatchMetrics: [
            {
              Namespace: settings.namespace,
              Dimensions: dimensionSets(metric, dimensions),
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
      if (!isWritten(metric)) return;
      const key = JSON.stringify([metric, dimensions]);
      const entry: Counted = counted.get(key) ?? { metric, dimensions, values: [] };
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
