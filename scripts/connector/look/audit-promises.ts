import type { MappingRules } from '../../../shared/config/mapping-settings.ts';
import { type EventHead, queueFamilyOf } from '../../../shared/core/events/event.ts';
import { MOST_BY_ID } from '../../../shared/core/events/receive-delivery.ts';
import type { EntityEntry } from '../../../shared/core/ledger/ledger.ts';
import {
  isOpen,
  type Redemption,
  type RewardCode,
} from '../../../shared/rewards/redeem/redemption.ts';
import type { Fact, Pause } from './audit-facts.ts';

// What must hold of a day, decided from facts alone. The simulation judges its worlds by the same functions.

/** Their codes, and how they are printed. */
export const PROMISES = {
  'every-webhook-ends': 'Every accepted webhook has an end',
  'sent-once': 'No order is sent, taken back or cancelled twice for one state',
  'no-early-retry': 'No retry comes too soon',
  'no-call-while-paused': 'No call is made while the calls are paused',
  'nothing-before-go-live': 'No order from before go-live is sent as a new one',
  'redeemed-once': 'A redemption is paid once and has one code',
  'sides-agree': 'Points follow the orders: both sides agree',
} as const;
export type PromiseName = keyof typeof PROMISES;
export const PROMISE_NAMES = Object.keys(PROMISES) as readonly PromiseName[];

export const BROKEN = {
  'no-end': 'It was accepted, but no worker logged an outcome',
  'same-state-again': 'The same state was sent again, though the first call was recorded',
  'before-its-delay': 'It was tried again before its delay was over',
  'called-while-paused': 'A call was made while the calls were paused',
  'placed-before-go-live': 'It is older than go-live, and no backfill asked for it',
  'one-click-two-redemptions': 'One click began two redemptions',
  'one-code-two-redemptions': 'Two redemptions have the same code',
  'one-payment-two-redemptions': 'Two redemptions were paid by one call',
  'code-missing-in-store': 'A code counts as ready, but the store does not have it',
  'sides-differ': 'The loyalty service does not hold what the store says',
} as const;
type BrokenWhy = keyof typeof BROKEN;

export const NOT_DECIDED = {
  'on-its-way': 'still on its way',
  'queue-has-a-backlog': 'nothing newer was processed, either: its queue may have a backlog',
  'may-be-merged': 'many webhooks of one entity in a minute, of which equal ones are one message',
  'not-logged': 'logged by an older release, with too little detail',
  expired: 'the period begins before the oldest log that is kept',
  'out-of-time': 'the worker timed out, so its line may be late',
  'pause-too-short': 'a call that began before a pause may be logged a minute later',
  'ledger-lost': 'the ledger was lost, and forgot what had been sent and what operators had done',
  'not-recorded': 'the ledger does not say when it was placed, or another integration sent it',
  'waits-for-person': 'a person must finish it',
  'not-read': 'the store or the loyalty service could not be read',
  'not-asked': 'the comparison was left out (--no-sides)',
} as const;
type OpenWhy = keyof typeof NOT_DECIDED;

type About = Pick<EventHead, 'shop' | 'kind' | 'id'>;

export interface Violation extends About {
  readonly why: BrokenWhy;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface Finding {
  cases: number;
  broken: number;
  readonly violations: Violation[];
  readonly notDecided: Partial<Record<OpenWhy, number>>;
}

/** Each has a command; whoever has more begins with these. */
const VIOLATIONS_KEPT = 100;

export class Findings {
  readonly of = Object.fromEntries(
    PROMISE_NAMES.map((name): [string, Finding] => [
      name,
      { cases: 0, broken: 0, violations: [], notDecided: {} },
    ]),
  ) as Readonly<Record<PromiseName, Finding>>;

  saw(promise: PromiseName): void {
    this.of[promise].cases += 1;
  }

  broke(promise: PromiseName, why: BrokenWhy, { shop, kind, id }: About, at: number): void {
    const finding = this.of[promise];
    finding.broken += 1;
    if (finding.violations.length < VIOLATIONS_KEPT) {
      finding.violations.push({ why, shop, kind, id, at });
    }
  }

