import { readWholeLedger } from '../../../shared/aws/read-ledger.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { type EventKind, isStoreEvent } from '../../../shared/core/events/event.ts';
import { followMerges, mergedInto } from '../../../shared/core/ledger/entry.ts';
import type { LedgerEntry } from '../../../shared/core/ledger/ledger.ts';
import { customersIn } from '../../../shared/core/mapping/customer-form.ts';
import { customerIn, orderMemory } from '../../../shared/core/mapping/wanted-state.ts';
import type { Held } from '../../../shared/core/reconcile/compare-sides.ts';
import type { StoreAnswer } from '../../../shared/core/store/store.ts';
import { codeOwner } from '../../../shared/rewards/redeem/worker-moments.ts';
import type { StoreMember } from '../../../shared/store/store-entities.ts';
import { readWaiting, type WaitingInShop } from '../ground/checks/waiting-messages.ts';
import { customerWith, findEntity, ordersOf } from '../ground/compare/find.ts';
import { askService } from '../ground/compare/sides.ts';
import {
  openLetterQueues,
  type ReadLetter,
  surveyLetters,
} from '../ground/letters/read-letters.ts';
import { letterReaderOf } from '../ground/letters/replay-letters.ts';
import { type Deployment, openLedger, openLists } from '../ground/session/deployment.ts';
import { familiesOf, readQueues } from '../ground/session/queues.ts';
import { openShopServices } from '../ground/session/services.ts';
import type { Session } from '../ground/session/session.ts';
import { Problem } from '../ground/terminal/exit.ts';

/** Whose data is meant: a customer's, or everybody's of a shop. */
export interface Subject {
  readonly shop: Shop;
  /** The customer whom the store has now; undefined: everybody. */
  readonly id: string | undefined;
  /** What names the person where no id does: e-mail addresses, telephone numbers and documents. */
  readonly contacts: readonly string[];
  /** Their orders, as far as they were found before. */
  readonly orders: readonly string[];
}

interface KeptItem {
  readonly kind: string;
  readonly id: string;
  readonly owner: string;
  /** Of a shop without what it remembers: a shop has millions. */
  readonly entry: Omit<LedgerEntry, 'outcomes'>;
  /** It says more of the person than their number. */
  readonly isPersonal: boolean;
}

export interface Kept extends Subject {
  /** Of the customer, and of those whom the store merged into them; of a shop, of all. */
  readonly ids: ReadonlySet<string>;
  readonly items: readonly KeptItem[];
  readonly letters: readonly ReadLetter[];
  /** Undefined: the search was interrupted. */
  readonly lettersNotSeen: number | undefined;
  /** In the hands of others when the search began, of a killed run for example. */
  readonly lettersHeld: number;
  readonly waits: readonly WaitingInShop[];
  /** Messages of anybody, which cannot be read without receiving them. */
  readonly unread: number;
  /** Undefined for a whole shop, as `service`. */
  readonly store: StoreAnswer<StoreMember> | undefined;
  readonly service: Held | undefined;
}

/** `typed`: an id or an e-mail address. Whom the store has erased, the loyalty service may still know by theirs. */
export async function findSubject(
  deployment: Deployment,
  shop: Shop,
  typed: string,
): Promise<Subject> {
  const searched = { services: openShopServices(deployment), shop };
  const isGone = typed.includes('@') && (await customerWith(typed, searched)).length === 0;
  const read = isGone ? await searched.services.loyalty(shop).getCustomer(typed) : undefined;
  const known = read && 'value' in read ? read.value?.OriginalId : undefined;
  if (isGone && (!known || known.includes('@'))) {
    throw new Problem(
      'Neither the store nor the loyalty service has a customer with this e-mail address.',
      'If the store has erased them, give the number that they had there: the request has it.',
    );
  }
  const [hit] = await findEntity('member', known ?? typed, searched);
  const customer = { shop: shop.domain, id: hit.id };
  const id = await followMerges(customer, openLedger(deployment));
  return { shop, id, contacts: typed.includes('@') ? [typed] : [], orders: [] };
}

/** Reads the whole ledger and receives every dead letter once, because no index knows people. Changes nothing. */
export async function findKept(
  session: Session,
  deployment: Deployment,
  subject: Subject,
): Promise<Kept> {
  const { shop, id } = subject;
  const signal = session.interruption();
  const services = openShopServices(deployment);
  const isOne = id !== undefined;
  const [found, store, service, bought, waits, queues] = await Promise.all([
    findItems(session, deployment, subject),
    isOne ? services.store.readMember(shop.domain, id) : undefined,
    isOne
      ? askService(services.loyalty(shop), { shop: shop.domain, kind: 'member', id })
      : undefined,
    isOne ? ordersOf(id, { services, shop }) : [],
    readWaiting(deployment, [shop.domain], new Date()),
    readQueues(deployment),
  ]);
  const { ids, items } = found;
  const orderIds = new Set([
    ...subject.orders,
    ...items.flatMap((one) => (one.kind === 'order' ? [one.id] : [])),
    ...bought.map((one) => one.id),
  ]);
  const contacts = contactsIn(subject, items, store, service);
  const isTheirs = (kind: EventKind, entity: string) =>
    PERSONAL.has(kind) && (!isOne || (kind === 'order' ? orderIds : ids).has(entity));
  const isAbout = letterTest(deployment, { ...subject, contacts }, ids, isTheirs);
  const letters: ReadLetter[] = [];
  const letterQueues = openLetterQueues(deployment, familiesOf(deployment.connector));
  const counts = await Promise.all(letterQueues.map((queue) => queue.counts()));
  const lettersHeld = counts.reduce((sum, { inFlight }) => sum + inFlight, 0);
  const progress = session.terminal.progress('Reading dead letters:');
  const { notSeen: lettersNotSeen } = await surveyLetters({
    queues: letterQueues,
    signal,
    onProgress: (seen, total) => progress.report(seen, `of about ${total}`),
    onLetters: (some) => void letters.push(...some.filter(isAbout)),
  });
  const unread = queues.reduce((sum, one) => sum + one.waiting, 0);
  const own = waits.filter(({ about }) => isTheirs(about.kind, about.id));
  return {
    ...{ ...subject, ids, items, contacts, letters, lettersNotSeen, lettersHeld },
    ...{ waits: own, unread, store, service, orders: [...orderIds] },
  };
}

