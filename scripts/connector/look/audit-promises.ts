import { type EventHead, queueFamilyOf } from '../../../shared/core/events/event.ts';
import { MOST_BY_ID } from '../../../shared/core/events/receive-delivery.ts';
import type { EntityEntry } from '../../../shared/core/ledger/ledger.ts';
import { isOpen, type Redemption } from '../../../shared/rewards/redeem/redemption.ts';
import type { Fact, Pause } from './audit-facts.ts';

// What must hold of a day, decided from facts alone. The simulation judges its worlds by the same functions.

export const PROMISES = [
  'every-webhook-ends',
  'sent-once',
  'no-early-retry',
  'no-call-while-paused',
  'nothing-before-go-live',
  'redeemed-once',
  'sides-agree',
] as const;
export type PromiseName = (typeof PROMISES)[number];

export type BrokenWhy =
  | 'no-end'
  /** The state was sent again, and the ledger had it as applied; or it had forgotten that. */
  | 'same-state-again'
  | 'before-its-delay'
  | 'called-while-paused'
  | 'placed-before-go-live'
  | 'one-click-two-redemptions'
  | 'one-code-two-redemptions'
  | 'one-payment-two-redemptions'
  | 'code-missing-in-store'
  | 'sides-differ';

export type OpenWhy =
  | 'on-its-way'
  | 'queue-has-a-backlog'
  /** More webhooks of one entity in a minute: equal ones are one message. */
  | 'may-be-merged'
  | 'not-logged'
  | 'sampled'
  | 'expired'
  /** The worker's time was over, and its work may have gone on. */
  | 'out-of-time'
  | 'pause-too-short'
  | 'not-recorded'
  | 'waits-for-person'
  | 'not-read'
  | 'not-asked';

/** What a violation is about. */
type About = Pick<EventHead, 'shop' | 'kind' | 'id'>;

export interface Violation extends About {
  readonly why: BrokenWhy;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface Finding {
  cases: number;
  broken: number;
  /** The first of them. */
  readonly violations: Violation[];
  readonly notDecided: Partial<Record<OpenWhy, number>>;
}

/** Each has a command; whoever has more begins with these. */
const VIOLATIONS_KEPT = 100;

export class Findings {
  readonly of = Object.fromEntries(
    PROMISES.map((name): [string, Finding] => [
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

interface Span {
  readonly from: number;
  readonly until: number;
}

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
  readonly woken: readonly Span[];
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
    const open = facts.some(({ what }) => what === 'queued')
      ? 'on-its-way'
      : countBeside(received, facts) > MOST_BY_ID
        ? 'may-be-merged'
        : received.at >= emptyAt && heardUntil - dueAt < PATIENCE_MS && 'on-its-way';
    if (open) this.#findings.leave('every-webhook-ends', open);
    else this.#pending.push({ about: received, dueAt: received.at < emptyAt ? 0 : dueAt });
  }

  /** Of one message. */
  #judgeRetries(tries: readonly Fact[]): void {
    for (const [index, { what, at, messageId, why, afterSeconds = 0 }] of tries.entries()) {
      const next = tries[index + 1];
      if (what !== 'waits' || !next) continue;
      this.#findings.saw('no-early-retry');
      const waitMs = Math.min(afterSeconds * 1_000, LONGEST_CERTAIN_DELAY_MS);
      const isWoken = this.#day.woken.some(
        ({ from, until }) => from <= next.at && until >= at - SKEW_MS,
      );
      if (messageId === undefined) this.#findings.leave('no-early-retry', 'not-logged');
      else if (why === 'out-of-time') this.#findings.leave('no-early-retry', why);
      else if (!isWoken && next.at - at < waitMs - SKEW_MS) {
        this.#findings.broke('no-early-retry', 'before-its-delay', next, next.at);
      }
    }
  }

  /** Of an order. For the first one the ledger's word stands, which its line has. */
  #judgeStates(facts: readonly Fact[]): void {
    let before: string | undefined;
    for (const fact of facts) {
      if (fact.kind !== 'order' || fact.what !== 'ended' || !fact.called) continue;
      this.#findings.saw('sent-once');
      const { state, again } = fact;
      if (state === undefined) this.#findings.leave('sent-once', 'not-logged');
      else if (again === 'same' || (again === undefined && state === before)) {
        this.#findings.broke('sent-once', 'same-state-again', fact, fact.at);
      }
      before = state;
    }
  }

