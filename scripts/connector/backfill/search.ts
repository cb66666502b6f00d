import { type BackfillState, backfillId } from './backfill-state.ts';

/** The span in the store's search language; empty: everything. */
export function searchFor({ since, until }: Pick<BackfillState, 'since' | 'until'>): string {
  return [
    ...(since === undefined ? [] : [`created_at:>='${since}'`]),
    ...(until === undefined ? [] : [`created_at:<'${until}'`]),
  ].join(' ');
}

export function spanWords({ since, until }: Pick<BackfillState, 'since' | 'until'>): string {
  const day = (moment: string) => moment.replace(/T00:00:00\.000Z$/, '');
  const parts = [
    ...(since === undefined ? [] : [`from ${day(since)}`]),
    ...(until === undefined ? [] : [`until ${day(until)}`]),
  ];
  return parts.length === 0 ? 'of all times' : `created ${parts.join(' ')}`;
}

/** The words that began it, and mean the same backfill. */
export function startWords({ id, kind, since, until }: BackfillState): string {
  const isOpen = id === backfillId(kind, since, undefined);
  return [
    `backfill ${kind}`,
    ...(since === undefined ? [] : [`--since ${since}`]),
    ...(until === undefined || isOpen ? [] : [`--until ${until}`]),
  ].join(' ');
}
