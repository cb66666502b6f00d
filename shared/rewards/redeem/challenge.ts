import { askLoyalty } from '../../core/calls/call-loyalty.ts';
import {
  changeEntry,
  expiresAfter,
  type RecordKey,
  rememberedForm,
} from '../../core/ledger/ledger.ts';
import type { Contact } from '../../store/storefront-answers.gen.ts';
import { readAvailable } from './available-rewards.ts';
import {
  type Challenges,
  type ChallengeTransaction,
  challengesIn,
  type OpenRedemptions,
  ofLastHour,
  type RedeemingDeps,
  secondsUntilFewer,
} from './redemption-record.ts';

/**
 * How a customer shows a till that they are present: the service sends them a PIN, and they say it.
 *
 *   start ──▶ the service sends a PIN ──▶ answer ──▶ right: the reward is redeemed, the transaction ends
 *    ▲ │                                    ▲ └────▶ wrong: nothing is spent
 *    │ └▶ it asks for a phone number        └──────────┘ until the tries of an hour are used up
 *    └─── or an e-mail address
 *
 * Both calls carry one transaction id. It is random, stays in the ledger, and is never told to a till, so a PIN
 * is good only for the customer whom it was sent to, and for one redemption.
 *
 * Whether the service refuses to redeem without it is not documented, so the connector refuses by itself.
 * Starts and tries are counted in the ledger, because several processes answer tills: in the customer's redemption
 * record, and those of each user of the point of sale in two items of their own.
 */
export interface ChallengeDeps extends RedeemingDeps {
  /** A random UUID: what the service knows a challenge by. */
  readonly newKey: () => string;
}

/** What the staff typed. Personal data: for the service only, never kept or logged. */
export type TypedContacts = Readonly<Partial<Record<Contact, string>>>;

export type ChallengeRefusal = 'challenge-needed' | 'challenge-wrong';

interface TooMany {
  readonly kind: 'too-many';
  readonly afterSeconds: number;
}

/** In the service's own words, for the person at the till. May be about the customer: never for a log. */
interface Said {
  readonly said?: string | undefined;
}

export type StartedChallenge =
  | { readonly kind: 'started' }
  /** The service cannot reach the customer: the till asks them for one of these. */
  | ({ readonly kind: 'contact-needed'; readonly asks: readonly Contact[] } & Said)
  | ({
      readonly kind: 'refused';
      readonly why: 'not-a-member' | 'another-member' | 'refused';
    } & Said)
  | TooMany
  | { readonly kind: 'unavailable' };

export interface Till {
  /** The user of the store who is logged in to it. */
  readonly staffId: string;
  /** The customer's answer to the challenge. */
  readonly answer?: string | undefined;
}

type CheckedAnswer =
  | { readonly kind: 'passed'; readonly transactionId: string }
  | ({ readonly kind: 'refused'; readonly why: ChallengeRefusal } & Said)
  | TooMany
  | { readonly kind: 'unavailable' };

const CONTACTS: readonly Contact[] = ['phone', 'email'];

/** Of one customer in an hour. Each start sends them a message. */
const MOST_STARTS = 5;
/** Of one customer in an hour, without those that were right: a PIN of four digits stays unknown. */
export const MOST_TRIES = 5;
/**
 * Of one user in an hour, over all customers: wrong answers, so that of PINs with four digits they guess one in 500
 * hours; and messages that nobody answered rightly, so that they cannot pester customers, nor spend the merchant's
 * money. A token names the user who logged in to the point of sale by e-mail, neither the device nor the member of
 * staff who entered a PIN there ("Session API"), so several tills may share it.
 */
export const MOST_BY_STAFF = 20;

/** Counted is only what sent a message: tills that try again during an outage must not be locked after it. */
export function startChallenge(
  typed: TypedContacts,
  staffId: string,
  record: OpenRedemptions,
  deps: ChallengeDeps,
): Promise<StartedChallenge> {
  const isSent = ({ kind }: StartedChallenge) => kind === 'started';
  return countedFor(startsOf(staffId, record), () => start(typed, record, deps), isSent, deps);
}

