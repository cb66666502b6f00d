import type { Shop } from '../../../../shared/config/connector-config.ts';
import type { ShopControl } from '../../../../shared/core/calls/shop-pause.ts';
import { batchesOf } from '../../../../shared/core/events/event.ts';
import { isKnown, readCustomer } from '../../../../shared/core/ledger/entry.ts';
import { fromThousandths, ownCount, toThousandths } from '../../../../shared/core/ledger/ledger.ts';
import { faultText, type Mapped } from '../../../../shared/core/mapping/wanted-state.ts';
import {
  type Figures,
  figuresOfService,
  figuresOfStore,
  isOtherAmount,
} from '../../../../shared/core/reconcile/compare-sides.ts';
import { versionOf } from '../../../../shared/core/store/store.ts';
import {
  type Decision,
  decide,
  type Gathered,
  parked,
} from '../../../../shared/core/sync/decide.ts';
import { nextCall } from '../../../../shared/core/sync/decide-order.ts';
import type { LoyaltyClient } from '../../../../shared/loyalty/client.ts';
import { minorDigits } from '../../../../shared/store/money.ts';
import { type Deployment, openLedger, rulesOf } from '../session/deployment.ts';
import { openShopServices, type ShopServices } from '../session/services.ts';
import type { Session } from '../session/session.ts';
import { type Block, TONE_OF, table, type Verdict } from '../terminal/document.ts';
import { line } from '../terminal/line.ts';
import { counted } from '../terminal/text.ts';
import { changedOrders } from './find.ts';
import {
  amountText,
  judgeSides,
  orderIn,
  readSides,
  readStore,
  type Sides,
  SKIPS,
} from './sides.ts';

/** The loyalty service may allow few calls, and the workers need them. */
const AT_ONCE = 3;

export interface ComparedOrder extends JudgedOrder, Verdict {
  /** Where that was asked: what a worker would do for it. */
  readonly would?: Would;
  readonly isObserved: boolean;
  /** A plain resend sends it. */
  readonly isMissing: boolean;
  /** Nothing of it is compared: we would not count it. */
  readonly isUncounted: boolean;
}

/** Of an observed shop nothing was sent: what would be is compared. */
function compareOne(sides: Sides): ComparedOrder {
  const judged = judgeOrder(sides);
  const { verdict } = judged;
  const { isObserved } = sides;
  const planned = wordsOf(judged);
  // What another integration sent before go-live is not ours to judge.
  const isBefore = sides.mapped?.kind === 'skip' && sides.mapped.why === 'before-go-live';
  const isPlanned = isObserved || verdict === 'twice' || isBefore;
  const live = judgeSides(sides);
  const { kind, what } = isPlanned ? planned : live;
  const isWanted = sides.mapped?.kind === 'wanted' && !sides.entry?.uncertain;
  const isMissing = !isObserved && kind !== 'ok' && isWanted && !live.isApplied;
  const isUncounted = isPlanned && verdict === 'not counted by us';
  return { ...judged, isObserved, kind, what, isMissing, isUncounted };
}

const wordsOf = ({ verdict, reason }: Pick<JudgedOrder, 'verdict' | 'reason'>): Verdict => ({
  ...{ kind: ORDER_VERDICTS[verdict], what: `${verdict}: ${reason}` },
});

interface AskedOrders {
  readonly deployment: Deployment;
  readonly shop: Shop;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly signal: AbortSignal;
  /** What the shop's control record would be: what the workers would do then is found out, too. */
  readonly planned?: ShopControl;
}

