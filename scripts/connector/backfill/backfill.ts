import { setTimeout as sleep } from 'node:timers/promises';
import { SQS } from '@aws-sdk/client-sqs';
import { createSqsEventQueue, createSqsQueueDepth } from '../../../shared/aws/sqs-queues.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import type { BulkQueue, QueueDepth } from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import type { ScanAnswer, StoreScan } from '../../../shared/core/store/store.ts';
import { enrichmentOf } from '../../../shared/services/configured-store.ts';
import type { AdminAnswer } from '../../../shared/shopify/admin/client/admin-answer.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import { accessScopesDocument } from '../../../shared/shopify/admin/documents.gen.ts';
import type { Enrichment } from '../../../shared/shopify/admin/order-as-payload.ts';
import {
  type BulkKind,
  type BulkState,
  bulkQuery,
  countEntities,
  readBulkState,
  startBulkQuery,
} from '../../../shared/shopify/bulk/bulk-operation.ts';
import { BulkFileGone, FILE_START } from '../../../shared/shopify/bulk/read-entities.ts';
import { createVendureSearch } from '../../../shared/vendure/search.ts';
import { ALLOW_BULK_QUERIES } from '../checks/store.ts';
import { type Deployment, nextCommand, openLedger } from '../deployment/deployment.ts';
import { hasApp } from '../deployment/platform.ts';
import { openShopServices, storeProblem } from '../deployment/services.ts';
import {
  type Cell,
  type Document,
  facts,
  right,
  type Suggestion,
  table,
  text,
} from '../document/document.ts';
import { type Line, line, type Options } from '../document/line.ts';
import { findShop, shopsOf } from '../session/arguments.ts';
import type { Session } from '../session/session.ts';
import { BadArguments, Problem } from '../terminal/exit.ts';
import { counted, relativeTime, spanText } from '../terminal/text.ts';
import {
  type BackfillDeps,
  type BackfillState,
  type Backfills,
  backfillId,
  createPace,
  DEFAULT_MOST_WAITING,
  DEFAULT_RATE,
  type KeptBackfill,
  keepMemorySteady,
  MOST_IN_FILE,
  openBackfills,
  runBackfill,
  SavedElsewhere,
  searchFor,
  sendEntities,
  spanWords,
  withNextPeriod,
  withPeriodAnew,
} from './run-backfill.ts';
import { scanSource } from './scan-source.ts';

export interface StartOptions {
  readonly rate?: number;
  readonly shop?: string;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly yes?: boolean;
  readonly again?: boolean;
}

/** What a backfill of one shop works with. */
export interface OpenBackfill {
  readonly deployment: Deployment;
  readonly ask: Ask;
  readonly enrichment: Enrichment;
  readonly shop: Shop;
  readonly ledger: Ledger;
  readonly backfills: Backfills;
  readonly queue: Pick<BulkQueue, 'sendAll'>;
  readonly depth: QueueDepth;
  /** Of a store that writes no files. */
  readonly scan?: {
    readonly store: StoreScan;
    count(span: Pick<BackfillState, 'kind' | 'since' | 'until'>): Promise<ScanAnswer<number>>;
  };
}

export function openBackfill(deployment: Deployment, named: string | undefined): OpenBackfill {
  const { aws, output, connector } = deployment;
  const shop = findShop(connector, named);
  const ledger = openLedger(deployment);
  const sqs = new SQS(aws);
  const urls = {
    orders: output('OrdersQueueUrl'),
    products: output('ProductsQueueUrl'),
    coupons: output('CouponsQueueUrl'),
  };
  const services = openShopServices(deployment);
  return {
    deployment,
    shop,
    ask: (...given) => services.ask(shop)(...given),
    ...(!hasApp(shop) && {
      scan: {
        store: services.store,
        count: (span) => createVendureSearch(services.vendure(shop)).count(span),
      },
    }),
    enrichment: enrichmentOf(shop.rules),
    ledger,
    backfills: openBackfills(ledger, shop.domain, () => new Date()),
    queue: createSqsEventQueue(sqs, urls, { requestsAtOnce: 4 }),
    depth: createSqsQueueDepth(sqs, urls),
  };
}

