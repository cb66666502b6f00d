import { DROPPED } from '../../../shared/core/batch/dead-letter.ts';
import { fromThousandths } from '../../../shared/core/ledger/ledger.ts';
import type { AmountStep, WantedState } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreEntity } from '../../../shared/core/store/store.ts';
import { heldBy, triedAt } from '../ground/checks/read-pauses.ts';
import { FOR_WHAT, whysText } from '../ground/checks/waiting-messages.ts';
import {
  findAny,
  findEntity,
  type Hit,
  KINDS,
  ordersOf,
  parseKind,
  unknownTo,
} from '../ground/compare/find.ts';
import { maskPerson, maskPersonal } from '../ground/compare/mask-personal.ts';
import {
  amountText,
  judgeSides,
  orderIn,
  type Sides,
  SKIPS,
  sidesTable,
} from '../ground/compare/sides.ts';
import { codeText, showLine } from '../ground/letters/describe-letters.ts';
import { findShop, shopsOf } from '../ground/session/arguments.ts';
import { openLedger } from '../ground/session/deployment.ts';
import { openShopServices } from '../ground/session/services.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import {
  type Block,
  type Cell,
  type Document,
  facts,
  REVEALS,
  right,
  type TableBlock,
  type TimelineBlock,
  type Tone,
  table,
  text,
} from '../ground/terminal/document.ts';
import { BadArguments } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { counted } from '../ground/terminal/text.ts';
import { collectTrace, judgeTrace, nameOf, pointsText, type Trace } from './judge-trace.ts';
import { timelineOf as historyOf } from './show-history.ts';

export interface TraceOptions extends CommonOptions {
  readonly reveal?: boolean;
}

/** Find what is meant → collect → judge. */
export async function showTrace(
  session: Session,
  options: TraceOptions,
  first = '',
  second?: string,
): Promise<Document> {
  const deployment = await session.findDeployment();
  const services = openShopServices(deployment);
  const trace = async (hit: Hit, others: readonly Hit[] = []) => {
    const shop = findShop(deployment.connector, hit.shop);
    const traced = { shop, kind: parseKind(hit.kind), id: hit.id };
    const { kind, id } = traced;
    const orders = kind === 'member' ? ordersOf(id, { services, shop }) : others;
    const record =
      options.reveal &&
      (await session.beginChange(deployment, 'reveal', { shop: shop.domain, kind, id }));
    if (record) record.count({ revealed: 1 });
    const signal = session.interruption();
    const progress = session.terminal.progress('Searching the dead letters:');
    const onProgress = (seen: number) => progress.report(seen);
    const found = await collectTrace(deployment, services, traced, signal, onProgress);
    // A number is taken for an id, which nobody may have.
    if (isUnknown(found)) throw unknownTo(hit.kind, id, [shop]);
    return documentOf(found, await orders, options.reveal);
  };
  if (second !== undefined) {
    const shop = findShop(deployment.connector, options.shop);
    const hits = await findEntity(parseKind(first), second, { services, shop });
    const [hit, ...others] = hits;
    // Of orders the newest, or the one of exactly that name.
    const isOne = others.length === 0 || hit.kind === 'order';
    return isOne ? trace(hit, others) : hitsDocument(hits);
  }
  if (KINDS.has(first)) throw new BadArguments(`give what to look for: trace ${first} ID.`);
  const shops = shopsOf(deployment.connector, options.shop);
  const deps = { deployment, services, ledger: openLedger(deployment) };
  const { hits, problems } = await findAny(first, deps, shops);
  for (const why of new Set(problems.map(({ message }) => message))) {
    session.terminal.note(`Not everything could be searched: ${why}`);
  }
  const [hit, ...others] = hits;
  return hit && others.length === 0 ? trace(hit) : hitsDocument(hits);
}

const isUnknown = ({ store, entry, letters, waits, redemptions }: Trace) =>
  store.kind === 'gone' && !entry && letters.length + waits.length + redemptions === 0;

