import { RHYTHMS } from '../../../shared/config/metrics.ts';
import {
  commonFiles,
  handlePage,
  type Pages,
  pageAnswer,
  wantsPage,
} from '../../sandbox-kit/http/pages.ts';
import { isLoopbackHost } from '../../sandbox-kit/http/requests.ts';
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
import type { MetricPoint, Metrics } from './metrics.ts';

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
