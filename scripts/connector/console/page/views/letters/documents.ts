import type { pageAsJson } from '../../../../dead-letters/list/letter-pages.ts';
import type { listAsJson } from '../../../../dead-letters/list/list-letters.ts';
import type { letterAsJson } from '../../../../dead-letters/show/letter-as-json.ts';

/** What `dead-letters list --json` answers. */
export type ListDocument = ReturnType<typeof listAsJson>;
export type Group = ListDocument['groups'][number];
export type ListedLetter = ReturnType<typeof pageAsJson>['letters'][number];

/** What `dead-letters show --json` answers. */
export interface ShowDocument {
  readonly matching: number;
  readonly letters: readonly ShownLetter[];
}
export type ShownLetter = ReturnType<typeof letterAsJson> & {
  /** How many say the same, this one included, and since when. */
  readonly alike: number;
  readonly oldest: string;
};
