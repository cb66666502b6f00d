import { useState } from 'preact/hooks';
import type { listAsJson, pageAsJson } from '../../../dead-letters/list.ts';
import type { letterAsJson } from '../../../dead-letters/show.ts';
import { inShop, isOffered } from '../about.ts';
import { openAction } from '../action.ts';
import { Answer } from '../parts/answer.tsx';
import { Ago, Form, Tick } from '../parts/form.tsx';
import { Table } from '../parts/table.tsx';
import { goTo, hrefOf, type Place } from '../router.ts';
import type { Line } from '../run.ts';
import { useQuestion } from '../use-question.ts';
import { agoText, momentText, numberText } from '../words.ts';

/** One dead letter: the message, and beside it what would be made of it now. */
export function LetterDetail({ id }: { readonly id: string }) {
  const [reveal, setReveal] = useState(false);
  const line: Line = {
    command: 'dead-letters show',
    operands: [id],
    options: { ...(reveal && { reveal }) },
  };
  const question = useQuestion<ShowDocument>(line);
  return (
    <>
      <p>
        <a href={hrefOf('letters')}>All dead letters</a>
      </p>
      <Answer question={question}>
        {({ letters, matching }) => (
          <>
            {letters.map((letter) => (
              <Letter
                key={letter.letterId}
                letter={letter}
                onReveal={reveal ? undefined : () => setReveal(true)}
              />
            ))}
            {matching > letters.length && <p class="soft">{strings.ofThem(matching)}</p>}
          </>
        )}
      </Answer>
    </>
  );
}

function Letter({
  letter,
  onReveal,
}: {
  readonly letter: ShownLetter;
  readonly onReveal: (() => void) | undefined;
}) {
  const { letterId, event, reason, code, why, at, attempts, family, alike, oldest } = letter;
  return (
    <article>
      <h2>{event ? `${event.kind} ${event.id}` : 'a message that cannot be read'}</h2>
      {event && TRACED.has(event.kind) && (
        <p>
          <a href={hrefOf('story', [event.kind, event.id], inShop(event.shop))}>
            Everything that happened with it, and both sides now
          </a>
        </p>
      )}
      <p>
        <Cause reason={reason} code={code} /> · <span>{why}</span>
      </p>
      <p class="soft">
        Given up {momentText(at)} ({agoText(at)})
        {attempts !== undefined && ` · ${strings.attempts(attempts)}`} · {strings.queues[family]} ·{' '}
        <code>{letterId}</code>
      </p>
      {letter.advice !== undefined && <p>{letter.advice}</p>}
      {alike > 1 && (
        <p class="soft">
          The newest of {numberText(alike)} dead letters that say the same, since {agoText(oldest)}.
        </p>
      )}
      {isOffered('dead-letters replay') && (
        <LetterActions
          {...{ filter: {}, chosen: [letterId], matching: 1, newest: at }}
          onEnd={() => goTo('letters')}
        />
      )}
      <div class="side-by-side">
        <Message letter={letter} onReveal={onReveal} />
        <IfSentNow letter={letter} />
      </div>
      <LedgerLines ledger={letter.ledger} />
    </article>
  );
}

/** What the view "Find" can show. */
const TRACED: ReadonlySet<string> = new Set(['order', 'product', 'coupon']);

function Message({ letter: { event, body, undecodable }, onReveal }: Parameters<typeof Letter>[0]) {
  return (
    <section class="card">
      <h3>The message</h3>
      {undecodable !== undefined && <p>{undecodable}</p>}
      {event && <Facts facts={event} />}
      {body !== undefined && <pre>{pretty(body)}</pre>}
      {onReveal && event && 'bodyBytes' in event && event.bodyBytes > 0 && (
        <p class="buttons">
          <button type="button" class="quiet" onClick={onReveal}>
            Show the whole message
          </button>
          <span class="soft">It names people. That you looked is recorded.</span>
        </p>
      )}
    </section>
  );
}

