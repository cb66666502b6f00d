import { writeFile } from 'node:fs/promises';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import { batchesOf } from '../../../shared/core/events/event.ts';
import { fromThousandths } from '../../../shared/core/ledger/ledger.ts';
import { type Deployment, openLedger } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import {
  type Block,
  type Document,
  right,
  type Tone,
  table,
  text,
  type Verdict,
  type VerdictKind,
} from '../document/document.ts';
import { line } from '../document/line.ts';
import { goLiveSuggestions } from '../pause/read-pauses.ts';
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
  type OrderVerdict,
} from './judge-order.ts';
import { amountText, compareSides, isApplied, isObserved, readSides, type Sides } from './sides.ts';

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
  const control = await readControl(openLedger(deployment), shop.domain);
  const asked = { deployment, shop, since, signal };
  const { orders, isStopped } = await readChangedOrders(session, asked, compareOne);
  if (csv !== undefined) await writeCsv(csv, orders);
  const from = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
  const title = `Orders of ${shop.domain} that changed since ${from} UTC`;
  const document = isObserved(shop, control)
    ? observedDocument(title, shop, orders, isStopped)
    : liveDocument(title, shop, orders, isStopped);
  const written = text(`Written to ${csv}: ${counted(orders.length, 'order')}.`);
  return csv === undefined ? document : { ...document, blocks: [...document.blocks, written] };
}

interface ComparedOrder extends JudgedOrder, Verdict {
  /** A plain resend sends it. */
  readonly isMissing: boolean;
}

function compareOne(sides: Sides): ComparedOrder {
  const judged = judgeOrder(sides);
  const { kind, what } =
    judged.verdict === 'twice'
      ? ({ kind: 'action required', what: `It counts twice: ${judged.reason}.` } as const)
      : compareSides(sides);
  const isWanted = sides.mapped?.kind === 'wanted' && !sides.entry?.uncertain;
  const isMissing = kind !== 'well' && isWanted && !isApplied(sides);
  return { ...judged, kind, what, isMissing };
}

interface AskedOrders {
  readonly deployment: Deployment;
  readonly shop: Shop;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly signal: AbortSignal;
}