export async function readChangedOrders(
  { terminal }: Pick<Session, 'terminal'>,
  { deployment, shop, since, signal, planned }: AskedOrders,
): Promise<{ readonly orders: readonly ComparedOrder[]; readonly isStopped: boolean }> {
  const services = openShopServices(deployment);
  const read = async ({ id }: { readonly id: string }) => {
    const key = { shop: shop.domain, kind: 'order', id } as const;
    const sides = await readSides(deployment, services, shop, key, { planned });
    const would = planned && (await rehearse(sides, planned, { deployment, services, shop }));
    return { ...compareOne(sides), ...(would && { would }) };
  };
  const orders: ComparedOrder[] = [];
  const progress = terminal.progress('Comparing orders:');
  // In an outage the others would fail like these, each after its time limit.
  let isStopped = false;
  for await (const page of changedOrders(services.store, shop.domain, since, signal)) {
    for (const some of batchesOf(page, AT_ONCE)) {
      isStopped ||= signal.aborted;
      if (isStopped) break;
      const judged = await Promise.all(some.map(read));
      orders.push(...judged);
      progress.report(orders.length);
      isStopped = judged.every(({ isUnread }) => isUnread);
    }
    if (isStopped) break;
  }
  const isObserved = orders.some((one) => one.isObserved);
  const judged = isObserved ? await judgeByPoints(orders, services.loyalty(shop)) : orders;
  return { orders: judged, isStopped: isStopped || signal.aborted };
}

/** What a worker would do for an order, in thousandths; of a refusal: why a person must decide. */
type Would =
  | { readonly call: 'send' | 'take' | 'cancel'; readonly amount: number }
  | { readonly call: 'person'; readonly why: string };

/** By what the workers decide by, as if `control` held. Undefined: no call, or not all could be read. */
async function rehearse(
  sides: Sides,
  control: ShopControl,
  given: { readonly deployment: Deployment; readonly services: ShopServices; readonly shop: Shop },
): Promise<Would | undefined> {
  const { key, entry, copies, held: answer, assumptions } = sides;
  const { deployment, services, shop } = given;
  const ledger = openLedger(deployment);
  const [copy] = copies;
  const now = new Date();
  let { store } = sides;
  let gathered: Omit<Gathered, 'snapshot'> = {
    ...{ key, entry, now, doubt: control.doubt, takeover: control.takeover },
    event: { receivedAt: now.toISOString() },
    rules: await rulesOf(shop, ledger, control),
    assumptions: { ...deployment.connector.loyalty.assumptions, ...assumptions },
    orderRetentionDays: deployment.connector.orderRetentionDays,
  };
  for (;;) {
    if (store.kind === 'unavailable' || answer.kind === 'unknown') return undefined;
    const entity = store.kind === 'found' ? store.value : ({ kind: 'gone' } as const);
    const version = store.kind === 'found' ? versionOf(store.value) : now.getTime();
    const snapshot = { kind: 'snapshot', entity, version, source: 'store' } as const;
    const decision = decide({ ...gathered, snapshot });
    switch (decision.kind) {
      case 'ask-store':
        store = await readStore(deployment, services, key, 'always');
        gathered = { ...gathered, askedForBook: true };
        continue;
      case 'ask-service': {
        const heldAs = copy && copy.id !== key.id && { heldAs: copy.id };
        gathered = { ...gathered, read: { held: copy?.order, ...heldAs } };
        continue;
      }
      case 'ask-customer': {
        const { id } = decision;
        gathered = { ...gathered, customer: await readCustomer({ shop: key.shop, id }, ledger) };
        continue;
      }
      case 'reject':
        return { call: 'person', why: decision.outcome.why };
      case 'apply-order':
        return callOf(decision, gathered);
      default:
        return undefined;
    }
  }
}

function callOf(
  { mapped: { wanted }, side }: Extract<Decision, { kind: 'apply-order' }>,
  { read, assumptions }: Pick<Gathered, 'read' | 'assumptions'>,
): Would | undefined {
  const next = nextCall(wanted, side, assumptions);
  const before = side.record?.completedAt === undefined ? 0 : ownCount(side.record);
  const counts = wanted.kind === 'order' && wanted.order.IsCompleted ? wanted.order.OrderTotal : 0;
  const amount = toThousandths(counts) - before;
  switch (next.kind) {
    case 'send':
      return { call: 'send', amount };
    case 'take':
      return { call: 'take', amount: -amount };
    case 'cancel':
      return read?.held && { call: 'cancel', amount: before };
    case 'person':
      return { call: 'person', why: parked(next.why).why };
    default:
      return undefined;
  }
}

const fits = (points: number, amount: number, rate: number) => Math.abs(points - rate * amount) < 1;

/**
 * Amounts alone do not show what another integration took back, or sent under an id that nobody knows. Points do, where
 * the service gives alike for alike amounts, at least for three of four.
 */
