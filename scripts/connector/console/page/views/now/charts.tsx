import type { Chart as Values } from '../../../../status/charts.ts';
import type { Status } from '../../../../status/status-model.ts';
import { Chart, type Series } from '../../parts/chart.tsx';
import { durationText, numberText, words } from '../../words.ts';
import { strings } from './strings.ts';

export function Charts({ status: { lastHour, lastDay } }: { readonly status: Status }) {
  const texts = words(strings);
  const hour = lastHour.kind === 'known' ? lastHour.value.chart : undefined;
  const day = lastDay?.kind === 'known' ? lastDay.value : undefined;
  const why = lastHour.kind === 'unknown' ? lastHour.why : undefined;
  return (
    <>
      <h2>{texts.charts}</h2>
      {why !== undefined && (
        <p>
          {texts.unknown}: <span lang="en">{why}</span>
        </p>
      )}
      <div class="charts">
        {hour && <Chart {...hour} {...messages(hour)} title={texts.messagesInHour} />}
        {hour && <Chart {...hour} {...latency(hour)} title={texts.latencyInHour} />}
        {day && <Chart {...day} {...messages(day)} title={texts.messagesInDay} />}
        {day && <Chart {...day} {...latency(day)} title={texts.latencyInDay} />}
      </div>
    </>
  );
}

function messages({ received, applied, retried, rejected }: Values) {
  const { counts } = words(strings);
  const series: readonly Series[] = [
    { name: counts.received, values: received, tone: 'first' },
    { name: counts.applied, values: applied, tone: 'second' },
    { name: counts.retried, values: retried, tone: 'third' },
    { name: counts.rejected, values: rejected, tone: 'fourth' },
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
