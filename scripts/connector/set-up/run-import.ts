import { createHash } from 'node:crypto';
import type { MappingRules } from '../../../shared/config/mapping-settings.ts';
import { judge } from '../../../shared/core/calls/call-loyalty.ts';
import { batchesOf } from '../../../shared/core/events/event.ts';
import { predatesRedaction } from '../../../shared/core/ledger/entry.ts';
import {
  expiresAfter,
  type Ledger,
  ledgerKeyText,
  type RecordKey,
  readEntry,
} from '../../../shared/core/ledger/ledger.ts';
import { mapMember } from '../../../shared/core/mapping/customer-form.ts';
import type { Store } from '../../../shared/core/store/store.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import type { OperationId } from '../../../shared/loyalty/operations.ts';
import type { LoyaltyResult } from '../../../shared/loyalty/result.ts';
import type { createPace } from '../ground/compare/send.ts';
import { SKIPS } from '../ground/compare/sides.ts';
import { Problem } from '../ground/terminal/exit.ts';
import type { BalanceRow, BalancesFile, Fault } from './balances-file.ts';
import { answerText } from './probe-account.ts';

export interface ImportDeps {
  readonly shop: string;
  readonly unit: BalancesFile['unit'];
  /** A customer gets what is given under a name once. */
  readonly name: string;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  readonly loyalty: LoyaltyClient;
  readonly store: Pick<Store, 'readMember'>;
  readonly rules: MappingRules;
  /** The id of the store's customer; undefined where it has none. */
  readonly findByEmail: (email: string) => Promise<string | undefined>;
  readonly pace: ReturnType<typeof createPace>;
  readonly readPace: ReturnType<typeof createPace>;
  /** Ends early when the signal fires. */
  readonly pause: (ms: number) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly now: () => Date;
  readonly onProgress: (done: number) => void;
}

/**
 * What became of a row. Recorded before its call, so that a row without a record was surely not given.
 *
 *    ┌─ refused ─┐          ┌─ refused ─┐
 *    ▼           │          ▼           │
 *   none ──▶ giving ──▶ given ──▶ taking ──▶ taken
 *
 * A process that is killed leaves rows as giving or taking: the same call again, under the same key, settles them.
 */
type State = 'none' | 'giving' | 'given' | 'taking' | 'taken';

export interface ImportRow extends Omit<BalanceRow, 'who' | 'amount'> {
  readonly id: string;
  state: State;
  /** As recorded, if it was given or begun. */
  amount: number;
  /** What the file says; 0: the customer is not in it any more. */
  readonly wanted: number;
  revision: number | undefined;
  /** New: only the store knows the customer, who is created before anything is given. */
  customer?: 'new' | 'created';
}

const AT_ONCE = 25;

/** Finds the customers of the rows, and what was given to them under this name. */
export async function openRows({ by, rows }: BalancesFile, deps: ImportDeps) {
  const found: ImportRow[] = [];
  const faults: Fault[] = [];
  const lineOf = new Map<string, number>();
  for (const batch of batchesOf(rows, AT_ONCE)) {
    if (deps.signal.aborted) break;
    const ids = await Promise.all(
      batch.map(({ who }) => (by === 'customer' ? who : deps.findByEmail(who))),
    );
    const asked = ids.flatMap((id) => id ?? []);
    const of = await readStates(asked, deps);
    for (const [index, { line, amount: wanted, reason }] of batch.entries()) {
      const fault = (what: string) => void faults.push({ line, what });
      const id = ids[index] ?? '';
      const { amount = wanted, unit, ...known } = of(id);
      if (id === '') fault('the store has no customer with this e-mail address');
      else if (lineOf.has(id)) fault(`the same customer as in line ${lineOf.get(id)}`);
      else if (unit !== deps.unit) fault(`this customer was given ${unit} under the same name`);
      else found.push({ line, id, reason, amount, wanted, ...known });
      lineOf.set(id, lineOf.get(id) ?? line);
    }
    deps.onProgress(found.length + faults.length);
  }
  const { ids } = await readListed(deps);
  const gone = [...ids].filter((id) => !lineOf.has(id));
  for (const some of batchesOf(gone, AT_ONCE)) {
    const of = await readStates(some, deps);
    for (const id of some) {
      const { amount, unit, ...known } = of(id);
      if (amount === undefined) continue;
      const what = `customer ${id} was given ${unit} under the same name`;
      if (unit !== deps.unit) faults.push({ line: 0, what });
      else found.push({ line: 0, id, reason: '', amount, wanted: 0, ...known });
    }
  }
  return { rows: found, faults };
}