export async function judgeByPoints(
  orders: readonly ComparedOrder[],
  loyalty: Pick<LoyaltyClient, 'getCustomerPoints'>,
): Promise<readonly ComparedOrder[]> {
  const whole = orders.filter(
    ({ isChanged, held, points }) => !isChanged && held && points.length === 1,
  );
  const rates = whole.map(({ points: [given = 0], held = 1 }) => given / held);
  const found = rates.toSorted((one, other) => one - other)[Math.floor(rates.length / 2)] ?? 0;
  const alike = whole.filter(({ points: [given = 0], held = 0 }) => fits(given, held, found));
  const rate = found > 0 && alike.length * 4 >= whole.length * 3 ? found : undefined;
  const judge = (order: ComparedOrder, verdict: OrderVerdict, reason: string) => {
    return { ...order, verdict, reason, ...wordsOf({ verdict, reason }) };
  };
  const judged = orders.map((order) => {
    const { verdict, planned = 0, held = 0 } = order;
    const [points] = order.points;
    if (rate === undefined || points === undefined || held === 0) return order;
    if (verdict === 'same' && points < held * rate && !fits(points, held, rate)) {
      return judge(
        order,
        'other amount',
        'its amount is the same, but its points are fewer than for others',
      );
    }
    const wasTaken = held > planned && fits(points, planned, rate) && !fits(points, held, rate);
    if (verdict !== 'other amount' || !wasTaken) return order;
    return judge(order, 'same', 'its points show that what was refunded is taken back');
  });
  const suspects = judged.filter((one) => one.verdict === 'absent' && one.customerId !== undefined);
  for (const [customerId = '', some] of Map.groupBy(suspects, (one) => one.customerId)) {
    const answer = await loyalty.getCustomerPoints(customerId);
    const isAbsent = 'finding' in answer && answer.finding === 'customer-does-not-exist';
    if (!('value' in answer) && !isAbsent) {
      for (const order of some) {
        const unread = judge(order, 'unknown', `its customer's points: ${answer.message}`);
        judged[judged.indexOf(order)] = { ...unread, isUnread: true };
      }
      continue;
    }
    const history = 'value' in answer ? (answer.value.PointHistory ?? []) : [];
    const given = history.filter(({ Amount = 0, IsCanceled }) => Amount > 0 && !IsCanceled);
    const theirs = judged.filter((one) => one.customerId === customerId);
    for (const points of theirs.flatMap((one) => one.points)) {
      const at = given.findIndex(({ Amount = 0 }) => fits(Amount, 1, points));
      if (at >= 0) given.splice(at, 1);
    }
    for (const order of some) {
      const at = given.findIndex(({ Amount = 0, DateReceived = '' }) => {
        const isSince = Date.parse(DateReceived) >= Date.parse(order.placedAt ?? '') - SKEW_MS;
        return isSince && (rate === undefined || fits(Amount, order.planned ?? 0, rate));
      });
      const [gift] = at < 0 ? [] : given.splice(at, 1);
      if (!gift) continue;
      const reason = `its customer got ${gift.Amount} points since, which no order explains`;
      judged[judged.indexOf(order)] = judge(order, 'perhaps under an unknown id', reason);
    }
  }
  return judged;
}

/** Between the clocks of store and service. */
const SKEW_MS = 60_000;
const CALLS = { send: 'would be sent', take: 'would be taken back', cancel: 'would be cancelled' };

