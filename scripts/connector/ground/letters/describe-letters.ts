import type { Connector } from '../../../../shared/config/connector-config.ts';
import {
  DEAD_LETTER_DAYS,
  type ListedDeadLetter,
  type SummarizedDeadLetter,
} from '../../../../shared/core/batch/dead-letter.ts';
import {
  type EventKind,
  isEntityKind,
  type QueueFamily,
} from '../../../../shared/core/events/event.ts';
import type { DeadLetterReason } from '../../../../shared/core/events/outcome.ts';
import type { PersonReason } from '../../../../shared/core/sync/decide-order.ts';
import { adviceOn } from '../../../../shared/loyalty/error-advice.ts';
import { type Deployment, openLedger, openLists } from '../session/deployment.ts';
import { familiesOf } from '../session/queues.ts';
import { commandsOf, nameKey, openShopServices, readNames } from '../session/services.ts';
import type { Session } from '../session/session.ts';
import {
  type Block,
  type Cell,
  type Row,
  right,
  type Suggestion,
  type TableBlock,
  table,
  text,
} from '../terminal/document.ts';
import { type Line, line, optionTexts } from '../terminal/line.ts';
import { shorten } from '../terminal/text.ts';
import {
  type Known,
  type LetterFilter,
  matchesFilter,
  openLetterQueues,
  optionsOf,
  readSummaries,
  withDelivered,
} from './read-letters.ts';

/** Dead letters that were given up for one and the same cause; those that were delivered since are one group. */
export interface LetterGroup {
  readonly reason: DeadLetterReason;
  readonly code: string | undefined;
  readonly why: string;
  readonly delivered: boolean;
  readonly advice: string | undefined;
  readonly count: number;
  /** ISO 8601. */
  readonly oldest: string;
  readonly newest: string;
  readonly example: About;
}

export interface About {
  readonly letterId: string;
  readonly shop: string | undefined;
  readonly kind: EventKind | undefined;
  readonly id: string | undefined;
  readonly name?: string | undefined;
}

/** Reasons can quote a size or a field, so their number has a limit. */
const MOST_GROUPS = 200;
const REST = 'more reasons than can be listed: narrow them down with a filter';
const DELIVERED = 'All of these reached the loyalty service later. Nothing is left to send.';

/** Of dead letters with the newest first. The largest group first, and last those that were delivered since. */
export function groupsOf(letters: readonly (ListedDeadLetter & Known)[]): readonly LetterGroup[] {
  const isOver = ({ delivered = false }: Known) => delivered;
  const open = letters.filter((letter) => !isOver(letter));
  const byCause = Map.groupBy(open, ({ reason, code, why }) => JSON.stringify([reason, code, why]));
  const bySize = [...byCause.values()].toSorted((one, other) => other.length - one.length);
  return [
    ...bySize.slice(0, MOST_GROUPS).flatMap((some) => groupOf(some)),
    ...groupOf(bySize.slice(MOST_GROUPS).flat(), { why: REST }),
    ...groupOf(letters.filter(isOver), { why: DELIVERED, advice: undefined, delivered: true }),
  ];
}

function groupOf(
  letters: readonly ListedDeadLetter[],
  changes: Partial<LetterGroup> = {},
): readonly LetterGroup[] {
  const [newest, oldest] = [letters[0], letters.at(-1)];
  if (!newest || !oldest) return [];
  const { reason, code, why } = newest;
  return [
    {
      ...{ reason, code, why, delivered: false, advice: adviceOn(code), count: letters.length },
      ...{ oldest: isoOf(oldest.at), newest: isoOf(newest.at), example: aboutOf(newest) },
      ...changes,
    },
  ];
}

export const isoOf = (epochMs: number): string => new Date(epochMs).toISOString();

export const aboutOf = ({ letterId, event, name }: ListedDeadLetter & Known): About => ({
  ...{ letterId, shop: event?.shop, kind: event?.kind, id: event?.id, name },
});