async function start(
  typed: TypedContacts,
  record: OpenRedemptions,
  deps: ChallengeDeps,
): Promise<StartedChallenge> {
  // It proves whom the PIN would reach.
  const offered = await readAvailable(record.customer.customerId, [], deps);
  if (offered.kind === 'unavailable') return { kind: 'unavailable' };
  if (offered.kind !== 'answered') return { kind: 'refused', why: offered.kind };
  const begun = await begin(record, deps.newKey());
  if (begun.kind === 'too-many') return begun;
  const { id, asks } = begun.transaction;
  // Only what the service asked for: else a user could have the PIN of any customer sent to themselves.
  const body = {
    TransactionId: id,
    ...(typed.phone !== undefined && asks.includes('phone') && { Phone: typed.phone }),
    ...(typed.email !== undefined && asks.includes('email') && { Email: typed.email }),
  };
  const asked = await askLoyalty('startChallenge', [offered.programId, body], deps);
  if (asked.kind === 'unavailable') return { kind: 'unavailable' };
  if (asked.kind === 'refused') return { kind: 'refused', why: 'refused' };
  const { Success, ShouldInformPhone, ShouldInformEmail, FriendlyErrorMessage } = asked.value;
  if (Success) return { kind: 'started' };
  const said = readable(FriendlyErrorMessage);
  const wanted = { phone: ShouldInformPhone === true, email: ShouldInformEmail === true };
  if (!wanted.phone && !wanted.email) return { kind: 'refused', why: 'refused', said };
  // With what it asked for before: it may want both.
  const all = CONTACTS.filter((one) => wanted[one] || asks.includes(one));
  await rememberAsks(record, id, all);
  return { kind: 'contact-needed', asks: all, said };
}

/** Only a wrong answer stays counted against the one who gave it: the others taught them nothing. */
export async function checkAnswer(
  programId: string,
  { staffId, answer }: Till,
  record: OpenRedemptions,
  deps: ChallengeDeps,
): Promise<CheckedAnswer> {
  if (answer === undefined) return { kind: 'refused', why: 'challenge-needed' };
  const key: StaffKey = { shop: record.customer.shop, kind: 'till', id: staffId };
  const isWrong = (checked: CheckedAnswer) =>
    checked.kind === 'refused' && checked.why === 'challenge-wrong';
  const checked = await countedFor(
    key,
    () => tryAnswer(programId, answer, record, deps),
    isWrong,
    deps,
  );
  // It ends the transaction, so it takes back no more than one start.
  if (checked.kind === 'passed') {
    await changeTimes(startsOf(staffId, record), deps, (starts) => starts.slice(0, -1));
  }
  return checked;
}

/** Counted before the service is asked: a process that dies in between has used up its try. */
async function tryAnswer(
  programId: string,
  answer: string,
  record: OpenRedemptions,
  deps: ChallengeDeps,
): Promise<CheckedAnswer> {
  const tried = await countTry(record);
  if (tried.kind !== 'counted') return tried;
  const { transactionId } = tried;
  const given = { TransactionId: transactionId, Code: answer };
  const asked = await askLoyalty('validateChallenge', [programId, given], deps);
  if (asked.kind === 'unavailable') return { kind: 'unavailable' };
  if (asked.kind === 'refused') return { kind: 'refused', why: 'challenge-wrong' };
  const { Success, FriendlyErrorMessage } = asked.value;
  return Success
    ? { kind: 'passed', transactionId }
    : { kind: 'refused', why: 'challenge-wrong', said: readable(FriendlyErrorMessage) };
}

type StaffKey = RecordKey<'till'>;

/** A user's id has no slash. */
const startsOf = (staffId: string, { customer: { shop } }: OpenRedemptions): StaffKey => ({
  ...{ shop, kind: 'till', id: `${staffId}/starts` },
});

/** Epoch milliseconds, the oldest first. */
type Times = readonly number[];

const staffForm = rememberedForm<Times>('till', 1);