  leave(promise: PromiseName, why: OpenWhy): void {
    const { notDecided } = this.of[promise];
    notDecided[why] = (notDecided[why] ?? 0) + 1;
  }
}

const MINUTE_MS = 60_000;
/** Without a fault every message ends within it: a retry waits for half an hour at most, a group for its first message. */
export const PATIENCE_MS = 4 * 60 * MINUTE_MS;
/** Between the clocks of two functions, and between an event and its line. */
const SKEW_MS = 1_000;
/** A message whose delay could not be set returns when its visibility is over, which is longer. */
const LONGEST_CERTAIN_DELAY_MS = 15 * MINUTE_MS;
/** A control record is known for ten seconds, and a call that began then takes a time to be logged. */
const PAUSE_GRACE_MS = MINUTE_MS;
/** An event is dated before it is put on its queue, its line after that. */
const ACCEPTED_WITHIN_MS = 30_000;
/** A queue works off what came first, but for what waits. */
const OVERTAKEN_MS = 15 * MINUTE_MS;

/** The time that is judged, and what is known of all of it. */
export interface Day {
  readonly since: number;
  readonly until: number;
  /** Until then there are log lines. */
  readonly heardUntil: number;
  /** What was accepted until then has left its queue. */
  readonly emptyAt?: number | undefined;
  readonly pauses: readonly Pause[];
  /** While an operator ended waits or pauses. */
  readonly woken: readonly Pick<Pause, 'from' | 'until'>[];
  /** What was sent and what operators did before that, a lost ledger may have forgotten. */
  readonly recoveredAt?: number | undefined;
}

/** Judges what the facts of one entity after the other say; `finish` decides what needs all of them. */
export class DayJudge {
  readonly #day: Day;
  readonly #findings: Findings;
  readonly #pauses: readonly Pause[];
  /** By queue: when the newest event was accepted that a worker has taken from it. */
  readonly #workedOn = new Map<string, number>();
  /** `dueAt` 0: its queue was empty since. */
  readonly #pending: { readonly about: Fact; readonly dueAt: number }[] = [];

  constructor(day: Day, findings: Findings) {
    this.#day = day;
    this.#findings = findings;
    this.#pauses = judgedPauses(day, findings);
  }

  judge(facts: readonly Fact[]): void {
    for (const some of Map.groupBy(facts, deliveryOf).values()) this.#judgeEnd(some, facts);
    const waited = facts.filter(
      ({ what, messageId }) => messageId !== undefined || what === 'waits',
    );
    for (const some of Map.groupBy(waited, ({ messageId }) => messageId).values()) {
      this.#judgeRetries(some);
    }
    this.#judgeStates(facts);
    for (const fact of facts) this.#judgeCall(fact);
  }

  finish(): void {
    for (const { about, dueAt } of this.#pending) {
      const workedOn = this.#workedOn.get(queueFamilyOf(about.kind)) ?? 0;
      if (dueAt > 0 && workedOn < dueAt + OVERTAKEN_MS) {
        this.#findings.leave('every-webhook-ends', 'queue-has-a-backlog');
      } else this.#findings.broke('every-webhook-ends', 'no-end', about, about.at);
    }
  }