/** An ambiguous text is not traced. */
function hitsDocument(hits: readonly Hit[]): Document {
  return {
    title: 'Matches',
    verdict: { kind: 'unknown', what: `${hits.length} matches: choose one.` },
    blocks: [foundTable(hits)],
    next: hits.map((hit) => ({ label: hitName(hit), line: hitLine(hit) })),
    data: { hits },
  };
}

const foundTable = (hits: readonly Hit[], title?: string): Block =>
  table(
    ['What', 'Id', 'Shop'],
    hits.map((hit) => [
      { text: hitName(hit), opens: hitLine(hit) },
      { text: hit.id, tone: 'soft' },
      { text: hit.shop, tone: 'soft' },
    ]),
    title === undefined ? {} : { title },
  );

const hitName = ({ kind, name, id }: Hit) => `${kindName(kind)} ${name ?? id}`;

const hitLine = ({ kind, id, shop }: Hit) => line('trace', [kind, id], { shop });

/** As it is called in a title. */
const kindName = (kind: Hit['kind'] | Trace['key']['kind']) =>
  kind === 'member' ? 'Customer' : kind.replace(/^./, (one) => one.toUpperCase());

export function documentOf(
  trace: Trace,
  otherOrders: readonly Hit[] = [],
  reveal = false,
): Document {
  const { key, entry, letters, mapped, waits, earned, redemptions: open } = trace;
  const { kind: verdict, what, next } = judgeTrace(trace);
  const points = pointsText(trace);
  const judged = judgeSides(trace);
  const { finding, sent, notSent, differences } = judged;
  const form = mapped?.kind === 'wanted' ? formOf(mapped.wanted, reveal) : undefined;
  const name = nameOf(trace);
  const kind = key.kind === 'member' ? 'customer' : key.kind;
  const found = trace.store.kind === 'found' ? trace.store.value : undefined;
  const isReward = found?.kind === 'coupon' && found.coupon.madeByConnector;
  // Of an order with points, its customer's: they show when each is granted.
  const buyer = earned?.state === 'earns' ? orderIn(trace.store)?.customer?.id : undefined;
  const rewards = {
    label: isReward ? 'See whose reward it is' : 'See points and rewards',
    line: line('redemptions show', [buyer ?? key.id], { shop: key.shop }),
  };
  const revealed = {
    label: 'Show personal data',
    say: REVEALS,
    line: line('trace', [kind, key.id], { shop: key.shop, full: true, reveal: true }),
  };
  const kept = line('privacy show', [key.id], { shop: key.shop });
  const isDone = verdict === 'ok' || verdict === undefined;
  const { remembered: _, ...ledger } = entry ?? {};
  return {
    title: `${kindName(key.kind)} ${name ?? key.id} of ${key.shop}`,
    ...(verdict && { verdict: { kind: verdict, what } }),
    blocks: [
      text(!verdict && what),
      text(points),
      text(open > 0 && `${counted(open, 'redemption')} not finished.`, 'pending'),
      ...(entry || trace.store.kind === 'found' ? [sidesTable(judged)] : []),
      ...arithmeticOf(trace),
      factsOf(trace),
      timelineOf(trace, isDone),
      ...(form ? [codeOf(form, reveal)] : []),
      foundTable(otherOrders, kind === 'customer' ? 'Orders' : 'Other orders'),
    ],
    next: [
      ...next,
      ...((kind === 'customer' && found) || isReward || buyer || open > 0 ? [rewards] : []),
      ...(kind === 'customer' ? [{ label: 'See the personal data that is kept', line: kept }] : []),
      ...(form && !reveal && kind !== 'product' ? [revealed] : []),
    ],
    // It goes on by itself: an open page shows how.
    ...(verdict === 'pending' && { freshSeconds: 15 }),
    data: {
      ...{ ...key, name: name ?? null, finding, sent, notSent, differences },
      steps: mapped?.kind === 'wanted' ? mapped.steps : undefined,
      ledger: entry ? ledger : null,
      deadLetters: letters,
      waiting: waits.map((wait) => {
        const { waitsFor, why } = heldBy(wait, trace.pause ? [trace.pause] : []);
        return { queue: wait.queue, waitsFor, why, nextTry: nextTryOf(trace, wait) };
      }),
      ...{ earned: earned ?? null, wanted: form ?? null, otherOrders },
    },
  };
}

