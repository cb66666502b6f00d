import type { ViewProps } from '../../router.ts';
import { filterOf } from './filter.ts';
import { LetterDetail } from './letter-detail.tsx';
import { LetterList } from './letter-list.tsx';

/** `#/letters?reason=…` lists, `#/letters/ID` shows one. */
export function LettersView({ place }: ViewProps) {
  const [id] = place.path;
  if (id) return <LetterDetail id={id} key={id} />;
  // What was chosen under one filter would be dropped unseen under the next.
  return <LetterList place={place} key={JSON.stringify(filterOf(place))} />;
}
