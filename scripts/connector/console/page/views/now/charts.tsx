import type { Chart as Values } from '../../../../status/charts.ts';
import type { Status } from '../../../../status/status-model.ts';
import { Chart, type Series } from '../../parts/chart.tsx';
import { durationText, numberText } from '../../words.ts';
import { strings } from './strings.ts';

export function Charts({ status: { lastHour, lastDay } }: { readonly status: Status }) {
  const hour = lastHour.kind === 'known' ? lastHour.value.chart : undefined;
  const day = lastDay?.kind === 'known' ? lastDay.value : undefined;
  const why = lastHour.kind === 'unknown' ? lastHour.why : undefined;
  return (
    <>
      <h2>The last hour and the last day</h2>
      {why !== undefined && (
        <p>
          {strings.unknown}: <span>{why}</span>
        </p>
      )}
      <div class="charts">
        {hour && <Chart {...hour} {...messages(hour)} title="Messages per minute, last hour" />}
        {hour && <Chart {...hour} {...latency(hour)} title="From store to service, last hour" />}
        {day && (
          <Chart {...day} {...messages(day)} title="Messages per quarter of an hour, last day" />
        )}
        {day && <Chart {...day} {...latency(day)} title="From store to service, last day" />}
      </div>
    </>
  );
}

function messages({ received, applied, retried, rejected }: Values) {
  const series: readonly Series[] = [
    { name: strings.counts.received, values: received, tone: 'first' },
    { name: strings.counts.applied, values: applied, tone: 'second' },
    { name: strings.counts.retried, values: retried, tone: 'third' },
    { name: strings.counts.rejected, values: rejected, tone: 'fourth' },
  ];
  return { series, text: numberText };
}

function latency({ p50, p99 }: Values) {
  const series: readonly Series[] = [
    { name: 'p50', values: p50, tone: 'first' },
    { name: 'p99', values: p99, tone: 'third' },
  ];
  return { series, text: durationText };
}
