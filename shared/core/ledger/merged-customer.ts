import {
  expiresAfter,
  type Ledger,
  type LedgerEntry,
  type RecordKey,
  readEntry,
  rememberedForm,
  withOutcome,
} from './ledger.ts';

// After a merge the store has one customer, and the loyalty service still two members. The record of the
// customer who is gone then names the one who was kept, in place of a balance: readers of a balance find it
// without another question.

const form = rememberedForm<{ readonly keptId: string }>('merge', 1);

interface CustomerId {
  readonly shop: string;
  readonly id: string;
}

const keyOf = ({ shop, id }: CustomerId): RecordKey<'customer'> => ({ shop, kind: 'customer', id });

/** Whom the customer of this record was merged into; undefined if not merged. */
export function mergedInto(entry: Pick<LedgerEntry, 'remembered'> | undefined): string | undefined {
  return form.read(entry?.remembered)?.keptId;
}

/** False when another worker wrote meanwhile. May be repeated. */
export async function noteMerge(
  customer: CustomerId,
  keptId: string,
  {
    ledger,
    now,
    topic,
    retentionDays,
  }: {
    readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
    readonly now: Date;
    readonly topic: string;
    /** Longer than any message about the customer can wait. */
    readonly retentionDays: number;
  },
): Promise<boolean> {
  const entry = await readEntry(ledger, keyOf(customer));
  if (mergedInto(entry) === keptId) return true;
  const version = Math.max(now.getTime(), entry?.version ?? 0);
  const line = { at: now.toISOString(), outcome: 'merged', version, topic };
  const next = {
    version,
    uncertain: false,
    remembered: form.write({ keptId }),
    outcomes: withOutcome(entry, line),
    ...expiresAfter(retentionDays, now),
  };
  return (await ledger.write(keyOf(customer), next, entry?.revision)).kind === 'written';
}

/** No person is merged so often; the bound ends a circle. */
const MOST_MERGES = 8;

/** The customer whom the store has now: follows merges, also those of the one who was kept. */
export async function followMerges(
  { shop, id }: CustomerId,
  ledger: Pick<Ledger, 'readMany'>,
): Promise<string> {
  let current = id;
  for (let merges = 0; merges < MOST_MERGES; merges += 1) {
    const next = mergedInto(await readEntry(ledger, keyOf({ shop, id: current })));
    if (next === undefined) break;
    current = next;
  }
  return current;
}
