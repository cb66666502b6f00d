import { DEAD_LETTER_DAYS, type ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import type { EventKind, QueueFamily } from '../../../shared/core/events/event.ts';
import type { DeadLetterReason } from '../../../shared/core/events/outcome.ts';
import { adviceOn } from '../../../shared/loyalty/error-advice.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices, orderNames } from '../deployment/services.ts';
import type { Cell, TableBlock } from '../document/document.ts';
import { type Line, line, optionTexts } from '../document/line.ts';
import { counted } from '../terminal/text.ts';
import { type LetterFilter, optionsOf } from './read.ts';

/** Dead letters that were given up for one and the same reason. */
export interface LetterGroup {
  readonly reason: DeadLetterReason;
  readonly code: string | undefined;
  readonly why: string;
  /** What a person can do about the code, where it is known. */
  readonly advice: string | undefined;
  count: number;
  /** ISO 8601. */
  oldest: string;
  newest: string;
  /** The newest of them. */
  example: Example;
}

interface Example {
  readonly letterId: string;
  readonly family: QueueFamily;
  readonly shop?: string;
  readonly kind?: EventKind;
  readonly id?: string;
}

/** Reasons can quote a size or a field, so their number has a limit. */
const MOST_GROUPS = 200;
const REST = 'further reasons, too many to list: narrow them down with a filter';

/** Counts dead letters one by one: the memory it needs does not grow with their number. */
export function createLetterGroups() {
  const groups = new Map<string, LetterGroup>();
  return {
    add(letter: ListedDeadLetter): void {
      const { reason, code } = letter;
      const known = groups.get(keyOf(reason, code, letter.why));
      const why = known || groups.size < MOST_GROUPS ? letter.why : REST;
      const key = keyOf(reason, code, why);
      const group = groups.get(key);
      const at = new Date(letter.at).toISOString();
      if (!group) {
        const [example, advice] = [exampleOf(letter), adviceOn(code)];
        groups.set(key, { reason, code, why, advice, count: 1, oldest: at, newest: at, example });
        return;
      }
      group.count += 1;
      if (at < group.oldest) group.oldest = at;
      if (at < group.newest) return;
      group.newest = at;
      group.example = exampleOf(letter);
    },

    /** The largest first. */
    all(): readonly LetterGroup[] {
      return [...groups.values()].toSorted(
        (a, b) => b.count - a.count || (a.oldest < b.oldest ? -1 : 1),
      );
    },
  };
}

function keyOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts);
}

function exampleOf({ letterId, family, event }: ListedDeadLetter): Example {
  return {
    ...{ letterId, family },
    ...(event && { shop: event.shop, kind: event.kind, id: event.id }),
  };
}

/** With `narrow`, a reason opens the list of its dead letters. */
export function groupsTable(
  groups: readonly LetterGroup[],
  { names = new Map(), narrow }: { names?: OrderNames; narrow?: (group: LetterGroup) => Line } = {},
): TableBlock {
  return {
    kind: 'table',
    columns: [
      { title: 'Count', align: 'right' },
      { title: 'Reason' },
      { title: 'Code', shrinks: true },
      { title: 'Oldest' },
      { title: 'Newest' },
      { title: 'Example', shrinks: true },
    ],
    rows: groups.map((group) => {
      const { count, reason, code, oldest, newest, example, why, advice } = group;
      return {
        cells: [
          count,
          narrow ? { text: reason, opens: narrow(group) } : reason,
          code ?? '–',
          { at: oldest },
          { at: newest },
          { text: aboutText(example, names), opens: showLine(example.letterId) },
        ],
        detail: [why, advice].filter(Boolean).join('. '),
      };
    }),
  };
}

export const showLine = (letterId: string): Line => line('dead-letters show', [letterId]);

/** By shop and id. */
export type OrderNames = ReadonlyMap<string, string>;

type About = Pick<Partial<Example>, 'shop' | 'kind' | 'id'>;

const nameKey = ({ shop = '', id = '' }: About): string => `${shop}|${id}`;

/** `order #1007`, or with the id where the name is not known; of what cannot be read the id of the dead letter. */
export function aboutText(about: About & Pick<Example, 'letterId'>, names: OrderNames): string {
  const { kind, id, letterId } = about;
  if (kind === undefined || id === undefined) return letterId;
  return `${kind} ${(kind === 'order' && names.get(nameKey(about))) || id}`;
}

/** Also in the ledger and, but for customers, on both sides. */
export const ENTITIES: ReadonlySet<EventKind> = new Set(['order', 'product', 'coupon', 'member']);

/** The same as a cell that opens what happened to it, where that is known. */
export function aboutCell(about: About & Pick<Example, 'letterId'>, names: OrderNames): Cell {
  const { kind, id = '', shop } = about;
  const words = aboutText(about, names);
  if (kind === undefined || !ENTITIES.has(kind)) return words;
  const traced = kind === 'member' ? 'customer' : kind;
  return { text: words, opens: line('trace', [traced, id], { shop }) };
}

/** A list must not wait for a store that does not answer. */
const PATIENCE_MS = 2_000;

