import { openAction } from '../action.ts';
import './story.css';
import { useState } from 'preact/hooks';
import type { ComparedDocument } from '../../../compare/compare.ts';
import type { Hit } from '../../../trace/find.ts';
import type { HitsDocument, TraceDocument } from '../../../trace/show-trace.ts';
import { about, inShop, isOffered } from '../about.ts';
import { Answer } from '../parts/answer.tsx';
import { SearchBox } from '../parts/form.tsx';
import { Suggestion } from '../parts/suggestion.tsx';
import { Sides } from '../parts/table.tsx';
import { goTo, hrefOf, type Place, type ViewProps } from '../router.ts';
import type { Line } from '../run.ts';
import { useQuestion } from '../use-question.ts';
import { agoText, momentText } from '../words.ts';

/** What a person types, or a link names → what it is → its story. */
export function StoryView({ place }: ViewProps) {
  const [typed, setTyped] = useState('');
  const named = lineOf(place);
  const line = named ?? (typed === '' ? undefined : { command: 'trace', operands: [typed] });
  const search = (text: string) => {
    setTyped(text);
    if (named) goTo('story');
  };
  return (
    <>
      <SearchBox
        label="What do you look for?"
        hint="Order number or name, product, coupon code, customer id or e-mail address"
        button="Find"
        onSearch={search}
      />
      {line && <Traced asked={line} key={JSON.stringify(line)} />}
    </>
  );
}

/** Has a key, because a person who agreed to see one customer's data did not ask for the next one's. */
function Traced({ asked }: { readonly asked: Line }) {
  const [isRevealed, setRevealed] = useState(false);
  const line = isRevealed ? { ...asked, options: { ...asked.options, reveal: true } } : asked;
  const question = useQuestion<TraceDocument | HitsDocument>(line);
  const answer = question.ran?.document;
  const traced = answer && 'verdict' in answer ? answer : undefined;
  return (
    <>
      <Answer question={question}>
        {(document) =>
          'verdict' in document ? (
            <Story
              document={document}
              isRevealed={isRevealed}
              onReveal={() => setRevealed(true)}
              onChanged={question.askAgain}
            />
          ) : (
            <Hits hits={document.hits} />
          )
        }
      </Answer>
      {traced && traced.kind !== 'member' && (
        // Read again with the story: it may have been sent again.
        <BothSides key={question.at} kind={traced.kind} id={traced.id} shop={traced.shop} />
      )}
    </>
  );
}

/** `#/story/order/1007` */
function lineOf({ path, query }: Place): Line | undefined {
  const [kind, id] = path;
  if (kind === undefined || id === undefined) return undefined;
  return {
    command: 'trace',
    operands: [kind, id],
    ...(query.shop && { options: { shop: query.shop } }),
  };
}

