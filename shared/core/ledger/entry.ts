import {
  type EntityEntry,
  type EntityWrite,
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  type LedgerKey,
  type LedgerWrite,
  ledgerKeyText,
  type PastOutcome,
  type RecordKey,
  readEntry,
  rememberedForm,
  replaceEntry,
  type WriteOf,
  withOutcome,
} from './ledger.ts';

/**
 * An entry over time. A call that changes what the loyalty service holds of an entity is made between two writes, each
 * on the revision that it was decided on:
 *
 *   mark ──▶ call ──▶ record: applied, or rejected, which leaves what was before the mark
 *    ▲  crash, time-out, retry
 *    └────────────┘
 *
 * A worker that dies after the mark leaves the entry uncertain: no one trusts its key, and the next message calls
 * again. A customer's balance takes the same steps; its first write to the store needs no mark, because a second one
 * only repeats it. Two changes need no reading, and have no step: `markUncertain` and `redact` of the ledger.
 */
export type EntryStep =
  /** The version is that of the attempt, so that an older snapshot asks the store instead of overtaking it. */
  | { readonly kind: 'marked'; readonly facts: Facts }
  | AppliedStep
  /** The version moves on without a call, or a late middle snapshot would be applied. */
  | { readonly kind: 'unchanged'; readonly facts: Facts }
  | { readonly kind: 'skipped'; readonly why: string; readonly facts: Facts }
  /** Keeps the version: the rejected one was not applied, and its replay must not look late. */
  | { readonly kind: 'rejected'; readonly why: string; readonly facts: Facts };

interface AppliedStep {
  readonly kind: 'applied';
  /** All that describes the applied state: other facts do not stay. */
  readonly facts: Facts & Required<Pick<EntityWrite, 'appliedKey'>>;
  readonly counts?: PastOutcome['counts'] | undefined;
}

/** What an entry holds besides version, mark and outcomes. `undefined` removes a fact. */
export type Facts = {
  readonly [Name in keyof Omit<EntityWrite, 'version' | 'uncertain' | 'outcomes'>]?:
    | EntityWrite[Name]
    | undefined;
};

export function advance(
  entry: EntityEntry | undefined,
  step: EntryStep,
  occasion: Occasion,
): EntityWrite {
  const { revision: _, ...kept } = entry ?? NOTHING_RECORDED;
  const version = Math.max(occasion.version, kept.version);
  const noted = { outcomes: withOutcome(entry, lineOf(step, occasion)) };
  switch (step.kind) {
    case 'marked':
      return stated({ ...kept, ...step.facts, version, uncertain: true });
    case 'applied':
      return stated({ version, uncertain: false, ...step.facts, ...redactionOf(entry), ...noted });
    case 'unchanged':
    case 'skipped':
      return stated({ ...kept, ...step.facts, version, ...noted });
    case 'rejected':
      return stated({ ...kept, ...step.facts, ...noted });
  }
}

const NOTHING_RECORDED: EntityEntry = { version: 0, uncertain: false, outcomes: [], revision: 0 };

/** A step removes a fact by `undefined`. */
function stated(entry: Facts & Pick<EntityWrite, 'version' | 'uncertain' | 'outcomes'>) {
  const facts = Object.entries(entry).filter(([, value]) => value !== undefined);
  return Object.fromEntries(facts) as unknown as EntityWrite;
}

function lineOf(step: EntryStep, { version, topic, origin, now }: Occasion): PastOutcome {
  return {
    ...{ at: now.toISOString(), outcome: step.kind, version, topic },
    ...('why' in step && { why: step.why }),
    ...(origin && { origin }),
    ...('counts' in step && step.counts !== undefined && { counts: step.counts }),
  };
}

/** An entry that is about to change, and what led to that: its line among the outcomes says it. */
export interface Change<Key extends LedgerKey = LedgerKey> {
  readonly key: Key;
  /** As it was read, or as the last step left it. */
  readonly entry: EntityEntry | undefined;
  /** Of the snapshot or event that is applied, in epoch milliseconds. */
  readonly version: number;
  readonly topic: string;
  readonly origin?: PastOutcome['origin'];
  readonly now: Date;
}