  #judgeCall(fact: Fact): void {
    if (!fact.called) return;
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

const deliveryOf = ({ topic, delivery }: Fact): string => `${topic} ${delivery}`;

/** A dead letter's message has left its queue, too. */
export const isEnd = ({ what }: Pick<Fact, 'what'>): boolean =>
  what === 'ended' || what === 'parked';

/** Of how many deliveries of the entity the minute is. */
function countBeside(received: Fact, facts: readonly Fact[]): number {
  const minuteOf = ({ at }: Fact) => Math.floor(at / MINUTE_MS);
  const isBeside = (one: Fact) => one.what === 'received' && minuteOf(one) === minuteOf(received);
  return facts.filter(isBeside).length;
}

/** SQS parks what kills every worker, and writes no line. */
const isLetterOf = ({ topic, at }: Fact, letter: Fact): boolean =>
  letter.what === 'letter' &&
  letter.topic === topic &&
  Math.abs(at - letter.at) < ACCEPTED_WITHIN_MS;

/** Those of which it is decided whether a call was made in them. */
function judgedPauses({ pauses, woken }: Day, findings: Findings): readonly Pause[] {
  return pauses.flatMap((pause) => {
    findings.saw('no-call-while-paused');
    const ends = woken.flatMap(({ from, until }) => (until >= pause.from ? from : []));
    const until = Math.min(pause.until, ...ends);
    const from = pause.from + PAUSE_GRACE_MS;
    if (until > from) return { ...pause, from, until };
    findings.leave('no-call-while-paused', 'pause-too-short');
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

/** `beforeTakeover`: after another integration, what was complete by then is history, and not what was placed. */
export function judgeSentOrder(
  about: About,
  { outcomes, service, history = false }: EntityEntry,
  { since, until }: Pick<Day, 'since' | 'until'>,
  { goLive, takesOver = false }: { readonly goLive: number; readonly takesOver?: boolean },
  findings: Findings,
): void {
  const sent = outcomes.find(({ at, outcome }) => {
    const moment = Date.parse(at);
    return outcome === 'applied' && moment >= since && moment < until;
  });
  if (!sent) return;
  findings.saw('nothing-before-go-live');
  const placedAt = Date.parse((takesOver ? service?.completedAt : service?.placedAt) ?? '');
  const isAnothers = service?.theirs !== undefined || service?.id !== undefined;
  if (Number.isNaN(placedAt) || isAnothers) {
    findings.leave('nothing-before-go-live', 'not-recorded');
  } else if (judgeGoLive({ placedAt, isHistory: history }, goLive) === 'sent-as-new') {
    const at = Date.parse(sent.at);
    findings.broke('nothing-before-go-live', 'placed-before-go-live', about, at);
  }
}

/** Of all redemptions of one customer: those that share what only one may have. */
export function sharedBetween(
  redemptions: readonly Redemption[],
): readonly { readonly why: BrokenWhy; readonly redemption: Redemption }[] {
  const seen = new Set<string>();
  return redemptions.flatMap((redemption) => {
    const { state, clientKeys } = redemption;
    const code = 'code' in state && state.at !== 'cancelled' ? state.code?.code : undefined;
    const paid = 'redeemedRewardId' in state ? String(state.redeemedRewardId) : undefined;
    const names: (readonly [BrokenWhy, string | undefined])[] = [
      ...clientKeys.map((key) => ['one-click-two-redemptions', key] as const),
      ['one-code-two-redemptions', code],
      ['one-payment-two-redemptions', paid],
    ];
    return names.flatMap(([why, name]) => {
      if (name === undefined) return [];
      const isShared = seen.has(`${why} ${name}`);
      seen.add(`${why} ${name}`);
      return isShared ? [{ why, redemption }] : [];
    });
  });
}

/** Returns the redemptions of the day whose code the store must have. */
export function judgeRedemptions(
  about: About,
  redemptions: readonly Redemption[],
  { since, until }: Pick<Day, 'since' | 'until'>,
  findings: Findings,
): readonly Redemption[] {
  const isOfDay = (one: Redemption) =>
    Date.parse(one.since) >= since && Date.parse(one.intendedAt) < until;
  for (const { why, redemption } of sharedBetween(redemptions)) {
    if (isOfDay(redemption))
      findings.broke('redeemed-once', why, about, Date.parse(redemption.intendedAt));
  }
  const ofDay = redemptions.filter(isOfDay);
  for (const { state, stuck } of ofDay) {
    findings.saw('redeemed-once');
    if (stuck !== undefined) findings.leave('redeemed-once', 'waits-for-person');
    else if (isOpen(state)) findings.leave('redeemed-once', 'on-its-way');
  }
  return ofDay.filter(({ state }) => state.at === 'ready');
}