/** By verdict and reason, of an observed shop with totals; what would be done for an order, with each amount. */
export function groupsOf(orders: readonly ComparedOrder[], shop: string): Block {
  const whatOf = ({ would, what }: ComparedOrder) =>
    !would ? what : would.call === 'person' ? `a person decides: ${would.why}` : CALLS[would.call];
  const groups = [...Map.groupBy(orders, (one) => `${one.kind} ${whatOf(one)}`).values()];
  const rows = groups.flatMap((group) => {
    const [first, ...others] = group;
    if (!first) return [];
    const name = others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
    const calls = group.flatMap(({ would, ...one }) =>
      would && 'amount' in would ? { ...one, amount: would.amount } : [],
    );
    const textOf = (amount: number) => amountText(fromThousandths(amount), first.currency);
    const sum = textOf(calls.reduce((total, { amount }) => total + amount, 0));
    const plain = first.isObserved
      ? `${totalOf(group)}: ${namesOf(group)}`
      : group.map((one) => one.name).join(', ');
    const all = calls.map((one) => `${one.name} ${textOf(one.amount)}`).join(', ') || plain;
    const what = calls.length > 0 ? `${whatOf(first)}: ${sum} in all` : whatOf(first);
    const kind = first.would ? 'pending' : first.kind;
    const cells = [
      { text: name, opens: line('trace', ['order', first.id], { shop }) },
      { text: what, tone: kind === 'ok' ? ('soft' as const) : TONE_OF[kind] },
    ];
    const isNamed = others.length > 0 || first.isObserved;
    const detail = [what.length > MOST_WIDE && `${what}.`, isNamed && all]
      .filter(Boolean)
      .join(' ');
    return [detail === '' ? { cells } : { cells, detail }];
  });
  return table(['Order', { title: 'What', shrinks: true }], rows);
}

/** What is longer is cut off on a narrow screen. */
const MOST_WIDE = 60;

/** `12 orders, planned 600.00, held 540.00, difference −60.00` */
export function totalOf(orders: readonly JudgedOrder[]): string {
  const currency = orders.find((one) => one.currency !== undefined)?.currency;
  const sum = (amountOf: (order: JudgedOrder) => number | undefined) => {
    const total = orders.reduce((sofar, one) => sofar + (amountOf(one) ?? 0), 0);
    return amountText(fromThousandths(total), currency);
  };
  // What we would not count is left out of all three.
  const [planned, held] = [
    sum((one) => one.planned),
    sum((one) => (one.planned === undefined ? 0 : one.held)),
  ];
  const difference = sum(differenceOf);
  return `${counted(orders.length, 'order')}, planned ${planned}, held ${held}, difference ${difference}`;
}

const EXAMPLES = 5;

