import type { WantedState } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreEntity } from '../../../shared/core/store/store.ts';
import { maskPerson, maskPersonal } from '../dead-letters/show.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { openShopServices, type ShopServices } from '../deployment/services.ts';
import { type Block, type Document, facts, REVEALS, text } from '../document/document.ts';
import { line } from '../document/line.ts';
import { findShop, shopsOf } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { BadArguments } from '../terminal/exit.ts';
import { utcText } from '../terminal/text.ts';
import { arithmeticOf } from './arithmetic.ts';
import { collectTrace, type Trace, type Traced } from './collect-trace.ts';
import { type FoundOrder, findAny, findEntity, type Hit, KINDS, parseKind } from './find.ts';
import { judgeTrace, pointsText, sendAgain } from './judge-trace.ts';
import { type Compared, compareSides } from './sides.ts';
import { timelineOf } from './timeline.ts';

export interface TraceOptions {
  readonly shop?: string;
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
  const trace = async (shopName: string | undefined, kindText: string, typed: string) => {
    const kind = parseKind(kindText);
    const shop = findShop(deployment.connector, shopName);
    const found = await findEntity(kind, typed, { deployment, services, shop });
    return traceOne({ session, options, deployment, services }, { shop, kind, ...found });
  };
  if (second !== undefined) return trace(options.shop, first, second);
  if (KINDS.has(first)) throw new BadArguments(`give what to look for: trace ${first} ID.`);
  const shops = shopsOf(deployment.connector, options.shop);
  const deps = { deployment, services, ledger: openLedger(deployment) };
  const { hits, problems } = await findAny(first, deps, shops);
  for (const why of new Set(problems.map(({ message }) => message))) {
    session.terminal.note(`Not everything could be searched: ${why}`);
  }
  const [hit, ...others] = hits;
  return hit && others.length === 0 ? trace(hit.shop, hit.kind, hit.id) : hitsDocument(hits);
}

/** An ambiguous text is not traced. */
function hitsDocument(hits: readonly Hit[]): Document {
  return {
    title: 'What was found',
    verdict: { kind: 'not known', what: `${hits.length} things may be meant.` },
    blocks: [foundTable('', hits)],
    next: hits.map((hit) => ({ label: hitName(hit), line: hitLine(hit) })),
    data: { hits },
  };
}

function foundTable(title: string, hits: readonly Hit[]): Block {
  return {
    kind: 'table',
    ...(title !== '' && { title }),
    columns: [{ title: 'What' }, { title: 'Id' }, { title: 'Shop' }],
    rows: hits.map((hit) => ({
      cells: [
        { text: hitName(hit), opens: hitLine(hit) },
        { text: hit.id, tone: 'soft' },
        { text: hit.shop, tone: 'soft' },
      ],
    })),
  };
}

const hitName = ({ kind, name, id }: Hit) => `${KIND_NAMES[kind]} ${name ?? id}`;
const hitLine = ({ kind, id, shop }: Hit) => line('trace', [kind, id], { shop });

const KIND_NAMES = {
  order: 'Order',
  product: 'Product',
  coupon: 'Coupon',
  customer: 'Customer',
  member: 'Customer',
} as const;

interface TraceDeps {
  readonly session: Session;
  readonly options: TraceOptions;
  readonly deployment: Deployment;
  readonly services: ShopServices;
}

async function traceOne(
  { session, options: { reveal = false }, deployment, services }: TraceDeps,
  { otherOrders, ...traced }: Traced & { readonly otherOrders: readonly FoundOrder[] },
): Promise<Document> {
  const signal = session.interruption();
  if (reveal) {
    const about = { shop: traced.shop.domain, kind: traced.kind, id: traced.id };
    const record = await session.beginChange(deployment, 'reveal', about);
    record.count({ revealed: 1 });
  }
  const progress = session.terminal.progress('Searching the dead letters:');
  const trace = await collectTrace(deployment, services, traced, signal, (seen) =>
    progress.report(seen),
  );
  progress.end();
  return documentOf(trace, otherOrders, reveal);
}

