import { useState } from 'preact/hooks';
import { inShop, isOffered } from '../../about.ts';
import { Answer } from '../../parts/answer.tsx';
import { Ago } from '../../parts/form.tsx';
import { goTo, hrefOf } from '../../router.ts';
import type { Line } from '../../run.ts';
import { useQuestion } from '../../use-question.ts';
import { agoText, momentText, numberText } from '../../words.ts';
import type { ShowDocument, ShownLetter } from './documents.ts';
import { LetterActions } from './letter-actions.tsx';
import { Cause } from './letter-groups.tsx';
import { strings } from './strings.ts';

/** One letter: the message, and beside it what would be made of it now. */
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
          The newest of {numberText(alike)} letters that say the same, since {agoText(oldest)}.
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