/** What became of the rows of these customers; without an amount: nothing was given. */
async function readStates(ids: readonly string[], deps: ImportDeps) {
  const entries = await deps.ledger.readMany(ids.map((id) => recordKey(id, deps)));
  return (id: string) => {
    const { remembered, revision } = entries.get(ledgerKeyText(recordKey(id, deps))) ?? {};
    const [state = 'none', recorded, unit = deps.unit] = remembered?.split(' ') ?? [];
    const amount = state === 'none' ? undefined : Number(recorded);
    return { state: state as State, amount, unit, revision };
  };
}

const listKey = (part: number, { shop, name }: ImportDeps): RecordKey<'cursor'> => ({
  ...{ shop, kind: 'cursor', id: `import/${name}/list-${part}` },
});

/** To whom something was given under this name, or was about to be: what became of it, their own records say. */
async function readListed(deps: ImportDeps) {
  const ids = new Set<string>();
  for (let part = 0; ; part += 1) {
    const key = listKey(part, deps);
    const { remembered } = (await deps.ledger.readMany([key])).get(ledgerKeyText(key)) ?? {};
    if (remembered === undefined) return { ids, part };
    for (const id of remembered.split(' ')) ids.add(id);
  }
}

const LISTED = 1_000;

/** Before anything is given to them: the next time, the file may be another one. */
async function listRows(rows: readonly ImportRow[], deps: ImportDeps): Promise<void> {
  const { ids, part } = await readListed(deps);
  const fresh = rows.flatMap(({ id }) => (ids.has(id) ? [] : [id]));
  for (const [index, some] of [...batchesOf(fresh, LISTED)].entries()) {
    await keep(listKey(part + index, deps), some.join(' '), undefined, deps);
  }
}

function recordKey(id: string, { shop, name }: ImportDeps): RecordKey<'cursor'> {
  const hash = createHash('sha256').update(`${name}:${id}`).digest('hex').slice(0, 20);
  return { shop, kind: 'cursor', id: `import/${name}/${hash}` };
}

const KEPT_DAYS = 400;

/** Two processes cannot both go on with a row. */
async function record(row: ImportRow, state: State, deps: ImportDeps): Promise<void> {
  const remembered = `${state} ${row.amount} ${deps.unit}`;
  const revision = await keep(recordKey(row.id, deps), remembered, row.revision, deps);
  Object.assign(row, { state, revision });
}

async function keep(
  key: RecordKey<'cursor'>,
  remembered: string,
  revision: number | undefined,
  { ledger, now: clock }: ImportDeps,
): Promise<number> {
  const now = clock();
  const plain = { version: now.getTime(), uncertain: false, outcomes: [] };
  const entry = { ...plain, remembered, ...expiresAfter(KEPT_DAYS, now) };
  const written = await ledger.write(key, entry, revision);
  if (written.kind === 'conflict') throw new Problem('Another process runs the same import.');
  return written.revision;
}

