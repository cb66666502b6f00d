import { setTimeout as sleep } from 'node:timers/promises';
import { BulkFileGone } from '../../../shared/shopify/bulk/read-entities.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { type KeptBackfill, SavedElsewhere, startWords, wordsOf } from './backfill-state.ts';
import {
  awaitFile,
  fileProblem,
  type OpenBackfill,
  openBackfill,
  orderFile,
} from './open-backfill.ts';
import { createPace, DEFAULT_MOST_WAITING, DEFAULT_RATE, type PaceOptions } from './pace.ts';
import { reportEnd, reportPause, stateDocument } from './report.ts';
import { keepMemorySteady, runBackfill } from './run-backfill.ts';

export async function resumeBackfill(
  session: Session,
  id: string,
  options: PaceOptions,
): Promise<ExitCode> {
  const deployment = await session.findDeployment();
  const open = openBackfill(deployment, options.shop);
  const kept = await open.backfills.load(id);
  if (!kept) {
    throw new Problem(
      `${open.shop.domain} has no backfill "${id}".`,
      `To list them: ${nextCommand(deployment, 'backfill status')}`,
    );
  }
  if (kept.state.finishedAt !== undefined) {
    const { terminal, json } = session;
    if (json) terminal.json(stateDocument(kept.state, deployment));
    else terminal.line(`The backfill is finished: ${kept.state.sent} were sent.`);
    return EXIT.fine;
  }
  return continueBackfill(session, open, kept, options);
}

/** Continues from the saved place to the end: start the bulk operation, wait for its file, send it. */
export async function continueBackfill(
  session: Session,
  open: OpenBackfill,
  given: KeptBackfill,
  options: PaceOptions,
): Promise<ExitCode> {
  keepMemorySteady();
  const { terminal } = session;
  const signal = session.interruption();
  const change = await session.beginChange(open.deployment);
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
  try {
    const kept = await withOperation(given, open);
    const { state } = kept;
    const writing = terminal.progress('The store is writing its file; objects so far:');
    const onWait = (objects: number) => writing.report(objects);
    const file = await awaitFile(state.operationId ?? '', open, { signal, pause, onWait });
    writing.end();
    if (!file) return reportPause(session, open.deployment, state);
    if (file.kind !== 'completed') {
      await forgetOperation(kept, open, file.kind);
      throw fileProblem(file, againCommand(open, kept), open.deployment);
    }
    const total = state.kind === 'discounts' ? file.objects - file.rootObjects : file.rootObjects;
    const before = state.sent + state.unreadable;
    const doing = before === 0 ? `sent ${state.kind}` : `sent ${state.kind} of those left:`;
    const progress = terminal.progress(doing, total - before);
    const run = await runBackfill({ ...kept, state: { ...state, total } }, file, {
      ...open,
      pace: createPace(options.rate ?? DEFAULT_RATE),
      mostWaiting: options.mostWaiting ?? DEFAULT_MOST_WAITING,
      now: () => new Date(),
      pause,
      signal,
      onProgress: ({ sent, unreadable }, waitsFor) => {
        change.count({
          sent: sent - state.sent,
          unreadable: unreadable - state.unreadable,
        });
        const detail = waitsFor === undefined ? undefined : `waiting for ${waitsFor}`;
        progress.report(sent + unreadable - before, detail);
      },
    });
    progress.end();
    return run.ended === 'finished'
      ? reportEnd(session, open.deployment, run.state)
      : reportPause(session, open.deployment, run.state);
  } catch (error) {
    if (error instanceof SavedElsewhere) {
      throw new Problem(
        'Another process is running the same backfill, so this one stopped.',
        `To see its progress: ${nextCommand(open.deployment, `backfill status ${wordsOf(given.state)}`)}`,
      );
    }
    if (error instanceof BulkFileGone) {
      throw new Problem(
        "The address of the store's file has expired.",
        `Resume with a new one: ${nextCommand(open.deployment, `backfill resume ${wordsOf(given.state)}`)}`,
      );
    }
    throw error;
  }
}

/** The bulk operation is started once and its id saved, so that a resumed backfill finds it. */
async function withOperation(kept: KeptBackfill, open: OpenBackfill): Promise<KeptBackfill> {
  const { state, revision } = kept;
  if (state.operationId !== undefined) return kept;
  const next = { ...state, operationId: await orderFile(state, open) };
  return { state: next, revision: await open.backfills.save(next, revision) };
}

/** The same command then starts a new one. If the file expired half-way, a person must decide. */
async function forgetOperation(
  { state, revision }: KeptBackfill,
  { backfills }: OpenBackfill,
  why: string,
): Promise<void> {
  if (why === 'expired' && state.place.byte > 0) return;
  const { operationId: _, ...rest } = state;
  await backfills.save(rest, revision);
}

function againCommand({ deployment }: OpenBackfill, { state }: KeptBackfill): string {
  return nextCommand(deployment, `${startWords(state)} --again --yes`);
}
