import * as v from 'valibot';
import { type Ledger, type RecordKey, readEntry } from '../../../shared/core/ledger/ledger.ts';
import { Problem } from '../exit.ts';

const moment = v.pipe(v.string(), v.isoTimestamp());

const backfillState = v.object({
  id: v.string(),
  shop: v.string(),
  kind: v.picklist(['orders', 'products', 'discounts']),
  /** The period, by the store's `created_at`; absent: without that bound. */
  since: v.exactOptional(moment),
  until: v.exactOptional(moment),
  /** Incremented when the backfill is started again. */
  run: v.number(),
  startedAt: moment,
  savedAt: moment,
  /** The bulk operation of the store; absent before it was started. */
  operationId: v.exactOptional(v.string()),
  /** The number that the store counted. */
  total: v.exactOptional(v.number()),
  place: v.object({ byte: v.number(), skip: v.number() }),
  /** Messages that the queue accepted. */
  sent: v.number(),
  /** The messages for which the worker reads the store. */
  asked: v.number(),
  unreadable: v.number(),
  finishedAt: v.exactOptional(moment),
});

/** The progress of a backfill: all that is needed to resume it. */
export type BackfillState = v.InferOutput<typeof backfillState>;

/** A backfill in the ledger. */
export interface KeptBackfill {
  readonly state: BackfillState;
  readonly revision: number;
}

/** Another process has saved the same backfill meanwhile. */
export class SavedElsewhere extends Error {
  override readonly name = 'SavedElsewhere';
}

const KEPT_DAYS = 400;
/** The ids, newest last: the ledger cannot be searched by id. */
const INDEX = 'backfill/index';
const MOST_LISTED = 50;

/** Ids are readable, and the same for the same period, so that the same command resumes it. */
export function backfillId(
  kind: BackfillState['kind'],
  since: string | undefined,
  until: string | undefined,
): string {
  const day = (moment: string | undefined, none: string) =>
    moment === undefined ? none : moment.replace(/T00:00:00\.000Z$/, '').replace(/[:.]/g, '');
  return [kind, day(since, 'first'), day(until, 'now')].join('_');
}

/** Kept in the ledger as `cursor`, each write conditional on the revision: two runs cannot both continue. */
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
      if (!entry) return undefined;
      const state = understand(backfillState, entry.remembered, `the backfill "${id}"`);
      return { state, revision: entry.revision };
    },

    /** Returns the revision of the next save; throws `SavedElsewhere`. */
    async save(state: BackfillState, revision: number | undefined): Promise<number> {
      const written = await write(`backfill/${state.id}`, state, revision);
      if (written.kind === 'conflict') throw new SavedElsewhere();
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
      throw new Error('the list of backfills in the ledger changes too often to be written');
    },
  };
}

export type Backfills = ReturnType<typeof openBackfills>;

function namesIn(text: string | undefined): readonly string[] {
  return text === undefined ? [] : understand(v.array(v.string()), text, 'the list of backfills');
}

/** "There is none" would be a wrong answer about an item that cannot be read. */
function understand<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string | undefined,
  what: string,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (parsed.success) return parsed.output;
  throw new Problem(`In the ledger, ${what} is damaged or of a newer release.`);
}

/** The period in the store's search syntax; empty: everything. */
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
  return parts.length === 0 ? 'of all time' : `created ${parts.join(' ')}`;
}

/** Names it in a command: shops may have backfills of the same period. */
export const wordsOf = ({ id, shop }: Pick<BackfillState, 'id' | 'shop'>): string =>
  `${id} --shop ${shop}`;

/** The command that starts the same backfill. */
export function startWords({ id, shop, kind, since, until }: BackfillState): string {
  const isOpen = id === backfillId(kind, since, undefined);
  return [
    `backfill ${kind} --shop ${shop}`,
    ...(since === undefined ? [] : [`--since ${since}`]),
    ...(until === undefined || isOpen ? [] : [`--until ${until}`]),
  ].join(' ');
}
