import { useState } from 'preact/hooks';
import { inShop, isOffered } from '../../about.ts';
import { Answer } from '../../parts/answer.tsx';
import { Ago } from '../../parts/form.tsx';
import { goTo, hrefOf } from '../../router.ts';
import type { Line } from '../../run.ts';
import { useQuestion } from '../../use-question.ts';
import { agoText, momentText, words } from '../../words.ts';
import type { ShowDocument, ShownLetter } from './documents.ts';
import { LetterActions } from './letter-actions.tsx';
import { Cause } from './letter-groups.tsx';
import { strings } from './strings.ts';

/** One letter: the message, and beside it what would be made of it now. */
export function LetterDetail({ id }: { readonly id: string }) {
  const texts = words(strings);
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
        <a href={hrefOf('letters')}>{texts.all}</a>
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
            {matching > letters.length && <p class="soft">{texts.ofThem(matching)}</p>}
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
  const texts = words(strings);
  const { letterId, event, reason, code, why, at, attempts, family, alike, oldest } = letter;
  return (
    <article>
      <h2>{event ? `${event.kind} ${event.id}` : texts.unreadable}</h2>
      {event && TRACED.has(event.kind) && (
        <p>
          <a href={hrefOf('story', [event.kind, event.id], inShop(event.shop))}>{texts.story}</a>
        </p>
      )}
      <p>
        <Cause reason={reason} code={code} /> · <span lang="en">{why}</span>
      </p>
      <p class="soft">
        {texts.givenUp} {momentText(at)} ({agoText(at)})
        {attempts !== undefined && ` · ${texts.attempts(attempts)}`} · {texts.queues[family]} ·{' '}
        <code>{letterId}</code>
      </p>
      {letter.advice !== undefined && <p lang="en">{letter.advice}</p>}
      {alike > 1 && <p class="soft">{texts.alike(alike, agoText(oldest))}</p>}
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
  const texts = words(strings);
  return (
    <section class="card">
      <h3>{texts.message}</h3>
      {undecodable !== undefined && <p lang="en">{undecodable}</p>}
      {event && <Facts facts={event} />}
      {body !== undefined && <pre>{pretty(body)}</pre>}
      {onReveal && event && 'bodyBytes' in event && event.bodyBytes > 0 && (
        <p class="buttons">
          <button type="button" class="quiet" onClick={onReveal}>
            {texts.reveal}
          </button>
          <span class="soft">{texts.revealMeans}</span>
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
          <dt lang="en">{name}</dt>
          <dd>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function IfSentNow({ letter: { now } }: { readonly letter: ShownLetter }) {
  const texts = words(strings);
  return (
    <section class="card">
      <h3>{texts.ifSentNow}</h3>
      <p lang="en">{now.summary}</p>
      {now.calls.map((call) => (
        <div key={`${call.operation} ${call.id}`}>
          <h4>
            <code>
              {call.operation} {call.id}
            </code>
          </h4>
          {call.differences && call.differences.length > 0 && (
            <>
              <p>{texts.differs}</p>
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
  const texts = words(strings);
  return (
    <section class="card">
      <h3>{texts.ledger}</h3>
      {!ledger && <p>{texts.notInLedger}</p>}
      <ul>
        {(ledger?.outcomes ?? []).map(({ at, outcome, topic, why }) => (
          <li key={`${at} ${outcome}`}>
            <Ago at={at} />{' '}
            <span lang="en">{[outcome, topic, why].filter(Boolean).join(', ')}</span>
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
