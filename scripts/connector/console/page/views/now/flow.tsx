import { type ComponentChildren, Fragment } from 'preact';
import type {
  LastHour,
  QueueStatus,
  Status,
  WaitingStatus,
} from '../../../../status/status-model.ts';
import { about } from '../../about.ts';
import { Table } from '../../parts/table.tsx';
import { hrefOf } from '../../router.ts';
import { agoText, durationText, numberText } from '../../words.ts';
import { strings } from './strings.ts';

/** The path of a change, as it is deployed: a list that reads in order, and is drawn as stages with arrows. */
export function Flow({ status }: { readonly status: Status }) {
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