export async function startBackfill(
  session: Session,
  kind: BulkKind,
  options: StartOptions,
): Promise<Document> {
  const now = new Date();
  if (options.since !== undefined && options.since >= now.getTime()) {
    throw new BadArguments('--since is in the future.');
  }
  const since = options.since === undefined ? undefined : new Date(options.since).toISOString();
  const deployment = await session.findDeployment();
  const open = openBackfill(deployment, options.shop);
  const id = backfillId(kind, since);
  const kept = await open.backfills.load(id);
  const begun = options.again ? undefined : kept?.state;
  const state: BackfillState = begun ?? {
    ...{ id, shop: open.shop.domain, kind },
    ...(since !== undefined && { since }),
    // Later changes arrive as webhooks.
    until: now.toISOString(),
    run: (kept?.state.run ?? 0) + 1,
    ...{ startedAt: now.toISOString(), savedAt: now.toISOString(), place: FILE_START },
    ...{ sent: 0, unreadable: 0 },
  };
  if (!open.scan) await checkVisibility(state, open, now);
  if (state.finishedAt !== undefined) return endDocument(state, true);
  if (!options.yes) return preview(state, open, options);
  await session.beginChange(deployment);
  if (kept && begun) {
    session.terminal.note(`Resuming ${id}: ${begun.sent} were sent.`);
    return continueBackfill(session, open, kept, options);
  }
  await open.backfills.enlist(id);
  const revision = await open.backfills.save(state, kept?.revision);
  session.terminal.note(`Backfill ${id} starts. Ctrl-C stops it; the same command continues it.`);
  return continueBackfill(session, open, { state, revision }, options);
}

/** How many, from when, and how long it takes. */
async function preview(
  state: BackfillState,
  open: OpenBackfill,
  { rate = DEFAULT_RATE, again }: StartOptions,
): Promise<Document> {
  const found = await countAll(state, open);
  const { kind, total, sent, unreadable } = state;
  // Of discounts, only the file shows the number of codes.
  const left = total === undefined ? found : Math.max(total - sent - unreadable, 0);
  const file = open.scan ? '' : ', and what the store needs to write its file';
  const time = `about ${spanText((left / rate) * 1000)} at ${rate}/s (--rate)${file}`;
  return {
    title: titleOf(state),
    blocks: [
      facts([
        ['Found', counted(found, kind.slice(0, -1))],
        ['Created', spanWords(state)],
        ['Codes', kind === 'discounts' ? 'any number in each discount' : undefined],
        ['Sent before', sent > 0 ? `${sent}; it goes on behind them` : undefined],
        ['Marked as', kind === 'orders' ? 'history, if placed before go-live' : undefined],
        ['Time', time],
      ]),
      text('Nothing was sent.'),
    ],
    next:
      left === 0
        ? []
        : [
            {
              label: `Send ${counted(left, kind.slice(0, -1))}`,
              line: startLine(state, { rate, again, yes: true }),
            },
          ],
    data: { dryRun: true, ...state, count: left, rate },
  };
}

const titleOf = ({ kind, shop }: BackfillState) => `Backfill of ${kind} of ${shop}`;

/** Starts the same backfill, or goes on with it. Names the shop: shops may have backfills of the same period. */
const startLine = ({ shop, kind, since }: BackfillState, options: Options): Line =>
  line(`backfill ${kind}`, [], { shop, since, ...options });

const resuming = (state: BackfillState): Suggestion => ({
  label: `Resume ${state.id}`,
  line: startLine(state, {}),
});

