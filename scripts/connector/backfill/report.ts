import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { relativeTime } from '../terminal/text.ts';
import { type BackfillState, spanWords } from './backfill-state.ts';
import { openBackfill } from './open-backfill.ts';

/** Reports what was sent; the outcome is known only to the workers. */
export function reportEnd(
  { terminal, json }: Session,
  deployment: Deployment,
  state: BackfillState,
): ExitCode {
  if (json) {
    terminal.json(stateDocument(state));
    return EXIT.fine;
  }
  const codes = state.kind === 'discounts' ? 'codes' : state.kind;
  terminal.line(`Done: ${state.sent} ${codes} of ${state.shop} sent (${spanWords(state)}).`);
  if (state.asked > 0) {
    terminal.line(
      `For ${state.asked} of them the worker reads the store: the file lacks tips and partly returned lines.`,
    );
  }
  if (state.unreadable > 0) {
    terminal.line(`${state.unreadable} could not be read from the store's file and were left out.`);
  }
  terminal.line('The workers process them now. To see the outcome:');
  terminal.line(`  ${nextCommand(deployment, 'status')}`);
  terminal.line(`  ${nextCommand(deployment, 'dead-letters list')}`);
  return EXIT.fine;
}

export function reportPause(
  { terminal, json }: Session,
  deployment: Deployment,
  state: BackfillState,
): ExitCode {
  if (json) {
    terminal.json(stateDocument(state));
    return EXIT.interrupted;
  }
  terminal.line(
    `Stopped after ${state.sent}${state.total ? ` of ${state.total}` : ''}. To resume:`,
  );
  terminal.line(`  ${nextCommand(deployment, `backfill resume ${state.id}`)}`);
  return EXIT.interrupted;
}

/** For `--json`. */
export function stateDocument(state: BackfillState) {
  const { id, shop, kind, since, until, run, startedAt, savedAt, finishedAt, total } = state;
  const { sent, asked, unreadable } = state;
  return {
    ...{ id, shop, kind, since, until, run, startedAt, savedAt, finishedAt, total },
    ...{ sent, asked, unreadable },
    state: stateWord(state),
  };
}

function stateWord({ finishedAt, operationId, place, sent }: BackfillState): string {
  if (finishedAt !== undefined) return 'finished';
  if (operationId === undefined) return 'not started';
  return place.byte === 0 && sent === 0 ? 'waits for the store' : 'stopped or running';
}

export async function showBackfills(
  { terminal, json, findDeployment }: Session,
  id: string | undefined,
  { shop }: { readonly shop?: string },
): Promise<ExitCode> {
  const { backfills, shop: found } = openBackfill(await findDeployment(), shop);
  const names = id === undefined ? await backfills.list() : [id];
  const loaded = await Promise.all(names.map((name) => backfills.load(name)));
  const states = loaded.flatMap((kept) => (kept ? [kept.state] : []));
  if (id !== undefined && states.length === 0) {
    throw new Problem(`${found.domain} has no backfill "${id}".`);
  }
  if (json) {
    terminal.json({ shop: found.domain, backfills: states.map(stateDocument) });
    return EXIT.fine;
  }
  if (states.length === 0) {
    terminal.line(`${found.domain} has no backfills.`);
    return EXIT.fine;
  }
  terminal.table({
    columns: [
      { title: 'backfill' },
      { title: 'state' },
      { title: 'sent', align: 'right' },
      { title: 'of', align: 'right' },
      { title: 'left out', align: 'right' },
      { title: 'last' },
    ],
    rows: states.map((state) => rowOf(state, new Date())),
  });
  return EXIT.fine;
}

function rowOf(state: BackfillState, now: Date): string[] {
  const { id, sent, total, unreadable, savedAt } = state;
  return [
    id,
    stateWord(state),
    String(sent),
    total === undefined ? '' : String(total),
    String(unreadable),
    relativeTime(Date.parse(savedAt), now),
  ];
}