  #judgeEnd(delivery: readonly Fact[], facts: readonly Fact[]): void {
    const { since, until, heardUntil, emptyAt = 0 } = this.#day;
    const received = delivery.find(({ what }) => what === 'received');
    if (!received || received.at < since || received.at >= until) return;
    this.#findings.saw('every-webhook-ends');
    const tries = delivery.filter(({ what }) => what !== 'received');
    const family = queueFamilyOf(received.kind);
    const workedOn = this.#workedOn.get(family) ?? 0;
    if (tries.length > 0) this.#workedOn.set(family, Math.max(workedOn, received.at));
    if (tries.some(isEnd) || facts.some((one) => isLetterOf(received, one))) return;
    const { at, afterSeconds = 0 } = tries.at(-1) ?? received;
    const dueAt = at + afterSeconds * 1_000;
    const isNear = (one: Fact) => minuteOf(one) === minuteOf(received);
    const beside = facts.filter((one) => one.what === 'received' && isNear(one));
    const isQueued = facts.some(({ what }) => what === 'queued');
    if (isQueued || (received.at >= emptyAt && heardUntil - dueAt < PATIENCE_MS)) {
      this.#findings.leave('every-webhook-ends', 'on-its-way');
    } else if (beside.length > MOST_BY_ID) {
      this.#findings.leave('every-webhook-ends', 'may-be-merged');
    } else this.#pending.push({ about: received, dueAt: received.at < emptyAt ? 0 : dueAt });
  }

  #judgeRetries(tries: readonly Fact[]): void {
    const { woken, recoveredAt = 0 } = this.#day;
    for (const [index, { what, at, messageId, why, afterSeconds = 0 }] of tries.entries()) {
      const next = tries[index + 1];
      if (what !== 'waits' || !next) continue;
      this.#findings.saw('no-early-retry');
      const waitMs = Math.min(afterSeconds * 1_000, LONGEST_CERTAIN_DELAY_MS);
      const isWoken = woken.some(({ from, until }) => from <= next.at && until >= at - SKEW_MS);
      if (messageId === undefined) this.#findings.leave('no-early-retry', 'not-logged');
      else if (why === 'out-of-time') this.#findings.leave('no-early-retry', why);
      else if (isWoken || next.at - at >= waitMs - SKEW_MS) continue;
      else if (next.at < recoveredAt) this.#findings.leave('no-early-retry', 'ledger-lost');
      else this.#findings.broke('no-early-retry', 'before-its-delay', next, next.at);
    }
  }

  /** Of an order. For the first one the ledger's word stands, which its line has. */
  #judgeStates(facts: readonly Fact[]): void {
    const { recoveredAt = 0 } = this.#day;
    let before: Fact | undefined;
    for (const fact of facts) {
      if (fact.kind !== 'order' || fact.what !== 'ended' || !fact.calls) continue;
      this.#findings.saw('sent-once');
      const { state, again } = fact;
      if (state === undefined) this.#findings.leave('sent-once', 'not-logged');
      else if (again === 'same' || (again === undefined && state === before?.state)) {
        if (before && before.at < recoveredAt) this.#findings.leave('sent-once', 'ledger-lost');
        else this.#findings.broke('sent-once', 'same-state-again', fact, fact.at);
      }
      before = fact;
    }
  }

  #judgeCall(fact: Fact): void {
    if (!fact.calls) return;
    const queue = queueFamilyOf(fact.kind);
    const isPaused = this.#pauses.some(
      (one) =>
        one.shop === fact.shop &&
        (one.queue ?? queue) === queue &&
        one.from <= fact.at &&
        fact.at < one.until,
    );
    if (isPaused)
      this.#findings.broke('no-call-while-paused', 'called-while-paused', fact, fact.at);
  }
}

const minuteOf = ({ at }: Fact): number => Math.floor(at / MINUTE_MS);

const deliveryOf = ({ topic, delivery }: Fact): string => `${topic} ${delivery}`;

/** A dead letter's message has left its queue, too. */
export const isEnd = ({ what }: Pick<Fact, 'what'>): boolean =>
  what === 'ended' || what === 'parked';

/** SQS parks what kills every worker, and writes no line. */
const isLetterOf = ({ topic, at }: Fact, letter: Fact): boolean =>
  letter.what === 'letter' &&
  letter.topic === topic &&
  Math.abs(at - letter.at) < ACCEPTED_WITHIN_MS;

