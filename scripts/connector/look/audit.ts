import { readLetters, readWholeLedger } from '../../../shared/aws/read-ledger.ts';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import { entityKeyFrom } from '../../../shared/core/ledger/ledger.ts';
import { recallRedemptions } from '../../../shared/rewards/redeem/redemption-record.ts';
import { readWaiting } from '../ground/checks/waiting-messages.ts';
import { readChangedOrders } from '../ground/compare/read-orders.ts';
import { durationMs, shopsOf } from '../ground/session/arguments.ts';
import { readAudit } from '../ground/session/audit-records.ts';
import { type Deployment, openLedger, openLists, rulesOf } from '../ground/session/deployment.ts';
import { readQueues } from '../ground/session/queues.ts';
import { readExportedLogs, readLogs } from '../ground/session/read-logs.ts';
import { openShopServices } from '../ground/session/services.ts';
import type { Session } from '../ground/session/session.ts';
import { type Block, type Document, right, table } from '../ground/terminal/document.ts';
import { StoppedEarly } from '../ground/terminal/exit.ts';
import { type Line, line } from '../ground/terminal/line.ts';
import { counted, utcText } from '../ground/terminal/text.ts';
import { type Fact, factIn, fieldsIn, type Pause, pauseIn, SpilledFacts } from './audit-facts.ts';
import {
  type BrokenWhy,
  type Day,
  DayJudge,
  Findings,
  judgeRedemptions,
  judgeSentOrder,
  type OpenWhy,
  PATIENCE_MS,
  PROMISES,
  type PromiseName,
  type Violation,
} from './audit-promises.ts';

export interface AuditOptions {
  readonly shop?: string;
  /** Epoch milliseconds. */
  readonly since: number;
  readonly until?: number;
  /** An exported file or folder instead of CloudWatch. */
  readonly logs?: string;
  /** False: neither side is asked. */
  readonly sides: boolean;
}

interface Audited {
  readonly deployment: Deployment;
  readonly shops: readonly Shop[];
  readonly findings: Findings;
  readonly options: AuditOptions;
  readonly signal: AbortSignal;
}

/** Reads what the time has left, judges every promise by it, and changes nothing. */
export async function audit(session: Session, options: AuditOptions): Promise<Document> {
  const signal = session.interruption();
  const deployment = await session.findDeployment();
  const shops = shopsOf(deployment.connector, options.shop);
  const audited = { deployment, shops, findings: new Findings(), options, signal };
  const lines = await judgeLines(session, audited);
  const day = dayOf(options, Date.now());
  await judgeLedger(audited, day);
  await judgeSides(session, audited, day);
  return documentOf(audited, day, lines);
}

const ENDLESS = Number.POSITIVE_INFINITY;

const dayOf = ({ since, until = ENDLESS }: AuditOptions, now: number) => ({
  ...{ since, until: Math.min(until, now), heardUntil: Math.min(until + PATIENCE_MS, now) },
});

/** CloudWatch shows a line some time after it was written. */
const SHOWN_AFTER_MS = 5 * 60_000;
const DAY_MS = 86_400_000;
const PROGRESS_LINES = 10_000;

