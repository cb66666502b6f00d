import type { Place } from '../../router.ts';
import type { Line } from '../../run.ts';

/** The options of `dead-letters` that choose letters, as the address of the view has them. */
export const FILTERS = [
  ...([
    'reason',
    'code',
    'queue',
    'kind',
    'shop',
    'text',
    'since',
    'until',
    'topic',
    'id',
  ] as const),
] as const;
export type FilterName = (typeof FILTERS)[number];
export type Filter = Readonly<Partial<Record<FilterName, string>>>;
export type Options = NonNullable<Line['options']>;

export function filterOf({ query }: Place): Filter {
  const given = FILTERS.flatMap((name) => {
    const value = query[name]?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(given);
}

/** Of the chosen letters; without a choice, of all that the filter fits. */
export function optionsOf(filter: Filter, chosen: readonly string[]): Options {
  return chosen.length > 0 ? { id: [...chosen] } : { ...filter };
}

/** `drop` wants a filter, so that no one drops everything by mistake. */
export function optionsOfDrop(filter: Filter, chosen: readonly string[]): Options {
  const options = optionsOf(filter, chosen);
  return Object.keys(options).length > 0 ? options : { since: '2000-01-01' };
}
