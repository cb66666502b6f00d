import type { Chart as Values } from '../../../status/status-model.ts';
import './now.css';
import { type ComponentChildren, Fragment } from 'preact';
import type { QueueFamily } from '../../../../../shared/core/events/event.ts';
import type { Verdict } from '../../../status/judge-status.ts';
import type { LastHour, QueueStatus, Status, WaitingStatus } from '../../../status/status-model.ts';
import { about, isOffered } from '../about.ts';
import { Answer } from '../parts/answer.tsx';
import { Chart, type Series } from '../parts/chart.tsx';
import { Suggestion } from '../parts/suggestion.tsx';
import { Table } from '../parts/table.tsx';
import { hrefOf, type ViewProps } from '../router.ts';
import { useQuestion, useRefresh } from '../use-question.ts';
import { agoText, durationText, numberText } from '../words.ts';

/** CloudWatch has a new figure once a minute, and bills each that is read; this machine bills nothing. */
const EVERY_SECONDS = { aws: 60, local: 5 } as const;
const LINE = { command: 'status', options: { charts: true } } as const;
const VERDICT_TONES: Readonly<Record<Verdict['state'], string>> = {
  well: 'well',
  waiting: 'waits',
  'action-required': 'bad',
};

export function NowView(_props: ViewProps) {
  const everySeconds = EVERY_SECONDS[about.where];
  const question = useQuestion<Status & Verdict>(LINE);
  useRefresh(question, everySeconds * 1000);
  return (
    <>
      <Answer question={question}>
        {(status) => (
          <>
            <p class={`verdict ${VERDICT_TONES[status.state]}`} role="status">
              {strings.states[status.state]}
            </p>
            <Findings verdict={status} onEnd={question.askAgain} />
            <Flow status={status} />
            <Charts status={status} />
          </>
        )}
      </Answer>
      <p class="soft">Asked again every {everySeconds} seconds while this page is visible.</p>
    </>
  );
}

function Findings({
  verdict: { troubles, waits, notes },
  onEnd,
}: {
  readonly verdict: Verdict;
  readonly onEnd: () => void;
}) {
  return (
    <>
      {troubles.length > 0 && (
        <section class="card" aria-label="Action required">
          {troubles.map(({ what, next }) => (
            <div class="finding" key={what}>
              <p>{what}</p>
              <Suggestion text={next} onEnd={onEnd} />
            </div>
          ))}
        </section>
      )}
      {waits.length > 0 && (
        <section class="card" aria-label="What waits">
          {waits.map((wait) => (
            <p class="finding" key={wait}>
              {wait}
            </p>
          ))}
          {troubles.length === 0 && isOffered('retry-now') && (
            <>
              <p class="soft">
                There is nothing to do. If the cause is repaired already, you need not wait:
              </p>
              <Suggestion text="retry-now" onEnd={onEnd} />
            </>
          )}
        </section>
      )}
      {notes.length > 0 && (
        <details>
          <summary>{notes.length === 1 ? '1 note' : `${notes.length} notes`}</summary>
          {notes.map((note) => (
            <Suggestion key={note} text={note} />
          ))}
        </details>
      )}
    </>
  );
}

/** The path of a change, as it is deployed: a list that reads in order, and is drawn as stages with arrows. */
function Flow({ status }: { readonly status: Status }) {
  const hour = status.lastHour.kind === 'known' ? status.lastHour.value : undefined;
  const queues = status.queues.kind === 'known' ? status.queues.value : undefined;
  const isBalances = ({ family }: QueueStatus) => family === 'balances';
  return (
    <>
      <h2 id="flow">From the store to the loyalty service</h2>
      <ol class="flow" aria-labelledby="flow">
        <Stage name="Store">
          {about.shops.map((shop) => (
            <p key={shop}>{breakable(shop)}</p>
          ))}
          <Awaited status={status} by={['store']} />
        </Stage>
        <Stage name="Receiver">
          <Rates hour={hour} of={['received']} />
          {hour && hour['signatures-refused'] > 0 && (
            <Figure
              name="refused for their signature in the last hour"
              value={numberText(hour['signatures-refused'])}
              tone="waits"
            />
          )}
        </Stage>
        <Queues queues={queues?.filter((one) => !isBalances(one))} status={status} />
        <Stage name="Workers">
          <Rates hour={hour} of={['applied', 'retried', 'rejected']} />
        </Stage>
        <Stage name="Loyalty service">
          <Latency hour={hour} />
          <Awaited status={status} by={['loyalty', 'throttled']} />
        </Stage>
      </ol>
      {about.hasStorefront && (
        <>
          <h2 id="flow-back">Back to the store</h2>
          <ol class="flow back" aria-labelledby="flow-back">
            <Stage name="Loyalty service">sends point events</Stage>
            <Queues queues={queues?.filter(isBalances)} status={status} />
            <Stage name="Balance worker">counted with the workers above</Stage>
            <Stage name="Store">shows the balances</Stage>
          </ol>
        </>
      )}
    </>
  );
}