/** Every line becomes facts of its entity, and these are judged entity by entity. Returns how many were read. */
async function judgeLines(session: Session, audited: Audited): Promise<number> {
  const { deployment, shops, findings, options, signal } = audited;
  const startedAt = Date.now();
  const isShown = new Set(shops.map(({ domain }) => domain));
  const queues = await readQueues(deployment);
  const isEmpty = queues.every(({ waiting, inFlight }) => waiting + inFlight === 0);
  const pauses: Pause[] = [];
  const facts = new SpilledFacts();
  const progress = session.terminal.progress('Reading log lines:');
  const span = dayOf(options, startedAt);
  let heardUntil = 0;
  let lines = 0;
  try {
    const source =
      options.logs === undefined
        ? readLogs(deployment, { since: span.since, until: span.heardUntil })
        : readExportedLogs(options.logs);
    for await (const text of source) {
      if (signal.aborted) throw new StoppedEarly();
      lines += 1;
      if (lines % PROGRESS_LINES === 0) progress.report(lines);
      const fields = fieldsIn(text);
      const at = Date.parse(String(fields?.at));
      if (!fields || !(at >= span.since && at <= span.heardUntil)) continue;
      heardUntil = Math.max(heardUntil, at);
      const message = String(fields.message);
      const fact = factIn(at, message, fields);
      if (fact && isShown.has(fact.shop)) facts.add(fact);
      const pause = pauseIn(at, message, fields);
      if (pause && isShown.has(pause.shop)) pauses.push(pause);
      if (pause && Number(fields.others) > 0) findings.leave('no-call-while-paused', 'sampled');
    }
    for await (const fact of keptFacts(audited, span)) if (isShown.has(fact.shop)) facts.add(fact);
    const operated = await readOperated(audited, span);
    // What was exported may end earlier; what is read now says all up to now.
    const heard = options.logs === undefined ? span.heardUntil : heardUntil;
    const lag = deployment.where === 'aws' ? SHOWN_AFTER_MS : 0;
    const emptyAt = isEmpty && heard >= startedAt - lag ? startedAt - lag : undefined;
    pauses.push(...operated.pauses);
    const { woken } = operated;
    const judge = new DayJudge({ ...span, heardUntil: heard, emptyAt, pauses, woken }, findings);
    for (const some of facts.entities()) judge.judge(some);
    judge.finish();
  } finally {
    facts.remove();
    progress.end();
  }
  const { logRetentionDays } = deployment.connector.deployment;
  if (deployment.where === 'aws' && span.since < startedAt - logRetentionDays * DAY_MS) {
    for (const promise of PROMISES.slice(0, 4)) findings.leave(promise, 'expired');
  }
  return lines;
}

/** Of dead letters, and of what waits now. */
async function* keptFacts(
  { deployment, shops }: Audited,
  { since }: Pick<Day, 'since'>,
): AsyncGenerator<Fact> {
  const now = new Date();
  const none = { delivery: '', called: false } as const;
  // A dead letter is listed by when it was given up, which is after its event was accepted.
  for await (const page of readLetters(openLists(deployment), { since, now })) {
    for (const { event } of page) {
      if (event) yield { ...none, ...event, what: 'letter', at: Date.parse(event.receivedAt) };
    }
  }
  const domains = shops.map(({ domain }) => domain);
  for (const { shop, about } of await readWaiting(deployment, domains, now, MOST_WAITS)) {
    yield { ...none, ...about, shop, what: 'queued', at: now.getTime(), topic: '' };
  }
}

const MOST_WAITS = 10_000;
/** Of one that was killed no end is recorded. */
const LONGEST_COMMAND_MS = 3_600_000;

/** What operators did: a pause lasts until its end or the next `resume`, whichever shop or queue that was for. */
async function readOperated(
  { deployment, shops }: Audited,
  { since, heardUntil }: Pick<Day, 'since' | 'heardUntil'>,
): Promise<Pick<Day, 'pauses' | 'woken'>> {
  const ledger = openLedger(deployment);
  const observed = shops.map(async ({ domain }): Promise<readonly Pause[]> => {
    const { observing } = await readControl(ledger, domain);
    return observing === undefined ? [] : [{ shop: domain, from: observing, until: ENDLESS }];
  });
  const pauses = (await Promise.all(observed)).flat();
  const woken: Day['woken'][number][] = [];
  // One that began before, a week at most, may still last.
  const span = { since: new Date(since - 8 * DAY_MS), until: new Date(heardUntil) };
  for await (const { command, at, end, ...record } of readAudit(openLists(deployment), span)) {
    const { shop, queue, for: length } = record.arguments;
    if (command === 'resume' || command === 'retry-now') {
      const from = Date.parse(at);
      woken.push({ from, until: end ? Date.parse(end.at) : from + LONGEST_COMMAND_MS });
    }
    if (command !== 'pause' || end?.result !== 'finished') continue;
    const from = Date.parse(end.at);
    const until = length === undefined ? ENDLESS : from + durationMs(length);
    const paused = shops.filter(({ domain, path }) => [undefined, domain, path].includes(shop));
    pauses.push(...paused.map(({ domain }) => ({ shop: domain, from, until, queue })));
  }
  return { pauses, woken };
}

