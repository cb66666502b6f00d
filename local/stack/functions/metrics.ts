import { RHYTHMS } from '../../../shared/config/metrics.ts';
import {
  commonFiles,
  handlePage,
  type Pages,
  pageAnswer,
  wantsPage,
} from '../../sandbox-kit/http/pages.ts';
import { isLoopbackHost, readJsonObject } from '../../sandbox-kit/http/requests.ts';
import { jsonAnswer, respond, type Server, startServer } from '../../sandbox-kit/http/server.ts';
import {
  amount,
  badge,
  type Html,
  html,
  moment,
  renderSection,
  type Tone,
} from '../../sandbox-kit/pages/html.ts';
import { layOut, type Neighbours } from '../../sandbox-kit/pages/layout.ts';

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

/** Stands in for CloudWatch's metrics: the values of the last hour, as a page and as JSON. */
export function startMetricsServer(
  metrics: Metrics,
  port: number,
  neighbours: Neighbours,
): Promise<Server> {
  const json = (points: readonly MetricPoint[]) => jsonAnswer(200, { metrics: points });
  const pages: Pages<Metrics> = {
    ...commonFiles,
    '/': () => pageAnswer(renderPage(metrics.lastHour(), neighbours)),
    '/fragment': () => pageAnswer(renderFigures(metrics.lastHour())),
    '/metrics.json': () => json(metrics.lastHour()),
    '/favicon.ico': () => ({ status: 204, body: '' }),
  };
  return startServer(async (request, response) => {
    const { headers, method, url } = request;
    if (!isLoopbackHost(headers.host)) return respond(response, jsonAnswer(403, {}));
    // The commands ask for JSON at the address itself.
    const asked = new URL(url ?? '/', 'http://localhost');
    if (method === 'GET' && asked.pathname === '/' && !wantsPage(headers)) {
      const since = asked.searchParams.get('since');
      const points = since === null ? metrics.lastHour() : metrics.since(Number(since));
      return respond(response, json(points));
    }
    respond(response, handlePage(pages, metrics, request, 'The paths are / and /metrics.json.'));
  }, port);
}

function renderPage(points: readonly MetricPoint[], neighbours: Neighbours): Html {
  return layOut({
    name: 'Metrics',
    neighbours,
    self: 'metrics',
    head: html`<link rel="stylesheet" href="/assets/state.css">
<script type="module" src="/assets/live.js"></script>`,
    content: html`<main>
<section><h2>The last hour</h2>
<p class="note">What the functions would write to CloudWatch. As JSON: <a href="/metrics.json">/metrics.json</a></p>
<p id="problem" role="alert"></p></section>
<div id="live" data-fragment="/fragment">
${renderFigures(points)}</div>
</main>`,
  });
}

const rhythms: Readonly<Record<string, keyof typeof tones | undefined>> = RHYTHMS;
const tones = {
  everyday: ['good', 'everyday'],
  trouble: ['bad', 'a person must act'],
  sign: ['waiting', 'a sign, if there are many'],
  silence: ['plain', 'watched for silence'],
} as const satisfies Record<string, readonly [Tone, string]>;

function renderFigures(points: readonly MetricPoint[]): Html {
  const nameOf = ({ name, dimensions }: MetricPoint) =>
    [name, ...Object.entries(dimensions).map(([key, value]) => `${key} ${value}`)].join(', ');
  const figures = [...Map.groupBy(points, nameOf)].map(([name, values]) => ({ name, values }));
  return renderSection({
    id: 'figures',
    title: 'Figures',
    rows: figures.toSorted((a, b) => b.name.localeCompare(a.name)),
    whenEmpty: 'None yet. Place an order in the shop or in the store.',
    columns: [
      { name: 'Name', cell: ({ name }) => html`<b>${name}</b>` },
      {
        name: 'Meaning',
        cell: ({ values: [first] }) => {
          const rhythm = rhythms[first?.name ?? ''];
          if (rhythm === undefined) return null;
          const [tone, text] = tones[rhythm];
          return badge(tone, text);
        },
      },
      { name: 'Values', align: 'right', cell: ({ values }) => values.length },
      { name: 'Sum', align: 'right', cell: ({ values }) => amount(sumOf(values)) },
      {
        name: 'Average',
        align: 'right',
        cell: ({ values }) => amount(sumOf(values) / values.length),
      },
      {
        name: 'Largest',
        align: 'right',
        cell: ({ values }) => amount(values.reduce((most, { value }) => Math.max(most, value), 0)),
      },
      {
        name: 'Latest',
        cell: ({ values }) => moment(new Date(values.at(-1)?.at ?? 0).toISOString()),
      },
    ],
  });
}

const sumOf = (points: readonly MetricPoint[]): number =>
  points.reduce((sum, { value }) => sum + value, 0);