/** `Product service objective disabled (PublicApiProductService_ObjectiveDisabled)`: to read, and to look up. */
export function codeText(code: string | undefined): string | undefined {
  if (!code || !/^[A-Z]\w+$/.test(code)) return code;
  const name = code.replace(/^(PublicApi|ApiExternal|Api|Pdv|(?<first>\w+?)_(?=\k<first>))/, '');
  const words = name.replace(/_|(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)} (${code})`;
}

/** Without the code, which stands beside it. */
export const whyText = ({ why, code }: Pick<ListedDeadLetter, 'why' | 'code'>): string =>
  why.replace(`: ${code}`, '').replace(/\.?$/, '.');

/** With `narrow`, a cause opens the list of its dead letters; with `next`, it can be acted on. */
export function groupsTable(
  groups: readonly LetterGroup[],
  offer: {
    readonly narrow?: (group: LetterGroup) => Line;
    readonly next?: (group: LetterGroup) => readonly Suggestion[];
  } = {},
): TableBlock {
  const isMany = groups.some(({ count }) => count > 1);
  const rows = groups.map((group): Row => {
    const { count, delivered, oldest, newest, example, advice } = group;
    const reason = delivered ? 'already delivered' : group.reason;
    return {
      cells: [
        offer.narrow ? { text: reason, opens: offer.narrow(group) } : reason,
        count,
        (!delivered && codeText(group.code)) || '–',
        ...(isMany ? [{ at: oldest }] : []),
        { at: newest },
        { text: aboutText(example), opens: showLine(example.letterId) },
      ],
      detail: [whyText(group), advice].filter(Boolean).join(' '),
      ...(offer.next && { next: offer.next(group) }),
    };
  });
  const [code, example] = ['Code', 'Example'].map((title) => ({ title, shrinks: true }));
  const when = isMany ? ['Oldest', 'Newest'] : ['Given up'];
  return table(['Reason', right('Count'), code ?? '', ...when, example ?? ''], rows);
}

export async function namedGroups(
  groups: readonly LetterGroup[],
  deployment: Deployment,
): Promise<readonly LetterGroup[]> {
  const examples = groups.map(({ example }) => example);
  const named = await withNames(deployment, examples);
  return groups.map((group, index) => ({ ...group, example: named[index] ?? group.example }));
}

export const BECAUSE = { name: 'because', label: 'Reason for dropping' };

/** What becomes of a dead letter once a person has done what it asks for. */
const AFTER_HAND: Readonly<Record<PersonReason['reason'] | 'points-left', 'drop' | 'send'>> = {
  ...{ unexplained: 'drop', unbalanced: 'drop', 'key-used': 'drop', unmatched: 'drop' },
  ...{ raised: 'send', 'not-replaced': 'send', 'points-left': 'send' },
};

/** Undefined where nothing is to be done by hand. */
export const afterHand = ({ code }: Pick<ListedDeadLetter, 'code'>) =>
  Object.entries(AFTER_HAND).find(([one]) => one === code)?.[1];

/** The cause stays until a person mends it; what only waited too long may simply be sent again. */
export const isMendedFirst = (letter: Pick<ListedDeadLetter, 'reason' | 'code'>): boolean =>
  afterHand(letter) !== undefined ||
  (letter.reason === 'rejected' && adviceOn(letter.code) !== undefined);

/** From the same bytes a worker would read the same, and the store cannot be asked. */
const isUnreadable = ({ reason, event, family }: SummarizedDeadLetter): boolean =>
  reason === 'unreadable' && !event?.isInTheStore && family !== 'balances';

/** Sent again, it would only come back. */
export const isHopeless = (letter: SummarizedDeadLetter): boolean =>
  isUnreadable(letter) || afterHand(letter) === 'drop';

/** What comes before its message is dropped, or sent again. */
export function firstOf(letter: SummarizedDeadLetter): readonly Suggestion[] {
  const { at, family, event, code } = letter;
  if (code === 'unmatched' && event) {
    const send = line('resend', ['order', event.id], { shop: event.shop, force: true });
    const say = 'Only if the service gave no points for it, under any id:';
    return [{ label: 'Send it', say, line: send }];
  }
  if (!isUnreadable(letter) || family !== 'orders') return [];
  // Its body names nothing that the store could be asked for: what it was about may be missing.
  const say =
    'A message that does not say what it is about cannot be sent again, only dropped. Check whether an order is missing something:';
  const since = isoOf(at).slice(0, 10);
  return [{ label: 'Compare orders', say, line: line('compare', ['orders'], { since }) }];
}

export const showLine = (letterId: string): Line => line('dead-letters show', [letterId]);

/** Stands for the id that a body does not have. */
const HASH = /^[0-9a-f]{64}$/;

/** `order #1007`, `product Hat`, or with the id where the name is not known; of what cannot be read the id of the dead letter. */
export function aboutText({ kind, id, letterId, name = id }: About): string {
  if (kind === undefined || id === undefined) return letterId;
  if (HASH.test(id)) return `a body without ${kind === 'order' ? 'an order number' : 'an id'}`;
  return `${kind} ${name}`;
}

/** What happened to it; undefined for what is neither an order, a product, a code nor a customer. */
export function traceOf({ kind, id = '', shop }: About): Line | undefined {
  if (kind === undefined || !isEntityKind(kind)) return undefined;
  return line('trace', [kind === 'member' ? 'customer' : kind, id], { shop });
}

export function aboutCell(about: About): Cell {
  const [words, opens] = [aboutText(about), traceOf(about)];
  return opens ? { text: words, opens } : words;
}

/** A list must not wait for a store that does not answer. */
const PATIENCE_MS = 2_000;

/** With the names of these, by one request for each shop; without where the store cannot be asked. */
export async function withNames(
  { onSecretsDenied: _, ...deployment }: Deployment,
  abouts: readonly About[],
): Promise<readonly About[]> {
  const none: ReadonlyMap<string, string> = new Map();
  const read = async (domain: string) => {
    const shop = deployment.connector.shops.find((one) => one.domain === domain);
    const entities = abouts.filter((one) => one.shop === domain);
    return shop ? readNames(openShopServices(deployment), shop, entities) : none;
  };
  const patience = new Promise<typeof none>((resolve) => {
    setTimeout(() => resolve(none), PATIENCE_MS).unref();
  });
  const reading = [...new Set(abouts.flatMap(({ shop }) => shop ?? []))].map(async (domain) => {
    const names = await Promise.race([read(domain), patience]).catch(() => none);
    return [domain, names] as const;
  });
  const names = new Map(await Promise.all(reading));
  return abouts.map((one) => ({ ...one, name: names.get(one.shop ?? '')?.get(nameKey(one)) }));
}

const DAY_MS = 86_400_000;

/** ISO 8601: when SQS deletes it. */
export const deletedAt = ({ at }: Pick<ListedDeadLetter, 'at'>): string =>
  isoOf(at + DEAD_LETTER_DAYS * DAY_MS);

/** What a deep scan compares: see docs/healing.md. */
const SCANNED: ReadonlySet<string> = new Set(['order', 'product', 'coupon', 'discount']);

/** It left no rejection in the ledger, which a scan would respect: not even once it is dropped. */
export const isUnrecorded = ({ event, reason }: ListedDeadLetter): boolean =>
  !event || (reason === 'unreadable' && SCANNED.has(event.kind));

export function expiryText(
  letter: ListedDeadLetter,
  { healing, shops }: Pick<Connector, 'healing' | 'shops'>,
  which = 'it',
): string {
  // From then on a deep scan takes what was rejected for lost: a day later than SQS.
  const day = isoOf(Date.parse(deletedAt(letter)) + DAY_MS).slice(0, 10);
  const then = () => {
    const { event } = letter;
    if (!event || isUnrecorded(letter)) {
      return 'If the store still has what it is about, reconcile sends that anyway.';
    }
    if (!SCANNED.has(event.kind)) {
      return 'After that, docs/healing.md says what you must do by hand.';
    }
    if (healing.deepEveryDays === false) {
      return 'After that it is sent only when it changes in the store, because the settings turn off full comparisons.';
    }
    const shop = shops.find(({ domain }) => domain === event.shop);
    const { hidden } = shop && event.kind === 'order' ? commandsOf(shop) : {};
    const except = hidden === undefined ? '' : `, except ${hidden}`;
    return `If you do nothing, the first full comparison after ${day} sends ${which} as the store then has it${except}.`;
  };
  return `Decide by ${deletedAt(letter).slice(0, 10)}: then AWS deletes ${which}. ${then()}`;
}

type KnownLetter = SummarizedDeadLetter & Known;

export interface LetterList {
  /** Of all queues, the newest first. */
  readonly letters: readonly KnownLetter[];
  readonly matching: readonly KnownLetter[];
  readonly queues: readonly {
    readonly family: QueueFamily;
    readonly listed: number;
    /** As SQS counts: at times a minute late. */
    readonly counted: number;
  }[];
}

/** By the summaries and entries in the ledger: none is received. */
export async function openList(session: Session, given: LetterFilter) {
  const deployment = await session.findDeployment();
  // Dead letters have the domain. The settings may name the shop no more.
  const shop = deployment.connector.shops.find(({ path }) => path === given.shop)?.domain;
  const filter: LetterFilter = shop ? { ...given, shop } : given;
  // Also of those that the filter leaves out: a person must see that others wait.
  const families = familiesOf(deployment.connector);
  const queues = openLetterQueues(deployment, families);
  const counts = await Promise.all(queues.map((queue) => queue.counts()));
  const progress = session.terminal.progress('Reading dead letters:');
  const all = await readSummaries(openLists(deployment), new Date(), {
    onProgress: (read) => progress.report(read),
  });
  const own = all.filter(({ family }) => families.includes(family));
  const known = await withDelivered(own, openLedger(deployment));
  // Only a text can be meant for a name.
  const named = filter.text === undefined ? [] : await withNames(deployment, known.map(aboutOf));
  const letters = named[0]
    ? known.map((letter, index) => ({ ...letter, name: named[index]?.name }))
    : known;
  const list: LetterList = {
    letters,
    matching: letters.filter((letter) => matchesFilter(letter, filter)),
    queues: families.map((family, index) => {
      const { visible = 0, inFlight = 0 } = counts[index] ?? {};
      const listed = letters.filter((letter) => letter.family === family).length;
      return { family, listed, counted: visible + inFlight };
    }),
  };
  return { deployment, filter, list };
}

export const othersIn = ({ letters, matching }: LetterList): number =>
  letters.length - matching.length;

export const openIn = ({ matching }: LetterList): readonly KnownLetter[] =>
  matching.filter(({ delivered }) => !delivered);

const differingIn = ({ queues }: LetterList) => queues.filter((one) => one.counted !== one.listed);

const MORE_COUNTED = 'workers crashed on a message and SQS moved it there';
const FEWER_COUNTED = 'something other than the connector removed some';

/** What the list does not have, each in one sentence. */
export function noticesOf(list: LetterList, filter: LetterFilter): readonly Block[] {
  const { letters, matching } = list;
  const others = othersIn(list);
  const isElsewhere = matching.length === 0 && others > 0;
  const shops = [...new Set(letters.flatMap(({ event }) => event?.shop ?? []))].join(', ');
  const left = `${others === 1 ? 'is 1 other' : `are ${others} others`}${shops && ` of ${shops}`}`;
  const given = shorten(optionTexts(optionsOf(filter)).join(' '), 100);
  const codes = [...new Set(letters.flatMap(({ code }) => code ?? []))].join(', ');
  const has = filter.code === undefined ? '' : ` Existing codes: ${codes || 'none'}.`;
  const differing = differingIn(list);
  const each = differing.map(
    (one) => `${one.counted} instead of ${one.listed} in the ${one.family} queue`,
  );
  const causes = new Set(
    differing.map((one) => (one.counted > one.listed ? MORE_COUNTED : FEWER_COUNTED)),
  );
  return [
    text(isElsewhere && `No dead letter matches ${given}; there ${left}.${has}`),
    text(
      differing.length > 0 &&
        `SQS counts ${each.join(', ')}. Its count may be a minute old. If it still differs after that, ${[...causes].join(', or ')}: a scan corrects the list.`,
      'pending',
    ),
  ];
}

export function scanNext(list: LetterList): readonly Suggestion[] {
  const say =
    'Read the queues and correct the list (nobody else can receive the dead letters meanwhile):';
  const scan = { label: 'Scan the queues', line: line('dead-letters scan'), say };
  return differingIn(list).length > 0 ? [scan] : [];
}