/** Orders by what the service was told of them, redemptions by their record and the codes of the store. */
async function judgeLedger(audited: Audited, day: Pick<Day, 'since' | 'until'>): Promise<void> {
  const { deployment, shops, findings, options, signal } = audited;
  const ledger = openLedger(deployment);
  const { store } = openShopServices(deployment);
  const goLives = new Map<string, { readonly goLive: number; readonly takesOver: boolean }>();
  for (const shop of shops) {
    const { goLive = '', takesOver = false } = await rulesOf(shop, ledger);
    goLives.set(shop.domain, { goLive: Date.parse(goLive), takesOver });
  }
  for await (const page of readWholeLedger(openLists(deployment))) {
    for (const [text, entry] of page) {
      if (signal.aborted) throw new StoppedEarly();
      const [kind, domain = '', ...id] = text.split('|');
      const live = goLives.get(domain);
      const key = entityKeyFrom(text);
      if (key?.kind === 'order' && live) judgeSentOrder(key, entry, day, live, findings);
      if (kind !== 'redemption' || !live) continue;
      const about = { shop: domain, kind: 'balance', id: id.join('|') } as const;
      const { redemptions } = recallRedemptions(entry.remembered, new Date());
      for (const { state } of judgeRedemptions(about, redemptions, day, findings)) {
        if (state.at !== 'ready' || Date.parse(state.code.endsAt ?? '') < Date.now()) continue;
        const code = options.sides ? await store.readCoupon(domain, state.code.code) : undefined;
        if (!code) findings.leave('redeemed-once', 'not-asked');
        else if (code.kind === 'unavailable') findings.leave('redeemed-once', 'not-read');
        else if (code.kind === 'gone') {
          findings.broke('redeemed-once', 'code-missing-in-store', about, Date.now());
        }
      }
    }
  }
}

/** The comparison that `compare` and `trace` make. */
async function judgeSides(
  session: Session,
  { deployment, shops, findings, options, signal }: Audited,
  { since }: Pick<Day, 'since'>,
): Promise<void> {
  if (!options.sides) return findings.leave('sides-agree', 'not-asked');
  for (const shop of shops) {
    const asked = { deployment, shop, since, signal };
    const { orders, isStopped } = await readChangedOrders(session, asked);
    for (const { id, kind: judged } of orders) {
      findings.saw('sides-agree');
      const about = { shop: shop.domain, kind: 'order', id } as const;
      if (judged === 'action required') {
        findings.broke('sides-agree', 'sides-differ', about, Date.now());
      } else if (judged === 'waits') findings.leave('sides-agree', 'on-its-way');
      else if (judged === 'not known') findings.leave('sides-agree', 'not-read');
    }
    if (isStopped) findings.leave('sides-agree', 'not-read');
  }
}

/** What to look at: of a redemption its customer's record, of a discount its dead letters. */
function traceOf({ shop, kind, id }: Violation): Line {
  const named = kind === 'member' || kind === 'balance' ? 'customer' : kind;
  const isTraced = ['order', 'product', 'coupon', 'customer'].includes(named);
  return isTraced
    ? line('trace', [named, id], { shop })
    : line('dead-letters list', [], { id, shop });
}

/** At a terminal; the data has more. */
const MOST_SHOWN = 20;

function documentOf(
  { deployment, findings }: Audited,
  { since, until }: Pick<Day, 'since' | 'until'>,
  lines: number,
): Document {
  const all = PROMISES.map((promise) => {
    const { violations, ...finding } = findings.of[promise];
    const traced = violations.map(
      (one): Traced => ({
        ...{ ...one, at: new Date(one.at).toISOString(), trace: traceOf(one) },
      }),
    );
    return { promise, ...finding, violations: traced };
  });
  const broken = all.flatMap(({ violations }) => violations);
  const open = all.flatMap(({ promise, notDecided }) =>
    Object.entries(notDecided).map(([why, times]) => [promise, why as OpenWhy, times] as const),
  );
  const span = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
  return {
    title: `Promises of ${deployment.stack} from ${utcText(since)} to ${utcText(until)} UTC`,
    verdict: verdictOf(Object.values(findings.of)),
    blocks: [
      table(
        [
          { title: 'Promise', shrinks: true },
          right('Cases'),
          right('Broken'),
          right('Not decided'),
        ],
        all.map(({ promise, cases, broken, notDecided }) => [
          WORDS[promise],
          cases,
          broken > 0 ? { text: String(broken), tone: 'bad' } : broken,
          sumOf(Object.values(notDecided)),
        ]),
      ),
      table(
        ['Not decided', { title: 'Why', shrinks: true }, right('Times')],
        open.map(([promise, why, times]) => [WORDS[promise], OPEN[why], times]),
      ),
      ...(broken.length > 0 ? [findingsOf(broken.slice(0, MOST_SHOWN))] : []),
    ],
    data: { ...span, lines, promises: all },
  };
}

