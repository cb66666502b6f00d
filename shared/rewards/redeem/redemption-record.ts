import { createHash } from 'node:crypto';
import type { BreakerDeps } from '../../core/calls/call-loyalty.ts';
import type { EventQueue } from '../../core/events/event.ts';
import type { Outcome } from '../../core/events/outcome.ts';
import type { Telemetry } from '../../core/events/telemetry.ts';
import {
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  type RecordKey,
  readEntry,
  rememberedForm,
  replaceEntry,
  withOutcome,
} from '../../core/ledger/ledger.ts';
import type { MetadataForm } from '../../core/mapping/wanted-state.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import type { Contact } from '../../store/storefront-answers.gen.ts';
import type { Members } from './own-member.ts';
import {
  advance,
  asOf,
  isClosed,
  isOpen,
  type Redemption,
  type RewardTerms,
  type Step,
  secondsUntil,
} from './redemption.ts';
import type { RewardStore } from './reward-store.ts';

/** A customer's redemptions, the oldest first: one item of the ledger, on which concurrent changes conflict. */
export interface RedemptionRecord {
  readonly redemptions: readonly Redemption[];
  /** Epoch milliseconds of the intents of the last hour: what the rate limit counts. */
  readonly intents: readonly number[];
  readonly challenges?: Challenges;
}

