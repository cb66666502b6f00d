import type { Shop } from '../../../../shared/config/connector-config.ts';
import { readControl, type ShopControl } from '../../../../shared/core/calls/shop-pause.ts';
import type { EntityKey } from '../../../../shared/core/events/event.ts';
import type { MappingSkip } from '../../../../shared/core/events/outcome.ts';
import { isKnown } from '../../../../shared/core/ledger/entry.ts';
import {
  type EntityEntry,
  fromThousandths,
  readEntry,
} from '../../../../shared/core/ledger/ledger.ts';
import { mapSnapshot } from '../../../../shared/core/mapping/map-snapshot.ts';
import { faultText, type Mapped } from '../../../../shared/core/mapping/wanted-state.ts';
import {
  type Compared,
  type Sides as ComparedSides,
  compareSides,
  type Figures,
  type Finding,
  type Held,
  isApplied,
} from '../../../../shared/core/reconcile/compare-sides.ts';
import type {
  OrderQuestion,
  StoreAnswer,
  StoreEntity,
} from '../../../../shared/core/store/store.ts';
import { askStore, versionOf } from '../../../../shared/core/store/store.ts';
import type { HeldOrder } from '../../../../shared/core/sync/dependencies.ts';
import { chooseCopy, isSameOrder, otherIds } from '../../../../shared/core/sync/held-order.ts';
import { otherSpelling } from '../../../../shared/core/sync/read-snapshot.ts';
import type { LoyaltyClient } from '../../../../shared/loyalty/client.ts';
import { HEALING } from '../../../../shared/services/platforms.ts';
import { workerRewards } from '../../../../shared/services/rewards.ts';
import { minorDigits } from '../../../../shared/store/money.ts';
import type { StoreOrder } from '../../../../shared/store/store-entities.ts';
import { type Deployment, openLedger, rulesOf } from '../session/deployment.ts';
import type { ShopServices } from '../session/services.ts';
import { right, type TableBlock, table, type Verdict } from '../terminal/document.ts';
import { utcText } from '../terminal/text.ts';

export interface Sides extends ComparedSides {
  readonly key: EntityKey;
  readonly store: StoreAnswer<StoreEntity>;
  /** Of an order: every id under which the service has it, first the one that `held` is. */
  readonly copies: readonly HeldCopy[];
  /** Nothing is sent for its shop before `go-live`. */
  readonly isObserved: boolean;
}

interface HeldCopy {
  readonly id: string;
  readonly order: HeldOrder;
}

export const orderIn = (store: StoreAnswer<StoreEntity>): StoreOrder | undefined =>
  store.kind === 'found' && store.value.kind === 'order' ? store.value.order : undefined;

export async function readSides(
  deployment: Deployment,
  services: ShopServices,
  shop: Shop,
  key: EntityKey,
  { newRules = false, planned }: SidesOptions = {},
): Promise<Sides> {
  const ledger = openLedger(deployment);
  const [entry, store, control] = await Promise.all([
    readEntry(ledger, key),
    readStore(deployment, services, key, 'if-changed'),
    readControl(ledger, key.shop),
  ]);
  const isObserved = shop.mode === 'observe' || control.observing !== undefined;
  const { until = 0 } = control.takeover ?? {};
  const mayBeElsewhere = Date.now() < until || (until > 0 && !isKnown(entry));
  const order = orderIn(store);
  const asked = { key, entry, order: isObserved || mayBeElsewhere ? order : undefined };
  const found = await askUnderAllIds(services.loyalty(shop), asked, shop.otherOrderIds);
  const rules = await rulesOf(shop, ledger, planned ?? control);
  // What another integration sent is compared by amount, too, however old it is.
  const always = { ...rules, goLive: undefined };
  const isTheirs = isObserved && found.copies.length > 0;
  const mapped = mapNow(key, store, entry, isTheirs ? always : rules, newRules);
  const { assumptions } = deployment.connector.loyalty;
  const isDated = !HEALING[shop.platform].versionsAreReadings.includes(key.kind);
  const changedAt = store.kind === 'found' && isDated ? versionOf(store.value) : undefined;
  const known = { key, entry, store, changedAt, mapped, isObserved };
  return { ...known, ...found, doubt: control.doubt, assumptions };
}

