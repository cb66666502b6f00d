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
import { messagesIn, readQueues } from '../ground/session/queues.ts';
import { readExportedLogs, readLogs } from '../ground/session/read-logs.ts';
import { openShopServices } from '../ground/session/services.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import {
  type Block,
  type Document,
  right,
  table,
  type Verdict,
} from '../ground/terminal/document.ts';
import { StoppedEarly } from '../ground/terminal/exit.ts';
import { type Line, line } from '../ground/terminal/line.ts';
import { counted, utcText } from '../ground/terminal/text.ts';
import { type Fact, factIn, fieldsIn, type Pause, pauseIn, SpilledFacts } from './audit-facts.ts';
import {
  BROKEN,
  type Day,
  DayJudge,
  Findings,
  judgeRedemptions,
  judgeSentOrder,
  NOT_DECIDED,
  PATIENCE_MS,
  PROMISE_NAMES,
  PROMISES,
  type Violation,
} from './audit-promises.ts';

export interface AuditOptions extends CommonOptions {
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
  const isEmpty = messagesIn(await readQueues(deployment)) === 0;
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
    }
    for await (const fact of keptFacts(audited, span)) if (isShown.has(fact.shop)) facts.add(fact);
    const operated = await readOperated(audited, span);
    // What was exported may end earlier; what is read now says all up to now.
    const heard = options.logs === undefined ? span.heardUntil : heardUntil;
    const shownAt = startedAt - (deployment.where === 'aws' ? SHOWN_AFTER_MS : 0);
    const emptyAt = isEmpty && heard >= shownAt ? shownAt : undefined;
    const day = { ...span, ...operated, heardUntil: heard, emptyAt };
    const judge = new DayJudge({ ...day, pauses: [...pauses, ...operated.pauses] }, findings);
    for (const some of facts.entities()) judge.judge(some);
    judge.finish();
  } finally {
    facts.remove();
  }
  const { logRetentionDays } = deployment.connector.deployment;
  if (deployment.where === 'aws' && span.since < startedAt - logRetentionDays * DAY_MS) {
    for (const promise of PROMISE_NAMES.slice(0, 4)) findings.leave(promise, 'expired');
  }
  return lines;
}

/** Of dead letters, and of what waits now. */
async function* keptFacts(
  { deployment, shops }: Audited,
  { since }: Pick<Day, 'since'>,
): AsyncGenerator<Fact> {
  const now = new Date();
  // A dead letter is listed by when it was given up, which is after its event was accepted.
  for await (const page of readLetters(openLists(deployment), { since, now })) {
    for (const { event } of page) {
      if (event) yield { ...event, what: 'letter', delivery: '', at: Date.parse(event.receivedAt) };
    }
  }
  const domains = shops.map(({ domain }) => domain);
  for (const { shop, about } of await readWaiting(deployment, domains, now, MOST_WAITS)) {
    yield { ...about, shop, what: 'queued', delivery: '', at: now.getTime(), topic: '' };
  }
}

const MOST_WAITS = 10_000;
/** Also pauses. */
const ENDS_WAITS = ['resume', 'retry-now', 'secrets set', 'go-live', 'recover'];
/** Of one that was killed no end is recorded. */
const LONGEST_COMMAND_MS = 3_600_000;

/** What operators did: a pause lasts until its end or the next `resume`, whichever shop or queue that was for. */
async function readOperated(
  { deployment, shops }: Audited,
  { since, heardUntil }: Pick<Day, 'since' | 'heardUntil'>,
): Promise<Pick<Day, 'pauses' | 'woken' | 'recoveredAt'>> {
  const ledger = openLedger(deployment);
  const observed = shops.map(async ({ domain }): Promise<readonly Pause[]> => {
    const { observing } = await readControl(ledger, domain);
    return observing === undefined ? [] : [{ shop: domain, from: observing, until: ENDLESS }];
  });
  const pauses = (await Promise.all(observed)).flat();
  const woken: Day['woken'][number][] = [];
  let recoveredAt: number | undefined;
  // One that began before, a week at most, may still last.
  const span = { since: new Date(since - 8 * DAY_MS), until: new Date(heardUntil) };
  for await (const { command, at, end, ...record } of readAudit(openLists(deployment), span)) {
    const { shop, queue, for: length } = record.arguments;
    const from = Date.parse(at);
    const until = end ? Date.parse(end.at) : from + LONGEST_COMMAND_MS;
    if (ENDS_WAITS.includes(command)) woken.push({ from, until });
    // The newest comes first.
    if (command === 'recover') recoveredAt ??= from;
    if (command !== 'pause' || end?.result !== 'finished') continue;
    const lasts = length === undefined ? ENDLESS : until + durationMs(length);
    const pause = { from: until, until: lasts, queue };
    const paused = shops.filter(({ domain, path }) => [undefined, domain, path].includes(shop));
    pauses.push(...paused.map(({ domain }) => ({ ...pause, shop: domain })));
  }
  return { pauses, woken, recoveredAt };
}