/** Continues from the saved place to the end. */
async function continueBackfill(
  session: Session,
  open: OpenBackfill,
  given: KeptBackfill,
  options: StartOptions,
): Promise<Document> {
  keepMemorySteady();
  const { terminal } = session;
  const { deployment } = open;
  const signal = session.interruption();
  const change = await session.beginChange(deployment);
  const { kind, sent: sentBefore, unreadable: unreadableBefore } = given.state;
  const before = sentBefore + unreadableBefore;
  const doing = before === 0 ? `sent ${kind}` : `sent ${kind} of those left:`;
  let writing: ReturnType<typeof terminal.progress> | undefined;
  let sentSoFar: ReturnType<typeof terminal.progress> | undefined;
  try {
    const sending: Sending = {
      pace: createPace(options.rate ?? DEFAULT_RATE),
      mostWaiting: DEFAULT_MOST_WAITING,
      mostInFile: MOST_IN_FILE,
      now: () => new Date(),
      pause: (ms) => sleep(ms, undefined, { signal }).catch(() => undefined),
      signal,
      onFile: (objects) => {
        writing ??= terminal.progress('The store is writing its file; objects so far:');
        writing.report(objects);
      },
      onProgress: ({ sent, unreadable, total }, waitsFor) => {
        writing?.end();
        writing = undefined;
        sentSoFar ??= terminal.progress(doing, total === undefined ? undefined : total - before);
        change.count({ sent: sent - sentBefore, unreadable: unreadable - unreadableBefore });
        const detail = waitsFor === undefined ? undefined : `waiting for ${waitsFor}`;
        sentSoFar.report(sent + unreadable - before, detail);
      },
    };
    const ended = open.scan
      ? await sendScanned(given, open, open.scan, sending)
      : await sendPeriods(given, open, sending);
    writing?.end();
    sentSoFar?.end();
    return endDocument(ended);
  } catch (error) {
    if (error instanceof SavedElsewhere) {
      throw new Problem(
        'Another process is running the same backfill, so this one stopped.',
        `To see its progress: ${nextCommand(deployment, 'backfill status')}`,
      );
    }
    throw error;
  }
}

async function countAll(
  span: Pick<BackfillState, 'kind' | 'since' | 'until'>,
  { ask, deployment, scan }: OpenBackfill,
): Promise<number> {
  if (scan) {
    const found = await scan.count(span);
    if (found.kind === 'found') return found.value;
    const next = `To see why: ${nextCommand(deployment, 'doctor')}`;
    throw new Problem(`The store could not be read (${found.why}).`, next);
  }
  const found = await countEntities(ask, span.kind, searchFor(span));
  if (found.kind !== 'data') throw storeProblem(found, deployment);
  return found.data;
}

/** In one run: nothing of the store has to be kept for it. */
async function sendScanned(
  { state, revision }: KeptBackfill,
  open: OpenBackfill,
  { store }: NonNullable<OpenBackfill['scan']>,
  sending: Sending,
): Promise<BackfillState> {
  const total = state.total ?? (await countAll(state, open));
  const source = scanSource(store, state, sending.pause);
  return sendEntities({ state: { ...state, total }, revision }, source, { ...open, ...sending });
}

interface Sending extends Omit<BackfillDeps, 'ledger' | 'backfills' | 'queue' | 'depth'> {
  readonly mostInFile: number;
  /** While the store writes a file. */
  readonly onFile: (objects: number) => void;
}

/** Files that are lost one after the other, without one entity that could be sent. */
const MOST_LOST = 3;

/**
 * Period after period: choose it, start the bulk operation, wait for its file, send it. Where the store no longer has the
 * file, it writes that of the period again. Everything is saved before the next step, so that a resumed backfill finds
 * it. Returns where it ended, as `runBackfill`.
 */
export async function sendPeriods(
  given: KeptBackfill,
  open: Omit<OpenBackfill, 'shop'>,
  sending: Sending,
): Promise<BackfillState> {
  const { ask, backfills, deployment } = open;
  let kept = given;
  async function save(state: BackfillState): Promise<void> {
    kept = { state, revision: await backfills.save(state, kept.revision) };
  }
  async function count(span: Pick<BackfillState, 'since' | 'until'>): Promise<number> {
    const found = await countEntities(ask, given.state.kind, searchFor(span));
    if (found.kind !== 'data') throw storeProblem(found, deployment);
    return found.data;
  }
  for (let lost = 0; ; ) {
    const { id, kind } = kept.state;
    if (kept.state.period === undefined && kept.state.operationId === undefined) {
      await save(await withNextPeriod(kept.state, count, sending.mostInFile));
    }
    if (kept.state.operationId === undefined) {
      const operationId = await orderFile({ kind, ...kept.state.period }, open);
      await save({ ...kept.state, operationId });
    }
    const { operationId = '' } = kept.state;
    const file = await awaitFile(operationId, open, { ...sending, onWait: sending.onFile });
    if (!file) return kept.state;
    if (file.kind === 'failed' || file.kind === 'canceled') {
      await save(withPeriodAnew(kept.state));
      throw fileProblem(file);
    }
    const before = kept.state.sent;
    if (file.kind === 'completed') {
      const ended = await sendFile(kept, file, { ...open, ...sending });
      if (ended && (ended.finishedAt !== undefined || sending.signal.aborted)) return ended;
      kept = (await backfills.load(id)) ?? kept;
      if (ended) continue;
    }
    lost = kept.state.sent > before ? 1 : lost + 1;
    if (lost === MOST_LOST) {
      const next = 'Repeat the command later: it goes on where it is.';
      throw new Problem("The store's files are gone before they are read.", next);
    }
    // The address alone may have expired: then the operation has a new one.
    if (file.kind === 'expired' || lost > 1) await save(withPeriodAnew(kept.state));
  }
}

