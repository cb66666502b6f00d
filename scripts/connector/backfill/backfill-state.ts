import * as v from 'valibot';
import { type Ledger, readEntry } from '../../../shared/core/ledger/ledger.ts';
import type { RecordKey } from '../../../shared/core/ledger/ledger-key.ts';

const moment = v.pipe(v.string(), v.isoTimestamp());

const backfillState = v.object({
  id: v.string(),
  shop: v.string(),
  kind: v.picklist(['orders', 'products', 'discounts']),
  /** Of which span, by the store's `created_at`; absent: without that bound. */
  since: v.exactOptional(moment),
  until: v.exactOptional(moment),
  /** Raised when it is done all over again. */
  run: v.number(),
  startedAt: moment,
  savedAt: moment,
  /** The store's own work on it; absent until it was asked. */
  operationId: v.exactOptional(v.string()),
  /** As the store counted when it was asked. */
  total: v.exactOptional(v.number()),
  place: v.object({ byte: v.number(), skip: v.number() }),
  /** Messages that the queue took. */
  sent: v.number(),
  /** Of those, the ones that a worker asks the store about. */
  asked: v.number(),
  unreadable: v.number(),
  finishedAt: v.exactOptional(moment),
});

/** How far a backfill has come: all that is needed to go on. */
export type BackfillState = v.InferOutput<typeof backfillState>;

/** A backfill by its name, as it lies in the ledger. */
export interface KeptBackfill {
  readonly state: BackfillState;
  readonly revision: number;
}

/** Somebody else has saved the same backfill meanwhile. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

const KEPT_DAYS = 400;
/** Their names, newest last: a ledger cannot be searched by name. */
const INDEX = 'backfill/index';
const MOST_LISTED = 50;

/** Names are readable, and the same for the same span: the same command goes on with it. */
export function backfillId(
  kind: BackfillState['kind'],
  since: string | undefined,
  until: string | undefined,
): string {
  const day = (moment: string | undefined, none: string) =>
    moment === undefined ? none : moment.replace(/T00:00:00\.000Z$/, '').replace(/[:.]/g, '');
  return [kind, day(since, 'first'), day(until, 'now')].join('_');
}

/** Kept in the ledger under `cursor`, on the revision that was read: two runs cannot both go on. */
export function openBackfills(ledger: Ledger, shop: string, now: () => Date) {
  const keyOf = (id: string): RecordKey<'cursor'> => ({ shop, kind: 'cursor', id });

  const read = (id: string) => readEntry(ledger, keyOf(id));

  async function write(id: string, value: unknown, revision: number | undefined) {
    const at = now().getTime();
    const expiresAt = Math.floor(at / 1000) + KEPT_DAYS * 86_400;
    return ledger.write(
      keyOf(id),
      { version: at, uncertain: false, remembered: JSON.stringify(value), outcomes: [], expiresAt },
      revision,
    );
  }

  return {
    async load(id: string): Promise<KeptBackfill | undefined> {
      const entry = await read(`backfill/${id}`);
      const parsed = v.safeParse(backfillState, parseJson(entry?.remembered));
      return entry && parsed.success
        ? { state: parsed.output, revision: entry.revision }
        : undefined;
    },

    /** Gives the revision of the next save; throws `Overtaken`. */
    async save(state: BackfillState, revision: number | undefined): Promise<number> {
      const written = await write(`backfill/${state.id}`, state, revision);
      if (written.kind === 'conflict') throw new Overtaken();
      return written.revision;
    },

    async list(): Promise<readonly string[]> {
      return namesIn((await read(INDEX))?.remembered);
    },

    async enlist(id: string): Promise<void> {
      for (let tries = 0; tries < 10; tries += 1) {
        const entry = await read(INDEX);
        const names = namesIn(entry?.remembered).filter((name) => name !== id);
        const listed = [...names, id].slice(-MOST_LISTED);
        if ((await write(INDEX, listed, entry?.revision)).kind === 'written') return;
      }
    },
  };
}

export type Backfills = ReturnType<typeof openBackfills>;

function namesIn(text: string | undefined): readonly string[] {
  const parsed = v.safeParse(v.array(v.string()), parseJson(text));
  return parsed.success ? parsed.output : [];
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined;
  }
}

/** The span in the store's search language; empty: everything. */
export function searchFor({ since, until }: Pick<BackfillState, 'since' | 'until'>): string {
  return [
    ...(since === undefined ? [] : [`created_at:>='${since}'`]),
    ...(until === undefined ? [] : [`created_at:<'${until}'`]),
  ].join(' ');
}

export function spanWords({ since, until }: Pick<BackfillState, 'since' | 'until'>): string {
  const day = (moment: string) => moment.replace(/T00:00:00\.000Z$/, '');
  const parts = [
    ...(since === undefined ? [] : [`from ${day(since)}`]),
    ...(until === undefined ? [] : [`until ${day(until)}`]),
  ];
  return parts.length === 0 ? 'of all times' : `created ${parts.join(' ')}`;
}

/** The words that began it, and mean the same backfill. */
export function startWords({ id, kind, since, until }: BackfillState): string {
  const isOpen = id === backfillId(kind, since, undefined);
  return [
    `backfill ${kind}`,
    ...(since === undefined ? [] : [`--since ${since}`]),
    ...(until === undefined || isOpen ? [] : [`--until ${until}`]),
  ].join(' ');
}