type Traced = Omit<Violation, 'at'> & { readonly at: string; readonly trace: Line };

const findingsOf = (violations: readonly Traced[]): Block => ({
  kind: 'findings',
  title: 'Broken',
  findings: violations.map(({ why, kind, id, at, trace }) => ({
    ...{ tone: 'bad', name: `${kind} ${id}`, what: `${BROKEN[why]}, at ${utcText(at)} UTC.` },
    next: [{ label: 'See what is known', line: trace }],
  })),
});

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

function verdictOf(all: readonly Findings['of'][PromiseName][]): Required<Document>['verdict'] {
  const broken = sumOf(all.map((one) => one.broken));
  const open = sumOf(all.flatMap(({ notDecided }) => Object.values(notDecided)));
  const seen = counted(sumOf(all.map(({ cases }) => cases)), 'case');
  const left = `${open} could not be decided.`;
  if (broken > 0)
    return { kind: 'action required', what: `${broken} of ${seen} broke a promise; ${left}` };
  if (open > 0) return { kind: 'not known', what: `No promise was broken in ${seen}; ${left}` };
  if (all.every(({ cases }) => cases === 0))
    return {
      kind: 'not known',
      what: 'Nothing happened in that time, or nothing of it was logged.',
    };
  return { kind: 'well', what: `Every promise was kept, in ${seen}.` };
}

const WORDS: Readonly<Record<PromiseName, string>> = {
  'every-webhook-ends': 'Every accepted webhook has an end',
  'sent-once': 'No order is sent, taken back or cancelled twice for one state',
  'no-early-retry': 'No retry comes too soon',
  'no-call-while-paused': 'No call is made while the calls are paused',
  'nothing-before-go-live': 'No order from before go-live is sent as a new one',
  'redeemed-once': 'A redemption is paid once and has one code',
  'sides-agree': 'Points follow the orders: both sides agree',
};

const BROKEN: Readonly<Record<BrokenWhy, string>> = {
  'no-end': 'It was accepted, and no worker says what became of it',
  'same-state-again': 'The same state was sent again, though the first call was recorded',
  'before-its-delay': 'It was tried again before its delay was over',
  'called-while-paused': 'A call was made while the calls were paused',
  'placed-before-go-live': 'It is older than go-live, and no backfill asked for it',
  'one-click-two-redemptions': 'One click began two redemptions',
  'one-code-two-redemptions': 'Two redemptions have the same code',
  'one-payment-two-redemptions': 'Two redemptions were paid by one call',
  'code-missing-in-store': 'A code counts as ready, and the store does not have it',
  'sides-differ': 'The loyalty service does not hold what the store says',
};

const OPEN: Readonly<Record<OpenWhy, string>> = {
  'on-its-way': 'it was still on its way',
  'queue-has-a-backlog': 'nothing that came later was worked on: its queue may have a backlog',
  'may-be-merged': 'many webhooks of one entity in a minute: equal ones are one message',
  'not-logged': 'an older release wrote the line, without the state',
  sampled: 'some of its lines were left out',
  expired: 'the beginning of that time is older than the logs are kept',
  'out-of-time': "the worker's time was over, and its line may be late",
  'pause-too-short': 'a call that began before the pause may be logged a minute later',
  'not-recorded': 'the ledger does not say when it was placed, or another integration sent it',
  'waits-for-person': 'a person must finish it',
  'not-read': 'the store or the loyalty service did not answer',
  'not-asked': 'the sides were not asked (--no-sides)',
};