/** Those of which it is decided whether a call was made in them. */
function judgedPauses(
  { pauses, woken, recoveredAt = 0 }: Day,
  findings: Findings,
): readonly Pause[] {
  return pauses.flatMap((pause) => {
    findings.saw('no-call-while-paused');
    const ends = woken.flatMap(({ from, until }) => (until >= pause.from ? from : []));
    const until = Math.min(pause.until, ...ends);
    const from = pause.from + PAUSE_GRACE_MS;
    const isLost = pause.from < recoveredAt;
    if (until > from && !isLost) return { ...pause, from, until };
    findings.leave('no-call-while-paused', isLost ? 'ledger-lost' : 'pause-too-short');
    return [];
  });
}

/** Only what a backfill asked for is sent from before go-live, and has its mark. Moments are epoch milliseconds. */
export function judgeGoLive(
  { placedAt, isHistory }: { readonly placedAt: number; readonly isHistory: boolean },
  goLive: number,
): 'right' | 'sent-as-new' | 'sent-as-old' {
  const isOld = placedAt < goLive;
  if (isOld === isHistory) return 'right';
  return isOld ? 'sent-as-new' : 'sent-as-old';
}

/** After another integration, what was complete by go-live is history, and not what was placed. */
export function judgeSentOrder(
  about: About,
  { outcomes, service, history = false }: EntityEntry,
  { since, until }: Pick<Day, 'since' | 'until'>,
  { goLive = '', takesOver = false }: Pick<MappingRules, 'goLive' | 'takesOver'>,
  findings: Findings,
): void {
  const isOfDay = (at: number) => at >= since && at < until;
  const sent = outcomes.find((one) => one.outcome === 'applied' && isOfDay(Date.parse(one.at)));
  const placedAt = Date.parse((takesOver ? service?.completedAt : service?.placedAt) ?? '');
  // The end of an order that was perhaps never sent is sent all the same.
  if (!sent || (service?.ended && Number.isNaN(placedAt))) return;
  findings.saw('nothing-before-go-live');
  const isAnothers = service?.theirs !== undefined || service?.id !== undefined;
  if (Number.isNaN(placedAt) || isAnothers) {
    findings.leave('nothing-before-go-live', 'not-recorded');
  } else if (judgeGoLive({ placedAt, isHistory: history }, Date.parse(goLive)) === 'sent-as-new') {
    findings.broke('nothing-before-go-live', 'placed-before-go-live', about, Date.parse(sent.at));
  }
}

/** Of all redemptions of one customer: those that share what only one may have. */
export function sharedBetween(redemptions: readonly Redemption[]) {
  const seen = new Set<string>();
  return redemptions.flatMap((redemption) => {
    const { state, clientKeys } = redemption;
    const code = 'code' in state && state.at !== 'cancelled' ? state.code?.code : undefined;
    const paid = 'redeemedRewardId' in state ? state.redeemedRewardId : undefined;
    const names: (readonly [BrokenWhy, string | number | undefined])[] = [
      ...clientKeys.map((key) => ['one-click-two-redemptions', key] as const),
      ['one-code-two-redemptions', code],
      ['one-payment-two-redemptions', paid],
    ];
    const shared = names.filter(([why, name]) => name !== undefined && seen.has(`${why} ${name}`));
    for (const [why, name] of names) seen.add(`${why} ${name}`);
    return shared.map(([why]) => ({ why, redemption }));
  });
}

/** Returns the codes that the store must have. */
export function judgeRedemptions(
  about: About,
  redemptions: readonly Redemption[],
  { since, until }: Pick<Day, 'since' | 'until'>,
  findings: Findings,
): readonly RewardCode[] {
  const isOfDay = (one: Redemption) =>
    Date.parse(one.since) >= since && Date.parse(one.intendedAt) < until;
  for (const { why, redemption } of sharedBetween(redemptions)) {
    const at = Date.parse(redemption.intendedAt);
    if (isOfDay(redemption)) findings.broke('redeemed-once', why, about, at);
  }
  return redemptions.filter(isOfDay).flatMap(({ state, stuck }) => {
    findings.saw('redeemed-once');
    if (stuck !== undefined) findings.leave('redeemed-once', 'waits-for-person');
    else if (isOpen(state)) findings.leave('redeemed-once', 'on-its-way');
    return state.at === 'ready' ? state.code : [];
  });
}
