import { faultText, type WantedState } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreEntity } from '../../../shared/core/store/store.ts';
import { findShop, shopsOf } from '../arguments.ts';
import { maskPerson, maskPersonal } from '../dead-letters/examine.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { openShopServices, type ShopServices } from '../deployment/services.ts';
import { BadArguments, EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printable, wrap } from '../terminal/text.ts';
import { collectTrace, type ReadBack, type Trace, type Traced } from './collect-trace.ts';
import { type FoundOrder, findAny, findEntity, type Hit, KINDS, parseKind } from './find.ts';
import {
  explainPoints,
  judgeTrace,
  lostWebhookOf,
  momentText,
  type TraceVerdict,
  timelineOf,
} from './judge-trace.ts';

export interface TraceOptions {
  readonly shop?: string;
  readonly reveal?: boolean;
  readonly full?: boolean;
}

/** With `--json`. */
export type TraceDocument = ReturnType<typeof asDocument> & {
  readonly otherOrders: readonly FoundOrder[];
};

/** With `--json` where several things, or none that was traced, may be meant. */
export interface HitsDocument {
  readonly hits: readonly Hit[];
}

/** Find what is meant → collect → judge → show. */
export async function showTrace(
  session: Session,
  options: TraceOptions,
  first = '',
  second?: string,
): Promise<ExitCode> {
  const deployment = await session.findDeployment();
  const services = openShopServices(deployment);
  if (second !== undefined) {
    const kind = parseKind(first);
    const shop = findShop(deployment.connector, options.shop);
    const found = await findEntity(kind, second, { deployment, services, shop });
    return traceOne({ session, options, deployment, services }, { shop, kind, ...found });
  }
  if (KINDS.has(first)) throw new BadArguments(`give what to look for: trace ${first} ID.`);
  const shops = shopsOf(deployment.connector, options.shop);
  const deps = { deployment, services, ledger: openLedger(deployment) };
  const { hits, problems } = await findAny(first, deps, shops);
  for (const why of new Set(problems.map(({ message }) => message))) {
    session.terminal.note(`Not everything could be searched: ${why}`);
  }
  const [hit, ...others] = hits;
  if (!hit || others.length > 0) {
    showHits(session, deployment, hits);
    return EXIT.cannotTell;
  }
  const shop = findShop(deployment.connector, hit.shop);
  const kind = parseKind(hit.kind);
  const { otherOrders } = await findEntity(kind, hit.id, { deployment, services, shop });
  const traced = { shop, kind, id: hit.id, otherOrders };
  return traceOne({ session, options, deployment, services }, traced, hits);
}

interface TraceDeps {
  readonly session: Session;
  readonly options: TraceOptions;
  readonly deployment: Deployment;
  readonly services: ShopServices;
}

async function traceOne(
  { session, options: { reveal = false, full = false }, deployment, services }: TraceDeps,
  { otherOrders, ...traced }: Traced & { readonly otherOrders: readonly FoundOrder[] },
  hits?: readonly Hit[],
): Promise<ExitCode> {
  const { terminal } = session;
  const signal = session.interruption();
  if (reveal) {
    const about = { shop: traced.shop.domain, kind: traced.kind, id: traced.id };
    const record = await session.beginChange(deployment, 'reveal', about);
    record.count({ revealed: 1 });
  }
  const progress = terminal.progress('Searching the dead letters:');
  const trace = await collectTrace(deployment, services, traced, signal, (seen) =>
    progress.report(seen),
  );
  progress.end();
  const judged = judgeTrace(trace);
  const verdict = {
    ...judged,
    ...(judged.next !== undefined && { next: nextCommand(deployment, judged.next) }),
  };
  if (session.json) {
    terminal.json({ ...(hits && { hits }), ...asDocument(trace, verdict, reveal), otherOrders });
  } else {
    printTrace(terminal, trace, verdict, { full, reveal });
    printOrders(terminal, otherOrders, (one) =>
      nextCommand(deployment, `trace order ${one} --shop ${traced.shop.domain}`),
    );
  }
  return verdict.kind === 'agrees' ? EXIT.fine : EXIT.failed;
}

/** An ambiguous text is not traced. */
function showHits({ terminal, json }: Session, deployment: Deployment, hits: readonly Hit[]): void {
  if (json) {
    terminal.json({ hits });
    return;
  }
  terminal.line(`${hits.length} things may be meant:`);
  for (const { kind, id, name, shop } of hits) {
    const known = name === null || name === id ? '' : `, ${printable(name)}`;
    terminal.line(`${kind} ${printable(id)} of ${shop}${known}`);
    terminal.line(`    ${nextCommand(deployment, `trace ${kind} --shop ${shop}`, id)}`);
  }
}