type Occasion = Omit<Change, 'key' | 'entry'>;

/**
 * Writes the entry after a step. Undefined when another worker wrote meanwhile: the same is then decided again.
 * A refused call changed nothing: its step follows on the entry `before` the mark.
 */
export async function record<Key extends LedgerKey>(
  change: Change<Key>,
  step: EntryStep,
  ledger: Pick<Ledger, 'write'>,
  before: Pick<Change, 'entry'> = change,
): Promise<EntityEntry | undefined> {
  const next = advance(before.entry, step, change);
  return replaceEntry(ledger, change.key, next as WriteOf<Key>, change.entry);
}

/**
 * After a call that succeeded. Where another worker wrote meanwhile, it is unknown whose call came
 * last. That worker may have settled our message, so a new message asks again.
 */
export async function recordApplied<Key extends LedgerKey>(
  change: Change<Key>,
  applied: Omit<AppliedStep, 'kind'>,
  ledger: Pick<Ledger, 'write' | 'markUncertain'>,
  askAgain: () => Promise<void>,
): Promise<EntityEntry | undefined> {
  const written = await record(change, { kind: 'applied', ...applied }, ledger);
  if (written) return written;
  await ledger.markUncertain(change.key);
  await askAgain();
  return undefined;
}

/** Something was applied, or may have been. */
export function isKnown(entry: EntityEntry | undefined): entry is EntityEntry {
  return entry !== undefined && (entry.appliedKey !== undefined || entry.uncertain);
}

/**
 * True for data from before the redaction of its person: a body that waited on a queue, a replayed dead
 * letter, a captured webhook, a store that has not erased the person yet.
 */
export function predatesRedaction(
  entry: Pick<LedgerEntry, 'redactedAt'> | undefined,
  version: number,
): boolean {
  return entry?.redactedAt !== undefined && version <= entry.redactedAt;
}

/** The mark, to keep it in the next entry. */
export function redactionOf(entry: LedgerEntry | undefined): Pick<LedgerWrite, 'redactedAt'> {
  return entry?.redactedAt === undefined ? {} : { redactedAt: entry.redactedAt };
}

/**
 * The ledger was lost, or restored to an earlier moment: what it says may be out of date. Moments are epoch
 * milliseconds.
 * See docs/decisions/0005-a-lost-ledger-takes-nothing-twice.md.
 */
export interface Doubt {
  /** The moment that it was restored to; of a lost one, the first deployment. What happened since may not be in it. */
  readonly since: number;
  /** Entries that were settled before are compared with the loyalty service before anything is sent. */
  readonly until: number;
  /** Since then everything is compared; undefined while a deep scan is still to do that. */
  readonly comparedAt?: number;
}

/** A shop went live. Moments are epoch milliseconds. */
export interface Takeover {
  /** Until then every first order is looked up at the service before it is sent. */
  readonly until: number;
  /** When another integration was switched off. What was complete by then is its own; the rest is ours, however late. */
  readonly offSince?: number;
  /** The forms of the ids under which its orders were found; without any, they are not known. */
  readonly ids?: readonly string[];
}

export function isOpenDoubt(doubt: Doubt | undefined): doubt is Doubt {
  return doubt !== undefined && doubt.comparedAt === undefined;
}

const SETTLED: ReadonlySet<string> = new Set(['applied', 'unchanged']);

/** Something was decided about the entity since then, if only to leave it out. */
export function wasSettledSince(entry: LedgerEntry | undefined, moment: number): boolean {
  const { at, outcome = '' } = entry?.outcomes.at(-1) ?? {};
  const isSettled = SETTLED.has(outcome) || outcome === 'skipped';
  return at !== undefined && isSettled && Date.parse(at) >= moment;
}

/** True: more may have happened to the entity than its entry says. */
export function isInDoubt(entry: LedgerEntry | undefined, doubt: Doubt | undefined): boolean {
  if (!entry || !doubt) return false;
  const settled = entry.outcomes.findLast(({ outcome }) => SETTLED.has(outcome));
  return !settled || Date.parse(settled.at) < doubt.until;
}