/** Undefined when the store no longer has the file. */
async function sendFile(
  kept: KeptBackfill,
  file: Extract<BulkState, { kind: 'completed' }>,
  deps: BackfillDeps,
): Promise<BackfillState | undefined> {
  const { state } = kept;
  const { period } = state;
  const isLast = !period || period.until === state.until;
  const inFile = state.kind === 'discounts' ? file.objects - file.rootObjects : file.rootObjects;
  const total = inFile + (period?.sentBefore ?? 0) + (period?.unreadableBefore ?? 0);
  const counted = isLast ? { ...kept, state: { ...state, total } } : kept;
  return runBackfill(counted, file, deps).catch((error: unknown) => {
    if (error instanceof BulkFileGone) return undefined;
    throw error;
  });
}

/** Where it ended, now or before. Of what is on the queue only the workers know the outcome. */
function endDocument(state: BackfillState, wasDone = false): Document {
  const { kind, sent, unreadable, total, finishedAt } = state;
  const base = { title: titleOf(state), data: state };
  if (finishedAt === undefined) {
    const what = `Stopped after ${sent}${total === undefined ? '' : ` of ${total}`}. It goes on when it is resumed.`;
    return {
      ...base,
      verdict: { kind: 'action required', what },
      blocks: [],
      next: [resuming(state)],
    };
  }
  if (wasDone) {
    const when = relativeTime(Date.parse(finishedAt), new Date());
    const again = { label: 'Start it again', line: startLine(state, { again: true }) };
    const done = `Nothing was sent: this backfill finished ${when}, with ${sent} sent.`;
    return { ...base, blocks: [text(done)], next: [again] };
  }
  const things = kind === 'discounts' ? 'code' : kind.slice(0, -1);
  const leftOut = `${unreadable} could not be read from the store's file, and are left out.`;
  return {
    ...base,
    blocks: [
      text(
        `${counted(sent, things)} ${sent === 1 ? 'is' : 'are'} on the queue, and the workers go on.`,
      ),
      ...(unreadable > 0 ? [text(leftOut, 'bad')] : []),
    ],
    next: [
      { label: 'See how far the workers are', line: line('status') },
      { label: 'See what was given up', line: line('dead-letters list') },
    ],
  };
}

/** Only the process that runs it knows whether it still does. */
const UNFINISHED: Cell = { text: 'stopped or running', tone: 'waits' };
const FINISHED: Cell = { text: 'finished', tone: 'well' };

/** Older orders are visible only with a scope of their own. */
const VISIBLE_DAYS = 59;