function Facts({ facts }: { readonly facts: object }) {
  return (
    <dl>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function IfSentNow({ letter: { now } }: { readonly letter: ShownLetter }) {
  return (
    <section class="card">
      <h3>If it were sent now</h3>
      <p>{now.summary}</p>
      {now.calls.map((call) => (
        <div key={`${call.operation} ${call.id}`}>
          <h4>
            <code>
              {call.operation} {call.id}
            </code>
          </h4>
          {call.differences && call.differences.length > 0 && (
            <>
              <p>This differs from what was applied last:</p>
              <ul>
                {call.differences.map((one) => (
                  <li key={one.field}>
                    <code>{one.field}</code>
                    {'now' in one && (
                      <>
                        : <del>{JSON.stringify(one.applied)}</del>{' '}
                        <ins>{JSON.stringify(one.now)}</ins>
                      </>
                    )}
                  </li>
                ))}
              </ul>
            </>
          )}
          {call.body && <pre>{JSON.stringify(call.body, null, 2)}</pre>}
        </div>
      ))}
    </section>
  );
}

function LedgerLines({ ledger }: { readonly ledger: ShownLetter['ledger'] }) {
  return (
    <section class="card">
      <h3>What happened to it before</h3>
      {!ledger && <p>Nothing is recorded.</p>}
      <ul>
        {(ledger?.outcomes ?? []).map(({ at, outcome, topic, why }) => (
          <li key={`${at} ${outcome}`}>
            <Ago at={at} /> <span>{[outcome, topic, why].filter(Boolean).join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** As it came where it is no JSON, or a browser would round its long numbers. */
function pretty(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const text = JSON.stringify(value, null, 2);
    return /\d{16,}/.test(body.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')) ? body : text;
  } catch {
    return body;
  }
}

/** Sends again or drops the chosen dead letters, or all that the filter fits. */
export function LetterActions({
  filter,
  chosen,
  matching,
  newest,
  onEnd,
}: {
  readonly filter: Filter;
  readonly chosen: readonly string[];
  readonly matching: number;
  /** When the newest of them was given up. */
  readonly newest: string;
  readonly onEnd: () => void;
}) {
  const [refetch, setRefetch] = useState(false);
  const [force, setForce] = useState(false);
  const [because, setBecause] = useState('');
  const many = chosen.length > 0 ? chosen.length : matching;
  const replay = () => {
    const how = { ...(refetch && { refetch }), ...(force && { force }) };
    const options = { ...optionsOf(filter, chosen), ...how };
    openAction({
      title: strings.replayTitle(many),
      preview: { command: 'dead-letters replay', options },
      line: { command: 'dead-letters replay', options: { ...options, wait: true, yes: true } },
      children: (
        <p>
          They go back to their queues, and the workers try them. What the loyalty service holds
          already is not sent twice.
        </p>
      ),
      onEnd,
    });
  };
  const drop = () => {
    const options = { ...optionsOfDrop(filter, chosen, newest), because: because.trim() };
    openAction({
      title: strings.dropTitle(many),
      preview: { command: 'dead-letters drop', options },
      line: { command: 'dead-letters drop', options: { ...options, yes: true } },
      children: (
        <p>
          What they are about is not sent again until it changes in the store. They are kept in a
          file on the machine that runs this console.
        </p>
      ),
      onEnd,
    });
  };
  return (
    <div class="card letters-actions">
      <p class="buttons">
        <button type="button" onClick={replay}>
          Send {numberText(many)} again…
        </button>
        <Tick
          label="as the store has it now, instead of the stored message"
          isSet={refetch}
          onChange={setRefetch}
        />
        <Tick
          label="even if the loyalty service was sent the same before"
          isSet={force}
          onChange={setForce}
        />
      </p>
      <Form class="buttons" onSubmit={drop}>
        <label>
          Why drop it? This is recorded{' '}
          <input
            type="text"
            required
            maxLength={200}
            value={because}
            onInput={({ currentTarget }) => setBecause(currentTarget.value)}
          />
        </label>
        <button type="submit" class="quiet" disabled={because.trim() === ''}>
          Drop {numberText(many)}…
        </button>
      </Form>
    </div>
  );
}

/** Dead letters by their cause, each a filter for the list. */
export function LetterGroups({
  groups,
  filter,
}: {
  readonly groups: readonly Group[];
  readonly filter: Filter;
}) {
  return (
    <Table
      {...{ class: 'stacks', rows: groups, caption: <caption>By cause</caption> }}
      keyOf={({ reason, code, why }) => `${reason} ${code} ${why}`}
      columns={[
        { title: 'Dead letters', kind: 'number', cell: ({ count }) => numberText(count) },
        { title: 'Cause', cell: (group) => <GroupCause {...{ group, filter }} /> },
        { title: 'Oldest', cell: ({ oldest }) => <Ago at={oldest} /> },
        { title: 'Newest', cell: ({ newest }) => <Ago at={newest} /> },
        {
          title: 'Example',
          cell: ({ example: { letterId, kind, id = letterId } }) => (
            <a href={hrefOf('letters', [letterId])}>
              {kind} {id}
            </a>
          ),
        },
      ]}
    />
  );
}

function GroupCause({ group, filter }: { readonly group: Group; readonly filter: Filter }) {
  const { reason, code, why, advice } = group;
  const only = { ...filter, reason, ...(code !== undefined && { code }), text: why };
  return (
    <>
      <a href={hrefOf('letters', [], only)}>
        <Cause reason={reason} code={code} />
      </a>
      <div class="soft">{why}</div>
      {advice !== undefined && <div>{advice}</div>}
    </>
  );
}

export function Cause({
  reason,
  code,
}: {
  readonly reason: Group['reason'];
  readonly code: string | undefined;
}) {
  return (
    <>
      {strings.reasons[reason]}
      {code !== undefined && (
        <>
          {' '}
          <code>{code}</code>
        </>
      )}
    </>
  );
}

/** The options of `dead-letters` that choose dead letters, as the address of the view has them. */
const FILTERS = [
  'reason',
  'code',
  'queue',
  'kind',
  'shop',
  'text',
  'since',
  'until',
  'topic',
  'id',
] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filter = Readonly<Partial<Record<FilterName, string>>>;
type Options = NonNullable<Line['options']>;

export function filterOf({ query }: Place): Filter {
  const given = FILTERS.flatMap((name) => {
    const value = query[name]?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** Of the chosen dead letters; without a choice, of all that the filter fits. */
function optionsOf(filter: Filter, chosen: readonly string[]): Options {
  return chosen.length > 0 ? { id: [...chosen] } : { ...filter };
}

/** No more than the list shows: what is parked while a person reads the preview stays. */
function optionsOfDrop(filter: Filter, chosen: readonly string[], newest: string): Options {
  return chosen.length > 0 ? optionsOf(filter, chosen) : { ...filter, until: newest };
}

/** What `dead-letters list --json` answers. */
export type ListDocument = ReturnType<typeof listAsJson>;
type Group = ListDocument['groups'][number];
export type ListedLetter = ReturnType<typeof pageAsJson>['letters'][number];

/** What `dead-letters show --json` answers. */
interface ShowDocument {
  readonly matching: number;
  readonly letters: readonly ShownLetter[];
}
type ShownLetter = ReturnType<typeof letterAsJson> & {
  /** How many say the same, this one included, and since when. */
  readonly alike: number;
  readonly oldest: string;
};

const counted = (many: number, one: string, several: string) =>
  `${numberText(many)} ${many === 1 ? one : several}`;

export const strings = {
  count: (matching: number) =>
    matching === 0 ? 'No dead letters' : `${counted(matching, 'dead letter', 'dead letters')}:`,
  attempts: (attempts: number) => counted(attempts, 'attempt', 'attempts'),
  replays: (replays: number) => `sent again ${counted(replays, 'time', 'times')}`,
  replayTitle: (many: number) => `Send ${counted(many, 'dead letter', 'dead letters')} again`,
  dropTitle: (many: number) => `Drop ${counted(many, 'dead letter', 'dead letters')}`,
  ofThem: (matching: number) =>
    `${counted(matching, 'dead letter is', 'dead letters are')} about this in all.`,
  reasons: {
    unreadable: 'Cannot be read',
    unmappable: 'Cannot be mapped',
    rejected: 'Refused by the loyalty service',
    'retry-window-over': 'Tried for too long',
    'newer-release': 'Of a newer release',
    'made-room': 'Made room for other shops',
    crashed: 'A worker died on it',
    unknown: 'Of an unknown reason',
  } satisfies Readonly<Record<Group['reason'], string>>,
  queues: {
    orders: 'Orders',
    products: 'Products',
    coupons: 'Coupons and customers',
    balances: 'Balances and redemptions',
  } satisfies Readonly<Record<ListedLetter['family'], string>>,
};
