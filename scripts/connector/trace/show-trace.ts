import { findShop, shopsOf } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { openShopServices, type ShopServices } from '../deployment/services.ts';
import { BadArguments, EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printable } from '../terminal/text.ts';
import { collectTrace, type Trace, type Traced } from './collect-trace.ts';
import { explainPoints } from './explain-points.ts';
import { findAny, type Hit } from './find-any.ts';
import { type FoundOrder, findEntity, KINDS, parseKind } from './find-entity.ts';
import { judgeTrace, lostWebhookOf, type TraceVerdict } from './judge-trace.ts';
import { describeEntity, formOf, printTrace } from './print-trace.ts';
import { timelineOf } from './timeline.ts';

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
  const world = { deployment, services, ledger: openLedger(deployment) };
  const { hits, problems } = await findAny(first, world, shops);
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

interface TraceWorld {
  readonly session: Session;
  readonly options: TraceOptions;
  readonly deployment: Deployment;
  readonly services: ShopServices;
}

async function traceOne(
  { session, options: { reveal = false, full = false }, deployment, services }: TraceWorld,
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

/** A text that may mean several things is traced by none of them. */
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
