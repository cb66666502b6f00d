import { shopsOf } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import type { Table } from '../terminal/table.ts';
import { relativeTime } from '../terminal/text.ts';
import { type BackfillState, spanWords, startWords, wordsOf } from './backfill-state.ts';
import { openBackfill } from './open-backfill.ts';

/** Reports what was sent; the outcome is known only to the workers. */
export function reportEnd(
  { terminal, json }: Session,
  deployment: Deployment,
  state: BackfillState,
): ExitCode {
  if (json) {
    terminal.json(stateDocument(state, deployment));
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
    terminal.json(stateDocument(state, deployment));
    return EXIT.interrupted;
  }
  terminal.line(
    `Stopped after ${state.sent}${state.total ? ` of ${state.total}` : ''}. To resume:`,
  );
  terminal.line(`  ${nextCommand(deployment, `backfill resume ${wordsOf(state)}`)}`);
  return EXIT.interrupted;
}

/** For `--json`. */
export function stateDocument(state: BackfillState, deployment: Deployment) {
  const { id, shop, kind, since, until, run, startedAt, savedAt, finishedAt, total } = state;
  const { sent, asked, unreadable } = state;
  const isFinished = finishedAt !== undefined;
  const next = isFinished
    ? `${startWords(state)} --again --yes`
    : `backfill resume ${wordsOf(state)}`;
  return {
    ...{ id, shop, kind, since, until, run, startedAt, savedAt, finishedAt, total },
    ...{ sent, asked, unreadable },
    state: stageOf(state),
    next: nextCommand(deployment, next),
  };
}

export interface BackfillsDocument {
  readonly stack: string;
  readonly backfills: readonly ReturnType<typeof stateDocument>[];
}

type Stage = keyof typeof STAGES;

const STAGES = {
  finished: 'finished',
  'not-started': 'not started',
  'waits-for-store': 'waits for the store',
  // Only the process that runs it knows.
  'stopped-or-running': 'stopped or running',
};

function stageOf({ finishedAt, operationId, place, sent }: BackfillState): Stage {
  if (finishedAt !== undefined) return 'finished';
  if (operationId === undefined) return 'not-started';
  return place.byte === 0 && sent === 0 ? 'waits-for-store' : 'stopped-or-running';
}

/** Of all shops, or of one; the newest first. */
export async function showBackfills(
  { terminal, json, findDeployment }: Session,
  id: string | undefined,
  { shop: named }: { readonly shop?: string },
): Promise<ExitCode> {
  const deployment = await findDeployment();
  const shops = shopsOf(deployment.connector, named);
  const found = await Promise.all(shops.map((shop) => readStates(deployment, shop.domain, id)));
  const states = found
    .flat()
    .toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
  const whose = shops.map(({ domain }) => domain).join(', ');
  if (id !== undefined && states.length === 0) {
    throw new Problem(`${whose} has no backfill "${id}".`);
  }
  if (json) {
    const backfills = states.map((state) => stateDocument(state, deployment));
    terminal.json({ stack: deployment.stack, backfills } satisfies BackfillsDocument);
  } else if (states.length === 0) terminal.line(`${whose}: no backfills.`);
  else terminal.table(tableOf(states, new Date()));
  return EXIT.fine;
}

async function readStates(
  deployment: Deployment,
  shop: string,
  id: string | undefined,
): Promise<readonly BackfillState[]> {
  const { backfills } = openBackfill(deployment, shop);
  const names = id === undefined ? await backfills.list() : [id];
  const loaded = await Promise.all(names.map((name) => backfills.load(name)));
  return loaded.flatMap((kept) => (kept ? [kept.state] : []));
}

function tableOf(states: readonly BackfillState[], now: Date): Table {
  return {
    columns: [
      { title: 'backfill' },
      { title: 'shop', shrinks: true },
      { title: 'state' },
      { title: 'sent', align: 'right' },
      { title: 'of', align: 'right' },
      { title: 'left out', align: 'right' },
      { title: 'last' },
    ],
    rows: states.map((state) => [
      state.id,
      state.shop,
      STAGES[stageOf(state)],
      String(state.sent),
      state.total === undefined ? '' : String(state.total),
      String(state.unreadable),
      relativeTime(Date.parse(state.savedAt), now),
    ]),
  };
}
