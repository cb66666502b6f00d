import { useState } from 'preact/hooks';
import { isOffered } from '../../about.ts';
import { Answer } from '../../parts/answer.tsx';
import { Ago } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { hrefOf, type Place } from '../../router.ts';
import type { Line } from '../../run.ts';
import { useQuestion, useRefresh } from '../../use-question.ts';
import { agoText, numberText, words } from '../../words.ts';
import type { ListDocument, ListedLetter } from './documents.ts';
import { type Filter, filterOf } from './filter.ts';
import { FilterForm } from './filter-form.tsx';
import { LetterActions } from './letter-actions.tsx';
import { Cause, LetterGroups } from './letter-groups.tsx';
import { strings } from './strings.ts';

const PER_PAGE = 25;
/** Of summaries. A walk hides the letters from others, and an older release has only that: when a person asks. */
const EVERY_MS = 15_000;

export function LetterList({ place }: { readonly place: Place }) {
  const texts = words(strings);
  const filter = filterOf(place);
  const { after, walk } = place.query;
  const isWalk = walk === 'true';
  const line: Line = {
    command: 'dead-letters list',
    options: { ...filter, limit: PER_PAGE, ...(after && { after }), ...(isWalk && { walk: true }) },
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
                <h2>{texts.oneByOne}</h2>
                <Letters
                  letters={document.letters ?? []}
                  hasCauses={document.groups.length > 1}
                  chosen={chosen}
                  choose={isOffered('dead-letters replay') ? choose : undefined}
                />
                <Pages filter={filter} after={after} next={document.next} walk={walk} />
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
  const texts = words(strings);
  const { matching, queues, source, oldestDeletedAt } = document;
  const notSeen = queues.reduce((sum, queue) => sum + queue.notSeen, 0);
  const gone = queues.reduce((sum, queue) => sum + queue.gone, 0);
  return (
    <>
      <p>
        <strong class={matching === 0 && notSeen === 0 ? 'well' : 'bad'}>
          {texts.count(matching)}
        </strong>{' '}
        {queues
          .filter((queue) => queue.matching > 0)
          .map(({ family, matching: many }) => `${texts.queues[family]} ${numberText(many)}`)
          .join(', ')}
      </p>
      {oldestDeletedAt !== undefined && (
        <p class="soft">{texts.deletedAt(agoText(oldestDeletedAt))}</p>
      )}
      {notSeen > 0 && source === 'summaries' && (
        <p class="note">
          {texts.withoutSummary(notSeen)}{' '}
          <a href={hrefOf('letters', [], { ...filter, walk: 'true' })}>{texts.walk}</a>
        </p>
      )}
      {notSeen > 0 && source === 'queues' && <p class="note">{texts.notSeen(notSeen)}</p>}
      {gone > 0 && <p class="note">{texts.gone(gone)}</p>}
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
  /** More than one: each letter has its own in words. */
  readonly hasCauses: boolean;
  readonly chosen: readonly string[];
  /** Undefined: this console only looks. */
  readonly choose: ((letterId: string, isChosen: boolean) => void) | undefined;
}) {
  const texts = words(strings);
  return (
    <Table
      {...{ class: 'stacks', rows: letters }}
      keyOf={({ letterId }) => letterId}
      columns={[
        choose !== undefined && {
          title: texts.choose,
          cell: (letter) => (
            <input
              type="checkbox"
              aria-label={`${texts.choose}: ${nameOf(letter)}`}
              checked={chosen.includes(letter.letterId)}
              onChange={({ currentTarget }) => choose(letter.letterId, currentTarget.checked)}
            />
          ),
        },
        {
          title: texts.about,
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
          title: texts.cause,
          cell: ({ reason, code, why }) => (
            <>
              <Cause reason={reason} code={code} />
              {hasCauses && (
                <div class="soft" lang="en">
                  {why}
                </div>
              )}
            </>
          ),
        },
        {
          title: texts.givenUp,
          cell: ({ at, attempts, event }) => (
            <>
              <Ago at={at} />
              {attempts !== undefined && <div class="soft">{texts.attempts(attempts)}</div>}
              {event?.replays && <div class="soft">{texts.replays(event.replays.length)}</div>}
            </>
          ),
        },
      ]}
    />
  );

  function nameOf({ event }: ListedLetter): string {
    return event ? `${event.kind} ${event.id}` : texts.unreadable;
  }
}

function Pages({
  filter,
  after,
  next,
  walk,
}: {
  readonly filter: Filter;
  readonly after: string | undefined;
  readonly next: string | undefined;
  readonly walk: string | undefined;
}) {
  const { newestPage, olderPage } = words(strings);
  const here = { ...filter, ...(walk && { walk }) };
  return (
    <p class="buttons">
      {after !== undefined && <a href={hrefOf('letters', [], here)}>{newestPage}</a>}
      {next !== undefined && (
        <a href={hrefOf('letters', [], { ...here, after: next })}>{olderPage}</a>
      )}
    </p>
  );
}
