import type { ConcludeDeps } from '../../core/batch/delay-or-park.ts';
import { type Group, settleEach } from '../../core/batch/run-batch.ts';
import { ask, type CircuitBreaker } from '../../core/calls/call-loyalty.ts';
import type { EventQueue, PointEvent } from '../../core/events/event.ts';
import {
  isRetryWindowOver,
  type Outcome,
  type RetryReason,
  type RetryWindows,
  unreadable,
} from '../../core/events/outcome.ts';
import { retryStore, type StoreAnswer } from '../../core/store/store.ts';
import type { LoyaltyClient } from '../../loyalty/client.ts';
import { isObject } from '../../loyalty/operations.ts';
import { plainDocument } from '../../loyalty/read-point-event.ts';
import { isStoreId, type Person, readSaid } from './point-balance.ts';
import { SHOP_UNKNOWN } from './settle-balances.ts';

/** Asks the store for the id of the customer with exactly this e-mail address. */
export interface CustomerSearch {
  findCustomer(shop: string, email: string): Promise<StoreAnswer<string>>;
}

export interface FindingShop {
  readonly loyalty: Pick<LoyaltyClient, 'getCustomer' | 'listCustomersReport'>;
  readonly breaker: CircuitBreaker;
}

export interface FindDeps extends ConcludeDeps {
  /** By domain. */
  readonly shops: ReadonlyMap<string, FindingShop>;
  readonly customers: CustomerSearch;
  readonly queue: EventQueue;
  readonly customerIdIn: string;
  readonly deadline: AbortSignal;
  readonly pauses: RetryWindows;
}

/** An hour: the store may make the account a moment after the points. */
const SEARCHED_DAYS = 1 / 24;

/**
 * Read → find the customer → ask for their balance to be read, in that customer's own group.
 */
export function settlePointEvent(group: Group, deps: FindDeps): Promise<RetryReason | undefined> {
  return settleEach(
    group,
    ({ event }) => {
      if (event?.kind === 'point-event') return passOn(event, deps);
      throw new Error(`a group of point events has another event: ${event?.kind}`);
    },
    deps,
  );
}

async function passOn(event: PointEvent, deps: FindDeps): Promise<Outcome> {
  const { shop, receivedAt, replays, body } = event;
  const source = deps.shops.get(shop);
  if (!source) return unreadable(SHOP_UNKNOWN);
  const read = readSaid(body, deps.customerIdIn);
  if (read.kind === 'unreadable') return unreadable(read.why);
  const id =
    read.kind === 'of-customer'
      ? read.customerId
      : await findCustomer(read.person, { ...deps, ...source, shop });
  if (id === undefined) return notFound(event, deps);
  if (typeof id !== 'string') return id;
  const balance = { kind: 'balance', shop, id, receivedAt, ...read.said } as const;
  await deps.queue.send(replays ? { ...balance, replays } : balance);
  return { kind: 'handled', how: 'customer-found' };
}

type Retry = Extract<Outcome, { kind: 'retry' }>;
type Searching = FindDeps & FindingShop & { readonly shop: string };

/** The id in the store; undefined when nothing names one; a retry when it cannot be asked now. */
async function findCustomer(person: Person, deps: Searching): Promise<string | undefined | Retry> {
  const emails = new Set(person.email === undefined ? [] : [person.email]);
  for (const lookUp of lookUpsOf(person, deps)) {
    const called = await lookUp();
    if ('kind' in called) return called;
    const [found, ...others] = called.filter((one) => isSamePerson(one, person));
    // Nobody can say which of them the event is about.
    if (others.length > 0) continue;
    const { OriginalId, Email } = found ?? {};
    if (typeof OriginalId === 'string' && isStoreId(OriginalId) && !isDocument(OriginalId, found)) {
      return OriginalId;
    }
    if (typeof Email === 'string') emails.add(Email);
  }
  for (const email of emails) {
    const answer = await deps.customers.findCustomer(deps.shop, email);
    if (answer.kind === 'unavailable') return retryStore(answer);
    if (answer.kind === 'found') return answer.value;
  }
  return undefined;
}

/** Not checked: the client checks the containers of an answer, not every field in them. */
type ServiceCustomer = Partial<Record<'OriginalId' | 'Email' | 'Document', unknown>>;

/** The path of a customer takes an e-mail address; only the report is documented to take a document. */
function lookUpsOf({ email, document }: Person, deps: Searching) {
  const byEmail = async (id: string) => {
    const asked = await ask('getCustomer', [id], deps);
    return asked.kind === 'asked' ? [asked.value ?? {}] : asked;
  };
  const byDocument = async (query: { document: string; isEnrolled: boolean }) => {
    const asked = await ask('listCustomersReport', [query], deps);
    return asked.kind === 'asked' ? (asked.value?.Items ?? []).filter(isObject) : asked;
  };
  const all: (() => Promise<readonly ServiceCustomer[] | Retry>)[] = [];
  if (email !== undefined) all.push(() => byEmail(email));
  // As the service wrote it, which is how it may compare; then as its other operations take it.
  for (const form of new Set([document, plainDocument(document)])) {
    if (form === undefined) continue;
    for (const isEnrolled of [true, false]) {
      all.push(() => byDocument({ document: form, isEnrolled }));
    }
  }
  return all;
}

/** A service that ignored the question must not give one customer's balance to another. */
function isSamePerson({ Email, Document }: ServiceCustomer, { email, document }: Person): boolean {
  const hasEmail = typeof Email === 'string' && Email.toLowerCase() === email?.toLowerCase();
  const plain = plainDocument(document);
  const held = typeof Document === 'string' ? plainDocument(Document) : undefined;
  // Another member may have the same e-mail address.
  if (plain !== undefined && held !== undefined) return held === plain;
  return hasEmail;
}

/** Depending on the platform, the service's id is the document, which is no id of the store. */
function isDocument(id: string, found: ServiceCustomer | undefined): boolean {
  const { Document } = found ?? {};
  return typeof Document === 'string' && plainDocument(Document) === plainDocument(id);
}

function notFound(event: PointEvent, { now, pauses }: FindDeps): Outcome {
  if (!isRetryWindowOver(event, SEARCHED_DAYS, now(), pauses)) {
    return { kind: 'retry', why: 'customer-not-found' };
  }
  const why =
    'neither the loyalty service nor the store names a customer of the store for its e-mail or document';
  return { kind: 'rejected', reason: 'unmappable', why };
}
