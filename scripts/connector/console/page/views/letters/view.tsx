import type { ViewProps } from '../../router.ts';
import { LetterDetail } from './letter-detail.tsx';
import { LetterList } from './letter-list.tsx';

/** `#/letters?reason=…` lists, `#/letters/ID` shows one. */
export function LettersView({ place }: ViewProps) {
  const [id] = place.path;
  return id ? <LetterDetail id={id} key={id} /> : <LetterList place={place} />;
}
