import { RESERVE } from '../../../shared/services/configured-store.ts';
import {
  checkVisibility,
  DEFAULT_RATE,
  type Kept,
  openSending,
  SavedElsewhere,
  sendPortions,
} from '../ground/compare/send.ts';
import { findShop, shopsOf } from '../ground/session/arguments.ts';
import { type Deployment, nextCommand, openLedger } from '../ground/session/deployment.ts';
import { openShopServices, storeUnread } from '../ground/session/services.ts';
import type { Session } from '../ground/session/session.ts';
import {
  type Cell,
  type Document,
  facts,
  right,
  STATUS,
  type Suggestion,
  table,
  text,
} from '../ground/terminal/document.ts';
import { BadArguments, Problem } from '../ground/terminal/exit.ts';
import { type Line, line, lineText, type Options } from '../ground/terminal/line.ts';
import { counted, relativeTime, spanText } from '../ground/terminal/text.ts';
import {
  BACKFILL_KINDS,
  type BackfillState,
  openBackfills,
  readPast,
  spanOf,
  spanWords,
} from './run-backfill.ts';

export interface StartOptions {
  readonly rate?: number;
  readonly shop?: string;
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly yes?: boolean;
  readonly again?: boolean;
}

type OpenBackfill = ReturnType<typeof openBackfill>;

function openBackfill(deployment: Deployment, named: string | undefined) {
  const shop = findShop(deployment.connector, named);
  const ledger = openLedger(deployment);
  const services = openShopServices(deployment, RESERVE);
  const { store } = services;
  return {
    deployment,
    shop,
    store,
    /** Of discounts, not of their codes. */
    count: (state: BackfillState) => services.asked(shop).count(SCANNED[state.kind], spanOf(state)),
    ledger,
    backfills: openBackfills(ledger, shop.domain, () => new Date()),
  };
}

export async function startBackfill(
  session: Session,
  kind: BackfillState['kind'],
  options: StartOptions,
): Promise<Document> {
  const now = new Date();
  if (options.since !== undefined && options.since >= now.getTime()) {
    throw new BadArguments('--since is in the future.');
  }
  const since = options.since === undefined ? undefined : new Date(options.since).toISOString();
  const deployment = await session.findDeployment();
  const open = openBackfill(deployment, options.shop);
  const kept = await open.backfills.load(kind);
  const before = options.again ? undefined : kept?.state;
  const begun = before?.since === since ? before : undefined;
  if (before && !begun && before.finishedAt === undefined) {
    throw new Problem(
      `The backfill of ${kind} created ${spanWords(before)} has not finished.`,
      `Go on with it: ${lineText(startLine(before, {}), deployment)}; or give it up: --again.`,
    );
  }
  const state: BackfillState = begun ?? {
    ...{ shop: open.shop.domain, kind },
    ...(since !== undefined && { since }),
    run: (kept?.state.run ?? 0) + 1,
    ...{ startedAt: now.toISOString(), savedAt: now.toISOString(), place: {}, sent: 0 },
  };
  await checkVisibility(state, open, now);
  if (state.finishedAt !== undefined) return endDocument(state, true);
  const count = await open.count(state);
  if (count.kind === 'unavailable') throw storeUnread(count);
  if (!options.yes) return preview(state, count.value, options);
  await session.beginChange(deployment);
  if (kept && begun) {
    session.terminal.note(`Resuming the backfill of ${kind}: ${begun.sent} were sent.`);
    return continueBackfill(session, open, kept, options);
  }
  // The codes of discounts are not counted.
  const begins = kind === 'discounts' ? state : { ...state, total: count.value };
  const revision = await open.backfills.save(begins, kept?.revision);
  session.terminal.note(
    `Starting the backfill of ${kind}. Ctrl-C stops it; the same command continues it.`,
  );
  return continueBackfill(session, open, { state: begins, revision }, options);
}

const SCANNED = { orders: 'order', products: 'product', discounts: 'discount' } as const;