interface SidesOptions {
  readonly newRules?: boolean;
  /** What the shop's control record would be after a command. */
  readonly planned?: ShopControl | undefined;
}

/** As the service is to be given it. */
export async function readStore(
  deployment: Deployment,
  services: ShopServices,
  key: EntityKey,
  book: NonNullable<OrderQuestion['book']>,
): Promise<StoreAnswer<StoreEntity>> {
  const read = await askStore(services.store, key, { book });
  const rewards = workerRewards(deployment.connector);
  if (read.kind !== 'found' || !rewards) return read;
  const value = await rewards.orderAsSent(key.shop, read.value, openLedger(deployment));
  return { ...read, value };
}

interface AskedEntity extends Pick<Sides, 'key' | 'entry'> {
  /** Of an order that another integration may have sent. */
  readonly order: StoreOrder | undefined;
}

/** By the id that it is known under; after another integration, also by those that it may have used. */
async function askUnderAllIds(
  loyalty: LoyaltyClient,
  { key, entry, order }: AskedEntity,
  forms: Shop['otherOrderIds'],
): Promise<Pick<Sides, 'held' | 'copies'>> {
  const heldAs = entry?.service?.id ?? key.id;
  const ids = new Set([heldAs, ...(order ? [key.id, ...otherIds(order, forms)] : [])]);
  const copies: HeldCopy[] = [];
  let first: Held | undefined;
  for (const id of ids) {
    const answer = await askService(loyalty, { ...key, id });
    if (answer.kind === 'unknown') return { held: answer, copies: [] };
    first ??= answer;
    if (answer.kind !== 'order') continue;
    const isOwn = id === heldAs || id === key.id;
    if (isOwn || !order || isSameOrder(answer.order, order))
      copies.push({ id, order: answer.order });
  }
  const best = chooseCopy(copies, isKnown(entry) ? heldAs : undefined);
  if (!best) return { held: first ?? { kind: 'absent' }, copies };
  const others = copies.filter((one) => one !== best);
  return { held: { kind: 'order', order: best.order }, copies: [best, ...others] };
}

/** The codes by which the service says that it does not have it. */
const NOT_FOUND = { order: 37, coupon: 57, customer: 59 } as const;

export async function askService(loyalty: LoyaltyClient, { kind, id }: EntityKey): Promise<Held> {
  switch (kind) {
    case 'order':
      return heldIn(await loyalty.getOrder(id), NOT_FOUND.order, (order) => ({ kind, order }));
    case 'coupon':
      return heldIn(await loyalty.getCoupon(id), NOT_FOUND.coupon, ({ Items: [coupon] }) =>
        coupon ? { kind, coupon } : { kind: 'absent' },
      );
    case 'member':
      return heldIn(await loyalty.getCustomer(id), NOT_FOUND.customer, (customer) => ({
        ...{ kind: 'customer', customer },
      }));
    case 'product':
      return { kind: 'cannot-be-read' };
  }
}

type Result = Awaited<ReturnType<LoyaltyClient['getOrder' | 'getCoupon' | 'getCustomer']>>;

export function heldIn<Answer extends Result>(
  result: Answer,
  notFound: number,
  found: (value: Extract<Answer, { value: unknown }>['value']) => Held,
): Held {
  if (result.kind === 'business-error' || result.kind === 'transport-failure') {
    const isAbsent =
      result.kind === 'business-error' ? result.code === notFound : result.reason === 'not-found';
    const isRefused = result.class === 'misconfigured';
    return isAbsent ? { kind: 'absent' } : { kind: 'unknown', why: result.message, isRefused };
  }
  return found(result.value);
}

