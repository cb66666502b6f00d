import type { listAsJson, pageAsJson } from '../../../../dead-letters/list.ts';
import type { letterAsJson } from '../../../../dead-letters/show.ts';

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
