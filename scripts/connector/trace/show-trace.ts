import type { EntityKind } from '../../../shared/core/ledger/ledger-key.ts';
import { findShop } from '../arguments.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { openShopServices } from '../deployment/services.ts';
import { BadArguments, EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { printable } from '../terminal/text.ts';
import { collectTrace, type Trace } from './collect-trace.ts';
import { explainPoints } from './explain-points.ts';
import { type FoundOrder, findEntity } from './find-entity.ts';
import { judgeTrace, lostWebhookOf, timelineOf } from './judge-trace.ts';
import { formOf, printTrace } from './print-trace.ts';

export interface TraceOptions {
  readonly shop?: string;
  readonly reveal?: boolean;
  readonly full?: boolean;
}

/** Collect → judge → show. */
export async function showTrace(
  session: Session,
  { shop: named, reveal = false, full = false }: TraceOptions,
  kindText = '',
  idText = '',
): Promise<ExitCode> {
  const kind = parseKind(kindText);
  const { terminal } = session;
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, named);
  const services = openShopServices(deployment);
  const { id, otherOrders } = await findEntity(kind, idText, { deployment, services, shop });
  const progress = terminal.progress('Searching the dead letters:');
  const trace = await collectTrace(deployment, services, { shop, kind, id }, signal, (seen) =>
    progress.report(seen),
  );
  progress.end();
  const judged = judgeTrace(trace);
  const verdict = {
    ...judged,
    ...(judged.next !== undefined && { next: nextCommand(deployment, judged.next) }),
  };
  if (session.json) {
    terminal.json({ ...asDocument(trace, verdict, reveal), otherOrders });
  } else {
    printTrace(terminal, trace, verdict, { full, reveal });
    printOrders(terminal, otherOrders, (one) =>
      nextCommand(deployment, `trace order ${one} --shop ${shop.domain}`),
    );
  }
  return verdict.kind === 'agrees' ? EXIT.fine : EXIT.failed;
}

function parseKind(text: string): EntityKind {
  // For the operator it is a customer; in the ledger that name belongs to balances.
  if (text === 'customer') return 'member';
  const kind = (['order', 'product', 'coupon'] as const).find((one) => one === text);
  if (kind) return kind;
  throw new BadArguments(`trace an order, a product, a coupon or a customer, not "${text}".`);
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

function asDocument(trace: Trace, verdict: object, reveal: boolean) {
  const { key, entry, letters, store, mapped, readBack } = trace;
  const { remembered: _, ...known } = entry ?? {};
  const form = mapped?.kind === 'wanted' ? formOf(mapped.wanted, reveal) : undefined;
  return {
    ...key,
    verdict,
    points: explainPoints(trace) ?? null,
    lostWebhook: lostWebhookOf(trace) ?? null,
    timeline: timelineOf(trace).map((line) => ({ ...line, at: new Date(line.at).toISOString() })),
    ledger: entry ? known : null,
    deadLetters: letters.map(({ messageId, reason, code, why, at }) => ({
      ...{ messageId, reason, code, why, at: new Date(at).toISOString() },
    })),
    store: store.kind === 'unavailable' ? { kind: store.kind, why: store.why } : store.kind,
    wanted: mapped && {
      kind: mapped.kind === 'wanted' ? mapped.wanted.kind : mapped.kind,
      ...(mapped.kind === 'skip' && { why: mapped.why }),
      ...(form && { form }),
    },
    readBack,
  };
}
