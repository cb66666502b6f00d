import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import { clockText, momentText } from '../words.ts';
import { Table } from './table.tsx';

export interface Series {
  readonly name: string;
  /** One for each period; null: there is no value. */
  readonly values: readonly (number | null)[];
  /** A colour of chart.css; each has a pattern of its own, too. */
  readonly tone: 'first' | 'second' | 'third' | 'fourth';
}

export interface ChartProps {
  readonly title: string;
  /** ISO 8601: when the first period begins. */
  readonly from: string;
  readonly everySeconds: number;
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
}

const HEIGHT = 200;
const DASHES: Readonly<Record<Series['tone'], number[]>> = {
  first: [],
  second: [8, 3],
  third: [2, 3],
  fourth: [8, 3, 2, 3],
};

/** Lines over time, and the same values as a table: a drawing says nothing to a screen reader. */
export function Chart(props: ChartProps) {
  const { title, from, everySeconds, series, text } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const start = Date.parse(from) / 1000;
  const times = series[0]?.values.map((_, index) => start + index * everySeconds) ?? [];
  const data = [times, ...series.map(({ values }) => [...values])] as uPlot.AlignedData;
  const newest = useRef({ props, data });
  newest.current = { props, data };
  const names = series.map(({ name }) => name).join();

  // A new plot for other names or colours; new values alone are put into the old one.
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = () => {
      plot.current?.destroy();
      plot.current = createPlot(element, newest.current.props, newest.current.data);
    };
    const resizing = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    draw();
    resizing.observe(element);
    dark.addEventListener('change', draw);
    return () => {
      resizing.disconnect();
      dark.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [names]);
  useEffect(() => {
    plot.current?.setData(newest.current.data);
  }, [JSON.stringify(data)]);

  return (
    <figure class="card chart">
      <figcaption>{title}</figcaption>
      <div ref={place} aria-hidden="true" />
      <details>
        <summary>As a table</summary>
        <ValueTable {...props} times={times} text={text} />
      </details>
    </figure>
  );
}

/** The newest first. Periods in which nothing happened are left out. */
function ValueTable({
  title,
  series,
  times,
  text,
}: ChartProps & { readonly times: readonly number[] }) {
  const rows = times
    .map((at, index) => ({ at, values: series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((one) => one !== null && one !== 0))
    .reverse();
  if (rows.length === 0) return <p class="soft">Nothing in this time.</p>;
  return (
    <Table
      caption={<caption class="unseen">{title}</caption>}
      rows={rows}
      keyOf={({ at }) => at}
      columns={[
        { title: 'Time', kind: 'row', cell: ({ at }) => momentText(at * 1000) },
        ...series.map(({ name }, index) => ({
          ...{ title: name, kind: 'number' as const },
          cell: ({ values }: (typeof rows)[number]) => {
            const one = values[index] ?? null;
            return one === null ? '–' : text(one);
          },
        })),
      ]}
    />
  );
}

function createPlot(place: HTMLElement, { series, text }: ChartProps, data: uPlot.AlignedData) {
  const colour = (name: string) => colourOf(place, name);
  const soft = colour('--soft');
  const axis = {
    stroke: soft,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const values = (_: uPlot, splits: readonly number[]) => splits.map((one) => text(one));
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    // Dragging would zoom in, without a way back for a keyboard.
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { y: { range: (_, _least, most) => [0, Math.max(most, 1) * 1.05] } },
    axes: [
      { ...axis, size: 30, space: 60, values: (_, splits) => splits.map(clockText) },
      { ...axis, size: 60, space: 40, values },
    ],
    series: [
      { label: 'Time', value: (_, at) => (at === null ? '–' : clockText(at)) },
      ...series.map(({ name, tone }) => ({
        label: name,
        stroke: colour(`--chart-${tone}`),
        width: 2,
        dash: DASHES[tone],
        points: { show: true, size: 5, filter: alone },
        value: (_: uPlot, one: number | null) => (one === null ? '–' : text(one)),
      })),
    ],
  };
  return new uPlot(options, data, place);
}

/** A single value between two gaps has no line, only a point. */
function alone({ data }: uPlot, series: number): number[] {
  const values = data[series] ?? [];
  const isThere = (index: number) => typeof values[index] === 'number';
  return Array.from(values, (_, index) => index).filter(
    (index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  );
}

/** A canvas knows no `light-dark()`: what the browser makes of it. */
function colourOf(place: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  place.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
