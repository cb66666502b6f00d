import { useState } from 'preact/hooks';
import { about, isOffered } from '../about.ts';
import { Answer } from '../parts/answer.tsx';
import { Ago, Choice, Form } from '../parts/form.tsx';
import { Table } from '../parts/table.tsx';
import { goTo, hrefOf, type Place, type ViewProps } from '../router.ts';
import type { Line } from '../run.ts';
import { useQuestion, useRefresh } from '../use-question.ts';
import { agoText, numberText } from '../words.ts';
import {
  Cause,
  type Filter,
  type FilterName,
  filterOf,
  LetterActions,
  LetterDetail,
  LetterGroups,
  type ListDocument,
  type ListedLetter,
  strings,
} from './dead-letter.tsx';

/** `#/letters?reason=…` lists, `#/letters/ID` shows one. */
export function LettersView({ place }: ViewProps) {
  const [id] = place.path;
  if (id) return <LetterDetail id={id} key={id} />;
  // What was chosen under one filter would be dropped unseen under the next.
  return <LetterList place={place} key={JSON.stringify(filterOf(place))} />;
}

const PER_PAGE = 25;
/** Of summaries. A scan of the queues hides the dead letters from others, so only a person asks for it. */
const EVERY_MS = 15_000;

function LetterList({ place }: { readonly place: Place }) {
  const filter = filterOf(place);
  const { after, scan } = place.query;
  const isScan = scan === 'true';
  const line: Line = {
    command: 'dead-letters list',
    options: { ...filter, limit: PER_PAGE, ...(after && { after }), ...(isScan && { scan: true }) },
  };
  const question = useQuestion<ListDocument>(line);
  useRefresh(question, question.ran?.document?.source === 'summaries' ? EVERY_MS : undefined);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const choose = (letterId: string, isChosen: boolean) =>
    setChosen((before) => [
      ...before.filter((one) => one !== letterId),
      ...(isChosen ? [letterId] : []),
    ]);
  return (
    <>
      <FilterForm filter={filter} />
      <Answer question={question}>
        {(document) => (
          <>
            <Summary document={document} filter={filter} />
            {document.groups.length > 0 && (
              <>
                <LetterGroups groups={document.groups} filter={filter} />
                {isOffered('dead-letters replay') && (
                  <LetterActions
                    {...{ filter, chosen, matching: document.matching }}
                    newest={document.groups.map((one) => one.newest).reduce(later)}
                    onEnd={() => {
                      setChosen([]);
                      question.askAgain();
                    }}
                  />
                )}
                <h2>One by one, the newest first</h2>
                <Letters
                  letters={document.letters ?? []}
                  hasCauses={document.groups.length > 1}
                  chosen={chosen}
                  choose={isOffered('dead-letters replay') ? choose : undefined}
                />
                <Pages filter={filter} after={after} next={document.next} scan={scan} />
              </>
            )}
          </>
        )}
      </Answer>
    </>
  );
}

const later = (one: string, other: string): string => (one > other ? one : other);

function Summary({
  document,
  filter,
}: {
  readonly document: ListDocument;
  readonly filter: Filter;
}) {
  const { matching, queues, source, oldestDeletedAt } = document;
  const notSeen = queues.reduce((sum, queue) => sum + queue.notSeen, 0);
  const gone = queues.reduce((sum, queue) => sum + queue.gone, 0);
  return (
    <>
      <p>
        <strong class={matching === 0 && notSeen === 0 ? 'well' : 'bad'}>
          {strings.count(matching)}
        </strong>{' '}
        {queues
          .filter((queue) => queue.matching > 0)
          .map(({ family, matching: many }) => `${strings.queues[family]} ${numberText(many)}`)
          .join(', ')}
      </p>
      {oldestDeletedAt !== undefined && (
        <p class="soft">
          The oldest is deleted {agoText(oldestDeletedAt)}, unless it is sent again before.
        </p>
      )}
      {notSeen > 0 && source === 'summaries' && (
        <p class="note">
          About {numberText(notSeen)} more have no summary: a worker died on them.{' '}
          <a href={hrefOf('letters', [], { ...filter, scan: 'true' })}>
            Scan the queues: others do not see the dead letters meanwhile
          </a>
        </p>
      )}
      {notSeen > 0 && source === 'queues' && (
        <p class="note">
          About {numberText(notSeen)} more cannot be seen now: another person or a killed run has
          received them. Look again in five minutes.
        </p>
      )}
      {gone > 0 && (
        <p class="note">
          The queues count {numberText(gone)} fewer: the count may be a minute old, or they were
          removed without this connector.
        </p>
      )}
    </>
  );
}