/** Marks the customers who must be created; returns those who cannot be. Changes nothing. */
export async function checkRows(rows: readonly ImportRow[], deps: ImportDeps) {
  const faults: Fault[] = [];
  const { ids, isWhole } = await readMembers(rows, deps);
  const unknown = rows.filter(({ id }) => !ids.has(id));
  const there: ImportRow[] = [];
  const check = (some: typeof unknown, asks: boolean) =>
    atPace(some, { ...deps, pace: asks ? deps.readPace : UNPACED }, async (row) => {
      const state = asks ? await askFor(row, deps) : 'absent';
      if (state === 'there') return void there.push(row);
      const form = state === 'absent' ? await readForm(row.id, deps) : state.refusal;
      if (typeof form === 'string') faults.push({ line: row.line, what: form });
      else row.customer = 'new';
    });
  // A report that names none of these may name them otherwise: the answers for some of them tell.
  const tried = unknown.length === rows.length ? AT_ONCE : 0;
  await check(unknown.slice(0, tried), true);
  await check(unknown.slice(tried), !isWhole || there.length > 0);
  return faults;
}

const UNPACED = { window: AT_ONCE, before: () => 0 };

async function askFor({ id }: ImportRow, deps: ImportDeps) {
  const call = () => deps.loyalty.getCustomerPoints(id);
  const { outcome, why, result } = await settle('getCustomerPoints', call, deps);
  if (outcome.kind !== 'rejected') return 'there';
  if ('finding' in result && result.finding === 'customer-does-not-exist') return 'absent';
  return { refusal: `the loyalty service does not show the customer: ${why}` };
}

const MEMBERS_PER_PAGE = 500;
const REPORT_TIMEOUT_MS = 30_000;

/** Whole: it was read to its end. Who is not in it is then not asked for. */
async function readMembers(rows: readonly ImportRow[], deps: ImportDeps) {
  const ids = new Set<string>();
  let left = Math.floor(rows.length / AT_ONCE);
  for (const isEnrolled of [true, false]) {
    for (let pageNumber = 1, isLast = false; !isLast; pageNumber += 1, left -= 1) {
      // More pages would take longer than a question about each.
      if (left <= 0 || deps.signal.aborted) return { ids, isWhole: false };
      await deps.pause(deps.readPace.before(1, deps.now().getTime()));
      const query = { isEnrolled, pageNumber, pageSize: MEMBERS_PER_PAGE };
      const page = await deps.loyalty.listCustomersReport(query, { timeoutMs: REPORT_TIMEOUT_MS });
      if (!('value' in page)) return { ids, isWhole: false };
      for (const { OriginalId } of page.value.Items) if (OriginalId) ids.add(OriginalId);
      isLast = !page.value.HasNextPage;
    }
  }
  return { ids, isWhole: true };
}

/** The customer as the workers would send it, or why they would not. */
async function readForm(id: string, { shop, store, ledger, rules }: ImportDeps) {
  const read = await store.readMember(shop, id);
  if (read.kind === 'gone') return 'neither the loyalty service nor the store knows the customer';
  if (read.kind !== 'found') throw new Problem(`The store could not be read (${read.why}).`, LATER);
  const entry = await readEntry(ledger, { shop, kind: 'member', id });
  const isErased = predatesRedaction(entry, Date.parse(read.value.updatedAt));
  const mapped = mapMember(read.value, rules, { known: false, remembered: undefined });
  if (mapped.kind === 'wanted' && mapped.wanted.kind === 'member' && !isErased) {
    return mapped.wanted.member;
  }
  const why = SKIPS[mapped.kind === 'skip' ? mapped.why : 'redacted'];
  return `the loyalty service does not know the customer, who is not sent to it: ${why}`;
}

/** Reads the customer again, who may have been erased since the check. Returns why there is none. */
async function create(row: ImportRow, deps: ImportDeps): Promise<string | undefined> {
  const form = await readForm(row.id, deps);
  if (typeof form === 'string') return form;
  await deps.pause(deps.pace.before(1, deps.now().getTime()));
  const call = () => deps.loyalty.upsertCustomer(form);
  const { outcome, why } = await settle('upsertCustomer', call, deps);
  if (outcome.kind !== 'applied') return `the loyalty service does not take the customer: ${why}`;
  row.customer = 'created';
  return undefined;
}

