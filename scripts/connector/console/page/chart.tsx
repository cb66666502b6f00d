import type { ChartBlock } from '../../document/document.ts';
import { Table } from './table.tsx';
import { clockText, durationTexts, localText, numberText } from './words.ts';

/** All in one unit. */
const TEXTS: Readonly<
  Record<ChartBlock['unit'], (values: readonly number[]) => readonly string[]>
> = { count: (values) => values.map(numberText), milliseconds: durationTexts };

/** Of the clocks below the lines. */
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** Lines over time, and the same values as a table: a drawing says nothing to a screen reader. */
export function Chart(block: ChartBlock) {
  const { title, from, everySeconds, unit, series } = block;
  const start = Date.parse(from);
  const periods = Math.max(1, ...series.map(({ values }) => values.length));
  const most = roundUp(
    Math.max(0, ...series.flatMap(({ values }) => values.map((one) => one ?? 0))),
  );
  const times = Array.from({ length: periods }, (_, at) => start + at * everySeconds * 1000);
  const texts = series.map(({ values }) => textsOf(unit, values));
  return (
    <figure class="card chart">
      <figcaption>{title}</figcaption>
      <div class="plot" aria-hidden="true">
        <div class="values">
          {TEXTS[unit]([most, most / 2, 0]).map((one) => (
            <span key={one}>{one}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${periods} 100`} preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={`M0 0H${periods}M0 50H${periods}M0 100H${periods}`} />
          {series.map(({ name, values, tone }, index) => (
            <path class={tone ?? `line-${index}`} d={pathOf(values, most)} key={name} />
          ))}
          {times.map((time, at) => (
            <rect x={at} width="1" height="100" key={time}>
              <title>{hintOf(time, series, texts, at)}</title>
            </rect>
          ))}
        </svg>
        <div class="clocks">
          {QUARTERS.map((part) => (
            <span key={part}>{clockText(start + part * periods * everySeconds * 1000)}</span>
          ))}
        </div>
      </div>
      <ul class="inline plain" aria-hidden="true">
        {series.map(({ name, tone }, index) => (
          <li key={name}>
            <svg class="sample" viewBox="0 0 24 8" aria-hidden="true">
              <path class={tone ?? `line-${index}`} d="M0 4H24" />
            </svg>{' '}
            {name}
          </li>
        ))}
      </ul>
      <details>
        <summary>As a table</summary>
        <ValueTable {...{ title, series, times, texts }} />
      </details>
    </figure>
  );
}

const textsOf = (unit: ChartBlock['unit'], values: readonly (number | null)[]) => {
  const known = TEXTS[unit](values.map((one) => one ?? 0));
  return values.map((one, at) => (one === null ? '–' : (known[at] ?? '')));
};

/** One even digit, or 10, with zeros: half of it is a round number, too. */
function roundUp(value: number): number {
  const size = 10 ** Math.max(0, Math.floor(Math.log10(value)));
  return size * ([2, 4, 6, 8].find((one) => one * size >= value) ?? 10);
}

/** In the middle of its period each; a single value between two gaps is a dash. */
function pathOf(values: readonly (number | null)[], most: number): string {
  const isKnown = (at: number) => typeof values[at] === 'number';
  return values
    .map((one, at) => {
      if (one === null) return '';
      const y = 100 - (one / most) * 100;
      if (isKnown(at - 1)) return `L${at + 0.5} ${y}`;
      return isKnown(at + 1) ? `M${at + 0.5} ${y}` : `M${at} ${y}h1`;
    })
    .join('');
}

function hintOf(
  time: number,
  series: ChartBlock['series'],
  texts: readonly (readonly string[])[],
  at: number,
): string {
  const each = series.map(({ name }, index) => `${name} ${texts[index]?.[at] ?? '–'}`);
  return `${clockText(time)}: ${each.join(', ')}`;
}

interface ValueTableProps extends Pick<ChartBlock, 'title' | 'series'> {
  readonly times: readonly number[];
  readonly texts: readonly (readonly string[])[];
}

/** The newest first. Periods in which nothing happened are left out. */
function ValueTable({ title, series, times, texts }: ValueTableProps) {
  const rows = times
    .map((time, at) => ({
      cells: [localText(time), ...texts.map((own) => own[at] ?? '–')],
      isEmpty: series.every(({ values }) => !values[at]),
    }))
    .filter(({ isEmpty }) => !isEmpty)
    .reverse();
  const columns = series.map(({ name }) => ({ title: name, align: 'right' as const }));
  return (
    <Table
      {...{ kind: 'table', title, rows, empty: 'Nothing in this time.' }}
      columns={[{ title: 'Time' }, ...columns]}
    />
  );
}