function mapNow(
  key: EntityKey,
  store: StoreAnswer<StoreEntity>,
  entry: EntityEntry | undefined,
  rules: Shop['rules'],
  newRules: boolean,
): Mapped | undefined {
  // An entity that neither side knows may never have existed.
  if (store.kind === 'unavailable' || (store.kind === 'gone' && !entry)) return undefined;
  const now = new Date();
  // Under another spelling the store has it as another code, if the ledger knows this one.
  const isOther = store.kind === 'found' && entry && otherSpelling(key, store.value) !== undefined;
  const found = store.kind === 'found' && !isOther ? store.value : undefined;
  const entity = found ?? ({ kind: 'gone' } as const);
  const version = found ? versionOf(found) : now.getTime();
  const snapshot = { kind: 'snapshot', entity, version, source: 'store', newRules } as const;
  return mapSnapshot(key, snapshot, entry, rules, now);
}

export interface JudgedSides extends Verdict, Compared {
  readonly isApplied: boolean;
  readonly rows: readonly Row[];
}

type Row = Readonly<Record<'field' | 'store' | 'ledger' | 'service', string>> & {
  readonly differs: boolean;
  readonly detail?: string;
};

export function judgeSides(sides: Sides): JudgedSides {
  const compared = compareSides(sides);
  const judged = { ...compared, isApplied: isApplied(compared), rows: rowsOf(sides, compared) };
  const [kind, words] = FINDINGS[compared.finding];
  return { ...judged, kind, what: typeof words === 'string' ? words : words(sides, judged) };
}

type InWords = (sides: Sides, judged: Omit<JudgedSides, keyof Verdict>) => string;

export const REFUSED = 'The loyalty service refuses the credentials, the account or the address';
export const CALL_UNKNOWN = 'The result of a call to the loyalty service is unknown';

/** What the ledger says became of the store's current state, which was not applied. */
export const missingText: InWords = ({ entry }, { sent, notSent }) => {
  const before = sent === 'nothing' ? '' : '; an earlier state was sent';
  const what = `${notSent === 'not-sent' ? 'Not sent yet' : 'Not sent'}${before}.`;
  const { at = 0, why = '' } = entry?.outcomes.at(-1) ?? {};
  const [moment, because] = [`${utcText(at)} UTC`, why && ` ${why.replace(/\.$/, '')}`];
  switch (notSent) {
    case 'dropped':
      return `${what} Its dead letter was dropped${because} at ${moment}: it is sent only after it changes in the store.`;
    case 'given-up':
      return `${what} The connector gave up at ${moment}${because && `:${because}`}.`;
    case 'not-sent':
      return what;
  }
};

const skippedText: InWords = ({ mapped }, { finding }) => {
  if (mapped?.kind !== 'skip') return '';
  const isReward = mapped.why === 'reward-coupon';
  const there = isReward ? 'has no coupon of this code' : 'does not have it';
  const absent = finding === 'skipped' ? ` The loyalty service ${there}.` : '';
  return `${mapped.why === 'pending' ? 'Not sent yet' : 'Skipped'}: ${SKIPS[mapped.why]}.${absent}`;
};

const unreadText: InWords = ({ held }, { finding }) => {
  const what = finding === 'service-refuses' ? REFUSED : 'The loyalty service could not be read';
  return held.kind === 'unknown' ? `${what}: ${held.why}` : `${what}.`;
};

const agreeText: InWords = (sides, judged) => {
  // More of a customer is not compared, and orders bring customers without an entry of their own.
  if (judged.figures.store?.email !== undefined) {
    return 'Both sides were read just now and have the same e-mail address.';
  }
  const agree = 'Both sides were read just now and agree.';
  if (judged.isApplied) return agree;
  // The amounts agree, though the ledger says that this state was not applied.
  const isChanged = judged.sent !== 'nothing' && judged.notSent === 'not-sent';
  return `${agree} ${isChanged ? 'Something else changed since it was sent, such as its customer: the next event or comparison sends that.' : missingText(sides, judged)}`;
};

