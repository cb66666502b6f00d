import {
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  type RecordKey,
  readEntry,
  rememberedForm,
  replaceEntry,
  withOutcome,
} from '../ledger/ledger.ts';
import {
  advance,
  asOf,
  isClosed,
  isOpen,
  type RedeemBody,
  type Redemption,
  type RewardTerms,
  type Step,
} from './redemption.ts';
import { namesOf } from './redemption-names.ts';

/** A customer's redemptions, the oldest first: one item of the ledger, on which concurrent changes conflict. */
export interface RedemptionBook {
  readonly redemptions: readonly Redemption[];
  /** Epoch milliseconds of the intents of the last hour: what the rate limit counts. */
  readonly intents: readonly number[];
  readonly challenges?: Challenges;
}

/** Of the last hour, at tills. */
interface Challenges {
  /** Epoch milliseconds: challenges that were started, and answers to them. */
  readonly starts: readonly number[];
  readonly tries: readonly number[];
  /** Absent: no PIN is good for a redemption. */
  readonly transaction?: ChallengeTransaction;
}

/** What a PIN is good for: one redemption of this customer, by whichever process. */
export interface ChallengeTransaction {
  /** `TransactionId` of the service, made at random by us and told to no one else. */
  readonly id: string;
  /** Epoch milliseconds of its last start. */
  readonly at: number;
  /** What the service asked for because it cannot reach the customer otherwise. */
  readonly asks: readonly Contact[];
}

/** How a customer gets a PIN. */
export type Contact = 'phone' | 'email';

const NO_CHALLENGES: Challenges = { starts: [], tries: [] };

const EMPTY: RedemptionBook = { redemptions: [], intents: [] };

const form = rememberedForm<RedemptionBook>('redemption', 1);

/** Closed redemptions. */
const CLOSED_KEPT = 20;
/** Far more than a customer has at once; the item stays far below DynamoDB's 400 KB. */
const READY_KEPT = 100;
const CLIENT_KEYS_KEPT = 10;
const HOUR_MS = 3_600_000;

export interface Customer {
  readonly shop: string;
  readonly customerId: string;
}

export function bookKey({ shop, customerId }: Customer): RecordKey<'redemption'> {
  return { shop, kind: 'redemption', id: customerId };
}

export const rememberBook = form.write;

/**
 * The book as of now. Throws for a form of another release: read as empty, it would be overwritten, and
 * open redemptions lost. After a redaction it is empty.
 */
export function recallBook(remembered: string | undefined, now: Date): RedemptionBook {
  if (remembered === undefined) return EMPTY;
  const book = form.read(remembered);
  if (!book) throw new Error('a book of redemptions has an unknown form');
  const ofLastHour = (times: readonly number[]) =>
    times.filter((at) => now.getTime() - at < HOUR_MS);
  const { intents, challenges } = book;
  const { starts, tries, transaction } = challenges ?? NO_CHALLENGES;
  const isLive = transaction !== undefined && ofLastHour([transaction.at]).length > 0;
  return {
    redemptions: book.redemptions.flatMap((one) => asOf(one, now) ?? []),
    intents: ofLastHour(intents),
    ...(challenges && {
      challenges: {
        starts: ofLastHour(starts),
        tries: ofLastHour(tries),
        ...(isLive && { transaction }),
      },
    }),
  };
}

export function challengesIn({ challenges }: RedemptionBook): Challenges {
  return challenges ?? NO_CHALLENGES;
}

/** Those that are not finished. */
export function openIn(remembered: string | undefined, now: Date): readonly Redemption[] {
  return recallBook(remembered, now).redemptions.filter(({ state }) => isOpen(state));
}

export function findRedemption(book: RedemptionBook, id: string): Redemption | undefined {
  return book.redemptions.find((one) => one.id === id);
}

/**
 * The redemption that a click belongs to: the same click again, or its reward is being redeemed. One that the ledger
 * had forgotten is known by its name alone.
 */
