import { faultText, type WantedState } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreEntity } from '../../../shared/core/store/store.ts';
import { maskPerson, maskPersonal } from '../dead-letters/show/mask-personal.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printable, wrap } from '../terminal/text.ts';
import type { ReadBack, Trace } from './collect-trace.ts';
import { explainPoints } from './explain-points.ts';
import { lostWebhookOf, type TraceVerdict } from './judge-trace.ts';
import { momentText, timelineOf } from './timeline.ts';

const HEADS = {
  agrees: { text: 'IN AGREEMENT', style: 'green' },
  differs: { text: 'NOT IN AGREEMENT', style: 'red' },
  unknown: { text: 'NOT KNOWN', style: 'yellow' },
} as const;

const LABEL_WIDTH = 18;
/** `2026-10-09 12:00:00` and who. */
const TIMELINE_WIDTH = 34;

/** Prints the verdict, the timeline, and the current state of each side. */
export function printTrace(
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
export function describeEntity(entity: StoreEntity): string {
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
export function formOf(wanted: WantedState, reveal: boolean): object | undefined {
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