const differentText: InWords = (_, { rows }) => {
  const differing = rows.filter(({ differs }) => differs);
  const both = differing.map(
    ({ field, store, service }) => `${field} (store: ${store}, service: ${service})`,
  );
  return `The loyalty service differs: ${both.join(', ')}.`;
};

const theirsText: InWords = (_, { rows }) => {
  const amount = rows.find(({ differs }) => differs);
  const counts = amount
    ? ` It counts ${amount.service} there, and ${amount.store} by our rules.`
    : '';
  return `Another integration sent it before go-live; what it sent stays as it is.${counts} What changes from now on is sent.`;
};

const changedThereText: InWords = ({ held }, { figures }) => {
  const { EstimatedBonus, UpdatedDate = '' } = held.kind === 'order' ? held.order : {};
  const total = fromThousandths(figures.store?.amount ?? 0);
  return `The points do not match the amount: the loyalty service grants ${EstimatedBonus?.EstimatedPoints} for ${total}, and the order was changed there at ${utcText(UpdatedDate)} UTC, after the last call of the connector. Check in its panel whether a person did that.`;
};

/** `well` only where both sides were read and agree. */
const FINDINGS: Readonly<Record<Finding, readonly [Verdict['kind'], string | InWords]>> = {
  agree: ['ok', agreeText],
  'store-not-read': ['unknown', 'The store does not say what the service should hold.'],
  'rules-fail': [
    'action required',
    ({ mapped }) =>
      `The rules in the settings fail for it: ${mapped?.kind === 'fault' ? faultText(mapped) : ''}.`,
  ],
  'service-not-read': ['unknown', unreadText],
  'service-refuses': ['action required', unreadText],
  'service-cannot-be-read': [
    'unknown',
    'The loyalty service cannot show a product, so nothing more can be checked.',
  ],
  skipped: ['ok', skippedText],
  'skipped-but-held': ['unknown', skippedText],
  exchange: ['pending', skippedText],
  theirs: ['ok', theirsText],
  'call-open': ['pending', `${CALL_UNKNOWN}.`],
  'taken-not-known': [
    'unknown',
    'How much of it was taken back is unknown: the ledger was lost or restored, and the service shows only what was sent. Its next event or "recover" finds out.',
  ],
  'not-sent': ['pending', missingText],
  'given-up': ['action required', missingText],
  dropped: ['action required', missingText],
  'cancelled-there': [
    'action required',
    'The order is cancelled in the loyalty service, which does not take a cancelled order again. If the store is right, give the customer the points by hand in its panel.',
  ],
  absent: ['action required', 'The loyalty service does not have it, though it was sent.'],
  different: ['action required', differentText],
  'changed-there': ['action required', changedThereText],
  'still-held': [
    'unknown',
    'The store no longer has this customer. The loyalty service still does, and offers no way to delete one: decide whether it may stay there.',
  ],
};

/** After "Skipped:", or what is pending after "Not sent yet:". */
export const SKIPS: Readonly<Record<MappingSkip, string>> = {
  guest: 'ordered as a guest, so there is no customer to give points to',
  'customer-without-email':
    'its customer has no e-mail address, so the service cannot tell who it is',
  'test-order': 'a test order',
  'other-currency': 'not in the currency that the settings name for its shop',
  pending: 'the order is not complete at this event (rules.completeWhen)',
  'before-go-live': 'placed before the loyalty program began',
  exchange: 'an exchange of its items is under way, and its next change decides what is sent',
  redacted: "the customer's data was erased",
  'never-sent': 'cancelled or refunded before it was ever sent',
  'reward-coupon': 'the connector made this code for a redeemed reward',
  'customers-with-orders': 'the settings send customers as part of their orders only',
  'coupon-kind-not-mirrored': 'the settings leave out this kind of coupon',
  'coupon-for-everyone': 'for everyone, not for one customer',
  'coupon-for-some-buyers': 'a Rollout of the store gives it to a share of all buyers',
};

