import type { Shop } from '../../../../shared/config/connector-config.ts';
import { batchesOf } from '../../../../shared/core/events/event.ts';
import { fromThousandths } from '../../../../shared/core/ledger/service-order.ts';
import type { Deployment } from '../session/deployment.ts';
import { openShopServices } from '../session/services.ts';
import type { Session } from '../session/session.ts';
import {
  type Block,
  type Tone,
  table,
  type Verdict,
  type VerdictKind,
} from '../terminal/document.ts';
import { line } from '../terminal/line.ts';
import { counted } from '../terminal/text.ts';
import { changedOrders } from './find.ts';
import { differenceOf, type JudgedOrder, judgeOrder, ORDER_VERDICTS } from './judge-order.ts';
import { amountText, judgeSides, readSides, type Sides } from './sides.ts';

/** The loyalty service may allow few calls, and the workers need them. */
const AT_ONCE = 3;

export interface ComparedOrder extends JudgedOrder, Verdict {
  readonly isObserved: boolean;
  /** A plain resend sends it. */
  readonly isMissing: boolean;
}

/** Of an observed shop nothing was sent: what would be is compared. */
function compareOne(sides: Sides): ComparedOrder {
  const judged = judgeOrder(sides);
  const { verdict, reason } = judged;
  const isObserved = sides.observed !== undefined;
  const planned = { kind: ORDER_VERDICTS[verdict], what: `${verdict}: ${reason}` };
  // What another integration sent before go-live is not ours to judge.
  const isBefore = sides.mapped?.kind === 'skip' && sides.mapped.why === 'before-go-live';
  const isPlanned = isObserved || verdict === 'twice' || isBefore;
  const live = judgeSides(sides);
  const { kind, what } = isPlanned ? planned : live;
  const isWanted = sides.mapped?.kind === 'wanted' && !sides.entry?.uncertain;
  const isMissing = !isObserved && kind !== 'well' && isWanted && !live.isApplied;
  return { ...judged, isObserved, kind, what, isMissing };
}

interface AskedOrders {
  readonly deployment: Deployment;
  readonly shop: Shop;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly signal: AbortSignal;
}

/** Reads each order that the store changed since then from both sides. */
export async function readChangedOrders(
  { terminal }: Pick<Session, 'terminal'>,
  { deployment, shop, since, signal }: AskedOrders,
): Promise<{ readonly orders: readonly ComparedOrder[]; readonly isStopped: boolean }> {
  const services = openShopServices(deployment);
  const read = async ({ id }: { readonly id: string }) =>
    compareOne(
      await readSides(deployment, services, shop, { shop: shop.domain, kind: 'order', id }),
    );
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
  progress.end();
  return { orders, isStopped: isStopped || signal.aborted };
}

/** By verdict and reason; of an observed shop with totals. */
export function groupsOf(orders: readonly ComparedOrder[], shop: string): Block {
  const groups = [...Map.groupBy(orders, ({ kind, what }) => `${kind} ${what}`).values()];
  const rows = groups.flatMap((group) => {
    const [first, ...others] = group;
    if (!first) return [];
    const name = others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
    const all = first.isObserved
      ? `${totalOf(group)}: ${namesOf(group)}`
      : group.map((one) => one.name).join(', ');
    const cells = [
      { text: name, opens: line('trace', ['order', first.id], { shop }) },
      { text: first.what, tone: TONES[first.kind] },
    ];
    return [others.length === 0 && !first.isObserved ? { cells } : { cells, detail: all }];
  });
  return table(['Order', { title: 'What', shrinks: true }], rows);
}

const TONES = {
  'action required': 'bad',
  'not known': 'waits',
  waits: 'waits',
  well: 'soft',
} as const satisfies Record<VerdictKind, Tone>;

/** `12 orders, planned 600.00, held 540.00, difference −60.00` */
export function totalOf(orders: readonly JudgedOrder[]): string {
  const currency = orders.find((one) => one.currency !== undefined)?.currency;
  const sum = (amountOf: (order: JudgedOrder) => number | undefined) => {
    const total = orders.reduce((sofar, one) => sofar + (amountOf(one) ?? 0), 0);
    return amountText(fromThousandths(total), currency);
  };
  const sums = [sum((one) => one.planned), sum((one) => one.held), sum(differenceOf)];
  const [planned, held, difference] = sums;
  return `${counted(orders.length, 'order')}, planned ${planned}, held ${held}, difference ${difference}`;
}

const EXAMPLES = 5;

/** The first of them: `#1001, #1002 and 7 more`. */
export function namesOf(orders: readonly JudgedOrder[]): string {
  const names = orders.slice(0, EXAMPLES).map(({ name }) => name);
  const more = orders.length - EXAMPLES;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