/** How an order's amount came about; none of what is no order, or has no amount. */
export function arithmeticOf({ store, mapped }: Sides): readonly TableBlock[] {
  const order = orderIn(store);
  // Nothing counts of a cancelled order, however much its goods cost.
  if (!order || mapped?.kind !== 'wanted' || mapped.wanted.kind !== 'order') return [];
  const { wanted, steps = [] } = mapped;
  const amountOf = (amount: number) => amountText(amount, order.currency);
  const parts = steps.map((step) => [
    amountOf(Number(step.amount)),
    wordsOf(step, order.taxesIncluded, amountOf),
  ]);
  const total = {
    cells: [amountOf(wanted.order.OrderTotal ?? 0), 'counts for points'],
    isSum: true,
  };
  const title = `What counts for points, in ${order.currency}`;
  return [table([right('Amount'), 'For'], [...parts, total], { title })];
}

const STEPS: Readonly<Record<AmountStep['kind'], string>> = {
  goods: 'goods kept, after discounts, without shipping, taxes',
  tax: 'taxes',
  'gift-cards-sold': 'gift cards among them: buying them earns nothing',
  'refunded-without-lines': 'paid back without taking goods back',
  'never-paid': 'its payment was voided or has expired',
  'dispute-lost': 'a payment dispute was lost',
  'paid-with-gift-cards': 'paid with gift cards or store credit',
  'paid-with-store-credit': 'paid with store credit that was given, not refunded',
  'store-credit-not-known': 'paid with store credit; unknown whether it was given or refunded',
};

function wordsOf(
  { kind, amount, of }: AmountStep,
  taxesIncluded: boolean,
  text: (amount: number) => string,
): string {
  if (kind === 'goods') return `${STEPS.goods} ${taxesIncluded ? 'included' : 'not included'}`;
  if (kind === 'tax') return `${STEPS.tax} ${amount.startsWith('-') ? 'in it' : 'on top of it'}`;
  // All of the payment is lost, whatever it was for.
  if (kind === 'never-paid' || kind === 'dispute-lost') return STEPS[kind];
  const part = of === undefined ? '' : `: the part of ${text(Number(of))} that was for these goods`;
  return `${STEPS[kind]}${part}`;
}

function factsOf({ key, store }: Trace): Block {
  const absent = store.kind === 'gone' ? 'not found' : 'could not be read';
  const known =
    store.kind === 'found' ? storeFacts(store.value, key) : [['State', absent] as const];
  return facts([...known, ['Id', { text: key.id, tone: 'soft' }]], 'In the store now');
}

/** What the comparison does not say of it, without personal data. */
function storeFacts(entity: StoreEntity, { shop }: Trace['key']): Parameters<typeof facts>[0] {
  // Not every platform counts.
  const timesUsed = entity.kind === 'coupon' ? entity.coupon.timesUsed : 0;
  if (timesUsed > 0) return [['Used', counted(timesUsed, 'time')]];
  if (entity.kind !== 'order') return [];
  const { test, cancelledAt, paymentStatus, fulfillmentStatus, customer } = entity.order;
  const opens = customer && line('trace', ['customer', customer.id], { shop });
  return [
    ['Cancelled', cancelledAt && { at: cancelledAt }],
    ['Payment', paymentStatus?.replaceAll('_', ' ')],
    ['Fulfilment', fulfillmentStatus ?? 'not fulfilled'],
    ['Customer', customer && opens ? { text: customer.id, opens } : 'guest'],
    ['Test order', test ? 'yes' : undefined],
  ];
}

