import type { ListedLetter, SummarizedLetter } from '../../../../shared/core/batch/dead-letter.ts';
import { queueFamilyOf } from '../../../../shared/core/events/event.ts';
import { describeFilter, type LetterFilter } from '../letter-filter.ts';
import type { ReadLetter } from '../read-letter.ts';
import { type LetterReader, type Obstacle, prepareReplay } from '../replay/prepare-replay.ts';

export type SuggestedReplay =
  | { readonly kind: 'replay'; readonly command: string }
  | { readonly kind: 'none'; readonly obstacle: Obstacle };

/** What a replay would make of a letter. */
type Foreseen =
  | { readonly kind: 'sent'; readonly refetch: boolean }
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle };

interface Replay {
  readonly by: Pick<LetterFilter, 'code' | 'reason'>;
  readonly refetch: boolean;
  count: number;
}

/** Finds the replay that would send most of the listed letters. */
export function createReplaySuggestions() {
  const replays = new Map<string, Replay>();
  let obstacle: Obstacle = 'undecodable';
  return {
    add({ code, reason }: ListedLetter, foreseen: Foreseen): void {
      if (foreseen.kind === 'obstacle') {
        obstacle = foreseen.obstacle;
        return;
      }
      const { refetch } = foreseen;
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

/** By the message itself. */
export function tryReplay(letter: ReadLetter, reader: LetterReader): Foreseen {
  const prepare = (refetch: boolean) =>
    prepareReplay(letter, { refetch, force: false, by: '' }, reader, new Date());
  const asItIs = prepare(false);
  const refetch = asItIs.kind === 'obstacle' && asItIs.obstacle === 'still-unreadable';
  const prepared = refetch ? prepare(true) : asItIs;
  return prepared.kind === 'obstacle' ? prepared : { kind: 'sent', refetch };
}

/** By what its worker found: what that could not read, it could not read from the same bytes again. */
export function foreseeReplay(
  { event, reason }: SummarizedLetter,
  { knowsShop }: Pick<LetterReader, 'knowsShop'>,
): Foreseen {
  const obstacle = (one: Obstacle) => ({ kind: 'obstacle', obstacle: one }) as const;
  if (!event) return obstacle(reason === 'newer-release' ? reason : 'undecodable');
  if (!knowsShop(event.shop)) return obstacle('shop-not-configured');
  if (reason !== 'unreadable' || queueFamilyOf(event.kind) === 'balances') {
    return { kind: 'sent', refetch: false };
  }
  return event.isInTheStore ? { kind: 'sent', refetch: true } : obstacle('unreadable-for-ever');
}
