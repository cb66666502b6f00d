import { setTimeout as sleep } from 'node:timers/promises';
import { accessScopesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import { type BulkKind, countEntities } from '../../../shared/shopify/bulk/bulk-operation.ts';
import { BulkFileGone, FILE_START } from '../../../shared/shopify/bulk/read-entities.ts';
import { nextCommand } from '../deployment/deployment.ts';
import { storeProblem } from '../deployment/services.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import type { Session } from '../session.ts';
import { relativeTime } from '../terminal/text.ts';
import {
  awaitFile,
  fileProblem,
  type OpenBackfill,
  openBackfill,
  orderFile,
  reportEnd,
  reportPause,
  stateDocument,
} from './report.ts';
import {
  type BackfillState,
  backfillId,
  createPace,
  DEFAULT_MOST_WAITING,
  DEFAULT_RATE,
  type Estimate,
  estimate,
  type KeptBackfill,
  keepMemorySteady,
  leftOf,
  longSpan,
  type PaceOptions,
  runBackfill,
  SavedElsewhere,
  type StartOptions,
  searchFor,
  spanWords,
  startWords,
  wordsOf,
} from './run-backfill.ts';

export async function startBackfill(
  session: Session,
  kind: BulkKind,
  options: StartOptions,
): Promise<ExitCode> {
  const now = new Date();
  const given = spanOf(options, now);
  const deployment = await session.findDeployment();
  const open = openBackfill(deployment, options.shop);
  const id = backfillId(kind, given.since, given.until);
  const kept = await open.backfills.load(id);
  // Without --until the period ends now: later changes arrive as webhooks.
  const until = kept && !options.again ? kept.state.until : (given.until ?? now.toISOString());
  const span = { kind, ...(given.since && { since: given.since }), ...(until && { until }) };
  await checkVisibility(span, open, now);

  if (kept?.state.finishedAt !== undefined && !options.again) {
    return alreadyDone(session, open, kept.state, now);
  }
  if (!options.yes) return dryRun(session, open, span, { id, kept, options });
  if (kept && !options.again) {
    session.terminal.note(`Resuming ${id}: ${kept.state.sent} were sent.`);
    return continueBackfill(session, open, kept, options);
  }
  const state: BackfillState = {
    id,
    shop: open.shop.domain,
    ...span,
    run: (kept?.state.run ?? 0) + 1,
    startedAt: now.toISOString(),
    savedAt: now.toISOString(),
    place: FILE_START,
    sent: 0,
    asked: 0,
    unreadable: 0,
  };
  await session.beginChange(deployment);
  await open.backfills.enlist(id);
  const revision = await open.backfills.save(state, kept?.revision);
  session.terminal.note(`Backfill ${id} starts. Ctrl-C stops it; "backfill resume" continues it.`);
  return continueBackfill(session, open, { state, revision }, options);
}

function spanOf({ since, until }: StartOptions, now: Date): Pick<BackfillState, 'since' | 'until'> {
  if (since !== undefined && since >= now.getTime()) {
    throw new BadArguments('--since is in the future.');
  }
  if (since !== undefined && until !== undefined && until <= since) {
    throw new BadArguments('--until must be later than --since.');
  }
  return {
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  };
}

type Span = Pick<BackfillState, 'kind' | 'since' | 'until'>;

async function dryRun(
  { terminal, json }: Session,
  { ask, deployment, shop }: OpenBackfill,
  span: Span,
  found: { id: string; kept: KeptBackfill | undefined; options: StartOptions },
): Promise<ExitCode> {
  const counted = await countEntities(ask, span.kind, searchFor(span));
  if (counted.kind !== 'data') throw storeProblem(counted, deployment);
  const { rate = DEFAULT_RATE } = found.options;
  const begun = found.options.again ? undefined : found.kept?.state;
  const guess = estimate(leftOf(counted.data, begun), rate);
  if (json) {
    const of = { id: found.id, shop: shop.domain, ...span };
    const before = begun && { begun: stateDocument(begun, deployment) };
    terminal.json({ dryRun: true, ...of, estimate: guess, rate, ...before });
    return EXIT.fine;
  }
  for (const line of estimateLines(span, shop.domain, counted.data, guess, rate)) {
    terminal.line(line);
  }
  if (begun) {
    terminal.line(`It was started before and ${begun.sent} were sent: it would resume.`);
  }
  terminal.hint('Nothing was sent. To send them, repeat the command with --yes.');
  return EXIT.fine;
}

function estimateLines(
  span: Span,
  shop: string,
  count: number,
  { storeCalls, queueRequests, loyaltyCalls, seconds }: Estimate,
  rate: number,
): readonly string[] {
  const codes = span.kind === 'discounts' ? ', each with any number of codes' : '';
  return [
    `${count} ${span.kind} of ${shop} ${spanWords(span)}${codes}.`,
    `Calls: ${storeCalls} to the store and one every few seconds while it writes, ${queueRequests} to the queue, at most ${loyaltyCalls} to the loyalty service.`,
    `Time: about ${longSpan(seconds)} at ${rate}/s (--rate), plus the time that the store needs to write its file.`,
  ];
}

function alreadyDone(
  { terminal, json }: Session,
  { deployment }: OpenBackfill,
  state: BackfillState,
  now: Date,
): ExitCode {
  if (json) {
    terminal.json(stateDocument(state, deployment));
    return EXIT.fine;
  }
  const when = relativeTime(Date.parse(state.finishedAt ?? ''), now);
  terminal.line(`This backfill finished ${when}: ${state.sent} sent. To start it again:`);
  terminal.line(`  ${nextCommand(deployment, `${startWords(state)} --again --yes`)}`);
  return EXIT.fine;
}

const SIXTY_DAYS_MS = 60 * 86_400_000;

/**
 * Without `read_all_orders` the store silently leaves out older orders (Shopify, "Order"): a
 * backfill that looks complete and is not would be worse than none.
 */
export async function checkVisibility(
  { kind, since }: Pick<BackfillState, 'kind' | 'since'>,
  { ask, deployment }: Pick<OpenBackfill, 'ask' | 'deployment'>,
  now: Date,
): Promise<void> {
  const oldest = now.getTime() - SIXTY_DAYS_MS;
  if (kind !== 'orders' || (since !== undefined && Date.parse(since) >= oldest)) return;
  const answer = await ask(accessScopesDocument, {});
  if (answer.kind !== 'data') throw storeProblem(answer, deployment);
  const { accessScopes } = answer.data.currentAppInstallation;
  if (accessScopes.some(({ handle }) => handle === 'read_all_orders')) return;
  const day = new Date(Math.ceil(oldest / 86_400_000) * 86_400_000).toISOString().slice(0, 10);
  throw new Problem(
    'The app can read only the orders of the last 60 days: it lacks the access scope read_all_orders, and the store would leave out older orders.',
    `Ask Shopify for that scope (in the app's API access requests), or start later: --since ${day}`,
  );
}

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
async function continueBackfill(
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
