import type { ChartBlock } from '../../terminal/document.ts';
import { Table } from './table.tsx';
import { clockText, localText, textIn } from './words.ts';

/** Of the clocks below the lines. */
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** Lines over time, and the same values as a table: a drawing says nothing to a screen reader. */
export function Chart({ title, from, everySeconds, unit, series }: ChartBlock) {
  const all = series.flatMap(({ values }) => values.map((one) => one ?? 0));
  const most = roundUp(Math.max(0, ...all));
  const textOf = textIn(unit, most);
  const length = Math.max(1, ...series.map(({ values }) => values.length));
  const timeAt = (at: number) => Date.parse(from) + at * everySeconds * 1000;
  const periods = Array.from({ length }, (_, at) => ({
    time: timeAt(at),
    texts: series.map(({ values }) => textOf(values[at] ?? null)),
    isEmpty: series.every(({ values }) => !values[at]),
  }));
  const lineClass = (index: number) => series[index]?.tone ?? `line-${index}`;
  return (
    <figure class="card chart">
      <figcaption>{title}</figcaption>
      <div class="plot" aria-hidden="true">
        <div class="values">
          {[most, most / 2, 0].map((one) => (
            <span key={one}>{textOf(one)}</span>
          ))}
        </div>
        <svg viewBox={`0 0 ${length} 100`} preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d={`M0 0H${length}M0 50H${length}M0 100H${length}`} />
          {series.map(({ name, values }, index) => (
            <path class={lineClass(index)} d={pathOf(values, most)} key={name} />
          ))}
          {periods.map(({ time, texts }, at) => (
            <rect x={at} width="1" height="100" key={time}>
              <title>
                {clockText(time)}
                {series.map(({ name }, index) => `, ${name} ${texts[index]}`)}
              </title>
            </rect>
          ))}
        </svg>
        <div class="clocks">
          {QUARTERS.map((part) => (
            <span key={part}>{clockText(timeAt(part * length))}</span>
          ))}
        </div>
      </div>
      <ul class="legend plain" aria-hidden="true">
        {series.map(({ name }, index) => (
          <li key={name}>
            <svg class="sample" viewBox="0 0 24 8" aria-hidden="true">
              <path class={lineClass(index)} d="M0 4H24" />
            </svg>{' '}
            {name}
          </li>
        ))}
      </ul>
      <details>
        <summary>As a table</summary>
        {/* The newest first, without periods in which nothing happened. */}
        <Table
          {...{ kind: 'table', title, empty: 'Nothing in this time.' }}
          columns={['Time', ...series.map(({ name }) => name)].map((name) => ({ title: name }))}
          rows={periods
            .filter(({ isEmpty }) => !isEmpty)
            .reverse()
            .map((one) => ({ cells: [localText(one.time), ...one.texts] }))}
        />
      </details>
    </figure>
  );
}

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