/** The customer's orders, or orders of a similar name: what a person may have meant. */
function printOrders(
  { line, paragraph }: Terminal,
  orders: readonly FoundOrder[],
  command: (id: string) => string,
): void {
  const [newest] = orders;
  if (!newest) return;
  line();
  paragraph(
    `Other orders: ${orders.map(({ name }) => printable(name)).join(', ')}. The newest of them:`,
  );
  line(`    ${command(newest.id)}`);
}

function asDocument(trace: Trace, verdict: TraceVerdict, reveal: boolean) {
  const { key, entry, letters, store, mapped, readBack, serviceOrder, waits } = trace;
  const { remembered: _, ...known } = entry ?? {};
  const form = mapped?.kind === 'wanted' ? formOf(mapped.wanted, reveal) : undefined;
  return {
    ...key,
    name: nameOf(store),
    verdict,
    points: explainPoints(trace) ?? null,
    lostWebhook: lostWebhookOf(trace) ?? null,
    timeline: timelineOf(trace).map((line) => ({ ...line, at: new Date(line.at).toISOString() })),
    ledger: entry ? known : null,
    deadLetters: letters.map(({ letterId, reason, code, why, at }) => ({
      ...{ letterId, reason, code, why, at: new Date(at).toISOString() },
    })),
    waiting: waits.map(({ queue, waitsFor, why, since, until }) => ({
      ...{ queue, waitsFor, why },
      ...{ since: new Date(since).toISOString(), nextTry: new Date(until).toISOString() },
    })),
    store: {
      kind: store.kind,
      ...(store.kind === 'unavailable' && { why: store.why }),
      ...(store.kind === 'found' && { what: describeEntity(store.value) }),
    },
    wanted: mapped && {
      kind: mapped.kind === 'wanted' ? mapped.wanted.kind : mapped.kind,
      ...(mapped.kind === 'skip' && { why: mapped.why }),
      ...(form && { form }),
    },
    readBack,
    service: serviceOrder ?? null,
  };
}

/** As people know it: `#1007`, a title. Of a customer nothing that says who it is. */
function nameOf(store: Trace['store']): string | null {
  if (store.kind !== 'found') return null;
  if (store.value.kind === 'order') return store.value.order.name ?? null;
  return store.value.kind === 'product' ? store.value.product.title : null;
}

const HEADS = {
  agrees: { text: 'IN AGREEMENT', style: 'green' },
  differs: { text: 'NOT IN AGREEMENT', style: 'red' },
  unknown: { text: 'NOT KNOWN', style: 'yellow' },
} as const;

const LABEL_WIDTH = 18;
/** `2026-10-09 12:00:00` and who. */
const TIMELINE_WIDTH = 34;

/** Prints the verdict, the timeline, and the current state of each side. */
function printTrace(
  terminal: Terminal,
  trace: Trace,
  verdict: TraceVerdict,
  { full = false, reveal = false }: { readonly full?: boolean; readonly reveal?: boolean },
): void {
  const { kind, id, shop } = trace.key;
  const { text, style } = HEADS[verdict.kind];
  terminal.line(terminal.style('bold', printable(`${kind} ${id} of ${shop}`)));
  terminal.line();
  terminal.line(terminal.style(style, text));
  for (const line of wrap(verdict.what, terminal.width - 2)) terminal.line(`  ${printable(line)}`);
  if (verdict.next) terminal.line(`    ${terminal.style('cyan', verdict.next)}`);
  for (const sentence of [explainPoints(trace)?.what, lostWebhookOf(trace)]) {
    if (sentence === undefined) continue;
    for (const line of wrap(sentence, terminal.width - 2)) terminal.line(`  ${printable(line)}`);
  }
  terminal.line();
  for (const { at, who, what } of timelineOf(trace)) {
    const [first = '', ...rest] = wrap(printable(what), terminal.width - TIMELINE_WIDTH);
    terminal.line(`${momentText(at)}  ${who.padEnd(11)}  ${first}`);
    for (const more of rest) terminal.line(' '.repeat(TIMELINE_WIDTH) + more);
  }
  terminal.line();
  for (const [label, words] of factsOf(trace)) {
    const [first = '', ...rest] = wrap(printable(words), terminal.width - LABEL_WIDTH);
    terminal.line(`${label.padEnd(LABEL_WIDTH)}${first}`);
    for (const more of rest) terminal.line(' '.repeat(LABEL_WIDTH) + more);
  }
  if (!full || trace.mapped?.kind !== 'wanted') return;
  const form = formOf(trace.mapped.wanted, reveal);
  if (!form) return;
  terminal.line();
  terminal.line(`It should hold${reveal ? '' : ' (personal data is masked, --reveal shows it)'}:`);
  for (const line of JSON.stringify(form, null, 2).split('\n'))
    terminal.line(`  ${printable(line)}`);
}

