import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import {
  METRICS,
  type Metric,
  type Monitoring,
  type Service,
  type StorefrontService,
  TROUBLE,
  type WrittenMetric,
} from '../config/metrics.ts';
import type { LogFields, Telemetry } from '../core/events/telemetry.ts';

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

const MINUTE_MS = 60_000;
/** Far more than a process has in a minute, unless each names another entity. */
const MOST_KEYS = 1_000;
/** The functions with a public address: a caller chooses the shop and the reason of a refusal. */
const ANYONE_CALLS: readonly string[] = ['receive-webhook', 'receive-points', 'storefront'];
/** Of one message in a minute, whatever its fields say: a caller may take all shops in turn. */
const FREE_LINES = 20;

/**
 * For what anyone can cause by a request: counts, and returns how many are due to be written, or none. A line is due
 * at first (`free` of them), when as many came again as were written, and after a minute. So a flood writes few lines,
 * and at any time at least half of what was counted is written: the alarms ring.
 */
function createSampler(
  now: () => Date,
  free = 1,
): (key: string, value?: number) => number | undefined {
  const tallies = new Map<string, { since: number; written: number; held: number }>();
  return (key, value = 1) => {
    const at = now().getTime();
    if (tallies.size >= MOST_KEYS) tallies.clear();
    const tally = tallies.get(key) ?? { since: at, written: 0, held: 0 };
    tallies.set(key, tally);
    if (at - tally.since >= MINUTE_MS) Object.assign(tally, { since: at, written: 0 });
    tally.held += value;
    if (tally.written >= free && tally.held < tally.written) return undefined;
    const due = tally.held;
    tally.written += due;
    tally.held = 0;
    return due;
  };
}

interface Counted {
  readonly name: string;
  readonly values: number[];
}

export interface EmfSettings {
  readonly namespace: string;
  readonly service: Service | StorefrontService;
  readonly monitoring: Monitoring;
}

/**
 * Logs as JSON lines, metrics in CloudWatch's embedded metric format: both go to standard output and
 * need no call. Metrics are counted per invocation and written once, because every line costs money; what only means
 * something in numbers, and a warning that says the same again, is sampled over the invocations.
 * See docs/decisions/0032-a-cold-start-loads-only-what-an-event-needs.md.
 */
export function createEmfTelemetry(
  { namespace, service, monitoring }: EmfSettings,
  write: (line: string) => void = writeLine,
  now: () => Date = () => new Date(),
): EmfTelemetry {
  const counted = new Map<string, Counted>();
  const sample = createSampler(now);
  const sampleLines = createSampler(now, ANYONE_CALLS.includes(service) ? FREE_LINES : Infinity);

  function writeMetrics(all: readonly Counted[]): void {
    const directive = {
      Namespace: namespace,
      // The specification allows an empty set: a metric without dimensions.
      Dimensions: [[]],
      Metrics: all.map(({ name }) => ({
        Name: name,
        Unit: name.endsWith('-ms') ? 'Milliseconds' : 'Count',
      })),
    };
    write(
      JSON.stringify({
        _aws: { Timestamp: now().getTime(), CloudWatchMetrics: [directive] },
        service,
        ...Object.fromEntries(
          all.map(({ name, values }) => [name, values.length === 1 ? values[0] : values]),
        ),
      }),
    );
  }

  return {
    count(metric, _, value = 1) {
      const name = writtenName(metric, monitoring);
      if (name === undefined) return;
      const due = METRICS[metric]?.[1] === 'sign' ? sample(name, value) : value;
      if (due === undefined) return;
      const entry = counted.get(name) ?? { name, values: [] };
      counted.set(name, entry);
      // Counts are added up; only measurements need their single values.
      if (name.endsWith('-ms')) entry.values.push(due);
      else entry.values[0] = (entry.values[0] ?? 0) + due;
    },
    log(level, message, fields: LogFields) {
      const isOneOfMany = level !== 'info' && fields.correlationId === undefined;
      const times = isOneOfMany ? sample(JSON.stringify([message, fields])) : 1;
      const lines = isOneOfMany && times !== undefined ? sampleLines(message) : 1;
      if (times === undefined || lines === undefined) return;
      const at = now().toISOString();
      const stack = typeof fields.stack === 'string' ? sourcePlaces(fields.stack) : undefined;
      // `others`: lines of the same message that were left out, of other shops or reasons.
      const repeated = {
        ...(times > 1 && { times }),
        ...(lines > 1 && { others: lines - 1 }),
      };
      write(
        JSON.stringify({ level, message, at, service, version, ...fields, ...repeated, stack }),
      );
    },
    flush() {
      for (let rest = [...counted.values()]; rest.length > 0; ) {
        writeMetrics(
          rest.map((one) => ({ ...one, values: one.values.splice(0, VALUES_PER_LINE) })),
        );
        rest = rest.filter(({ values }) => values.length > 0);
      }
      counted.clear();
    },
  };
}

/** The name that CloudWatch gets for a count; undefined means none. */
function writtenName(
  metric: Metric,
  monitoring: Monitoring,
): WrittenMetric | typeof TROUBLE | undefined {
  const [name, rhythm] = METRICS[metric] ?? [];
  if (monitoring === 'full') return name;
  return rhythm === 'trouble' ? TROUBLE : undefined;
}

/** A path begins after a space, a bracket or `file://`: tried at every slash, a long text would take a minute. */
const PLACE = /(?<=[\s(]|file:\/\/)(\/[^\s():]+\.js):(\d+):(\d+)/g;

/**
 * Replaces the places in a bundle by those in the source, by the map beside the bundle. The map is read when something
 * breaks, and never by the runtime at a cold start: no bundle names its map.
 */
function sourcePlaces(stack: string): string {
  return stack.replace(PLACE, (place: string, file: string, line: string, column: string) => {
    const origin = mapOf(file)?.findOrigin(Number(line), Number(column));
    if (!origin || !('fileName' in origin) || origin.fileName === undefined) return place;
    return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}

const maps = new Map<string, SourceMap | undefined>();

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(`${file}.map`));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Sources that run as they are have none, and a log line must not fail because of one.
    return undefined;
  }
}
