import { type FoundByReading, readFindings } from '../../../shared/core/reconcile/deep-scan.ts';
import {
  type LastReconcile,
  readReconcileRuns,
  sumOf,
} from '../../../shared/core/reconcile/last-reconcile.ts';
import { shopsOf } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { openLedger } from '../deployment/open-ledger.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Table } from '../terminal/table.ts';
import { SENT_REASONS } from './sent-reasons.ts';

export interface HealingOptions {
  readonly shop?: string;
}

/** For `--json`. */
export interface HealingDocument {
  readonly stack: string;
  readonly everyMinutes: number;
  readonly shops: readonly ShopHealing[];
}

/** The runs of one shop, the newest first. */
interface ShopHealing {
  readonly shop: string;
  readonly runs: readonly LastReconcile[];
  /** Orders read from the loyalty service by the newest deep walk and, until it ends, by the one before. */
  readonly ordersRead: readonly FoundByReading[];
}

export async function showHealing(
  { terminal, json, findDeployment }: Session,
  { shop: named }: HealingOptions,
): Promise<ExitCode> {
  const deployment = await findDeployment();
  const { connector, stack } = deployment;
  const ledger = openLedger(deployment);
  const shops = await Promise.all(
    shopsOf(connector, named).map(async ({ domain: shop }): Promise<ShopHealing> => {
      const [runs, ordersRead] = await Promise.all([
        readReconcileRuns(ledger, shop),
        readFindings(ledger, shop),
      ]);
      return { shop, runs, ordersRead };
    }),
  );
  if (json) {
    const { everyMinutes } = connector.healing;
    terminal.json({ stack, everyMinutes, shops } satisfies HealingDocument);
    return EXIT.fine;
  }
  for (const { shop, runs, ordersRead } of shops) {
    if (runs.length === 0) {
      terminal.line(`${shop}: no run has ended yet. To start one:`);
      terminal.line(`  ${nextCommand(deployment, `reconcile --shop ${shop} --wait`)}`);
      continue;
    }
    terminal.line(`${shop}: every ${connector.healing.everyMinutes} minutes`);
    terminal.table(tableOf(runs));
    showDiffering(terminal, deployment, shop, ordersRead);
  }
  return EXIT.fine;
}

function tableOf(runs: readonly LastReconcile[]): Table {
  return {
    columns: [
      { title: 'ENDED (UTC)' },
      { title: 'COMPARED', align: 'right' },
      { title: 'HEALED', align: 'right' },
      { title: 'ROLLED OUT', align: 'right' },
      { title: 'NOT COMPARED', shrinks: true },
    ],
    rows: runs.map(({ endedAt, lookedAt, healed, rolledOut, stopped, deep }) => [
      endedAt.slice(0, 19).replace('T', ' '),
      ...[lookedAt, healed, rolledOut].map((counts) => `${sumOf(counts)}`),
      [
        ...stopped.map(({ kind, why }) => `${kind}s: ${why}`),
        ...(deep?.stopped ? [`deep: ${deep.stopped.why}`] : []),
      ].join(', ') || '-',
    ]),
    details: runs.map(sentText),
  };
}

/** `order 1001, 1002: changed without a webhook; and 3 more` */
function sentText({ sent = [], healed, rolledOut }: LastReconcile): string {
  const groups = Map.groupBy(sent, ({ kind, why }) => `${kind} ${why}`);
  const parts = [...groups.values()].flatMap((group) => {
    const [first] = group;
    const ids = group.map(({ id }) => id).join(', ');
    return first ? [`${first.kind} ${ids}: ${SENT_REASONS[first.why]}`] : [];
  });
  const more = sumOf(healed) + sumOf(rolledOut) - sent.length;
  return [...parts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function showDiffering(
  terminal: Session['terminal'],
  deployment: Deployment,
  shop: string,
  ordersRead: readonly FoundByReading[],
): void {
  const ids = [...new Set(ordersRead.flatMap((found) => found.ids))];
  const [first] = ids;
  if (first === undefined) return;
  terminal.line(`The loyalty service holds another state of ${ids.join(', ')}. To see it:`);
  terminal.line(`  ${nextCommand(deployment, `compare order ${first} --shop ${shop}`)}`);
}
