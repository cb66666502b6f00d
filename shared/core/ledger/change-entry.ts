import {
  type EntityEntry,
  type EntityWrite,
  type Ledger,
  type LedgerEntry,
  type LedgerKey,
  type LedgerWrite,
  type PastOutcome,
  replaceEntry,
  type WriteOf,
  withOutcome,
} from './ledger.ts';

/**
 * A change of what another system holds for one key. The steps are the same for entities and balances:
 *
 *   mark, where an applied state is replaced ──▶ call ──▶ record
 *
 * A worker that dies after the mark leaves the entry uncertain: no one trusts its old key, and the next
 * message calls again. Each write names the revision that it was decided on.
 */
export interface Change<Key extends LedgerKey = LedgerKey> {
  readonly key: Key;
  /** As it was read, or as the mark left it. */
  readonly entry: EntityEntry | undefined;
  /** Of the snapshot or event that is applied, in epoch milliseconds. */
  readonly version: number;
  /** For the line among the entry's outcomes. */
  readonly topic: string;
  readonly origin?: PastOutcome['origin'];
  readonly now: Date;
}

/** What an entry holds besides version, mark and outcomes. */
export type Facts = Partial<Omit<EntityWrite, 'version' | 'uncertain' | 'outcomes'>>;

/**
 * Before a call that replaces an applied state. The version is that of the attempt, so that an older
 * snapshot asks the store instead of overtaking it. Undefined when another worker wrote meanwhile.
 */
export async function markChange<Key extends LedgerKey>(
  change: Change<Key>,
  ledger: Pick<Ledger, 'write'>,
  facts: Facts = {},
): Promise<Change<Key> | undefined> {
  const marked = { ...kept(change), ...facts, version: newestVersion(change), uncertain: true };
  const entry = await recordChange(change, marked, ledger);
  return entry && { ...change, entry };
}

/** Undefined when another worker wrote meanwhile: the same is then decided again. */
export async function recordChange<Key extends LedgerKey>(
  { key, entry }: Change<Key>,
  next: EntityWrite,
  ledger: Pick<Ledger, 'write'>,
): Promise<EntityEntry | undefined> {
  return replaceEntry(ledger, key, next as WriteOf<Key>, entry);
}

/**
 * After a call that succeeded. Where another worker wrote meanwhile, it is unknown whose call came
 * last. That worker may have settled our message, so a new message asks again.
 */
export async function recordApplied<Key extends LedgerKey>(
  change: Change<Key>,
  next: EntityWrite,
  ledger: Pick<Ledger, 'write' | 'markUncertain'>,
  askAgain: () => Promise<void>,
): Promise<EntityEntry | undefined> {
  const written = await recordChange(change, next, ledger);
  if (written) return written;
  await ledger.markUncertain(change.key);
  await askAgain();
  return undefined;
}

export function appliedEntry(change: Change, appliedKey: string, facts: Facts): EntityWrite {
  return {
    version: newestVersion(change),
    appliedKey,
    uncertain: false,
    ...facts,
    ...redactionOf(change.entry),
    outcomes: outcomesWith(change, 'applied'),
  };
}

/** After a first call whose outcome is unknown: remembered as if it had arrived, but not trusted. */
export function attemptedEntry(change: Change, facts: Facts): EntityWrite {
  const { appliedKey: _, ...entry } = appliedEntry(change, '', facts);
  return { ...entry, uncertain: true, outcomes: outcomesWith(change, 'attempted') };
}

/** The version moves on without a call, or a late middle snapshot would be applied. */
export function unchangedEntry(change: Change, facts: Facts): EntityWrite {
  return {
    ...kept(change),
    ...facts,
    version: newestVersion(change),
    outcomes: outcomesWith(change, 'unchanged'),
  };
}

export function skippedEntry(change: Change, why: string, facts: Facts): EntityWrite {
  return {
    ...kept(change),
    ...facts,
    version: newestVersion(change),
    outcomes: outcomesWith(change, 'skipped', why),
  };
}

/** Keeps the version: the rejected one was not applied, and its replay must not look late. */
export function rejectedEntry(change: Change, why: string, facts: Facts): EntityWrite {
  return {
    ...kept(change),
    ...facts,
    version: change.entry?.version ?? 0,
    outcomes: outcomesWith(change, 'rejected', why),
  };
}

function kept({ entry }: Change): Omit<EntityWrite, 'version'> {
  if (!entry) return { uncertain: false, outcomes: [] };
  const { revision: _, version: __, ...rest } = entry;
  return rest;
}

const newestVersion = ({ version, entry }: Change): number =>
  Math.max(version, entry?.version ?? 0);

function outcomesWith(change: Change, outcome: string, why?: string): LedgerWrite['outcomes'] {
  const { entry, version, topic, origin, now } = change;
  const line = { at: now.toISOString(), outcome, version, topic };
  return withOutcome(entry, {
    ...line,
    ...(why !== undefined && { why }),
    ...(origin && { origin }),
  });
}

/** Something was applied, or may have been. */
export function isKnown(entry: EntityEntry | undefined): entry is EntityEntry {
  return entry !== undefined && (entry.appliedKey !== undefined || entry.uncertain);
}

/**
 * True for data from before the redaction of its person: a body that waited on a queue, a replayed dead
 * letter, a captured webhook, a store that has not erased the person yet.
 */
export function predatesRedaction(entry: LedgerEntry | undefined, version: number): boolean {
  return entry?.redactedAt !== undefined && version <= entry.redactedAt;
}

/** The mark, to keep it in the next entry. */
export function redactionOf(entry: LedgerEntry | undefined): Pick<LedgerWrite, 'redactedAt'> {
  return entry?.redactedAt === undefined ? {} : { redactedAt: entry.redactedAt };
}

/**
 * The ledger was lost, or restored to an earlier moment: what it says may be out of date. Moments are epoch
 * milliseconds.
 * See docs/decisions/0081-a-ledger-can-be-lost.md.
 */
export interface Doubt {
  /** The moment that it was restored to; of a lost one, go-live. What happened since may not be in it. */
  readonly since: number;
  /** Entries that were settled before are compared with the loyalty service before anything is sent. */
  readonly until: number;
  /** Since then everything is compared; undefined while a deep walk is still to do that. */
  readonly comparedAt?: number;
}

export function isOpenDoubt(doubt: Doubt | undefined): doubt is Doubt {
  return doubt !== undefined && doubt.comparedAt === undefined;
}

/** What a process knows of the ledger's past, for each shop. */
export interface LedgerPast {
  /** Undefined: the ledger can be trusted. */
  doubtOf(shop: string): Doubt | undefined;
  /** When the shop's program began, as far as the ledger says it. */
  goLiveOf(shop: string): number | undefined;
}

const SETTLED: ReadonlySet<string> = new Set(['applied', 'unchanged']);

/** Something was decided about the entity since then, if only to leave it out. */
export function wasSettledSince(entry: LedgerEntry | undefined, moment: number): boolean {
  const { at, outcome = '' } = entry?.outcomes.at(-1) ?? {};
  const isSettled = SETTLED.has(outcome) || outcome === 'skipped';
  return at !== undefined && isSettled && Date.parse(at) >= moment;
}

/** True: more may have happened to the entity than its entry says. */
export function isDoubtful(entry: LedgerEntry | undefined, doubt: Doubt | undefined): boolean {
  if (!entry || !doubt) return false;
  const settled = entry.outcomes.findLast(({ outcome }) => SETTLED.has(outcome));
  return !settled || Date.parse(settled.at) < doubt.until;
}
