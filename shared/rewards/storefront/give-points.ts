import { createHash } from 'node:crypto';
import { type AskingDeps, askLoyalty, type Unavailable } from '../../core/calls/call-loyalty.ts';
import {
  changeEntry,
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  type RecordKey,
  readEntry,
  rememberedForm,
} from '../../core/ledger/ledger.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';

/** Points that a workflow of the store gives a customer. */
export interface Gift {
  /** The same when the run is repeated. */
  readonly runId: string;
  /** Whole, above 0. */
  readonly points: number;
  /** In the words of the staff, for the customer. Never kept or logged here. */
  readonly reason?: string | undefined;
}

export interface GiftLimits {
  readonly mostPointsPerRun: number;
  readonly mostPointsPerDay: number;
}

interface GiftDeps extends AskingDeps {
  readonly loyalty: Pick<LoyaltyClient, 'changePoints'>;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  /** Absent where the settings do not allow workflows to give points. */
  readonly flow?: GiftLimits | undefined;
}

type Given =
  | { readonly kind: 'given' }
  | { readonly kind: 'off' }
  | { readonly kind: 'refused'; readonly why: 'too-many-points' | 'daily-limit' | 'refused' }
  /** Too many runs at once. */
  | { readonly kind: 'busy' }
  | Unavailable;

/**
 * Count → record → call → record the end. The key of the change is made from the run, so a run that is repeated, for
 * whatever reason, gives once: the service refuses a used key, and that counts as given.
 */
export async function givePoints(
  shop: string,
  customerId: string,
  { runId, points, reason }: Gift,
  deps: GiftDeps,
): Promise<Given> {
  const { flow, ledger, now } = deps;
  if (!flow) return { kind: 'off' };
  if (points > flow.mostPointsPerRun) return { kind: 'refused', why: 'too-many-points' };
  const run = createHash('sha256').update(`${shop}|${runId}`).digest('base64url').slice(0, 22);
  const counted = await count(shop, { run, points }, flow, deps);
  if (counted.kind !== 'counted') return counted;
  const record = recordOf(shop, run, counted.at, ledger);
  await record('', {
    who: 'a workflow',
    command: 'give-points',
    arguments: { shop, customer: customerId, points: String(points), run },
    // In the function's own log.
    version: '',
  });
  const change = {
    ...({ Points: points, OperationType: 0, ChangeKey: `flow:${run}` } as const),
    Reason: 'Given by a workflow of the store',
    ...(reason !== undefined && { CustomerReason: reason }),
  };
  const asked = await askLoyalty('changePoints', [customerId, change], deps);
  if (asked.kind === 'unavailable') return asked;
  const isGiven = asked.kind === 'answered' || asked.name === 'ChangePoints_ChangeKeyAlreadyExists';
  if (!isGiven) await release(shop, run, counted.at, deps);
  const end = { at: now().toISOString(), result: isGiven ? 'finished' : 'failed' };
  await record('|end', { ...end, counts: { points: isGiven ? points : 0 } });
  return isGiven ? { kind: 'given' } : { kind: 'refused', why: 'refused' };
}

interface GivenDay {
  readonly points: number;
  /** The newest last. */
  readonly runs: readonly CountedRun[];
}

/** `at`: epoch milliseconds. */
type CountedRun = readonly [run: string, points: number, at: number];

/** A repetition of an older one counts twice against the day, and is given once all the same. */
const RUNS_KEPT = 300;
/** Flow repeats a run for a day. */
const KEPT_DAYS = 3;
const DAY_MS = 86_400_000;

const form = rememberedForm<GivenDay>('given', 1);

const dayKey = (shop: string, at: number): RecordKey<'given'> => ({
  ...{ shop, kind: 'given', id: new Date(at).toISOString().slice(0, 10) },
});

type Counted =
  | { readonly kind: 'counted'; readonly at: number }
  | Extract<Given, { kind: 'refused' | 'busy' }>;

/** Counted before the call, because a process may die meanwhile; a run that was counted keeps its time. */
async function count(
  shop: string,
  { run, points }: { readonly run: string; readonly points: number },
  { mostPointsPerDay }: GiftLimits,
  deps: GiftDeps,
): Promise<Counted> {
  const at = deps.now().getTime();
  const yesterday = dayIn(await readEntry(deps.ledger, dayKey(shop, at - DAY_MS)));
  const counted = await changeDay<Counted>(shop, at, deps, (day) => {
    const known = [...yesterday.runs, ...day.runs].find(([id]) => id === run);
    if (known) return { value: { kind: 'counted', at: known[2] } };
    const sum = day.points + points;
    if (sum > mostPointsPerDay) return { value: { kind: 'refused', why: 'daily-limit' } };
    const runs = [...day.runs, [run, points, at] as const].slice(-RUNS_KEPT);
    return { day: { points: sum, runs }, value: { kind: 'counted', at } };
  });
  // Of a workflow for many customers, runs come side by side.
  return counted?.value ?? { kind: 'busy' };
}

/** What was refused must not use up the day. */
function release(shop: string, run: string, at: number, deps: GiftDeps): Promise<unknown> {
  return changeDay(shop, at, deps, ({ points, runs }) => {
    const [, counted = 0] = runs.find(([id]) => id === run) ?? [];
    const others = runs.filter(([id]) => id !== run);
    return { day: { points: points - counted, runs: others }, value: {} };
  });
}

const dayIn = (entry: LedgerEntry | undefined): GivenDay =>
  form.read(entry?.remembered) ?? { points: 0, runs: [] };

/** `decide` returns no day to leave it as it is. */
function changeDay<Value>(
  shop: string,
  at: number,
  { ledger, now }: GiftDeps,
  decide: (day: GivenDay) => { readonly day?: GivenDay; readonly value: Value },
) {
  return changeEntry(ledger, dayKey(shop, at), (entry) => {
    const { day, value } = decide(dayIn(entry));
    const kept = expiresAfter(KEPT_DAYS, now());
    return { next: day && form.entry(day, now().getTime(), kept), value };
  });
}

/** As long as those of operators. */
const RECORD_DAYS = 400;

/**
 * Writes the record of a run for `history`: as an audit record (scripts/connector/ground/session/audit-records.ts), but of a
 * kind of its own, because no function may write those of operators. Each of its two items is written once: a
 * repetition conflicts and leaves it.
 */
function recordOf(shop: string, run: string, at: number, ledger: GiftDeps['ledger']) {
  const begun = new Date(at).toISOString();
  const month = `operators-${begun.slice(0, 7)}`;
  return (end: string, value: object) => {
    const plain = { version: at, uncertain: false, outcomes: [] };
    const kept = expiresAfter(RECORD_DAYS, new Date(at));
    const entry = { ...plain, remembered: JSON.stringify(value), ...kept };
    const key = { shop: month, kind: 'given', id: `${shop}|${begun}|${run}${end}` } as const;
    return ledger.write(key, entry, undefined);
  };
}
