import type { EntityKind } from '../../../shared/core/ledger/ledger-key.ts';
import { findShop } from '../arguments.ts';
import { maskPersonal } from '../dead-letters/show/mask-personal.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { BadArguments, EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import { collectTrace, type Trace } from './collect-trace.ts';
import { judgeTrace, timelineOf } from './judge-trace.ts';
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
  const id = parseId(kind, idText);
  const { terminal } = session;
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const shop = findShop(deployment.connector, named);
  const progress = terminal.progress('Searching the dead letters:');
  const trace = await collectTrace(deployment, { shop, kind, id }, signal, (seen) =>
    progress.report(seen),
  );
  progress.end();
  const judged = judgeTrace(trace);
  const verdict = {
    ...judged,
    ...(judged.next !== undefined && { next: nextCommand(deployment, judged.next) }),
  };
  if (session.json) terminal.json(asDocument(trace, verdict, reveal));
  else printTrace(terminal, trace, verdict, { full, reveal });
  return verdict.kind === 'agrees' ? EXIT.fine : EXIT.failed;
}

function parseKind(text: string): EntityKind {
  // For the operator it is a customer; in the ledger that name belongs to balances.
  if (text === 'customer') return 'member';
  const kind = (['order', 'product', 'coupon'] as const).find((one) => one === text);
  if (kind) return kind;
  throw new BadArguments(`trace an order, a product, a coupon or a customer, not "${text}".`);
}

const NAMES = { order: 'an order', product: 'a product', member: 'a customer' } as const;

/** Users copy ids from addresses and payloads, so a global id is accepted too. */
export function parseId(kind: EntityKind, text: string): string {
  if (kind === 'coupon') return text;
  const id = text.replace(/^gid:\/\/shopify\/(?:Order|Product|Customer)\//, '');
  if (/^\d{1,30}$/.test(id)) return id;
  throw new BadArguments(
    `the id of ${NAMES[kind]} is the number at the end of its address in the admin, not "${text}".`,
  );
}

function asDocument(trace: Trace, verdict: object, reveal: boolean) {
  const { key, entry, letters, store, mapped, readBack } = trace;
  const { remembered: _, ...known } = entry ?? {};
  const form = mapped?.kind === 'wanted' ? formOf(mapped.wanted) : undefined;
  return {
    ...key,
    verdict,
    timeline: timelineOf(trace).map((line) => ({ ...line, at: new Date(line.at).toISOString() })),
    ledger: entry ? known : null,
    deadLetters: letters.map(({ messageId, reason, code, why, at }) => ({
      ...{ messageId, reason, code, why, at: new Date(at).toISOString() },
    })),
    store: store.kind === 'unavailable' ? { kind: store.kind, why: store.why } : store.kind,
    wanted: mapped && {
      kind: mapped.kind === 'wanted' ? mapped.wanted.kind : mapped.kind,
      ...(mapped.kind === 'skip' && { why: mapped.why }),
      ...(form && { form: reveal ? form : maskPersonal(form) }),
    },
    readBack,
  };
}