/** Orders by what the service was told of them, redemptions by their record and the codes of the store. */
async function judgeLedger(audited: Audited, day: Pick<Day, 'since' | 'until'>): Promise<void> {
  const { deployment, shops, findings, options, signal } = audited;
  const ledger = openLedger(deployment);
  const { store } = openShopServices(deployment);
  const rulesFor = async (shop: Shop) => [shop.domain, await rulesOf(shop, ledger)] as const;
  const rules = new Map(await Promise.all(shops.map(rulesFor)));
  for await (const page of readWholeLedger(openLists(deployment))) {
    for (const [text, entry] of page) {
      if (signal.aborted) throw new StoppedEarly();
      const [kind, domain = '', ...id] = text.split('|');
      const ofShop = rules.get(domain);
      const key = entityKeyFrom(text);
      if (key?.kind === 'order' && ofShop) judgeSentOrder(key, entry, day, ofShop, findings);
      if (kind !== 'redemption' || !ofShop) continue;
      const about = { shop: domain, kind: 'balance', id: id.join('|') } as const;
      const { redemptions } = recallRedemptions(entry.remembered, new Date());
      for (const { code, endsAt = '' } of judgeRedemptions(about, redemptions, day, findings)) {
        if (Date.parse(endsAt) < Date.now()) continue;
        const found = options.sides ? await store.readCoupon(domain, code) : undefined;
        if (!found) findings.leave('redeemed-once', 'not-asked');
        else if (found.kind === 'unavailable') findings.leave('redeemed-once', 'not-read');
        else if (found.kind === 'gone') {
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
      } else if (judged === 'pending') findings.leave('sides-agree', 'on-its-way');
      else if (judged === 'unknown') findings.leave('sides-agree', 'not-read');
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
  { deployment: { stack }, findings }: Audited,
  { since, until }: Pick<Day, 'since' | 'until'>,
  lines: number,
): Document {
  const all = PROMISE_NAMES.map((promise) => ({ promise, ...findings.of[promise] }));
  const broken = all.flatMap(({ violations }) => violations).slice(0, MOST_SHOWN);
  const rows = all.map(({ promise, cases, broken, notDecided }) => {
    const whys = Object.entries(notDecided) as [keyof typeof NOT_DECIDED, number][];
    const open = sumOf(Object.values(notDecided));
    const marked = broken > 0 ? ({ text: String(broken), tone: 'bad' } as const) : broken;
    const detail = whys.map(([why, times]) => `${times} not decided: ${NOT_DECIDED[why]}`);
    return {
      cells: [PROMISES[promise], cases, marked, open],
      ...(open > 0 && { detail: detail.join('; ') }),
    };
  });
  const numbers = [right('Cases'), right('Broken'), right('Not decided')];
  return {
    title: `Promises of ${stack} from ${utcText(since)} to ${utcText(until)} UTC`,
    verdict: verdictOf(all),
    blocks: [table([{ title: 'Promise', shrinks: true }, ...numbers], rows), findingsOf(broken)],
    data: {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      lines,
      promises: all.map((one) => ({
        ...one,
        violations: one.violations.map((violation) => {
          const at = new Date(violation.at).toISOString();
          return { ...violation, at, trace: traceOf(violation) };
        }),
      })),
    },
  };
}

const findingsOf = (violations: readonly Violation[]): Block => ({
  kind: 'findings',
  title: 'Broken',
  findings: violations.map((one) => ({
    ...{ tone: 'bad', name: `${one.kind} ${one.id}` },
    what: `${BROKEN[one.why]}, at ${utcText(one.at)} UTC.`,
    next: [{ label: 'See what is known', line: traceOf(one) }],
  })),
});

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

function verdictOf(all: readonly Findings['of'][keyof Findings['of']][]): Verdict {
  const cases = sumOf(all.map((one) => one.cases));
  const broken = sumOf(all.map((one) => one.broken));
  const open = sumOf(all.flatMap(({ notDecided }) => Object.values(notDecided)));
  const [seen, left] = [counted(cases, 'case'), `${open} could not be decided.`];
  if (broken > 0) {
    return { kind: 'action required', what: `${broken} of ${seen} broke a promise; ${left}` };
  }
  if (cases > 0 && open === 0) return { kind: 'ok', what: `Every promise was kept: ${seen}.` };
  return { kind: 'unknown', what: `No broken promise was found in ${seen}; ${left}` };
}
