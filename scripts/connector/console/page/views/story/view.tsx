import './style.css';
import { useState } from 'preact/hooks';
import type { Hit } from '../../../../trace/find-any.ts';
import type { HitsDocument, TraceDocument } from '../../../../trace/show-trace.ts';
import { about, inShop } from '../../about.ts';
import { Answer } from '../../parts/answer.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { goTo, hrefOf, type Place, type ViewProps } from '../../router.ts';
import type { Line } from '../../run.ts';
import { useQuestion } from '../../use-question.ts';
import { BothSides } from './both-sides.tsx';
import { Story } from './story.tsx';
import { strings } from './strings.ts';

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