/** One page of facts. */
export function documentOf(
  trace: Trace,
  otherOrders: readonly FoundOrder[] = [],
  reveal = false,
): Document {
  const { key, entry, letters, mapped, waits, earned } = trace;
  const judged = judgeTrace(trace);
  const { kind: verdict, what, why, next } = judged;
  const points = pointsText(trace, judged);
  const { rows } = compareSides(trace);
  const form = mapped?.kind === 'wanted' ? formOf(mapped.wanted, reveal) : undefined;
  const name = nameOf(trace);
  const kind = key.kind === 'member' ? 'customer' : key.kind;
  const found = trace.store.kind === 'found' ? trace.store.value : undefined;
  const isReward = found?.kind === 'coupon' && found.coupon.madeByConnector;
  const rewards = {
    label: isReward ? 'See whose reward it is' : 'See points and rewards',
    line: line('redemptions show', [key.id], { shop: key.shop }),
  };
  const revealed = {
    label: 'Show personal data',
    say: REVEALS,
    line: line('trace', [kind, key.id], { shop: key.shop, full: true, reveal: true }),
  };
  const again = verdict === 'well' ? sendAgain(trace) : undefined;
  const { remembered: _, ...ledger } = entry ?? {};
  const others = otherOrders.map((order) => ({ ...order, shop: key.shop, kind: 'order' as const }));
  return {
    title: `${KIND_NAMES[key.kind]} ${name ?? key.id} of ${key.shop}`,
    verdict: { kind: verdict, what },
    blocks: [
      ...(points === undefined ? [] : [text(points)]),
      ...(entry || trace.store.kind === 'found' ? [tableOf(rows)] : []),
      ...arithmeticOf(trace),
      timelineOf(trace, verdict === 'well'),
      factsOf(trace),
      ...(form ? [codeOf(form, reveal)] : []),
      ...(others.length > 0
        ? [foundTable(kind === 'customer' ? 'Orders' : 'Other orders', others)]
        : []),
    ],
    next: [
      ...next,
      ...((kind === 'customer' && found) || isReward ? [rewards] : []),
      ...(form && !reveal && kind !== 'product' ? [revealed] : []),
      ...(again ? [again] : []),
    ],
    // It goes on by itself: an open page shows how.
    ...(verdict === 'waits' && { freshSeconds: 15 }),
    data: {
      ...{ ...key, name: name ?? null, why: why ?? null },
      ...{ sides: rows, steps: mapped?.kind === 'wanted' ? mapped.steps : undefined },
      ledger: entry ? ledger : null,
      deadLetters: letters.map(({ letterId, reason, code, why, at }) => ({
        ...{ letterId, reason, code, why, at: new Date(at).toISOString() },
      })),
      waiting: waits.map(({ queue, waitsFor, why, until }) => ({
        ...{ queue, waitsFor, why, nextTry: new Date(until).toISOString() },
      })),
      ...{ earned: earned ?? null, wanted: form ?? null, otherOrders },
    },
  };
}

/** As people know it: `#1007`, a title. Of a customer nothing that says who it is. */
function nameOf({ store }: Trace): string | undefined {
  if (store.kind !== 'found') return undefined;
  if (store.value.kind === 'order') return store.value.order.name;
  return store.value.kind === 'product' ? store.value.product.title : undefined;
}

function tableOf(rows: Compared['rows']): Block {
  return {
    kind: 'table',
    title: 'Both sides now',
    columns: ['', 'Store', 'Connector', 'Loyalty service', ''].map((title) => ({ title })),
    rows: rows.map(({ field, store, ledger, service, differs }) => ({
      cells: [field, store, ledger, service, differs ? { text: 'differs', tone: 'bad' } : ''],
    })),
  };
}

function factsOf({ key, store, entry }: Trace): Block {
  const state = entry && entry.version > 0 ? `settled up to ${utcText(entry.version)}` : '';
  const applied = entry?.appliedKey === undefined ? 'nothing applied' : 'applied';
  const absent = store.kind === 'gone' ? 'not there (any more)' : 'could not be read';
  const inStore = store.kind === 'found' ? storeText(store.value) : absent;
  return facts(
    [
      ['Id', { text: key.id, tone: 'soft' }],
      ['In the store now', inStore],
      ['In the ledger', entry ? list([state, applied, `revision ${entry.revision}`]) : 'nothing'],
    ],
    'Details',
  );
}

/** The state in the store in one line, without personal data. */
function storeText(entity: StoreEntity): string {
  switch (entity.kind) {
    case 'order': {
      const { test, cancelledAt, paymentStatus, fulfillmentStatus, customer } = entity.order;
      return list([
        test && 'test order',
        cancelledAt && 'cancelled',
        paymentStatus?.replaceAll('_', ' '),
        fulfillmentStatus ?? 'not fulfilled',
        customer ? `customer ${customer.id}` : 'guest',
      ]);
    }
    case 'product': {
      const { status, price } = entity.product;
      return list([status, price && `from ${price}`]);
    }
    case 'coupon': {
      const { kind, status, discountId, audience, timesUsed } = entity.coupon;
      const used = `used ${timesUsed} times`;
      return list([kind, status, `discount ${discountId}`, `for ${audience.kind}`, used]);
    }
    case 'member': {
      const { email, phone } = entity.member;
      return list(['customer', email && 'with e-mail address', phone && 'with telephone number']);
    }
  }
}

const list = (words: readonly (string | false | undefined)[]) => words.filter(Boolean).join(', ');

function codeOf(form: object, reveal: boolean): Block {
  const masked = reveal ? '' : ' (personal data is masked)';
  return {
    ...{ kind: 'code', title: `What the loyalty service should hold${masked}`, folded: true },
    text: JSON.stringify(form, null, 2),
  };
}

/** The body of the call, masked unless it is to be revealed; undefined where the call has none. */
function formOf(wanted: WantedState, reveal: boolean): object | undefined {
  switch (wanted.kind) {
    case 'order':
      return reveal ? wanted.order : maskPersonal(wanted.order);
    case 'cancelled-order':
      return reveal ? wanted.cancellation : maskPersonal(wanted.cancellation);
    case 'product':
      return wanted.product;
    case 'coupon':
      return reveal ? wanted.coupon : maskPersonal(wanted.coupon);
    case 'member':
      return reveal ? wanted.member : maskPerson(wanted.member);
    case 'inactive-coupon':
    case 'deleted-member':
      return undefined;
  }
}
