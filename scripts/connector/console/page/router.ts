import { signal } from '@preact/signals';
import { about } from './about.ts';

export const VIEWS = [
  ...(['now', 'story', 'letters', 'customers', 'healing', 'set-up', 'history'] as const),
] as const;
export type ViewName = (typeof VIEWS)[number];

/** `#/story/order/1007?…`: the view, what it is about, and its filters. */
export interface Place {
  readonly view: ViewName;
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

export interface ViewProps {
  readonly place: Place;
}

function readPlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [first = '', ...rest] = path.split('/').map(decoded);
  // Who may only look answers customers: the search opens first.
  const view = VIEWS.find((one) => one === first) ?? (about.readOnly ? 'story' : 'now');
  return { view, path: rest, query: Object.fromEntries(new URLSearchParams(query)) };
}

export function hrefOf(view: ViewName, path: readonly string[] = [], query = {}): string {
  const text = new URLSearchParams(query).toString();
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const place = signal(readPlace(location.hash));
addEventListener('hashchange', () => {
  place.value = readPlace(location.hash);
});

export function goTo(...target: Parameters<typeof hrefOf>): void {
  location.hash = hrefOf(...target);
}
