import { describeFilter, type LetterFilter } from '../letter-filter.ts';
import type { ReadLetter } from '../read-letter.ts';
import { type LetterReader, type Obstacle, prepareReplay } from '../replay/prepare-replay.ts';

export type SuggestedReplay =
  | { readonly kind: 'replay'; readonly command: string }
  | { readonly kind: 'none'; readonly obstacle: Obstacle };

interface Replay {
  readonly by: Pick<LetterFilter, 'code' | 'reason'>;
  readonly refetch: boolean;
  count: number;
}

/** Finds the replay that would send most of the listed letters, by what a replay would make of each. */
export function createReplaySuggestions(reader: LetterReader) {
  const replays = new Map<string, Replay>();
  let obstacle: Obstacle = 'undecodable';
  return {
    add(letter: ReadLetter): void {
      const prepare = (refetch: boolean) =>
        prepareReplay(letter, { refetch, force: false, by: '' }, reader, new Date());
      const asItIs = prepare(false);
      const refetch = asItIs.kind === 'obstacle' && asItIs.obstacle === 'still-unreadable';
      const prepared = refetch ? prepare(true) : asItIs;
      if (prepared.kind === 'obstacle') {
        obstacle = prepared.obstacle;
        return;
      }
      const { code, reason } = letter;
      const key = JSON.stringify([code ?? null, reason, refetch]);
      const by = code === undefined ? { reason } : { code };
      const known = replays.get(key) ?? { by, refetch, count: 0 };
      known.count += 1;
      replays.set(key, known);
    },

    /** Within the filter of the list: a replay must not send more than was shown. */
    best(filter: LetterFilter): SuggestedReplay {
      const [most] = [...replays.values()].toSorted((one, other) => other.count - one.count);
      if (!most) return { kind: 'none', obstacle };
      const chosen = describeFilter({ ...filter, ...most.by });
      const how = most.refetch ? ' --refetch' : '';
      return { kind: 'replay', command: `dead-letters replay ${chosen}${how}` };
    },
  };
}