function factsOf({
  entry,
  store,
  mapped,
  readBack,
}: Trace): readonly (readonly [string, string])[] {
  return [
    ['the store now', storeText(store)],
    ['the ledger', entry ? entryText(entry) : 'knows nothing of it'],
    ['loyalty service', wantedText(mapped)],
    ['read back', readBackText(readBack)],
  ];
}

function storeText(store: Trace['store']): string {
  switch (store.kind) {
    case 'found':
      return describeEntity(store.value);
    case 'gone':
      return 'does not know it (any more)';
    case 'unavailable':
      return `could not be read: ${store.why}`;
  }
}

function entryText({ version, appliedKey, uncertain, revision }: NonNullable<Trace['entry']>) {
  const state = version > 0 ? `settled up to ${momentText(version)}` : 'nothing settled';
  const applied = appliedKey === undefined ? 'nothing applied' : 'applied';
  return [state, applied, uncertain && 'UNCERTAIN', `revision ${revision}`]
    .filter(Boolean)
    .join(', ');
}

function wantedText(mapped: Trace['mapped']): string {
  if (!mapped) return 'what it should hold is unknown';
  switch (mapped.kind) {
    case 'fault':
      return `what it should hold is unknown: ${faultText(mapped)}`;
    case 'skip':
      return `should hold nothing: it is skipped (${mapped.why})`;
    case 'wanted':
      return `should hold ${describeWanted(mapped.wanted)} (--full shows all of it)`;
  }
}

function readBackText(readBack: ReadBack): string {
  switch (readBack.kind) {
    case 'nothing-to-read':
      return 'nothing: the ledger is the record of what was sent; the command compare reads orders and coupons';
    case 'known':
      return `the loyalty service knows the customer ${readBack.customerId}${readBack.tier ? `, tier ${readBack.tier}` : ''}; the command compare reads the order itself`;
    case 'not-known':
      return `the customer ${readBack.customerId} could not be read: ${readBack.why}`;
  }
}

/** The state in the store in one line, without personal data. */
function describeEntity(entity: StoreEntity): string {
  switch (entity.kind) {
    case 'order': {
      const { order } = entity;
      return list([
        order.name,
        order.test && 'test order',
        order.cancelledAt ? 'cancelled' : undefined,
        order.paymentStatus,
        order.fulfillmentStatus ?? 'not fulfilled',
        `${order.subtotal} ${order.currency} without shipping`,
        order.customer ? `customer ${order.customer.id}` : 'guest',
      ]);
    }
    case 'product': {
      const { product } = entity;
      return list([product.title, product.status, product.price && `from ${product.price}`]);
    }
    case 'coupon': {
      const { coupon } = entity;
      return list([
        coupon.kind,
        coupon.value && `${coupon.value}`,
        coupon.status,
        `discount ${coupon.discountId}`,
        `for ${coupon.audience.kind}`,
        `used ${coupon.timesUsed} times`,
      ]);
    }
    case 'member': {
      const { email, phone } = entity.member;
      return list(['customer', email && 'with e-mail address', phone && 'with telephone number']);
    }
  }
}

const list = (words: readonly (string | false | undefined)[]) => words.filter(Boolean).join(', ');

/** What the loyalty service should hold in a few words, without personal data. */
function describeWanted(wanted: WantedState): string {
  switch (wanted.kind) {
    case 'order': {
      const { OrderTotal, IsCompleted, Products } = wanted.order;
      const completed = IsCompleted ? 'completed' : 'not completed';
      return `an order of ${OrderTotal}, ${completed}, ${Products?.length ?? 0} products`;
    }
    case 'cancelled-order':
      return 'a cancelled order';
    case 'product':
      return `a product, ${wanted.product.IsActive ? 'active' : 'not active'}`;
    case 'coupon':
      return 'a coupon, active';
    case 'inactive-coupon':
      return 'a coupon, not active';
    case 'member':
      return 'a member';
    case 'deleted-member':
      return 'what it had of a deleted customer';
  }
}

/** The body of the call, masked unless it is to be revealed; undefined where the call has none. */
function formOf(wanted: WantedState, reveal: boolean): object | undefined {
  const body = bodyOf(wanted);
  if (reveal || !body) return body;
  return wanted.kind === 'member' ? maskPerson(wanted.member) : maskPersonal(body);
}

function bodyOf(wanted: WantedState): object | undefined {
  switch (wanted.kind) {
    case 'order':
      return wanted.order;
    case 'cancelled-order':
      return wanted.cancellation;
    case 'product':
      return wanted.product;
    case 'coupon':
      return wanted.coupon;
    case 'member':
      return wanted.member;
    case 'inactive-coupon':
    case 'deleted-member':
      return undefined;
  }
}
