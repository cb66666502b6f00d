import { useState } from 'preact/hooks';
import type { CheckResult, Finding, RewardReading } from '../../../checks/check.ts';
import type { DoctorDocument } from '../../../doctor/examine.ts';
import { about, isOffered } from '../about.ts';
import { openAction } from '../action.ts';
import { Answer } from '../parts/answer.tsx';
import { Ago, Choice, Form, Tick } from '../parts/form.tsx';
import { CommandText, Suggestion } from '../parts/suggestion.tsx';
import { Table } from '../parts/table.tsx';
import type { ViewProps } from '../router.ts';
import { useQuestion } from '../use-question.ts';
import { momentText, numberText } from '../words.ts';

/** What `doctor` says, by subject. */
export function SetUpView(_props: ViewProps) {
  const question = useQuestion<DoctorDocument>({ command: 'doctor' });
  return (
    <Answer question={question}>
      {(document) => {
        const findings = document.checks.flatMap((check) => check.findings);
        const subjects = findings.flatMap(({ about }) => (about ? [about] : []));
        return (
          <>
            <Summary {...document} />
            <Checks checks={document.checks} onEnd={question.askAgain} />
            <Calls
              pauses={subjects.filter((one) => one.kind === 'pause')}
              onEnd={question.askAgain}
            />
            <Alarms addresses={subjects.filter((one) => one.kind === 'alarm-address')} />
            <Rewards rewards={subjects.filter((one) => one.kind === 'reward')} />
          </>
        );
      }}
    </Answer>
  );
}

function Summary({ failed, warned, version, commandVersion, ledgerFormat }: DoctorDocument) {
  return (
    <div class="card">
      <p>
        {failed + warned === 0 && <span class="badge well">Everything is set up.</span>}
        {failed > 0 && <span class="badge bad">{numberText(failed)} failed</span>}{' '}
        {warned > 0 && <span class="badge waits">{numberText(warned)} to look at</span>}
      </p>
      <p class="soft">
        Versions: deployed {version}, this console {commandVersion}, newest form of the ledger{' '}
        {ledgerFormat}
      </p>
    </div>
  );
}

const COLOURS: Readonly<Record<Finding['verdict'], string>> = {
  pass: 'well',
  warn: 'waits',
  fail: 'bad',
  info: 'soft',
};

/** Only what is for a person to do, unless asked for all. */
function Checks({
  checks,
  onEnd,
}: {
  readonly checks: readonly CheckResult[];
  /** After a fix was run here. */
  readonly onEnd: () => void;
}) {
  const [isWhole, setWhole] = useState(false);
  const shown = checks
    .map(({ name, findings }) => ({ name, findings: isWhole ? findings : findings.filter(isOpen) }))
    .filter(({ findings }) => findings.length > 0);
  return (
    <section>
      <h2>Checks</h2>
      <p>
        <Tick label="Show what is fine, too" isSet={isWhole} onChange={setWhole} />
      </p>
      {shown.map(({ name, findings }) => (
        <div class="card" key={name}>
          <h3>{name}</h3>
          {findings.map((finding) => (
            <FindingText {...{ finding, onEnd }} key={finding.what} />
          ))}
        </div>
      ))}
    </section>
  );
}

const isOpen = ({ verdict }: Finding) => verdict === 'fail' || verdict === 'warn';

interface FindingProps {
  readonly finding: Finding;
  readonly onEnd: () => void;
}

function FindingText({ finding, onEnd }: FindingProps) {
  const { verdict, what } = finding;
  return (
    <div>
      <p>
        <span class={`badge ${COLOURS[verdict]}`}>{strings.verdicts[verdict]}</span>{' '}
        <span>{what}</span>
      </p>
      <Fix {...{ finding, onEnd }} />
    </div>
  );
}

function Fix({ finding: { fix, command }, onEnd }: FindingProps) {
  if (fix === undefined) return null;
  if (command === undefined) {
    return <p class="soft">{fix}</p>;
  }
  if (command.startsWith('npx ')) return <Suggestion text={fix} onEnd={onEnd} />;
  return (
    <p class="suggestion">
      <span>{fix.slice(0, -command.length)}</span> <CommandText text={command} />
    </p>
  );
}

type Pause = Extract<NonNullable<Finding['about']>, { kind: 'pause' }>;

const QUEUES = ['orders', 'products', 'coupons', 'balances'] as const;

