import type { Place } from '../../router.ts';
import type { Line } from '../../run.ts';

/** The options of `dead-letters` that choose letters, as the address of the view has them. */
const FILTERS = [
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

/** No more than the list shows: what is parked while a person reads the preview stays. */
export function optionsOfDrop(filter: Filter, chosen: readonly string[], newest: string): Options {
  return chosen.length > 0 ? optionsOf(filter, chosen) : { ...filter, until: newest };
}
