import { signal } from '@preact/signals';
import { type Line, line } from '../../terminal/line.ts';
import type { AboutConsole } from '../server.ts';
import { hrefOf, isPrivate, readRoute } from './route.ts';

export function contentOf(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
}

export const about = JSON.parse(contentOf('console') ?? '{}') as AboutConsole;

/** Whether this console may run it: not with `--read-only`, if it changes something. */
export const isOffered = (command: string) => Object.hasOwn(about.commands, command);

interface Tab {
  readonly name: string;
  readonly line: Line;
  readonly also?: readonly string[];
  readonly search?: Search;
}

/** What is typed becomes the operand of a command, or the option that narrows a list. */
export interface Search {
  readonly command: string;
  readonly label: string;
  readonly option?: string;
  readonly ofShop?: boolean;
  /** What the page is for, below its title. */
  readonly shows?: string;
  /** What can be typed, below the box. */
  readonly hint?: string;
}

const ALL_TABS: readonly Tab[] = [
  { name: 'Now', line: line('status', [], { charts: true }) },
  {
    name: 'Find',
    line: line('trace'),
    also: ['compare', 'privacy show'],
    search: {
      command: 'trace',
      label: 'Order, product, code or customer',
      shows: 'Why an order has points or none: what happened, and what each side has now',
      hint: 'For example #1007, WELCOME10, name@example.com, the title of a product, or any id.',
    },
  },
  {
    name: 'Dead letters',
    line: line('dead-letters list', [], { limit: 25 }),
    also: ['dead-letters show'],
    search: { command: 'dead-letters list', label: 'Order, code, error or id', option: 'text' },
  },
  {
    name: 'Customers',
    line: line('redemptions list'),
    also: ['redemptions show'],
    search: {
      command: 'redemptions show',
      label: 'Customer id, e-mail address or reward code',
      ofShop: true,
      shows: 'Balance, redemptions, every change of points, and what each order gave',
    },
  },
  { name: 'Healing', line: line('reconcile status'), also: ['webhooks check', 'backfill status'] },
  { name: 'Set-up', line: line('doctor', [], { all: true }) },
  {
    name: 'History',
    line: line('history', [], { limit: 25 }),
    search: {
      command: 'history',
      label: 'Name of a person or role',
      option: 'who',
      shows: 'What people changed, and whose personal data they saw, in the last 90 days',
    },
  },
];

export const TABS = ALL_TABS.filter(({ name }) => name !== 'Customers' || about.hasStorefront);

export function tabOf({ command }: Line): Tab | undefined {
  return TABS.find(({ line, also = [] }) => line.command === command || also.includes(command));
}

/** What a tab asks holds for every address of its command: a page of a list, or charts. */
function withDefaults(line: Line): Line {
  const defaults = TABS.find((tab) => tab.line.command === line.command)?.line.options;
  return { ...line, options: { ...defaults, ...line.options } };
}

/** Who may only look answers customers: the search opens first. */
const HOME = (about.readOnly ? ALL_TABS[1] : ALL_TABS[0])?.line ?? line('status');

const readPlace = () => withDefaults(readRoute(location.hash) ?? HOME);

export const place = signal(readPlace());
for (const name of ['hashchange', 'popstate']) {
  addEventListener(name, () => {
    place.value = readPlace();
  });
}

export function open(line: Line): void {
  if (!isPrivate(line)) {
    location.hash = hrefOf(line);
    return;
  }
  const { reveal: _, ...options } = line.options;
  const masked = { ...line, options };
  const shown = isPrivate(masked) ? (tabOf(line)?.line ?? HOME) : masked;
  history.pushState(null, '', hrefOf(shown));
  place.value = withDefaults(line);
}