/** Pauses, and what ends them or tries again at once. */
function Calls({
  pauses,
  onEnd,
}: {
  readonly pauses: readonly Pause[];
  readonly onEnd: () => void;
}) {
  const resume = (pause: Pause) => {
    const queue = pause.by === 'operator' && pause.part !== 'all' ? { queue: pause.part } : {};
    openAction({
      title: `Resume: ${pause.shop}`,
      line: { command: 'resume', options: { shop: pause.shop, ...queue } },
      onEnd,
    });
  };
  return (
    <section>
      <h2>Calls to the loyalty service</h2>
      <div class="card">
        {pauses.length === 0 && <p class="badge well">Not paused</p>}
        {pauses.map((pause) => (
          <p class="buttons" key={JSON.stringify(pause)}>
            <span class="badge waits">{pause.shop}</span>
            <span>
              {pause.by === 'operator'
                ? `${pause.part === 'all' ? 'all calls' : pause.part}: ${`paused by ${nameOf(pause.who)}`}`
                : `paused by the loyalty service until ${momentText(pause.until)}`}
              , <Ago at={pause.since} />
            </span>
            {isOffered('resume') && (
              <button type="button" onClick={() => resume(pause)}>
                Resume
              </button>
            )}
          </p>
        ))}
        {isOffered('pause') && <CallsForm onEnd={onEnd} />}
      </div>
    </section>
  );
}

/** The user, or the name of a role's session. */
const nameOf = (arn: string) => arn.split('/').at(-1) ?? arn;

function CallsForm({ onEnd }: { readonly onEnd: () => void }) {
  const queues = QUEUES.filter((one) => one !== 'balances' || about.hasStorefront);
  const act = (options: Readonly<Record<string, string>>, pressed: string) =>
    openAction(
      pressed === 'pause'
        ? {
            title: 'Pause',
            line: { command: 'pause', options: { ...options, yes: true } },
            children: (
              <p>What arrives meanwhile waits in the queues, and is sent after “Resume”.</p>
            ),
            onEnd,
          }
        : {
            title: 'Send what waits now',
            line: { command: 'retry-now', options },
            children: <p>After a repair: what waits for its next attempt is tried at once.</p>,
            onEnd,
          },
    );
  return (
    <Form class="filters" onSubmit={act}>
      <Choice label="Shop" name="shop" any="all" of={about.shops} />
      <Choice label="Queue" name="queue" any="all" of={queues} />
      <button type="submit" class="quiet" value="pause">
        Pause
      </button>
      <button type="submit" class="quiet" value="retry-now">
        Send what waits now
      </button>
    </Form>
  );
}

type Subject = NonNullable<Finding['about']>;
type AlarmAddress = Extract<Subject, { kind: 'alarm-address' }>;
type Reward = Extract<Subject, { kind: 'reward' }>;

function Alarms({ addresses }: { readonly addresses: readonly AlarmAddress[] }) {
  return (
    <section>
      <h2>Who gets alarms</h2>
      <div class="card">
        {addresses.length === 0 && <p>No address is known here.</p>}
        {addresses.map(({ endpoint, confirmed }) => (
          <p key={endpoint}>
            {endpoint}{' '}
            <span class={`badge ${confirmed ? 'well' : 'bad'}`}>
              {confirmed ? 'confirmed' : 'not confirmed: gets no alarms'}
            </span>
          </p>
        ))}
      </div>
    </section>
  );
}

/** Each title beside what the connector makes of it: only a person sees a wrong reading. */
function Rewards({ rewards }: { readonly rewards: readonly Reward[] }) {
  if (rewards.length === 0) return null;
  return (
    <section>
      <h2>Rewards, and what they become in the store</h2>
      <div class="card">
        <Table
          rows={rewards}
          keyOf={({ shop, id }) => `${shop} ${id}`}
          columns={[
            {
              title: 'Reward',
              cell: ({ title, id }) => (
                <>
                  {title} <span class="soft">{id}</span>
                </>
              ),
            },
            {
              title: 'Becomes',
              cell: ({ becomes }) => (
                <>
                  <strong>{strings.readings[becomes?.kind ?? 'unread']}</strong>{' '}
                  <span>{becomes?.text}</span>
                </>
              ),
            },
          ]}
        />
      </div>
    </section>
  );
}

const strings = {
  verdicts: {
    pass: 'Fine',
    warn: 'Look',
    fail: 'Failed',
    info: 'Note',
  } satisfies Readonly<Record<Finding['verdict'], string>>,
  readings: {
    code: 'a code',
    'not-redeemable': 'shown only',
    'unknown-type': 'not understood',
    unread: 'not read',
  } satisfies Readonly<Record<RewardReading['kind'] | 'unread', string>>,
};
