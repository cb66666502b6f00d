import { batchesOf } from '../../../shared/core/events/event.ts';
import { openShopServices } from '../deployment/services.ts';
import { type Document, table, type Verdict, type VerdictKind } from '../document/document.ts';
import { line } from '../document/line.ts';
import { findShop } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { counted } from '../terminal/text.ts';
import { changedOrders } from './find.ts';
import { compareSides, isApplied, readSides } from './sides.ts';

/** The loyalty service may allow few calls, and the workers need them. */
const AT_ONCE = 3;

/** One command line names no more. */
const MOST_SENT = 20;

interface ComparedOrder extends Verdict {
  readonly id: string;
  /** `#1007`; the id where the store does not say it. */
  readonly name: string;
  /** A plain resend sends it. */
  readonly isMissing: boolean;
  /** The service did not say what it holds. */
  readonly isUnread: boolean;
}

/** Compares every order that the store changed since then; what does not agree is listed. */
export async function compareOrders(
  session: Session,
  { shop: named, since }: { readonly shop?: string; readonly since: number },
): Promise<Document> {
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const services = openShopServices(deployment);
  const { domain, ...shop } = findShop(deployment.connector, named);
  const compare = async ({ id }: { readonly id: string }): Promise<ComparedOrder> => {
    const key = { shop: domain, kind: 'order', id } as const;
    const sides = await readSides(deployment, services, { domain, ...shop }, key);
    const { kind, what } = compareSides(sides);
    const read = sides.store.kind === 'found' ? sides.store.value : undefined;
    const name = (read?.kind === 'order' && read.order.name) || id;
    const isWanted = sides.mapped?.kind === 'wanted' && !sides.entry?.uncertain;
    const isMissing = kind !== 'well' && isWanted && !isApplied(sides);
    return { id, name, kind, what, isMissing, isUnread: sides.held.kind === 'unknown' };
  };
  const compared: ComparedOrder[] = [];
  const progress = session.terminal.progress('Comparing orders:');
  // In an outage the others would fail like these, each after its time limit.
  let isStopped = false;
  for await (const orders of changedOrders(services.store, domain, since, signal)) {
    for (const some of batchesOf(orders, AT_ONCE)) {
      isStopped ||= signal.aborted;
      if (isStopped) break;
      const judged = await Promise.all(some.map(compare));
      compared.push(...judged);
      progress.report(compared.length);
      isStopped = judged.every(({ isUnread }) => isUnread);
    }
    if (isStopped) break;
  }
  progress.end();
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
  const from = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
  const other = orders.find(({ isMissing }) => !isMissing);
  return {
    title: `Orders of ${domain} that changed since ${from} UTC`,
    verdict: verdictOf(compared, isStopped || signal.aborted),
    blocks: [table(['Order', { title: 'What', shrinks: true }], rows)],
    next: [
      ...(ids.length > 0 ? [{ label: `Send ${some}`, line: sends }] : []),
      ...(other ? [{ label: `See what happened to ${other.name}`, line: traceOf(other.id) }] : []),
    ],
    data: { shop: domain, agree: compared.length - orders.length, orders },
  };
}

function verdictOf(compared: readonly ComparedOrder[], isStopped: boolean): Verdict {
  if (compared.length === 0 && !isStopped) {
    return { kind: 'not known', what: 'The store changed no order since then: none was compared.' };
  }
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
