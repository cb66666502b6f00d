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
  /** Writes what was counted since the last flush, before Lambda freezes the process. */
  flush(): void;
}

/** Put in by the bundler; not there where the sources run as they are. */
declare const CONNECTOR_VERSION: string | undefined;
const version = typeof CONNECTOR_VERSION === 'undefined' ? undefined : CONNECTOR_VERSION;

/** CloudWatch accepts at most 100 values of one metric in one line. */
const VALUES_PER_LINE = 100;

/**
 * Not `console.log`: if a function's log format is JSON, the runtime wraps console output, and CloudWatch
 * then finds no metrics in it ("Using embedded metric format with JSON logs").
 */
function writeLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** By service, and by service with the details: an alarm watches one metric, not a sum of many. */
function dimensionSets(metric: WrittenMetric, given: Dimensions): readonly (readonly string[])[] {
  const details: readonly Detail[] = METRICS[metric];
  const hasDetails = details.length > 0 && details.every((detail) => given[detail] !== undefined);
  return [['service'], ...(hasDetails ? [['service', ...details]] : [])];
}

interface Counted {
  readonly metric: WrittenMetric;
  readonly dimensions: Dimensions;
  readonly values: number[];
}

const isWritten = (metric: Metric): metric is WrittenMetric => METRICS[metric] !== null;

/**
 * Logs as JSON lines, metrics in CloudWatch's embedded metric format: both go to standard output and
 * need no call. Metrics are counted per invocation and written once, because every line costs money.
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
      // Counts are added up; only measurements need their single values.
      if (metric.endsWith('-ms')) entry.values.push(value);
      else entry.values[0] = (entry.values[0] ?? 0) + value;
    },
    log(level, message, fields: LogFields) {
      const at = now().toISOString();
      const { service } = settings;
      write(JSON.stringify({ level, message, at, service, version, ...fields }));
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