/** Of the last hour, at tills. */
export interface Challenges {
  /** Epoch milliseconds: challenges that were started, and answers to them. */
  readonly starts: readonly number[];
  readonly tries: readonly number[];
  /** Absent while no PIN is good for a redemption. */
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

export interface Customer {
  readonly shop: string;
  readonly customerId: string;
}

export interface RedemptionsDeps {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly now: () => Date;
  /** Days for which closed redemptions are remembered. */
  readonly retentionDays: number;
}

/** For the work on the redemptions of one shop, while a customer waits or in the worker. */
export interface RedeemingDeps extends RedemptionsDeps, BreakerDeps {
  readonly loyalty: Pick<
    LoyaltyClient,
    | 'listAvailableRewards'
    | 'getRewardConfiguration'
    | 'redeemRewardByKey'
    | 'updateRewardMetadata'
    | 'getRedeemedReward'
    | 'cancelRedemption'
    | 'changePoints'
    | 'changeCashback'
    | 'startChallenge'
    | 'validateChallenge'
  >;
  readonly members: Members;
  /** Gives up in time for the answer. */
  readonly store: RewardStore;
  /** Holds every redemption until its end, also if this process dies. */
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
  /** When it fires, no call to the loyalty service is begun or waited for. */
  readonly deadline: AbortSignal;
}

export interface OpenRedemptions {
  readonly customer: Customer;
  read(): Promise<RedemptionRecord>;
  /**
   * One conditional write. Where another process wrote in between, `decide` is called again with the
   * new record, so it must decide by the record alone. `past`: of the history, the last redemptions that may have spent
   * points, also erased ones.
   */
  change<T>(
    decide: (found: RedemptionRecord, now: Date, past: ReadonlySet<string>) => RecordChange<T>,
  ): Promise<T>;
}

/** The changed record, or none to leave it as it is, and the value for the caller. */
export interface RecordChange<T> {
  readonly record?: RedemptionRecord | undefined;
  /** One line of the history: which redemption reached which state. */
  readonly line?: { readonly id: string; readonly outcome: string; readonly why?: string };
  readonly value: T;
}

/** Of a redemption with no other line in the history, no call spent points. */
const UNCALLED: ReadonlySet<string> = new Set(['intended', 'refused']);

/** Each process has one step to make here: so many conflicts are a fault, or many clicks of one caller at once. */
const MOST_ROUNDS = 20;

/** Nothing was written. */
export class ConcurrentWrites extends Error {
  constructor() {
    super("too many concurrent writes to this customer's redemptions");
  }
}

export function openRedemptions(customer: Customer, deps: RedemptionsDeps): OpenRedemptions {
  const { ledger, now, retentionDays } = deps;
  const key = redemptionsKey(customer);
  return {
    customer,
    async read() {
      return recallRedemptions((await readEntry(ledger, key))?.remembered, now());
    },
    async change(decide) {
      for (let round = 0; round < MOST_ROUNDS; round += 1) {
        const entry = await readEntry(ledger, key);
        const at = now();
        const called = entry?.outcomes.filter(({ outcome }) => !UNCALLED.has(outcome));
        const past = new Set(called?.map(({ topic }) => topic));
        const { record, line, value } = decide(recallRedemptions(entry?.remembered, at), at, past);
        if (!record) return value;
        const next = entryOf(record, line, entry, retentionDays, at);
        if (await replaceEntry(ledger, key, next, entry)) return value;
      }
      throw new ConcurrentWrites();
    },
  };
}

function entryOf(
  changed: RedemptionRecord,
  line: RecordChange<unknown>['line'],
  before: LedgerEntry | undefined,
  retentionDays: number,
  at: Date,
) {
  const record = tidy(changed, at);
  const isAwaited = record.redemptions.some((one) => awaitsOrder(one, at));
  return {
    version: at.getTime(),
    uncertain: false,
    remembered: rememberRedemptions(record),
    outcomes: line ? withOutcome(before, pastOutcome(line, at)) : (before?.outcomes ?? []),
    ...(record.redemptions.every(({ state }) => isClosed(state)) &&
      expiresAfter(isAwaited ? Math.max(retentionDays, LATE_ORDER_DAYS) : retentionDays, at)),
  };
}

function pastOutcome({ id, ...line }: NonNullable<RecordChange<unknown>['line']>, at: Date) {
  return { at: at.toISOString(), version: at.getTime(), topic: id, ...line };
}

/** As far as a process could come with a redemption. */
export interface Settled {
  readonly kind: 'settled';
  /** This process made the last step. */
  readonly isOurs?: boolean;
  /** As it is now, also when another process changed it. */
  readonly redemption: Redemption | undefined;
}

export type Retry = Extract<Outcome, { kind: 'retry' }>;

/** Or why it must wait. */
export type Progress = Settled | Retry;

/** Of all processes that try a step at once, one makes it. */
export async function settle(record: OpenRedemptions, id: string, step: Step): Promise<Settled> {
  return record.change<Settled>((found, now) => {
    const before = findRedemption(found, id);
    const after = before && advance(before, step, now);
    if (!after) return { value: { kind: 'settled', isOurs: false, redemption: before } };
    const why = 'why' in step ? { why: step.why } : {};
    return {
      record: withRedemption(found, after),
      line: { id, outcome: after.state.at, ...why },
      value: { kind: 'settled', isOurs: true, redemption: after },
    };
  });
}

/** The redemption after the step, also when another process made it. */
export async function applyStep(
  record: OpenRedemptions,
  id: string,
  step: Step,
): Promise<Redemption | undefined> {
  return (await settle(record, id, step)).redemption;
}

export function findRedemption(found: RedemptionRecord, id: string): Redemption | undefined {
  return found.redemptions.find((one) => one.id === id);
}

/** With the redemption in place of the one with its id. */
export function withRedemption(found: RedemptionRecord, changed: Redemption): RedemptionRecord {
  const redemptions = found.redemptions.map((one) => (one.id === changed.id ? changed : one));
  return { ...found, redemptions };
}

export function challengesIn({ challenges }: RedemptionRecord): Challenges {
  return challenges ?? { starts: [], tries: [] };
}

const HOUR_MS = 3_600_000;

export function ofLastHour(times: readonly number[], now: Date): readonly number[] {
  return times.filter((at) => now.getTime() - at < HOUR_MS);
}

/** How long until there are fewer than `most` of these times in an hour; undefined when there are. */
export function secondsUntilFewer(
  times: readonly number[],
  most: number,
  now: Date,
): number | undefined {
  const oldest = times.at(-most);
  if (oldest === undefined) return undefined;
  return Math.max(1, Math.ceil((oldest + HOUR_MS - now.getTime()) / 1000));
}

export function redemptionsKey({ shop, customerId }: Customer): RecordKey<'redemption'> {
  return { shop, kind: 'redemption', id: customerId };
}

const form = rememberedForm<RedemptionRecord>('redemption', 1);

export const rememberRedemptions = form.write;

/**
 * The record as of now. Throws for a form of another release: read as empty, it would be overwritten, and
 * open redemptions lost. After a redaction it is empty.
 */
export function recallRedemptions(remembered: string | undefined, now: Date): RedemptionRecord {
  if (remembered === undefined) return { redemptions: [], intents: [] };
  const record = form.read(remembered);
  if (!record) throw new Error("a customer's redemptions are recorded in an unknown form");
  const { redemptions, intents, challenges } = record;
  const { starts, tries, transaction } = challengesIn(record);
  return {
    redemptions: redemptions.flatMap((one) => asOf(one, now) ?? []),
    intents: ofLastHour(intents, now),
    ...(challenges && {
      challenges: {
        starts: ofLastHour(starts, now),
        tries: ofLastHour(tries, now),
        ...(transaction && ofLastHour([transaction.at], now).length > 0 && { transaction }),
      },
    }),
  };
}

export function openIn(remembered: string | undefined, now: Date): readonly Redemption[] {
  return recallRedemptions(remembered, now).redemptions.filter(({ state }) => isOpen(state));
}

/**
 * How long after a code was taken back an order may still name it, from a checkout that was open. How long one stays
 * open is not documented; an app without `read_all_orders` sees orders of 60 days (Shopify, "Order").
 */
const LATE_ORDER_DAYS = 60;

const awaitsOrder = ({ state, takeBack }: Redemption, now: Date): boolean =>
  state.at === 'cancelled' &&
  takeBack !== undefined &&
  secondsUntil(takeBack.at, LATE_ORDER_DAYS * 86_400, now) > 0;

/** So many may be taken back in that time: they stay in the record. */
const MOST_TAKEN_BACK = 100;

export function mayTakeBackMore({ redemptions }: RedemptionRecord): boolean {
  return redemptions.filter(({ takeBack }) => takeBack !== undefined).length < MOST_TAKEN_BACK;
}

const CLOSED_KEPT = 20;
/** Far more than a customer has at once; the item stays far below DynamoDB's 400 KB. */
const READY_KEPT = 100;

/** Open redemptions stay at any age; so do codes that can still be used, and those that an order may still name. */
export function tidy(record: RedemptionRecord, now: Date): RedemptionRecord {
  const { redemptions } = record;
  const closed = redemptions.filter((one) => isClosed(one.state) && !awaitsOrder(one, now));
  const ready = redemptions.filter(({ state }) => state.at === 'ready');
  const dropped = new Set([...closed.slice(0, -CLOSED_KEPT), ...ready.slice(0, -READY_KEPT)]);
  return { ...record, redemptions: redemptions.filter((one) => !dropped.has(one)) };
}

interface RedemptionNames {
  /** Twelve capital letters and digits. */
  readonly id: string;
  /** What the loyalty service knows it by, in the form of a UUID. */
  readonly key: string;
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ID_LENGTH = 12;

/**
 * A click names its redemption. So the same click redeems once even if the ledger has forgotten the first time, because
 * the service knows the key.
 */
export function namesOf(
  { shop, customerId }: { readonly shop: string; readonly customerId: string },
  clientKey: string,
): RedemptionNames {
  const text = JSON.stringify(['redemption', shop, customerId, clientKey]);
  const bytes = createHash('sha512').update(text).digest();
  const id = [...bytes.subarray(0, ID_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]);
  // Version 8: a UUID of our own making (RFC 9562).
  const hex = bytes.subarray(32, 48).toString('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return { id: id.join(''), key: [...parts, hex.slice(20)].join('-') };
}

/** What the service keeps of a redemption for a ledger that is lost. */
export interface KeptRedemption extends RedemptionNames {
  /** Several shops may share a loyalty account: the code of one is none of another. */
  readonly shop: string;
  readonly rewardId: number;
  readonly terms: RewardTerms;
}

const NAME = 'redemption';

export function keepRedemption(kept: KeptRedemption): MetadataForm {
  return { Name: NAME, Value: JSON.stringify(kept) };
}

/** Undefined for what is not a redemption of this connector and shop, or cannot be read. */
export function readKept(
  shop: string,
  metadatas: readonly MetadataForm[] | null | undefined,
): KeptRedemption | undefined {
  const { Value: text } = metadatas?.find(({ Name }) => Name === NAME) ?? {};
  try {
    const kept = JSON.parse(text ?? '') as Partial<KeptRedemption> | null;
    const { title, points, kind, value, codePrefix } = kept?.terms ?? {};
    const texts = [kept?.id, kept?.key, title, kind, codePrefix];
    const numbers = [kept?.rewardId, points, value];
    const isRead =
      kept?.shop === shop &&
      texts.every((one) => typeof one === 'string') &&
      numbers.every((one) => typeof one === 'number');
    return isRead ? (kept as KeptRedemption) : undefined;
  } catch {
    return undefined;
  }
}