export const sidesTable = ({ rows }: Pick<JudgedSides, 'rows'>): TableBlock =>
  table(
    ['', right('Store'), right('Connector'), right('Loyalty service'), ''],
    rows.map(({ field, store, ledger, service, differs, detail = '' }) => ({
      cells: [field, store, ledger, service, differs ? { text: 'differs', tone: 'bad' } : ''],
      detail,
    })),
    { title: 'Both sides now' },
  );

/** By the number of the loyalty service. */
const COUPON_TYPES = ['fixed value', 'percent', 'free shipping', 'discount on shipping', 'other'];

const FIELDS: Readonly<Partial<Record<keyof Figures, string>>> = {
  ...{ state: 'state', amount: 'amount that counts', coupon: 'coupon', value: 'value' },
  ...{ type: 'type', email: 'e-mail address', title: 'title', price: 'price' },
};

function rowsOf(sides: Sides, { figures, differences, sent }: Compared): readonly Row[] {
  const { key, entry, held, store: read, assumptions } = sides;
  const isRefused = held.kind === 'unknown' && held.isRefused;
  const before = isKnown(entry) ? 'an earlier state was sent' : 'not sent';
  const ledger = isApplied({ sent }) ? 'sent' : before;
  const service = isRefused ? 'refuses to answer' : (SERVICE[held.kind] ?? 'has it');
  const { store } = figures;
  if (!store || (key.kind === 'product' && read.kind !== 'found')) {
    const field = key.kind === 'member' ? 'customer' : key.kind;
    return [{ field, store: hasText(read), ledger, service, differs: false }];
  }
  const order = orderIn(read);
  const taken = assumptions.readTotals === 'as-sent' ? (entry?.service?.taken ?? 0) : 0;
  const amount = (thousandths: number) => amountText(fromThousandths(thousandths), order?.currency);
  const there = figures.service?.amount;
  const computed =
    taken > 0 &&
    there !== undefined &&
    `In the service: ${amount(there + taken)} sent − ${amount(taken)} taken back = ${amount(there)}.`;
  const isNothing = (figure: unknown) => figure === null || figure === '';
  return Object.entries(FIELDS).flatMap(([name, title]) => {
    const field = name as keyof Figures;
    const isEmpty = isNothing(store[field]) && isNothing(figures.service?.[field] ?? null);
    if (!(field in store) || isEmpty) return [];
    const differs = differences.includes(field) || differences.includes('absent');
    const said = (side: Figures) => {
      const figure = side[field];
      // Whose it is stays hidden: only whether both have the same one is shown.
      if (field === 'email' && side !== store) return differs ? 'another one' : 'the same';
      if (figure === undefined) return 'not shown';
      if (isNothing(figure)) return 'none';
      if (field === 'email') return 'has one';
      if (field === 'amount' || field === 'value') return amount(Number(figure));
      return (field === 'type' && COUPON_TYPES[Number(figure)]) || String(figure);
    };
    // The rest of an order the ledger holds as a hash.
    const unnamed = key.kind === 'order' && sent === 'as-it-is' ? said(store) : ledger;
    return [
      {
        ...{ field: title, store: said(store), differs },
        ledger: figures.ledger?.[field] === undefined ? unnamed : said(figures.ledger),
        service: figures.service ? said(figures.service) : service,
        ...(field === 'amount' && computed && { detail: computed }),
      },
    ];
  });
}

function hasText(read: StoreAnswer<unknown>): string {
  if (read.kind !== 'unavailable') return read.kind === 'found' ? 'has it' : 'does not have it';
  return read.misconfigured ? 'refuses to answer' : 'did not answer';
}

const SERVICE: Readonly<Partial<Record<Held['kind'], string>>> = {
  absent: 'does not have it',
  'cannot-be-read': 'not readable',
  unknown: 'did not answer',
};

/** Without a currency, as in a coupon that may be a percentage, an amount has the decimals that it needs. */
export function amountText(amount: number, currency: string | undefined): string {
  const text = currency === undefined ? String(amount) : amount.toFixed(minorDigits(currency));
  return text.replace('-', '−');
}