function codeOf(form: object, reveal: boolean): Block {
  const masked = reveal ? '' : ' (personal data is masked)';
  return {
    ...{ kind: 'code', title: `What the loyalty service should hold${masked}`, folded: true },
    text: JSON.stringify(form, null, 2),
  };
}

/** The body of the call, masked unless it is to be revealed; undefined where the call has none. */
function formOf(wanted: WantedState, reveal: boolean): object | undefined {
  if (wanted.kind === 'member') return reveal ? wanted.member : maskPerson(wanted.member);
  const form = bodyOf(wanted);
  return reveal || !form ? form : maskPersonal(form);
}

function bodyOf(wanted: WantedState): object | undefined {
  if (wanted.kind === 'order') return wanted.order;
  if (wanted.kind === 'cancelled-order') return wanted.cancellation;
  if (wanted.kind === 'product') return wanted.product;
  return wanted.kind === 'coupon' ? wanted.coupon : undefined;
}

type Line = TimelineBlock['lines'][number];

/** Every known moment, the oldest first. What waits is left out where nothing is to be done any more. */
export function timelineOf(trace: Trace, isSettled: boolean): TimelineBlock {
  const lines = [
    ...inStore(trace),
    ...triedAgain(trace),
    ...(isSettled ? [] : onQueue(trace)),
    ...inLedger(trace),
    ...amongLetters(trace.letters),
    ...historyOf(trace.replays, new Date()).lines,
  ];
  return {
    kind: 'timeline',
    title: 'What happened',
    lines: lines
      .filter(({ at }) => Number.isFinite(Date.parse(at)))
      .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
  };
}

function inStore({ store, changedAt: last }: Trace): readonly Line[] {
  if (store.kind !== 'found') return [];
  const order = orderIn(store);
  const moments = {
    'the order was placed': order?.placedAt,
    'the order was fulfilled': order?.fulfilledAt,
    'the latest refund': order?.refundedAt,
    'the order was cancelled': order?.cancelledAt,
  };
  const known = Object.entries(moments).flatMap(([what, at]) =>
    at === undefined ? [] : [{ at, who: 'Store', what }],
  );
  // The last change is most often one that has a line of its own.
  if (!last || known.some(({ at }) => Math.abs(Date.parse(at) - last) < 1_000)) return known;
  return [...known, { at: new Date(last).toISOString(), who: 'Store', what: 'last changed' }];
}

/** Of waits for the same the last: during a pause one follows another. A resume ends a wait before its recorded time. */
function triedAgain({ tried, entry }: Trace): readonly Line[] {
  const ends = (entry?.outcomes ?? []).map(({ at }) => Date.parse(at));
  const lines = tried.map((wait): Line => {
    const end = wait.ended && ends.find((one) => one > wait.since);
    const at = new Date(Math.min(wait.until, end || wait.until)).toISOString();
    return { at, who: 'Queue', what: 'tried again', detail: `it had waited ${waitDetail(wait)}` };
  });
  const last = lines.toSorted((one, other) => one.at.localeCompare(other.at));
  return [...new Map(last.map((one) => [one.detail, one])).values()];
}

/** ISO 8601; undefined while a pause without an end holds it. */
function nextTryOf({ pause }: Trace, wait: Trace['waits'][number]): string | undefined {
  const at = triedAt(wait, pause ? [pause] : []);
  return Number.isFinite(at) ? new Date(at).toISOString() : undefined;
}