// After a merge the store has one customer, and the loyalty service still two members. The record of the
// customer who is gone then names the one who was kept, in place of a balance: readers of a balance find it
// without another question.

const form = rememberedForm<{ readonly keptId: string }>('merge', 1);

type CustomerId = Omit<LedgerKey, 'kind'>;

const keyOf = ({ shop, id }: CustomerId): RecordKey<'customer'> => ({ shop, kind: 'customer', id });

/** What the ledger has under the customer's own number. */
export const customerItems = ({ shop, id }: CustomerId) =>
  ({ record: keyOf({ shop, id }), member: { shop, kind: 'member', id } }) as const;

export interface KnownCustomer {
  readonly id: string;
  /** Of the customer's balance, or whom they were merged into. */
  readonly record: EntityEntry | undefined;
  readonly member: EntityEntry | undefined;
}

export async function readCustomer(
  customer: CustomerId,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<KnownCustomer> {
  const keys = customerItems(customer);
  const known = await ledger.readMany(Object.values(keys));
  const of = (key: LedgerKey) => known.get(ledgerKeyText(key));
  return { id: customer.id, record: of(keys.record), member: of(keys.member) };
}

/** Whom the customer of this record was merged into; undefined if not merged. */
export function mergedInto(entry: Pick<LedgerEntry, 'remembered'> | undefined): string | undefined {
  return form.read(entry?.remembered)?.keptId;
}

/** False when another worker wrote meanwhile. May be repeated. */
export async function noteMerge(
  customer: CustomerId,
  keptId: string,
  how: {
    readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
    readonly now: Date;
    readonly topic: string;
    /** Longer than any message about the customer can wait. */
    readonly retentionDays: number;
  },
): Promise<boolean> {
  const { ledger, now, topic, retentionDays } = how;
  const entry = await readEntry(ledger, keyOf(customer));
  if (mergedInto(entry) === keptId) return true;
  const version = Math.max(now.getTime(), entry?.version ?? 0);
  const line = { at: now.toISOString(), outcome: 'merged', version, topic };
  const next = {
    ...form.entry({ keptId }, version, expiresAfter(retentionDays, now)),
    // Replayed after the customer was redacted: their other orders are still to be erased.
    ...redactionOf(entry),
    outcomes: withOutcome(entry, line),
  };
  return (await ledger.write(keyOf(customer), next, entry?.revision)).kind === 'written';
}

/** No person is merged so often; the bound ends a circle. */
const MOST_MERGES = 8;

/** The records of the customer and of those whom they were merged into, the kept one last. */
async function* recordsOf({ shop, id }: CustomerId, ledger: Pick<Ledger, 'readMany'>) {
  let next: string | undefined = id;
  for (let merges = 0; next !== undefined && merges <= MOST_MERGES; merges += 1) {
    const entry: LedgerEntry | undefined = await readEntry(ledger, keyOf({ shop, id: next }));
    yield { id: next, entry };
    next = mergedInto(entry);
  }
}

/** The customer whom the store has now: follows merges, also those of the one who was kept. */
export async function followMerges(
  customer: CustomerId,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<string> {
  let current = customer.id;
  for await (const { id } of recordsOf(customer, ledger)) current = id;
  return current;
}

/** When the person of these was redacted, if what is dated `version` is from before. */
export const redactionAfter = (
  version: number,
  entries: readonly (LedgerEntry | undefined)[],
): number | undefined => entries.find((entry) => predatesRedaction(entry, version))?.redactedAt;

/**
 * The same of what the ledger remembers, which may name a customer who was merged into another since: either of them
 * may be the one whom the store erased. Every redaction marks the record, so that a scan reads no more.
 */
export async function redactedMeanwhile(
  customer: CustomerId,
  { version }: Pick<LedgerEntry, 'version'>,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<number | undefined> {
  for await (const { entry } of recordsOf(customer, ledger)) {
    if (predatesRedaction(entry, version)) return entry?.redactedAt;
  }
  return undefined;
}