/** Counted before it happens, because a process may die meanwhile; taken back unless its outcome is one that counts. */
async function countedFor<Outcome>(
  key: StaffKey,
  act: () => Promise<Outcome>,
  isCounted: (outcome: Outcome) => boolean,
  deps: ChallengeDeps,
): Promise<Outcome | TooMany> {
  const at = deps.now().getTime();
  const changed = await changeTimes(key, deps, (before) =>
    before.length < MOST_BY_STAFF ? [...before, at] : undefined,
  );
  // Several tills of one user may ask at once.
  if (!changed) return { kind: 'too-many', afterSeconds: 1 };
  const afterSeconds = secondsUntilFewer(changed.value, MOST_BY_STAFF, deps.now());
  if (afterSeconds !== undefined) {
    deps.telemetry.count('pin-guessing');
    return { kind: 'too-many', afterSeconds };
  }
  const outcome = await act();
  if (!isCounted(outcome)) await changeTimes(key, deps, (times) => without(times, at));
  return outcome;
}

/** Gives the times before; `change` returns undefined to leave them as they are. */
function changeTimes(
  key: StaffKey,
  { ledger, now }: ChallengeDeps,
  change: (before: Times) => Times | undefined,
) {
  return changeEntry(ledger, key, (entry) => {
    const before = ofLastHour(staffForm.read(entry?.remembered) ?? [], now());
    const times = change(before);
    const next = times && staffForm.entry(times, now().getTime(), expiresAfter(1, now()));
    return { next, value: before };
  });
}

function without(times: Times, at: number): Times {
  const index = times.indexOf(at);
  return times.filter((_, other) => other !== index);
}

/** A repetition belongs to the transaction of the first start, until a redemption ends it. */
function begin(record: OpenRedemptions, newId: string) {
  type Begun = { readonly kind: 'begun'; readonly transaction: ChallengeTransaction };
  return changeChallenges<Begun | TooMany>(record, (before, now) => {
    const afterSeconds = secondsUntilFewer(before.starts, MOST_STARTS, now);
    if (afterSeconds !== undefined) return { value: { kind: 'too-many', afterSeconds } };
    const { id = newId, asks = [] } = before.transaction ?? {};
    const transaction = { id, asks, at: now.getTime() };
    const next = { ...before, starts: [...before.starts, now.getTime()], transaction };
    return { next, value: { kind: 'begun', transaction } };
  });
}

async function rememberAsks(
  record: OpenRedemptions,
  id: string,
  asks: readonly Contact[],
): Promise<void> {
  await changeChallenges(record, (before) => {
    const { transaction } = before;
    if (transaction?.id !== id) return { value: undefined };
    return { next: { ...before, transaction: { ...transaction, asks } }, value: undefined };
  });
}

function countTry(record: OpenRedemptions) {
  type Counted = { readonly kind: 'counted'; readonly transactionId: string };
  type Tried = Counted | Exclude<CheckedAnswer, { kind: 'passed' }>;
  return changeChallenges<Tried>(record, (before, now) => {
    const { transaction, tries } = before;
    // No PIN was sent, it is too old, or a redemption has used it: there is nothing to guess.
    if (!transaction) return { value: { kind: 'refused', why: 'challenge-needed' } };
    const afterSeconds = secondsUntilFewer(tries, MOST_TRIES, now);
    if (afterSeconds !== undefined) return { value: { kind: 'too-many', afterSeconds } };
    const next = { ...before, tries: [...tries, now.getTime()] };
    return { next, value: { kind: 'counted', transactionId: transaction.id } };
  });
}

/** `decide` returns no `next` to leave them as they are. */
function changeChallenges<Value>(
  record: OpenRedemptions,
  decide: (before: Challenges, now: Date) => { readonly next?: Challenges; readonly value: Value },
) {
  return record.change<Value>((found, now) => {
    const { next, value } = decide(challengesIn(found), now);
    return { record: next && { ...found, challenges: next }, value };
  });
}

const LONGEST_SAID = 300;

/** On one line, without control characters of another party; undefined for nothing. */
function readable(text: unknown): string | undefined {
  const line = (typeof text === 'string' ? text : '').replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line === '' ? undefined : line.slice(0, LONGEST_SAID);
}
