import { isLoopbackHost, readJsonObject } from '../../sandbox-kit/http/requests.ts';
import { jsonAnswer, respond, type Server, startServer } from '../../sandbox-kit/http/server.ts';

/** One value from a log line in CloudWatch's embedded metric format. */
interface MetricPoint {
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly value: number;
}

interface EmbeddedMetrics {
  readonly Timestamp: number;
  readonly CloudWatchMetrics: readonly {
    readonly Dimensions: readonly (readonly string[])[];
    readonly Metrics: readonly { readonly Name: string }[];
  }[];
}

const HOUR_MS = 60 * 60 * 1000;
/** A bound for the memory; a stack that only a person uses writes fewer in a day. */
const MOST_POINTS = 200_000;

/** The values of the last day, since the stack was started; under load the newest of them. */
export class Metrics {
  readonly #now: () => number;
  #points: MetricPoint[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  addLine(line: string): void {
    this.#points.push(...readEmbeddedMetrics(line));
    if (this.#points.length < MOST_POINTS * 1.1) return;
    this.#points = this.since(this.#now() - 24 * HOUR_MS).slice(-MOST_POINTS);
  }

  lastHour(): MetricPoint[] {
    return this.since(this.#now() - HOUR_MS);
  }

  since(moment: number): MetricPoint[] {
    return this.#points.filter(({ at }) => at >= moment);
  }
}

/** Empty for any other line. One point for each set of dimensions, as CloudWatch stores it. */
export function readEmbeddedMetrics(line: string): readonly MetricPoint[] {
  if (!line.startsWith('{"_aws"')) return [];
  const fields = readJsonObject(line);
  const metadata = fields?._aws as EmbeddedMetrics | undefined;
  if (!fields || !metadata?.CloudWatchMetrics) return [];
  const points: MetricPoint[] = [];
  for (const { Dimensions, Metrics: metrics } of metadata.CloudWatchMetrics) {
    for (const { Name: name } of metrics) {
      const values = [fields[name]].flat().map(Number);
      for (const names of Dimensions) {
        const dimensions = Object.fromEntries(names.map((key) => [key, String(fields[key])]));
        for (const value of values) {
          points.push({ name, dimensions, at: metadata.Timestamp, value });
        }
      }
    }
  }
  return points;
}

/** Stands in for CloudWatch's metrics, for the commands and the console: the last hour, or since a moment. */
export function startMetricsServer(metrics: Metrics, port: number): Promise<Server> {
  return startServer(async ({ headers, url }, response) => {
    if (!isLoopbackHost(headers.host)) return respond(response, jsonAnswer(403, {}));
    const since = new URL(url ?? '/', 'http://localhost').searchParams.get('since');
    const points = since === null ? metrics.lastHour() : metrics.since(Number(since));
    respond(response, jsonAnswer(200, { metrics: points }));
  }, port);
}