/** The names of these orders, with one request for each shop; none where the store cannot be asked. */
export async function readNames(
  { onSecretsDenied: _, ...deployment }: Deployment,
  abouts: readonly About[],
): Promise<OrderNames> {
  const orders = abouts.filter(({ kind }) => kind === 'order');
  const read = async (domain: string) => {
    const shop = deployment.connector.shops.find((one) => one.domain === domain);
    const ids = orders.flatMap((one) => (one.shop === domain && one.id ? [one.id] : []));
    const found = shop && (await orderNames(openShopServices(deployment).ask(shop), ids));
    return [...(found ?? [])].map(([id, name]) => [nameKey({ shop: domain, id }), name] as const);
  };
  const domains = new Set(orders.flatMap(({ shop }) => shop ?? []));
  const patience = new Promise<never[]>((resolve) => {
    setTimeout(() => resolve([]), PATIENCE_MS).unref();
  });
  const reading = [...domains].map((domain) =>
    Promise.race([read(domain), patience]).catch(() => []),
  );
  return new Map((await Promise.all(reading)).flat());
}

/** One of it, and several. */
const THINGS: Readonly<Record<EventKind, readonly [string, string]>> = {
  order: ['order', 'orders'],
  product: ['product', 'products'],
  coupon: ['code', 'codes'],
  member: ['customer', 'customers'],
  discount: ['discount', 'discounts'],
  customer: ['request about a customer', 'requests about customers'],
  shop: ['request about the shop', 'requests about shops'],
  balance: ['balance', 'balances'],
  'point-event': ['point event', 'point events'],
  redemption: ['redemption', 'redemptions'],
};

export const EVENT_KINDS = Object.keys(THINGS) as readonly EventKind[];

/** Around the thing that was given up. */
const REASONS: Readonly<Record<DeadLetterReason, (thing: string) => string>> = {
  unreadable: (thing) => `unreadable ${thing}`,
  unmappable: (thing) => `unmappable ${thing}`,
  rejected: (thing) => `rejected ${thing}`,
  'retry-window-over': (thing) => `${thing} retried for too long`,
  'newer-release': (thing) => `${thing} of a newer release`,
  'made-room': (thing) => `${thing} parked to make room`,
  crashed: (thing) => `${thing} on which a worker crashed`,
  unknown: (thing) => `${thing} given up for an unknown reason`,
};

/** `5 rejected orders`, or `7 dead letters` where there are several kinds. */
export function lettersText(letters: readonly ListedDeadLetter[]): string {
  const kinds = new Set(letters.map(({ reason, event }) => keyOf(reason, event?.kind)));
  const [first] = letters;
  const many = letters.length;
  if (!first || kinds.size > 1) return counted(many, 'dead letter');
  const [one, several] = first.event ? THINGS[first.event.kind] : ['message', 'messages'];
  return `${many} ${REASONS[first.reason](many === 1 ? one : several)}`;
}

const DAY_MS = 86_400_000;

/** ISO 8601: when SQS deletes it. */
export const deletedAt = ({ at }: Pick<ListedDeadLetter, 'at'>): string =>
  new Date(at + DEAD_LETTER_DAYS * DAY_MS).toISOString();

/** From then on a deep scan takes what was rejected for lost: a day later than SQS. */
const scannedAfter = (at: number): string =>
  new Date(at + (DEAD_LETTER_DAYS + 1) * DAY_MS).toISOString().slice(0, 10);

/**
 * What happens to the dead letter if nobody decides. For each kind by what reconcile compares: see
 * shared/core/reconcile, and docs/healing.md.
 */
export function expiryText(
  letter: ListedDeadLetter,
  { deepScans }: { deepScans: boolean },
): string {
  const day = deletedAt(letter).slice(0, 10);
  const kind = letter.event?.kind;
  const then = kind === undefined ? UNREADABLE : AFTERWARDS[kind];
  const words = then === SCANNED && !deepScans ? NOT_SCANNED : then;
  return `SQS deletes it on ${day}. ${words.replace('{day}', scannedAfter(letter.at))}`;
}

const SCANNED =
  'The first deep scan after {day} sends what the store then has, at the latest; of an order from before the last 60 days only if the app has read_all_orders.';
const NOT_SCANNED =
  'Nothing sends it then until it changes in the store, because the settings turn deep scans off.';
const NOTHING = 'Nothing does it then: replay it before, or do by hand what it asks for.';
const BALANCE =
  "The customer's next visit to the storefront, or next movement of points, reads the balance again.";
const UNREADABLE =
  'What it was about is not known. If the store has it, a deep scan compares it like all else.';

const AFTERWARDS: Readonly<Record<EventKind, string>> = {
  order: SCANNED,
  product: SCANNED,
  coupon: SCANNED,
  discount: SCANNED,
  member:
    "The customer's next change in the store, or next order, sends them. A merge is not noticed again.",
  customer: NOTHING,
  shop: NOTHING,
  balance: BALANCE,
  'point-event': BALANCE,
  redemption: 'It stays unfinished, and `redemptions list` shows it.',
};

/** The filter in the words in which it was given. */
export function filterText(filter: LetterFilter): string {
  return optionTexts(optionsOf(filter)).join(' ');
}
