import type { EventQueue } from '../../core/events/event.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import { isLastPage } from '../../loyalty/operations.ts';
import type { LoyaltyResult } from '../../loyalty/result.ts';
import { isStoreId } from '../balances/point-balance.ts';
import { advance, type ClosedAs, isOpen, type Redemption } from './redemption.ts';
import {
  applyStep,
  type Customer,
  findRedemption,
  type KeptRedemption,
  openRedemptions,
  type RedemptionsDeps,
  readKept,
} from './redemption-record.ts';
import { answerStep } from './resume-redemption.ts';

interface RecoverDeps extends RedemptionsDeps {
  readonly loyalty: Pick<
    LoyaltyClient,
    'listCustomersReport' | 'listPointsHistory' | 'updateRewardMetadata'
  >;
  readonly queue: EventQueue;
  /** Between two calls: the service's limit is not documented, and the workers come first. */
  readonly pause: () => Promise<void>;
  readonly signal: AbortSignal;
}

export interface Recovered {
  /** Customers whose history was read. */
  readonly customers: number;
  /** Redemptions that the ledger did not know. */
  readonly found: number;
  /** Why some could not be read, by customer. */
  readonly unread: readonly { readonly customerId: string; readonly why: string }[];
  /** Why not all customers could be listed; absent when they were. */
  readonly stopped?: string;
}

/** The service's maximum is 500; each customer comes with a history. */
const CUSTOMERS_PER_PAGE = 100;
const ITEMS_PER_PAGE = 50;
/** A report takes longer than the call for one customer. */
const REPORT_TIMEOUT_MS = 30_000;

/**
 * Finds the redemptions since then that a lost or restored ledger does not know, in the history of every customer whose
 * points moved since. The worker finishes them: it makes the code, or finds it in the store. May be repeated.
 */
export async function recoverRedemptions(
  shop: string,
  since: Date,
  deps: RecoverDeps,
  onProgress: (recovered: Recovered) => void = () => {},
): Promise<Recovered> {
  let recovered: Recovered = { customers: 0, found: 0, unread: [] };
  const { loyalty, signal, pause } = deps;
  // Points that move meanwhile would shift the pages. The ledger knows what they are spent on.
  const moved = { pointDateFrom: since.toISOString(), pointDateTo: deps.now().toISOString() };
  for (const isEnrolled of [true, false]) {
    for (let pageNumber = 1, isLast = false; !isLast && !signal.aborted; pageNumber += 1) {
      const pageSize = CUSTOMERS_PER_PAGE;
      const query = { isEnrolled, pageNumber, pageSize, ...moved };
      const options = { timeoutMs: REPORT_TIMEOUT_MS, signal };
      const result = await loyalty.listCustomersReport(query, options);
      if (!('value' in result)) return { ...recovered, stopped: result.message };
      const page = result.value;
      for (const { OriginalId: customerId } of page.Items) {
        if (typeof customerId !== 'string' || !isStoreId(customerId) || signal.aborted) continue;
        const { customers, found, unread } = recovered;
        const one = await recoverCustomer({ shop, customerId }, since, deps);
        recovered = {
          customers: customers + 1,
          found: found + one.found,
          unread: one.why === undefined ? unread : [...unread, { customerId, why: one.why }],
        };
        onProgress(recovered);
      }
      isLast = isLastPage(page, pageNumber * pageSize);
      await pause();
    }
  }
  return recovered;
}

/** Has the worker continue what the ledger holds as unfinished. */
export async function resumeRedemptions(
  customer: Customer,
  deps: RedemptionsDeps & { readonly queue: EventQueue },
): Promise<number> {
  const { redemptions } = await openRedemptions(customer, deps).read();
  const open = redemptions.filter(({ state }) => isOpen(state));
  for (const { id } of open) await sendRedemption(customer, id, deps);
  return open.length;
}

async function recoverCustomer(
  customer: Customer,
  since: Date,
  deps: RecoverDeps,
): Promise<{ readonly found: number; readonly why?: string }> {
  let found = 0;
  try {
    const record = openRedemptions(customer, deps);
    const known = new Set((await record.read()).redemptions.map(({ id }) => id));
    for (const { kept, at } of await readHistory(customer, since, deps)) {
      if (known.has(kept.id)) continue;
      const redemption = await lookUp(kept, at, deps);
      await record.change((read) => {
        const others = read.redemptions.filter(({ id }) => id !== kept.id);
        const redemptions = [...others, redemption].toSorted((one, other) =>
          one.intendedAt < other.intendedAt ? -1 : 1,
        );
        const line = { id: kept.id, outcome: 'recovered' };
        return { record: { ...read, redemptions }, line, value: undefined };
      });
      await sendRedemption(customer, kept.id, deps);
      found += 1;
    }
    return { found };
  } catch (error) {
    if (error instanceof Unanswered) return { found, why: error.message };
    throw error;
  }
}