/** As many at once as the rate allows in a second; not all when it is interrupted. */
async function atPace(
  rows: readonly ImportRow[],
  { pace, pause, signal, now, onProgress }: ImportDeps,
  act: (row: ImportRow) => Promise<void>,
): Promise<void> {
  let done = 0;
  for (const batch of batchesOf(rows, pace.window)) {
    await pause(pace.before(batch.length, now().getTime()));
    if (signal.aborted) return;
    const ended = await Promise.allSettled(batch.map(act));
    const failure = ended.find((one) => one.status === 'rejected');
    if (failure && !signal.aborted) throw failure.reason;
    done += batch.length;
    onProgress(done);
  }
}

const STATES = {
  give: { from: ['none', 'giving'], during: 'giving', after: 'given', refused: 'none' },
  take: { from: ['given', 'taking'], during: 'taking', after: 'taken', refused: 'given' },
} as const;

/** Gives what was not given, or takes back what was; returns what the service refused. */
export async function changeRows(
  direction: keyof typeof STATES,
  rows: readonly ImportRow[],
  deps: ImportDeps,
): Promise<readonly Fault[]> {
  const { loyalty, name, unit } = deps;
  const { from, during, after, refused } = STATES[direction];
  const isGift = direction === 'give';
  // Whether a row that was being given was given, only its key tells.
  const begun = isGift ? [] : rows.filter(({ state }) => state === 'giving');
  const faults = begun.length > 0 ? [...(await changeRows('give', begun, deps))] : [];
  const due = rows.filter(({ state }) => from.some((one) => one === state));
  if (isGift) await listRows(due, deps);
  await atPace(due, deps, async (row) => {
    const { id, line, reason } = row;
    // Not marked before: after a kill the next run must check the row again.
    const wrong = row.customer === 'new' ? await create(row, deps) : undefined;
    if (wrong !== undefined) return void faults.push({ line, what: wrong });
    const wasBegun = row.state === during;
    if (!wasBegun) await record(row, during, deps);
    const amount = isGift ? row.amount : -row.amount;
    const body = {
      OperationType: isGift ? 0 : 1,
      Reason: reason || `Import ${name}${isGift ? '' : ', taken back'}`,
      ChangeKey: `import:${name}:${id}${isGift ? '' : ':undo'}`,
    } as const;
    const operation = unit === 'points' ? 'changePoints' : 'changeCashback';
    const call = () =>
      unit === 'points'
        ? loyalty.changePoints(id, { ...body, Points: amount })
        : loyalty.changeCashback(id, { ...body, Value: amount / 100 });
    const { outcome, isRepeated, why } = await settle(operation, call, deps);
    if (outcome.kind === 'applied') return record(row, after, deps);
    faults.push({ line, what: why });
    // Of a call before it, which may have been carried out, a refusal says nothing.
    return wasBegun || isRepeated ? undefined : record(row, refused, deps);
  });
  return faults;
}

const MOST_TRIES = 5;
const LATER = 'Repeat the command later: it goes on where it is.';

/** Repeats a call without a usable answer, which its key makes harmless. A used key counts as applied. */
async function settle(
  operation: OperationId,
  call: () => Promise<LoyaltyResult<unknown>>,
  { pause, signal }: ImportDeps,
) {
  let isRepeated = false;
  for (let tries = 1; ; tries += 1) {
    const result = await call();
    const { outcome, mayHaveHappened } = judge([operation], result);
    const why = answerText(result);
    if (outcome.kind !== 'retry') return { outcome, isRepeated, why, result };
    if (outcome.misconfigured || tries === MOST_TRIES || signal.aborted) {
      throw new Problem(`The loyalty service gives no usable answer: ${why}.`, LATER);
    }
    isRepeated ||= mayHaveHappened;
    await pause(Math.max(outcome.afterSeconds ?? 0, 2 ** tries) * 1_000);
  }
}