/** Reads each order that the store changed since then from both sides. */
export async function readChangedOrders<Read extends { readonly isUnread: boolean }>(
  { terminal }: Pick<Session, 'terminal'>,
  { deployment, shop, since, signal }: AskedOrders,
  judge: (sides: Sides) => Read,
): Promise<{ readonly orders: readonly Read[]; readonly isStopped: boolean }> {
  const services = openShopServices(deployment);
  const read = async ({ id }: { readonly id: string }) =>
    judge(await readSides(deployment, services, shop, { shop: shop.domain, kind: 'order', id }));
  const orders: Read[] = [];
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

function liveDocument(
  title: string,
  { domain }: Shop,
  compared: readonly ComparedOrder[],
  isStopped: boolean,
): Document {
  const orders = compared.filter(({ kind }) => kind !== 'well');
  const missing = orders.filter(({ isMissing, isUnread }) => isMissing && !isUnread);
  const ids = missing.slice(0, MOST_SENT).map(({ id }) => id);
  const sends = line('resend', ['order', ...ids], { shop: domain, wait: true, yes: true });
  const many = counted(missing.length, 'order');
  const some = ids.length < missing.length ? `the first ${ids.length} of ${many}` : many;
  const traceOf = (id: string) => line('trace', ['order', id], { shop: domain });
  const groups = [...Map.groupBy(orders, ({ kind, what }) => `${kind} ${what}`).values()];
  const rows = groups.flatMap((group) => {
    const [first, ...others] = group;
    if (!first) return [];
    const tone = first.kind === 'action required' ? ('bad' as const) : ('waits' as const);
    const name = others.length === 0 ? first.name : `${first.name} and ${others.length} more`;
    const all = group.map((one) => one.name).join(', ');
    const cells = [
      { text: name, opens: traceOf(first.id) },
      { text: first.what, tone },
    ];
    return [others.length === 0 ? { cells } : { cells, detail: all }];
  });
  const other = orders.find(({ isMissing }) => !isMissing);
  return {
    title,
    verdict: verdictOf(compared, isStopped),
    blocks: [table(['Order', { title: 'What', shrinks: true }], rows)],
    next: [
      ...(ids.length > 0 ? [{ label: `Send ${some}`, line: sends }] : []),
      ...(other ? [{ label: `See what happened to ${other.name}`, line: traceOf(other.id) }] : []),
    ],
    data: { shop: domain, agree: compared.length - orders.length, orders },
  };
}

const NONE = {
  kind: 'not known',
  what: 'The store changed no order since then: none was compared.',
} as const;

function verdictOf(compared: readonly ComparedOrder[], isStopped: boolean): Verdict {
  if (compared.length === 0 && !isStopped) return NONE;
  const many = (wanted: VerdictKind) => compared.filter(({ kind }) => kind === wanted).length;
  const parts = [
    `Read on both sides just now and in agreement: ${counted(many('well'), 'order')}`,
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

const TONES: Readonly<Record<OrderVerdict, Tone>> = {
  twice: 'bad',
  'other amount': 'bad',
  absent: 'bad',
  'not known': 'waits',
  'not counted by us': 'soft',
  same: 'well',
};

function observedDocument(
  title: string,
  shop: Shop,
  orders: readonly JudgedOrder[],
  isStopped: boolean,
): Document {
  const { domain, mode } = shop;
  const bad = orders.find(({ verdict }) => TONES[verdict] === 'bad');
  return {
    title,
    verdict: judgeAll(orders, isStopped),
    blocks: [
      text('The shop is only observed: nothing is sent. Planned is what would be sent.'),
      ...orderGroups(orders, domain),
      text('Points are not known: the service decides them.'),
    ],
    next: [
      ...(bad
        ? [{ label: `See ${bad.name}`, line: line('trace', ['order', bad.id], { shop: domain }) }]
        : []),
      ...(mode === 'observe' ? [] : goLiveSuggestions(domain)),
    ],
    data: { shop: domain, orders },
  };
}

/** How many orders got each verdict. */
export function judgeAll(orders: readonly JudgedOrder[], isStopped: boolean): Verdict {
  if (orders.length === 0 && !isStopped) return NONE;
  const groups = Map.groupBy(orders, ({ verdict }) => verdict);
  const verdicts = Object.keys(TONES) as OrderVerdict[];
  const parts = verdicts.toReversed().flatMap((verdict) => {
    const { length } = groups.get(verdict) ?? [];
    return length === 0 ? [] : [`${verdict}: ${counted(length, 'order')}`];
  });
  const what = [...parts, ...(isStopped ? ['stopped before the rest'] : [])].join('; ');
  const isBad = verdicts.some((verdict) => TONES[verdict] === 'bad' && groups.has(verdict));
  const isOpen = isStopped || groups.has('not known');
  const kind = isBad ? 'action required' : isOpen ? 'not known' : 'well';
  return { kind, what: `${what.charAt(0).toUpperCase()}${what.slice(1)}.` };
}

const EXAMPLES = 5;

/** By verdict and reason, with examples and totals. */
export function orderGroups(orders: readonly JudgedOrder[], shop: string): readonly Block[] {
  const sums = (some: readonly JudgedOrder[]) => {
    const currency = some.find((one) => one.currency !== undefined)?.currency;
    const sum = (valueOf: (order: JudgedOrder) => number | undefined) =>
      amountText(
        fromThousandths(some.reduce((total, one) => total + (valueOf(one) ?? 0), 0)),
        currency,
      );
    return [some.length, sum((one) => one.planned), sum((one) => one.held), sum(differenceOf)];
  };
  const groups = Map.groupBy(orders, ({ verdict, reason }) => `${verdict} ${reason}`);
  const rank = ({ verdict }: JudgedOrder) => Object.keys(TONES).indexOf(verdict);
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { verdict, reason, id } = first;
    const opens = line('trace', ['order', id], { shop });
    const cells = [{ text: verdict, tone: TONES[verdict], opens }, reason, ...sums(group)];
    return [{ rank: rank(first), cells, detail: namesOf(group) }];
  });
  const counts = ['Orders', 'Planned', 'Held', 'Difference'].map(right);
  const ranked = rows.toSorted((one, other) => one.rank - other.rank);
  return [
    table(
      ['Verdict', { title: 'Reason', shrinks: true }, ...counts],
      [
        ...ranked.map(({ rank: _, ...row }) => row),
        ...(rows.length > 1 ? [['all', '', ...sums(orders)]] : []),
      ],
    ),
  ];
}

/** The first of them: `#1001, #1002 and 7 more`. */
export function namesOf(orders: readonly JudgedOrder[]): string {
  const names = orders
    .slice(0, EXAMPLES)
    .map(({ name }) => name)
    .join(', ');
  const more = orders.length - EXAMPLES;
  return more > 0 ? `${names} and ${more} more` : names;
}