/** In which order the service lists them is not documented. */
async function readHistory(
  { shop, customerId }: Customer,
  since: Date,
  { loyalty, pause, signal }: RecoverDeps,
): Promise<readonly { readonly kept: KeptRedemption; readonly at: Date }[]> {
  const found: { readonly kept: KeptRedemption; readonly at: Date }[] = [];
  for (let PageNumber = 1; ; PageNumber += 1) {
    await pause();
    const query = { PageNumber, PageSize: ITEMS_PER_PAGE };
    const page = answered(await loyalty.listPointsHistory(customerId, query, { signal }));
    for (const { Date: date, IsCanceled, Metadatas } of page.Items) {
      const kept = IsCanceled === true ? undefined : readKept(shop, Metadatas);
      const at = new Date(date ?? Number.NaN);
      if (kept && at >= since) found.push({ kept, at });
    }
    if (isLastPage(page, PageNumber * ITEMS_PER_PAGE)) return found;
  }
}

/** By its key: the history does not say its id and code in the service. */
async function lookUp(
  { id, key, rewardId, terms }: KeptRedemption,
  at: Date,
  { loyalty, pause, now, signal }: RecoverDeps,
): Promise<Redemption> {
  await pause();
  const update = { OriginalKey: key, Metadatas: [] };
  const result = await loyalty.updateRewardMetadata(update, { signal });
  answered(result);
  const moment = at.toISOString();
  const since = now().toISOString();
  const intended = { id, rewardId, clientKeys: [], terms, intendedAt: moment, since } as const;
  const { redeemedRewardId, code } = answerStep(result, intended, at);
  const called = { redeemedRewardId, calledAt: moment };
  return {
    ...intended,
    // What the ledger has forgotten may have been given: the store is asked before it gives again.
    tried: true,
    state: code ? { at: 'redeemed', code, ...called } : { at: 'crediting', attempts: 1, ...called },
  };
}

class Unanswered extends Error {}

function answered<Value>(result: LoyaltyResult<Value>): Value {
  if ('value' in result) return result.value;
  throw new Unanswered(result.message);
}

export type Closing =
  | { readonly kind: 'closed' | 'not-allowed'; readonly redemption: Redemption }
  | { readonly kind: 'not-found' };

/** What closing would do, without doing it. */
export function previewClosing(
  redemption: Redemption | undefined,
  as: ClosedAs,
  now: Date,
): Closing {
  if (!redemption) return { kind: 'not-found' };
  // Repeated after a failure, it sends the message that may be missing.
  const closed =
    redemption.state.at === as ? redemption : advance(redemption, { kind: 'close', as }, now);
  return closed ? { kind: 'closed', redemption: closed } : { kind: 'not-allowed', redemption };
}

/** Closes a redemption that needs a person. The worker deletes its code, if the store has one. */
export async function closeRedemption(
  customer: Customer,
  id: string,
  as: ClosedAs,
  deps: RedemptionsDeps & { readonly queue: EventQueue },
): Promise<Closing> {
  const record = openRedemptions(customer, deps);
  const preview = previewClosing(findRedemption(await record.read(), id), as, deps.now());
  if (preview.kind !== 'closed') return preview;
  const closed = await applyStep(record, id, { kind: 'close', as });
  if (!closed) return { kind: 'not-found' };
  if (closed.state.at !== as) return { kind: 'not-allowed', redemption: closed };
  await sendRedemption(customer, id, deps);
  return { kind: 'closed', redemption: closed };
}

/** Has the worker continue it: its first message may be settled long ago. */
async function sendRedemption(
  customer: Customer,
  id: string,
  { queue, now }: { readonly queue: EventQueue; readonly now: () => Date },
): Promise<void> {
  const receivedAt = now().toISOString();
  const deliveryId = `operator/${id}/${receivedAt}`;
  const names = { kind: 'redemption', topic: 'operator', deliveryId } as const;
  await queue.send({ ...customer, ...names, id, receivedAt });
}