function Letters({
  letters,
  hasCauses,
  chosen,
  choose,
}: {
  readonly letters: readonly ListedLetter[];
  /** More than one: each dead letter has its own in words. */
  readonly hasCauses: boolean;
  readonly chosen: readonly string[];
  /** Undefined when this console only looks. */
  readonly choose: ((letterId: string, isChosen: boolean) => void) | undefined;
}) {
  return (
    <Table
      {...{ class: 'stacks', rows: letters }}
      keyOf={({ letterId }) => letterId}
      columns={[
        choose !== undefined && {
          title: 'Choose',
          cell: (letter) => (
            <input
              type="checkbox"
              aria-label={`Choose: ${nameOf(letter)}`}
              checked={chosen.includes(letter.letterId)}
              onChange={({ currentTarget }) => choose(letter.letterId, currentTarget.checked)}
            />
          ),
        },
        {
          title: 'About',
          cell: (letter) => (
            <>
              <a href={hrefOf('letters', [letter.letterId])}>{nameOf(letter)}</a>
              {letter.event && (
                <div class="soft">
                  {letter.event.topic} · {letter.event.shop}
                </div>
              )}
            </>
          ),
        },
        {
          title: 'Cause',
          cell: ({ reason, code, why }) => (
            <>
              <Cause reason={reason} code={code} />
              {hasCauses && <div class="soft">{why}</div>}
            </>
          ),
        },
        {
          title: 'Given up',
          cell: ({ at, attempts, event }) => (
            <>
              <Ago at={at} />
              {attempts !== undefined && <div class="soft">{strings.attempts(attempts)}</div>}
              {event?.replays && <div class="soft">{strings.replays(event.replays.length)}</div>}
            </>
          ),
        },
      ]}
    />
  );

  function nameOf({ event }: ListedLetter): string {
    return event ? `${event.kind} ${event.id}` : 'a message that cannot be read';
  }
}

function Pages({
  filter,
  after,
  next,
  scan,
}: {
  readonly filter: Filter;
  readonly after: string | undefined;
  readonly next: string | undefined;
  readonly scan: string | undefined;
}) {
  const here = { ...filter, ...(scan && { scan }) };
  return (
    <p class="buttons">
      {after !== undefined && <a href={hrefOf('letters', [], here)}>Newest</a>}
      {next !== undefined && <a href={hrefOf('letters', [], { ...here, after: next })}>Older</a>}
    </p>
  );
}

/** What is chosen stands in the address, so that it can be sent to a colleague. */
function FilterForm({ filter }: { readonly filter: Filter }) {
  const choice = (name: FilterName, label: string, of: Parameters<typeof Choice>[0]['of']) => (
    <Choice {...{ name, label, of }} any="any" chosen={filter[name]} />
  );
  const input = (name: FilterName, label: string, type: 'search' | 'text' | 'date') => (
    <label>
      {label} <input type={type} name={name} defaultValue={filter[name] ?? ''} />
    </label>
  );
  const queues = Object.entries(strings.queues).filter(
    ([queue]) => queue !== 'balances' || about.hasStorefront,
  );
  const hasShops = about.shops.length > 1;
  // These come from a link only.
  const unseen = (['kind', 'topic', 'id', ...(hasShops ? [] : ['shop' as const])] as const).map(
    (name) => <input key={name} type="hidden" name={name} value={filter[name] ?? ''} />,
  );
  return (
    <search>
      <Form class="filters" onSubmit={(given) => goTo('letters', [], given)}>
        {unseen}
        {input('text', 'Text', 'search')}
        {choice('reason', 'Reason', strings.reasons)}
        {input('code', 'Code', 'text')}
        {choice('queue', 'Queue', Object.fromEntries(queues))}
        {hasShops && choice('shop', 'Shop', about.shops)}
        {input('since', 'Since', 'date')}
        {input('until', 'Before', 'date')}
        <button type="submit">Filter</button>
        {Object.keys(filter).length > 0 && <a href={hrefOf('letters')}>Show all</a>}
      </Form>
    </search>
  );
}