/** Events about people. Of the others, only a code may name some: whose it is. */
const PERSONAL: ReadonlySet<EventKind> = new Set([
  ...(['order', 'customer', 'member', 'balance', 'redemption', 'point-event'] as const),
]);

/** What redactions leave in the ledger says no more than a number. */
const ERASED: ReadonlySet<string> = new Set(['order', 'member', 'customer', 'redemption']);

/** All of the shop's, or of the customer and those who were merged into them: found when a scan has seen whom. */
async function findItems(
  session: Session,
  deployment: Deployment,
  { shop, id }: Subject,
): Promise<Pick<Kept, 'ids' | 'items'>> {
  const ids = new Set(id === undefined ? [] : [id]);
  const progress = session.terminal.progress('Reading the ledger:');
  for (let seen = 0; ; ) {
    const known = ids.size;
    const items: KeptItem[] = [];
    for await (const page of readWholeLedger(openLists(deployment))) {
      for (const [key, entry] of page) {
        const [kind = '', domain, ...rest] = key.split('|');
        const item = rest.join('|');
        const owner = domain === shop.domain ? ownerOf(kind, item, entry) : undefined;
        if (owner === undefined) continue;
        const isTheirs = id === undefined || ids.has(owner);
        if (isTheirs || (kind === 'customer' && ids.has(mergedInto(entry) ?? ''))) ids.add(owner);
        if (!isTheirs) continue;
        const { outcomes: _, remembered, ...bare } = entry;
        const kept = id === undefined || remembered === undefined ? bare : { ...bare, remembered };
        const isPersonal = ERASED.has(kind) && remembered !== undefined;
        items.push({ kind, id: item, owner, entry: kept, isPersonal });
      }
      seen += page.length;
      progress.report(seen);
    }
    if (id !== undefined && ids.size > known) continue;
    return { ids, items };
  }
}

/** The number of the customer whom an item is about; undefined of what is about none. */
function ownerOf(kind: string, id: string, entry: LedgerEntry): string | undefined {
  switch (kind) {
    case 'order':
      return customerIn(entry);
    case 'member':
    case 'customer':
    case 'redemption':
      return id;
    case 'reward-code':
      return codeOwner(entry);
    case 'notice':
      return /^customer (\S+) /.exec(entry.outcomes.at(-1)?.why ?? '')?.[1];
    default:
      return undefined;
  }
}

function contactsIn(
  { contacts }: Subject,
  items: readonly KeptItem[],
  store: Kept['store'],
  service: Held | undefined,
): readonly string[] {
  const orders = items.map(({ kind, entry }) =>
    kind === 'order' ? orderMemory.read(entry.remembered)?.customer : undefined,
  );
  const held = service?.kind === 'customer' ? service.customer : undefined;
  const forms = [...orders, held].flatMap((form) => [form?.Email, form?.Phone, form?.Document]);
  const { email, phone } = store?.kind === 'found' ? store.value : {};
  const known = [...contacts, ...forms, email, phone].flatMap((one) => one ?? []);
  return [...new Set(known)];
}

/** Whether a dead letter is about the subject: by its event, the customer in its body, or how they can be reached. */
function letterTest(
  deployment: Deployment,
  { shop, id, contacts }: Subject,
  ids: ReadonlySet<string>,
  isTheirs: (kind: EventKind, id: string) => boolean,
): (letter: ReadLetter) => boolean {
  const { read } = letterReaderOf(deployment.connector.shops);
  const patterns = contacts.flatMap(patternOf);
  const namesThem = (text: string) => patterns.some((one) => one.test(plainText(text)));
  return ({ event, body }) => {
    if (!event) return (id === undefined && body.includes(shop.domain)) || namesThem(body);
    if (event.shop !== shop.domain) return false;
    if (isTheirs(event.kind, event.id)) return true;
    if ('customerId' in event) return ids.has(event.customerId);
    const bytes = 'body' in event ? event.body : undefined;
    if (!bytes) return false;
    const reading = isStoreEvent(event) ? read(event) : undefined;
    const customers = reading?.kind === 'snapshot' ? customersIn(reading.entity) : [];
    if (customers.length > 0) return customers.some((one) => id === undefined || ids.has(one.id));
    return namesThem(new TextDecoder().decode(bytes));
  };
}

/** JSON may write any letter as its number. */
function plainText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

const SIGNS = /[\\^$.*+?()[\]{}|]/g;
const FEWEST_DIGITS = 7;

/** Whole, in any case; a number in any notation of its digits. A shorter number stands in any text by chance. */
function patternOf(contact: string): readonly RegExp[] {
  const digits = contact.replace(/\D/g, '');
  if (/[\p{L}@]/u.test(contact)) {
    return [new RegExp(`(?<![\\w.+-])${contact.replace(SIGNS, '\\$&')}(?![\\w-]|\\.\\w)`, 'i')];
  }
  if (digits.length < FEWEST_DIGITS) return [];
  return [new RegExp(`(?<!\\d)${[...digits].join('[ ()./-]{0,2}')}(?!\\d)`)];
}