/** The first of them: `#1001, #1002 and 7 more`. */
export function namesOf(orders: readonly JudgedOrder[]): string {
  const names = orders.slice(0, EXAMPLES).map(({ name }) => name);
  const more = orders.length - EXAMPLES;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** How what we would have the service hold of an order compares with what it holds, and whether that is well. */
const ORDER_VERDICTS = {
  same: 'ok',
  'not counted by us': 'ok',
  'other amount': 'action required',
  absent: 'pending',
  twice: 'action required',
  'perhaps under an unknown id': 'action required',
  unknown: 'unknown',
} as const;

type OrderVerdict = keyof typeof ORDER_VERDICTS;

/** Amounts are in thousandths and count for points: less refunds, and nothing of an order that ended. */
export interface JudgedOrder {
  readonly id: string;
  /** `#1007`; the id where the store does not say it. */
  readonly name: string;
  readonly currency: string | undefined;
  /** ISO 8601. */
  readonly placedAt: string | undefined;
  readonly verdict: OrderVerdict;
  /** The same for all that are alike. */
  readonly reason: string;
  /** Undefined where it is not known, or we would not count the order. */
  readonly planned: number | undefined;
  /** Of all copies; undefined where the service does not have it. */
  readonly held: number | undefined;
  readonly heldId: string | undefined;
  readonly customerId: string | undefined;
  /** That the service gives for each copy. */
  readonly points: readonly number[];
  /** It was edited or refunded in the store. */
  readonly isChanged: boolean;
  /** The service has it, and we have not sent it. */
  readonly isTheirs: boolean;
  readonly origins: readonly (number | undefined)[];
  /** Store or service did not answer. */
  readonly isUnread: boolean;
}

export function judgeOrder(sides: Sides): JudgedOrder {
  const { key, entry, store, held: answer, copies, assumptions } = sides;
  const order = orderIn(store);
  const read = copies.map((copy) => {
    const held = { ...copy, kind: 'order' } as const;
    const figures = figuresOfService({ held, entry, assumptions });
    return { id: copy.id, state: figures?.state, counts: countsIn(figures) };
  });
  const planned = plannedOf(sides);
  const held = read.reduce((sum, { counts }) => sum + counts, 0);
  return {
    ...{ id: key.id, name: order?.name || key.id, currency: order?.currency },
    ...{ placedAt: order?.placedAt, held: read[0] && held, heldId: read[0]?.id },
    planned: typeof planned === 'number' ? planned : undefined,
    ...{ customerId: order?.customer?.id, isChanged: order?.changed === true },
    points: copies.flatMap((copy) => copy.order.EstimatedBonus?.EstimatedPoints ?? []),
    isTheirs: copies.length > 0 && !isKnown(entry),
    origins: copies.map((copy) => copy.order.Origin),
    isUnread: store.kind === 'unavailable' || answer.kind === 'unknown',
    ...verdictOf(sides, planned, read),
  };
}

const countsIn = ({ state, amount = 0 }: Figures = {}): number =>
  state === 'completed' ? amount : 0;

type Skip = Extract<Mapped, { kind: 'skip' }>['why'];

/** What counts, or why nothing does. Undefined: not known. */
function plannedOf({ mapped }: Sides): number | Skip | undefined {
  if (!mapped || mapped.kind === 'fault') return undefined;
  if (mapped.kind === 'skip') return mapped.why === 'never-sent' ? 0 : mapped.why;
  const figures = figuresOfStore(mapped.wanted);
  return figures?.state === 'pending' ? 'pending' : countsIn(figures);
}

function verdictOf(
  { key, mapped, held }: Sides,
  planned: number | Skip | undefined,
  copies: readonly { id: string; state: Figures['state']; counts: number }[],
): Pick<JudgedOrder, 'verdict' | 'reason'> {
  const say = (verdict: OrderVerdict, reason: string) => ({ verdict, reason });
  if (held.kind === 'unknown') return say('unknown', `the service did not say: ${held.why}`);
  if (mapped?.kind === 'fault') return say('unknown', `the rules fail: ${faultText(mapped)}`);
  if (planned === undefined) return say('unknown', 'the store did not say');
  if (copies.filter(({ state }) => state !== 'cancelled').length > 1) {
    return say('twice', "it is there under two ids: cancel the one that is not the store's");
  }
  const [copy] = copies;
  if (typeof planned === 'string') {
    return say(
      'not counted by us',
      `${copy ? '' : 'the service does not have it: '}${SKIPS[planned]}`,
    );
  }
  if (planned === 0 && !copy?.counts) return say('same', 'nothing of it counts');
  if (!copy) return say('absent', 'the service does not have it');
  if (!isOtherAmount(planned, copy.counts)) {
    return say('same', copy.id === key.id ? "under the store's id" : 'under another id');
  }
  if (copy.state === 'cancelled') return say('other amount', 'it is cancelled in the service');
  if (copy.state === 'pending') return say('other amount', 'it is not complete in the service');
  if (planned === 0) return say('other amount', 'it has ended in the store');
  return say('other amount', `the service counts ${copy.counts > planned ? 'more' : 'less'}`);
}

/** What the service counts too much; what we would not count is left out. */
const differenceOf = ({ planned, held = 0 }: JudgedOrder): number | undefined =>
  planned === undefined ? undefined : held - planned;

const HEADER = 'id,name,planned,held,held id,origin,verdict,difference';

/** One line for each order, without personal data. */
export function csvOf(orders: readonly JudgedOrder[]): string {
  const lines = orders.map((order) => {
    const { id, name, currency, planned, held, heldId, origins, verdict } = order;
    const amount = (value: number | undefined) =>
      value === undefined ? '' : fromThousandths(value).toFixed(minorDigits(currency ?? ''));
    const [origin = ''] = origins;
    const amounts = [amount(planned), amount(held), heldId ?? '', origin];
    return [id, name, ...amounts, verdict, amount(differenceOf(order))].map(csvCell).join(',');
  });
  return `${[HEADER, ...lines].join('\n')}\n`;
}

const AMOUNT = /^-?\d+(?:\.\d+)?$/;

/** A spreadsheet runs a cell that begins with one of these, and takes `;` for a separator in some languages. */
const FORMULA = /(^|;)(?=[=+\-@\t\r])/g;

function csvCell(value: string | number): string {
  const given = String(value);
  const text = AMOUNT.test(given) ? given : given.replaceAll(FORMULA, "$1'");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