/** A domain may be broken before a dot. */
function breakable(domain: string): ComponentChildren {
  return domain.split('.').map((part, index) => (
    <Fragment key={part}>
      {index > 0 && <wbr />}
      {index > 0 && '.'}
      {part}
    </Fragment>
  ));
}

function Stage({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
}) {
  return (
    <li class="card stage">
      <h3>{name}</h3>
      <div class="soft">{children}</div>
    </li>
  );
}

function Figure({
  name,
  value,
  tone,
}: {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly tone?: 'waits' | 'bad' | undefined;
}) {
  return (
    <p class="figure">
      <strong class={tone}>{value}</strong> {name}
    </p>
  );
}

type Rate = keyof LastHour['perMinute'];
const TONES: Readonly<Partial<Record<Rate, 'waits' | 'bad'>>> = {
  retried: 'waits',
  rejected: 'bad',
};

function Rates({
  hour,
  of,
}: {
  readonly hour: LastHour | undefined;
  readonly of: readonly Rate[];
}) {
  if (!hour) return <p>{strings.unknown}</p>;
  return of.map((rate) => (
    <Figure
      key={rate}
      name={`${strings.counts[rate]} per minute`}
      value={numberText(Math.round(hour.perMinute[rate] * 10) / 10)}
      tone={hour.perMinute[rate] > 0 ? TONES[rate] : undefined}
    />
  ));
}

function Latency({ hour }: { readonly hour: LastHour | undefined }) {
  if (!hour) return <p>{strings.unknown}</p>;
  if (!hour.latencyMs) return <p>Nothing was applied in the last hour.</p>;
  const { p50, p99 } = hour.latencyMs;
  return (
    <>
      <Figure name="p50" value={durationText(p50)} />
      <Figure name="p99" value={durationText(p99)} />
      <p>from the change to its answer, in the last hour</p>
    </>
  );
}

/** The messages that wait for this service. */
function Awaited({
  status: { waiting },
  by,
}: {
  readonly status: Status;
  readonly by: readonly WaitingStatus['waitsFor'][];
}) {
  const groups =
    waiting.kind === 'known' ? waiting.value.filter(({ waitsFor }) => by.includes(waitsFor)) : [];
  const [next] = groups.map(({ nextTry }) => nextTry).toSorted();
  if (next === undefined) return null;
  const messages = groups.reduce((sum, one) => sum + one.messages, 0);
  return (
    <Figure
      name={`wait for it, next try ${agoText(next)}`}
      value={numberText(messages)}
      tone="waits"
    />
  );
}

function Queues({
  queues,
  status,
}: {
  readonly queues: readonly QueueStatus[] | undefined;
  readonly status: Status;
}) {
  const why = status.queues.kind === 'unknown' ? status.queues.why : '';
  return (
    <li class="card stage queues">
      <h3>Queues</h3>
      {!queues && (
        <p>
          {strings.unknown}: <span>{why}</span>
        </p>
      )}
      {queues && (
        <Table
          rows={queues}
          keyOf={({ family }) => family}
          columns={[
            { title: 'Queue', kind: 'row', cell: ({ family }) => strings.families[family] },
            { title: 'Waiting', kind: 'number', cell: ({ waiting }) => numberText(waiting) },
            { title: 'In flight', kind: 'number', cell: ({ inFlight }) => numberText(inFlight) },
            { title: 'Dead', kind: 'number', cell: deadText },
          ]}
        />
      )}
    </li>
  );
}

function deadText({ family, dead }: QueueStatus): ComponentChildren {
  if (dead === 0) return numberText(dead);
  return (
    <a class="bad" href={hrefOf('letters', [], { queue: family })}>
      {numberText(dead)}
    </a>
  );
}

function Charts({ status: { lastHour, lastDay } }: { readonly status: Status }) {
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

const strings = {
  states: {
    well: 'All is well',
    waiting: 'Messages wait and go on by themselves',
    'action-required': 'Action required',
  } satisfies Readonly<Record<Verdict['state'], string>>,
  counts: {
    received: 'received',
    applied: 'applied',
    retried: 'retried',
    rejected: 'rejected',
  } satisfies Readonly<Record<keyof LastHour['perMinute'], string>>,
  families: {
    orders: 'Orders',
    products: 'Products',
    coupons: 'Coupons',
    balances: 'Balances',
  } satisfies Readonly<Record<QueueFamily, string>>,
  unknown: 'Unknown',
};