function onQueue(trace: Trace): readonly Line[] {
  return trace.waits.flatMap((wait) => {
    const line = { who: 'Queue', tone: 'pending' } as const;
    const at = nextTryOf(trace, wait);
    const since = new Date(wait.since).toISOString();
    const detail = waitDetail({ ...wait, ...heldBy(wait, trace.pause ? [trace.pause] : []) });
    return [
      { ...line, at: since, what: 'waiting', detail },
      ...(at === undefined ? [] : [{ ...line, at, what: 'next attempt' }]),
    ];
  });
}

const waitDetail = ({ waitsFor, why, tries }: Trace['waits'][number]) =>
  `${FOR_WHAT[waitsFor]}${whysText([why])}${tries > 0 ? `, after ${counted(tries, 'failed attempt')}` : ''}`;

const OUTCOMES: Readonly<Record<string, { readonly what: string; readonly tone?: Tone }>> = {
  applied: { what: 'sent', tone: 'ok' },
  unchanged: { what: 'nothing new to send', tone: 'soft' },
  skipped: { what: 'skipped' },
  pending: { what: 'not sent yet' },
  rejected: { what: 'gave up', tone: 'bad' },
  [DROPPED]: { what: 'its dead letter was dropped', tone: 'pending' },
};

/** The labels of events that the store did not send. */
const topicText = (topic: string) =>
  topic.replace(/^resend\/.*/, 'sent again by an operator').replace(/^backfill\/.*/, 'backfill');

function inLedger({ key, entry, store, doubt }: Trace): readonly Line[] {
  const outcomes = entry?.outcomes ?? [];
  const order = orderIn(store);
  return outcomes.map(({ at, outcome, version, topic, why, origin, counts }, index) => {
    // What is sent again for another reason, such as a changed rule, has a line of the same state before it.
    const isLost =
      key.kind === 'order' &&
      // It may have come while the shop was observed, or before the ledger was restored.
      !(doubt && version < doubt.until) &&
      outcomes.slice(0, index).every((one) => one.version < version);
    const before = outcomes.slice(0, index).findLast((one) => one.counts !== undefined)?.counts;
    const amountOf = (amount: number) => amountText(fromThousandths(amount), order?.currency);
    // As it was recorded then: a changed rule changes none of it.
    const isNew = counts !== undefined && counts !== before;
    const taken = isNew && before && before > counts ? amountOf(before - counts) : undefined;
    const detail =
      outcome === 'skipped' ? (SKIPS[why as keyof typeof SKIPS] ?? why) : codeText(why);
    return {
      ...{
        at,
        who: 'Connector',
        ...(OUTCOMES[why === 'pending' ? why : outcome] ?? { what: outcome }),
      },
      ...(detail && { detail }),
      facts: facts([
        ['Taken back', taken],
        ['Counts for points', isNew ? amountOf(counts) : undefined],
        ['Found by', origin && `reconciliation${isLost ? ', its event was lost' : ''}`],
        ['Event', topicText(topic) || undefined],
        ['State of', version > 0 ? { at: new Date(version).toISOString() } : undefined],
      ]).facts,
    };
  });
}

function amongLetters(letters: Trace['letters']): readonly Line[] {
  const who = 'Dead letter';
  return letters.flatMap(({ at, reason: detail, attempts, event, letterId }) => {
    const id: Cell = { text: letterId, opens: showLine(letterId) };
    const given: Line = {
      ...{ at: new Date(at).toISOString(), who, what: 'given up', detail, tone: 'bad' },
      facts: facts([
        ['Attempts', attempts],
        ['Dead letter', id],
      ]).facts,
    };
    if (!event) return [given];
    const { topic, triggeredAt, receivedAt, replays = [] } = event;
    const sent = { who: 'Store', what: 'sent the event', detail: topic };
    return [
      given,
      ...(triggeredAt === undefined ? [] : [{ ...sent, at: triggeredAt }]),
      { at: receivedAt, who: 'Queue', what: 'received', detail: topic },
      ...replays.map((replay) => ({ at: replay.at, who, what: `sent again by ${replay.by}` })),
    ];
  });
}