function Hits({ hits }: HitsDocument) {
  return (
    <section class="card" aria-label="Several things may be meant">
      <h2>Several things may be meant</h2>
      <ul>
        {hits.map((hit) => (
          <li key={`${hit.shop}/${hit.kind}/${hit.id}`}>
            <a href={placeOf(hit)}>
              {strings.kinds[hit.kind]} {hit.name ?? hit.id}
            </a>
            {about.shops.length > 1 && <span class="soft"> {hit.shop}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function placeOf({ kind, id, shop }: Hit): string {
  return hrefOf('story', [kind, id], inShop(shop));
}

interface StoryProps {
  readonly document: TraceDocument;
  readonly isRevealed: boolean;
  readonly onReveal: () => void;
  /** After it was sent again. */
  readonly onChanged: () => void;
}

/** The answer in one sentence, then how it came about. */
function Story({ document, isRevealed, onReveal, onChanged }: StoryProps) {
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

/** Read now, from both sides. */
function BothSides({
  kind,
  id,
  shop,
}: {
  readonly kind: ComparedDocument['kind'];
  readonly id: string;
  readonly shop: string;
}) {
  const question = useQuestion<ComparedDocument>({
    command: 'compare',
    operands: [kind, id],
    options: inShop(shop),
  });
  return (
    <section aria-label={strings.bothSides}>
      <h2>{strings.bothSides}</h2>
      <Answer question={question}>
        {({ what, rows }) => (
          <>
            <p>{what}</p>
            <Sides
              label={strings.bothSides}
              columns={[strings.who.store, strings.who.ledger, strings.who['loyalty service']]}
              rows={rows.map(({ field, store, ledger, service, differs }) => ({
                ...{ field: strings.fields[field] ?? field, differs },
                cells: [store, ledger, service],
              }))}
              differs="differs"
            />
          </>
        )}
      </Answer>
    </section>
  );
}

type TimelineLine = TraceDocument['timeline'][number];
type Why = NonNullable<TraceDocument['points']>['why'];

const strings = {
  kinds: {
    order: 'Order',
    product: 'Product',
    coupon: 'Coupon',
    customer: 'Customer',
  },
  recorded: 'This is recorded with your name.',
  bothSides: 'Both sides now',
  verdicts: {
    agrees: 'both sides agree',
    differs: 'the sides differ',
    unknown: 'not known',
  } satisfies Readonly<Record<TraceDocument['verdict']['kind'], string>>,
  /** Why an order has points or not, in two or three words. */
  points: {
    earned: 'has points',
    sent: 'sent',
    expected: 'points will follow',
    waiting: 'waits',
    paused: 'paused',
    uncertain: 'is tried again',
    pending: 'not complete yet',
    'not-complete': 'not complete yet',
    exchange: 'being exchanged',
    rejected: 'given up',
  } as Readonly<Partial<Record<Why, string>>>,
  /** The same as an answer to a customer, for a person who does not know how the connector works. */
  meanings: {
    guest: 'No points: it was ordered as a guest, without a customer who could have them.',
    'customer-without-email':
      'No points: the customer has no e-mail address, and the loyalty service cannot tell who it is.',
    'test-order': 'No points: it is a test order.',
    pending: 'No points yet: the order is not complete. It earns them by itself as soon as it is.',
    'not-complete':
      'No points yet: the order is not complete. It earns them by itself as soon as it is.',
    'before-go-live': 'No points: it was placed before the loyalty program began.',
    exchange: 'No points yet: an exchange of the items is under way.',
    redacted: "No points: the customer's data was erased.",
    'never-sent': 'No points: the order ended before anything of it was sent.',
    cancelled: 'No points: the order was cancelled or wholly refunded.',
    'rule-fails':
      'No points: a rule in the settings fails for this order. Its operator must repair it.',
    paused:
      'No points yet: sending to the loyalty service is paused. It goes on when the pause ends.',
    rejected:
      'No points yet: the order could not be sent to the loyalty service. An operator must find out why and send it again.',
    uncertain:
      'No points yet: the loyalty service has not confirmed the order. It is sent again by itself.',
    waiting:
      'No points yet: the loyalty service does not have the order yet. It is sent by itself; there is nothing to do.',
    'total-zero': 'No points: nothing was left to pay.',
    'not-in-service':
      'No points: the order was sent, but the loyalty service does not have it. An operator must send it again.',
    'cancelled-in-service': 'No points: the order is cancelled in the loyalty service.',
    'none-by-service': 'No points: the loyalty service has the order and gives none for it.',
    expected: 'No points yet: the loyalty service has the order and will give them.',
    earned: 'The order has its points.',
    sent: 'The loyalty service has the order; its rules decide how many points that gives.',
  } as Readonly<Partial<Record<Why, string>>>,
  who: {
    store: 'Store',
    queue: 'Queue',
    ledger: 'Connector',
    'dead letter': 'Dead letter',
    'loyalty service': 'Loyalty service',
  } satisfies Readonly<Record<TimelineLine['who'], string>>,
  events: {
    created: 'created',
    changed: 'changed last',
    fulfilled: 'fulfilled',
    refunded: 'refunded',
    cancelled: 'cancelled',
    'webhook-sent': 'webhook sent',
    received: 'received',
    waits: 'waits',
    'next-try': 'next attempt',
    'given-up': 'given up',
    replayed: 'sent again',
    'points-given': 'points given',
  } satisfies Readonly<Record<Exclude<TimelineLine['event'], 'outcome'>, string>>,
  /** As the ledger names them. */
  outcomes: {
    applied: 'sent',
    unchanged: 'nothing new to send',
    skipped: 'not sent',
    rejected: 'gave up',
  } as Readonly<Record<string, string>>,
  /** Of a comparison. */
  fields: {
    state: 'state',
    amount: 'amount',
    coupon: 'coupon',
    value: 'value',
    type: 'type',
    it: 'sent',
  } as Readonly<Record<string, string>>,
};