export function findJoined(
  { redemptions }: RedemptionBook,
  {
    clientKey,
    rewardId,
    ...customer
  }: Customer & {
    readonly clientKey: string;
    readonly rewardId: number;
  },
): Redemption | undefined {
  const { id } = namesOf(customer, clientKey);
  return (
    redemptions.findLast((one) => one.id === id || one.clientKeys.includes(clientKey)) ??
    redemptions.findLast((one) => one.rewardId === rewardId && isOpen(one.state))
  );
}

/** How long until there are fewer than `most` of these times in an hour; undefined: there are. */
export function secondsUntilFewer(
  times: readonly number[],
  most: number,
  now: Date,
): number | undefined {
  const oldest = times.at(-most);
  if (oldest === undefined) return undefined;
  return Math.max(1, Math.ceil((oldest + HOUR_MS - now.getTime()) / 1000));
}

export function withIntent(
  book: RedemptionBook,
  intent: {
    readonly id: string;
    readonly rewardId: number;
    readonly clientKey: string;
    readonly terms: RewardTerms;
    readonly body: RedeemBody;
    readonly staffId?: string | undefined;
    readonly tried?: boolean;
  },
  now: Date,
): RedemptionBook {
  const { id, rewardId, clientKey, terms, body, staffId, tried } = intent;
  const at = now.toISOString();
  const state = { at: 'intended', body, ...(tried && { tried }) } as const;
  const redemption = {
    id,
    rewardId,
    clientKeys: [clientKey],
    terms,
    intendedAt: at,
    since: at,
    state,
    ...(staffId !== undefined && { staffId }),
  };
  return {
    ...book,
    redemptions: [...book.redemptions, redemption],
    intents: [...book.intents, now.getTime()],
  };
}

/** The PIN is used up; so are the tries that it took. */
export function withoutTransaction(book: RedemptionBook): RedemptionBook {
  return { ...book, challenges: { starts: challengesIn(book).starts, tries: [] } };
}

/** With a redemption that the ledger had forgotten. */
export function withFound(book: RedemptionBook, redemption: Redemption): RedemptionBook {
  const others = book.redemptions.filter(({ id }) => id !== redemption.id);
  const redemptions = [...others, redemption].toSorted((one, other) =>
    one.intendedAt < other.intendedAt ? -1 : 1,
  );
  return { ...book, redemptions };
}

/** Remembers the click; undefined when it is known already. */
export function withClientKey(
  book: RedemptionBook,
  { id, clientKeys }: Redemption,
  clientKey: string,
): RedemptionBook | undefined {
  if (clientKeys.includes(clientKey)) return undefined;
  return replace(book, id, (one) => ({
    ...one,
    clientKeys: [...clientKeys, clientKey].slice(-CLIENT_KEYS_KEPT),
  }));
}

/** Undefined when there is no such redemption, or its state does not allow the step. */
function withStep(
  book: RedemptionBook,
  id: string,
  step: Step,
  now: Date,
): RedemptionBook | undefined {
  const redemption = findRedemption(book, id);
  const next = redemption && advance(redemption, step, now);
  return next && replace(book, id, () => next);
}

/** Only while the points are surely not spent. */
export function withoutRedemption(book: RedemptionBook, id: string): RedemptionBook {
  return { ...book, redemptions: book.redemptions.filter((one) => one.id !== id) };
}

/** Open redemptions stay at any age; so do codes that can still be used. */
export function tidy(book: RedemptionBook): RedemptionBook {
  const { redemptions } = book;
  const closed = redemptions.filter(({ state }) => isClosed(state)).slice(-CLOSED_KEPT);
  const ready = redemptions.filter(({ state }) => state.at === 'ready').slice(-READY_KEPT);
  const kept = new Set([...closed, ...ready]);
  return {
    ...book,
    redemptions: redemptions.filter(
      (one) => kept.has(one) || !(isClosed(one.state) || one.state.at === 'ready'),
    ),
  };
}

