import type { TraceDocument } from '../../../../trace/show-trace.ts';
import { about, inShop, isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Suggestion } from '../../parts/suggestion.tsx';
import { hrefOf } from '../../router.ts';
import type { Line } from '../../run.ts';
import { agoText, momentText } from '../../words.ts';
import { strings } from './strings.ts';

interface StoryProps {
  readonly document: TraceDocument;
  readonly isRevealed: boolean;
  readonly onReveal: () => void;
  /** After it was sent again. */
  readonly onChanged: () => void;
}

/** The answer in one sentence, then how it came about. */
export function Story({ document, isRevealed, onReveal, onChanged }: StoryProps) {
  const { id, name, shop, verdict, points, lostWebhook, store, otherOrders } = document;
  const kind = document.kind === 'member' ? 'customer' : document.kind;
  // The ledger would not send it again by itself.
  const isLost = points?.why === 'not-in-service';
  return (
    <article>
      <h2>
        {strings.kinds[kind]} {name ?? id}
        {name !== null && <span class="soft"> {id}</span>}
        {about.shops.length > 1 && <span class="soft"> {shop}</span>}
      </h2>
      <section class="card" aria-label="The answer">
        {points && (
          <p class="answer-line">
            <span class={`badge ${POINTS[points.why] ?? 'bad'}`}>
              {strings.points[points.why] ?? 'no points'}
            </span>{' '}
            {points.hasEarlier
              ? 'The points are those of before its last change, which the loyalty service does not have yet.'
              : (strings.meanings[points.why] ?? <span>{points.what}</span>)}
          </p>
        )}
        {points && FIGURES.has(points.why) && <p>{points.what}</p>}
        <p>
          <span class={`badge ${VERDICTS[verdict.kind]}`}>{strings.verdicts[verdict.kind]}</span>{' '}
          <span>{verdict.what}</span>
        </p>
        {lostWebhook && <p>{lostWebhook}</p>}
        {verdict.next !== undefined && !isLost && (
          <Suggestion text={verdict.next} onEnd={onChanged} />
        )}
        {'what' in store && (
          <p>
            In the store now: <span>{store.what}</span>
          </p>
        )}
        <p class="buttons">
          {isOffered('resend') && (
            <button type="button" onClick={() => sendAgain(kind, id, shop, isLost, onChanged)}>
              Send again…
            </button>
          )}
          {kind === 'customer' && (
            <a href={hrefOf('customers', [id], inShop(shop))}>Points and rewards</a>
          )}
          {!isRevealed && document.wanted?.form && (
            <button type="button" class="quiet" onClick={onReveal} title={strings.recorded}>
              Show personal data
            </button>
          )}
        </p>
      </section>
      <Timeline lines={document.timeline} />
      {document.wanted?.form && (
        <details open={isRevealed}>
          <summary>What the loyalty service should hold</summary>
          {isRevealed && <p class="note">{strings.recorded}</p>}
          <pre>{JSON.stringify(document.wanted.form, null, 2)}</pre>
        </details>
      )}
      {otherOrders.length > 0 && (
        <section aria-label="Other orders">
          <h2>Other orders</h2>
          <ul class="inline">
            {otherOrders.map((order) => (
              <li key={order.id}>
                <a href={hrefOf('story', ['order', order.id], inShop(shop))}>{order.name}</a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </article>
  );
}

const VERDICTS = { agrees: 'well', differs: 'bad', unknown: 'waits' } as const;
const POINTS: Readonly<Partial<Record<NonNullable<TraceDocument['points']>['why'], string>>> = {
  earned: 'well',
  sent: 'well',
  ...{ expected: 'waits', waiting: 'waits', paused: 'waits', uncertain: 'waits' },
  ...{ pending: 'waits', 'not-complete': 'waits', exchange: 'waits' },
};

/** The command's sentence has figures beside the answer. */
const FIGURES: ReadonlySet<NonNullable<TraceDocument['points']>['why']> = new Set([
  ...(['earned', 'expected', 'sent'] as const),
]);

function sendAgain(
  kind: string,
  id: string,
  shop: string,
  force: boolean,
  onEnd: () => void,
): void {
  const resend = (options: NonNullable<Line['options']>): Line => ({
    ...{ command: 'resend', operands: [kind, id] },
    options: { ...inShop(shop), force, ...options },
  });
  openAction({
    title: 'Send again…',
    preview: resend({ 'dry-run': true }),
    line: resend({ yes: true, wait: true }),
    onEnd,
  });
}

function Timeline({ lines }: { readonly lines: TraceDocument['timeline'] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-label="What happened">
      <h2>What happened</h2>
      <ol class="timeline">
        {lines.map(({ at, who, event, what, detail, outcome }) => (
          <li key={`${at} ${who} ${event} ${what}`} class={outcome ?? event}>
            <time dateTime={at} title={at}>
              {momentText(at)} <span class="soft">({agoText(at)})</span>
            </time>
            <strong>{strings.who[who]}</strong>{' '}
            <span>
              {event === 'outcome'
                ? (strings.outcomes[outcome ?? ''] ?? what)
                : strings.events[event]}
            </span>{' '}
            {detail && <span class="soft">{detail}</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