/** Of all shops, or of one; the newest first. */
export async function showBackfills(
  { findDeployment }: Session,
  { shop: named }: { readonly shop?: string },
): Promise<Document> {
  const deployment = await findDeployment();
  const { stack, connector } = deployment;
  const shops = shopsOf(connector, named);
  const ledger = openLedger(deployment);
  const found = await Promise.all(
    shops.map(async ({ domain }) => {
      const backfills = openBackfills(ledger, domain, () => new Date());
      const ids = await backfills.list();
      return Promise.all(ids.map((id) => backfills.load(id)));
    }),
  );
  const states = found
    .flat()
    .flatMap((kept) => (kept ? [kept.state] : []))
    .toSorted((one, other) => other.startedAt.localeCompare(one.startedAt));
  const day = new Date(Date.now() - VISIBLE_DAYS * 86_400_000).toISOString().slice(0, 10);
  return {
    title: `Backfills of ${shops.map(({ domain }) => domain).join(', ')}`,
    blocks: [
      table(
        [
          ...['Backfill', { title: 'Shop', shrinks: true }, 'State'],
          ...[right('Sent'), right('Of'), right('Left out'), 'Last progress'],
        ],
        states.map((state) => [
          ...[state.id, state.shop, state.finishedAt === undefined ? UNFINISHED : FINISHED],
          ...[state.sent, state.total ?? '', state.unreadable, { at: state.savedAt }],
        ]),
        { empty: 'None was started yet.' },
      ),
    ],
    next: [
      ...states.filter(({ finishedAt }) => finishedAt === undefined).map(resuming),
      ...shops.map(({ domain: shop }) => ({
        label: `Estimate older orders of ${shop}`,
        line: line('backfill orders', [], { shop, since: day }),
        asks: [{ name: 'since', label: 'Created since', value: day, type: 'date' as const }],
      })),
    ],
    data: { stack, backfills: states },
  };
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

/** Starts the bulk operation of the store; returns its id. */
export async function orderFile(
  state: Pick<BackfillState, 'kind' | 'since' | 'until'>,
  { ask, enrichment, deployment }: Pick<OpenBackfill, 'ask' | 'enrichment' | 'deployment'>,
): Promise<string> {
  const answer = await startBulkQuery(ask, bulkQuery(state.kind, searchFor(state), enrichment));
  if (isDenied(answer)) {
    throw new Problem(
      "The store does not let this app run bulk queries: a partner's app must be allowed to, and loses it after 31 days without one.",
      `${ALLOW_BULK_QUERIES} Then repeat the command.`,
    );
  }
  if (answer.kind !== 'data') throw storeProblem(answer, deployment);
  if (answer.data.kind === 'started') return answer.data.id;
  throw new Problem(
    'The store is already running as many bulk operations of this app as it allows.',
    'Wait until they finish (minutes, longer for a large shop), then repeat the command.',
  );
}

/** Starting one needs no scope of its own: what the query may not read shows in its result. */
const isDenied = (answer: AdminAnswer<unknown>): boolean =>
  answer.kind === 'failure' && answer.reason === 'access-denied' && answer.scope === undefined;

const FIRST_LOOK_MS = 500;
const SELDOM_LOOK_MS = 10_000;

interface Waiting {
  readonly signal: AbortSignal;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly onWait: (objects: number) => void;
}

/** Waits for the file, or for the news that none will come; undefined when it was interrupted. */
export async function awaitFile(
  operationId: string,
  { ask, deployment }: Pick<OpenBackfill, 'ask' | 'deployment'>,
  { signal, pause, onWait }: Waiting,
): Promise<Exclude<BulkState, { kind: 'running' }> | undefined> {
  for (let look = FIRST_LOOK_MS; ; look = Math.min(look * 1.5, SELDOM_LOOK_MS)) {
    if (signal.aborted) return undefined;
    const answer = await readBulkState(ask, operationId);
    if (answer.kind !== 'data') throw storeProblem(answer, deployment);
    if (answer.data.kind !== 'running') return answer.data;
    onWait(answer.data.objects);
    await pause(look);
  }
}

/** Why there is no file, and what to do. The same command starts a new one. */
export function fileProblem(state: Extract<BulkState, { kind: 'failed' | 'canceled' }>): Problem {
  if (state.kind === 'failed' && state.errorCode === 'ACCESS_DENIED') {
    return new Problem(
      'The store refused its bulk operation: the app lacks an access scope.',
      'Repeat the command after the fix that this names: npx loyalty-connector doctor',
    );
  }
  const why = state.kind === 'failed' ? `failed (${state.errorCode})` : 'was cancelled';
  return new Problem(
    `The store's bulk operation ${why}.`,
    'Repeat the command to start a new one; a shorter period (--since) takes the store less time.',
  );
}