function replace(
  book: RedemptionBook,
  id: string,
  change: (redemption: Redemption) => Redemption,
): RedemptionBook {
  const redemptions = book.redemptions.map((one) => (one.id === id ? change(one) : one));
  return { ...book, redemptions };
}

export interface BookWorld {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly now: () => Date;
  /** Days for which closed redemptions are remembered. */
  readonly retentionDays: number;
}

/** The changed book, or none to leave it as it is, and the value for the caller. */
export interface BookChange<T> {
  readonly book?: RedemptionBook | undefined;
  /** One line of the history: which redemption reached which state. */
  readonly line?: { readonly id: string; readonly outcome: string; readonly why?: string };
  readonly value: T;
}

export interface OpenBook {
  readonly customer: Customer;
  read(): Promise<RedemptionBook>;
  /**
   * One conditional write. Where another process wrote in between, `decide` is called again with the
   * new book, so it must decide by the book alone.
   */
  change<T>(decide: (book: RedemptionBook, now: Date) => BookChange<T>): Promise<T>;
}

/** Each process has one step to make here: so many conflicts are a fault. */
const MOST_ROUNDS = 20;

export function openBook(customer: Customer, world: BookWorld): OpenBook {
  const { ledger, now, retentionDays } = world;
  const key = bookKey(customer);
  /** As this process last saw it. */
  let entry: LedgerEntry | undefined;
  let isKnown = false;

  async function load(): Promise<void> {
    entry = await readEntry(ledger, key);
  }

  async function save(
    changed: RedemptionBook,
    line: BookChange<unknown>['line'],
    at: Date,
  ): Promise<boolean> {
    const book = tidy(changed);
    const next = {
      version: at.getTime(),
      uncertain: false,
      remembered: rememberBook(book),
      outcomes: line ? withOutcome(entry, pastOutcome(line, at)) : (entry?.outcomes ?? []),
      ...(book.redemptions.every(({ state }) => isClosed(state)) &&
        expiresAfter(retentionDays, at)),
    };
    const written = await replaceEntry(ledger, key, next, entry);
    if (!written) return false;
    entry = written;
    isKnown = true;
    return true;
  }

  return {
    customer,
    async read() {
      await load();
      return recallBook(entry?.remembered, now());
    },
    async change(decide) {
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const wasKnown = isKnown;
        if (!isKnown) await load();
        const at = now();
        const found = recallBook(entry?.remembered, at);
        const { book, line, value } = decide(found, at);
        // Until a write proves that it is still the newest, it must be read again.
        isKnown = false;
        if (!book && !wasKnown) return value;
        if (book && (await save(book, line, at))) return value;
      }
      throw new Error('a book of redemptions is written by too many at once');
    },
  };
}

interface Stepped {
  /** This process made the step. */
  readonly isOurs: boolean;
  /** As it is now, also when another process changed it. */
  readonly redemption: Redemption | undefined;
}

/** Of all processes that try a step at once, one makes it. */
export async function tryStep(book: OpenBook, id: string, step: Step): Promise<Stepped> {
  return book.change<Stepped>((found, now) => {
    const next = withStep(found, id, step, now);
    const redemption = findRedemption(next ?? found, id);
    const why = 'why' in step ? { why: step.why } : {};
    const line = redemption && { id, outcome: redemption.state.at, ...why };
    return {
      ...(next && line && { book: next, line }),
      value: { isOurs: next !== undefined, redemption },
    };
  });
}

/** The redemption after the step, also when another process made it. */
export async function applyStep(
  book: OpenBook,
  id: string,
  step: Step,
): Promise<Redemption | undefined> {
  return (await tryStep(book, id, step)).redemption;
}

function pastOutcome({ id, ...line }: NonNullable<BookChange<unknown>['line']>, at: Date) {
  return { at: at.toISOString(), version: at.getTime(), topic: id, ...line };
}
