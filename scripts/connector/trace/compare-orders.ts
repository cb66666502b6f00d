import { writeFile } from 'node:fs/promises';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { batchesOf } from '../../../shared/core/events/event.ts';
import { fromThousandths } from '../../../shared/core/ledger/service-order.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import {
  type Block,
  type Document,
  type Tone,
  table,
  text,
  type Verdict,
  type VerdictKind,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import { findShop } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { Problem } from '../terminal/exit.ts';
import { counted } from '../terminal/text.ts';
import { changedOrders } from './find.ts';
import {
  csvOf,
  differenceOf,
  type JudgedOrder,
  judgeOrder,
  ORDER_VERDICTS,
} from './judge-order.ts';
import { amountText, judgeSides, readSides, type Sides } from './sides.ts';

/** The loyalty service may allow few calls, and the workers need them. */
const AT_ONCE = 3;

/** One command line names no more. */
const MOST_SENT = 20;

export interface CompareOptions {
  readonly shop?: string;
  /** Epoch milliseconds. */
  readonly since: number;
  /** A file to write. */
  readonly csv?: string;
}

/** Compares every order that the store changed since then; what does not agree is listed. */
export async function compareOrders(
  session: Session,
  { shop: named, since, csv }: CompareOptions,
): Promise<Document> {
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, named);
  const asked = { deployment, shop, since, signal };
  const { orders, isStopped } = await readChangedOrders(session, asked);
  if (csv !== undefined) await writeCsv(csv, orders);
  const from = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
  const title = `Orders of ${shop.domain} that changed since ${from} UTC`;
  const written = text(`Written to ${csv}: ${counted(orders.length, 'order')}.`);
  const document = documentOf(title, shop, orders, isStopped);
  return csv === undefined ? document : { ...document, blocks: [...document.blocks, written] };
}

interface ComparedOrder extends JudgedOrder, Verdict {
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

async function writeCsv(file: string, orders: readonly JudgedOrder[]): Promise<void> {
  await writeFile(file, csvOf(orders)).catch((error: unknown) => {
    throw new Problem(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  });
}

function documentOf(
  title: string,
  { domain }: Shop,
  compared: readonly ComparedOrder[],
  isStopped: boolean,
): Document {
  const isObserved = compared.some((one) => one.isObserved);
  const orders = compared.filter(({ kind }) => kind !== 'well');
  const missing = orders.filter(({ isMissing, isUnread }) => isMissing && !isUnread);
  const ids = missing.slice(0, MOST_SENT).map(({ id }) => id);
  const sends = line('resend', ['order', ...ids], { shop: domain, wait: true, yes: true });
  const many = counted(missing.length, 'order');
  const some = ids.length < missing.length ? `the first ${ids.length} of ${many}` : many;
  const traceOf = (id: string) => line('trace', ['order', id], { shop: domain });
  const listed = isObserved ? compared : orders;
  const other = orders.find(({ isMissing }) => !isMissing);
  return {
    title,
    verdict: verdictOf(compared, isStopped),
    blocks: [
      groupsOf(listed, domain),
      ...(isObserved ? [text(`In all ${totalOf(compared)}. ${OBSERVED}`)] : []),
    ],
    next: [
      ...(ids.length > 0 ? [{ label: `Send ${some}`, line: sends }] : []),
      ...(other ? [{ label: `See what happened to ${other.name}`, line: traceOf(other.id) }] : []),
    ],
    data: { shop: domain, agree: compared.length - orders.length, orders: listed },
  };
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

const OBSERVED =
  'Nothing is sent before go-live; planned is what would be. Points are not known: the service decides them.';

/** `12 orders, planned 600.00, held 540.00, difference −60.00` */
function totalOf(orders: readonly JudgedOrder[]): string {
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

function verdictOf(compared: readonly ComparedOrder[], isStopped: boolean): Verdict {
  if (compared.length === 0 && !isStopped) {
    return { kind: 'not known', what: 'The store changed no order since then: none was compared.' };
  }
  const many = (wanted: VerdictKind) => compared.filter(({ kind }) => kind === wanted).length;
  const uncounted = compared.filter(({ what }) => what.startsWith('not counted by us'));
  const agree = many('well') - uncounted.length;
  const parts = [
    `Read on both sides just now and in agreement: ${counted(agree, 'order')}`,
    ...(uncounted.length > 0 ? [`not counted by us: ${uncounted.length}`] : []),
    ...(many('action required') > 0 ? [`different: ${many('action required')}`] : []),
    ...(many('waits') > 0 ? [`not sent yet: ${many('waits')}`] : []),
    ...(many('not known') > 0 ? [`not known: ${many('not known')}`] : []),
    ...(isStopped ? ['stopped before the rest'] : []),
  ];
  const kinds: readonly VerdictKind[] = ['action required', 'not known', 'waits', 'well'];
  const worst = kinds.find((kind) => many(kind) > 0) ?? 'not known';
  const kind = isStopped && worst !== 'action required' ? 'not known' : worst;
  return { kind, what: `${parts.join('; ')}.` };
}
