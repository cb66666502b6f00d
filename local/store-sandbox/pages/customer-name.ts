import type { State } from '../state.ts';

export function nameOf({ firstName, lastName, email, id }: State['customers'][number]): string {
  return [firstName, lastName].filter((part) => part !== null).join(' ') || (email ?? id);
}