function preview(
  state: BackfillState,
  count: number,
  { rate = DEFAULT_RATE, again }: StartOptions,
): Document {
  const { kind, total, sent } = state;
  const left = total === undefined ? count : Math.max(total - sent, 0);
  const time = `about ${spanText((left / rate) * 1000)} at ${rate}/s (--rate), longer where the store's plan does not let it be read that fast`;
  return {
    title: titleOf(state),
    blocks: [
      facts([
        ['Found', counted(count, kind.slice(0, -1))],
        ['Created', spanWords(state)],
        ['Codes', kind === 'discounts' ? 'any number in each discount' : undefined],
        ['Sent before', sent > 0 ? `${sent}; it continues after them` : undefined],
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
  label: `Resume the backfill of ${state.kind}`,
  line: startLine(state, {}),
});

async function continueBackfill(
  session: Session,
  open: OpenBackfill,
  given: Kept<BackfillState>,
  options: StartOptions,
): Promise<Document> {
  const { terminal } = session;
  const { deployment } = open;
  const signal = session.interruption();
  const change = await session.beginChange(deployment);
  const { kind, sent: before, total } = given.state;
  const doing = before === 0 ? `sent ${kind}` : `sent ${kind} of those left:`;
  const progress = terminal.progress(doing, total === undefined ? undefined : total - before);
  const families = ['orders', 'products', 'coupons'] as const;
  const sending = openSending(deployment, families, signal, options.rate);
  try {
    const reading = { ...open, ...sending, store: open.store.until(signal) };
    const read = (state: BackfillState, onWait: () => void) => readPast(state, reading, onWait);
    const ended = await sendPortions(given, read, {
      ...{ ...sending, save: open.backfills.save },
      onProgress({ sent }, waitsFor) {
        change.count({ sent: sent - before });
        progress.report(sent - before, waitsFor && `waiting for ${waitsFor}`);
      },
    });
    progress.end();
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

/** Where it ended, now or before. Of what is on the queue only the workers know the outcome. */
function endDocument(state: BackfillState, wasDone = false): Document {
  const { kind, sent, total, finishedAt } = state;
  const base = { title: titleOf(state), data: state };
  if (finishedAt === undefined) {
    const what = `Stopped after ${sent}${total === undefined ? '' : ` of ${total}`}. Resume it to continue.`;
    const verdict = { kind: 'action required', what } as const;
    return { ...base, verdict, blocks: [], next: [resuming(state)] };
  }
  if (wasDone) {
    const when = relativeTime(Date.parse(finishedAt), new Date());
    const again = { label: 'Start it again', line: startLine(state, { again: true }) };
    const done = `Nothing was sent: this backfill finished ${when}, with ${sent} sent.`;
    return { ...base, blocks: [text(done)], next: [again] };
  }
  const things = kind === 'discounts' ? 'code' : kind.slice(0, -1);
  const queued = `${counted(sent, things)} ${sent === 1 ? 'is' : 'are'} on the queue`;
  return {
    ...base,
    blocks: [text(`${queued}, and the workers go on.`)],
    next: [STATUS, { label: 'See dead letters', line: line('dead-letters list') }],
  };
}

/** Only the process that runs it knows whether it still does. */
const UNFINISHED: Cell = { text: 'stopped or running', tone: 'pending' };
const FINISHED: Cell = { text: 'finished', tone: 'ok' };

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
      return Promise.all(BACKFILL_KINDS.map(backfills.load));
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
          ...['Of', { title: 'Shop', shrinks: true }, 'State', 'Since'],
          ...[right('Sent'), right('Found'), 'Last progress'],
        ],
        states.map((state) => [
          ...[state.kind, state.shop, state.finishedAt === undefined ? UNFINISHED : FINISHED],
          ...[
            state.since?.slice(0, 10) ?? '',
            state.sent,
            state.total ?? '',
            { at: state.savedAt },
          ],
        ]),
        { empty: 'No backfill yet.' },
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
