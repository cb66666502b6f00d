import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ChartBlock } from '../../document/document.ts';
import { Table } from './table.tsx';
import { clockText, durationTexts, momentText, numberText } from './words.ts';

const HEIGHT = 180;
const DASHES: readonly number[][] = [[], [8, 3], [2, 3], [8, 3, 2, 3]];

/** Between the ticks of an axis: nothing happens half a time. */
const WHOLE = [0, 1, 2, 3, 4, 5, 6].flatMap((zeros) => [1, 2, 5].map((one) => one * 10 ** zeros));

/** All in one unit. */
const TEXTS: Readonly<
  Record<ChartBlock['unit'], (values: readonly number[]) => readonly string[]>
> = { count: (values) => values.map(numberText), milliseconds: durationTexts };

/** Lines over time, and the same values as a table: a drawing says nothing to a screen reader. */
export function Chart(props: ChartBlock) {
  const { title, from, everySeconds, series } = props;
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
        <ValueTable {...props} times={times} />
      </details>
    </figure>
  );
}

/** The newest first. Periods in which nothing happened are left out. */
function ValueTable({
  title,
  series,
  unit,
  times,
}: ChartBlock & { readonly times: readonly number[] }) {
  const columns = series.map(({ values }) => TEXTS[unit](values.map((one) => one ?? 0)));
  const rows = times
    .map((at, index) => ({ at, index }))
    .filter(({ index }) => series.some(({ values }) => values[index]))
    .reverse()
    .map(({ at, index }) => ({
      cells: [
        momentText(at * 1000),
        ...series.map(({ values }, one) =>
          typeof values[index] === 'number' ? (columns[one]?.[index] ?? '') : '–',
        ),
      ],
    }));
  return (
    <Table
      {...{ kind: 'table', title, rows, empty: 'Nothing in this time.' }}
      columns={[
        { title: 'Time' },
        ...series.map(({ name }) => ({ title: name, align: 'right' as const })),
      ]}
    />
  );
}

function createPlot(place: HTMLElement, { series, unit }: ChartBlock, data: uPlot.AlignedData) {
  const colour = (name: string) => colourOf(place, name);
  const soft = colour('--soft');
  const axis = {
    stroke: soft,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const text = (value: number) => TEXTS[unit]([value])[0] ?? '';
  const values = (_: uPlot, splits: number[]) => [...TEXTS[unit](splits)];
  const options: uPlot.Options = {
    width: place.clientWidth,
    height: HEIGHT,
    // Dragging would zoom in, without a way back for a keyboard.
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { y: { range: (_, _least, most) => [0, Math.max(most, 1) * 1.05] } },
    axes: [
      { ...axis, size: 30, space: 60, values: (_, splits) => splits.map(clockText) },
      { ...axis, size: 60, space: 40, values, ...(unit === 'count' && { incrs: WHOLE }) },
    ],
    series: [
      { label: 'Time', value: (_, at) => (at === null ? '–' : clockText(at)) },
      ...series.map(({ name, tone }, index) => ({
        label: name,
        stroke: colour(tone ? `--${tone}` : `--chart-${index % DASHES.length}`),
        width: 2,
        dash: DASHES[index % DASHES.length] ?? [],
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
