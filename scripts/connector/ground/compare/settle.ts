import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readControl } from '../../../../shared/core/calls/shop-pause.ts';
import { isOpenDoubt } from '../../../../shared/core/ledger/entry.ts';
import type { Ledger } from '../../../../shared/core/ledger/ledger.ts';
import { readFoundByReading, readPositions } from '../../../../shared/core/reconcile/deep-scan.ts';
import { quietUntil } from '../../../../shared/core/reconcile/dependencies.ts';
import {
  type LastReconcile,
  readLastReconcile,
  readReconcileRuns,
  sumOf,
} from '../../../../shared/core/reconcile/last-reconcile.ts';
import type { ReconcileRequest } from '../../../../shared/core/reconcile/reconcile.ts';
import { type Deployment, openLedger } from '../session/deployment.ts';
import { messagesIn, readQueues } from '../session/queues.ts';
import type { Session } from '../session/session.ts';
import { DOCTOR, type Document, type VerdictKind } from '../terminal/document.ts';
import { line } from '../terminal/line.ts';
import { counted, countedWith, momentText, spanText } from '../terminal/text.ts';
import { judgeOutcomes, type Sent } from './outcomes.ts';

export interface Open {
  readonly deployment: Deployment;
  readonly ledger: Ledger;
  readonly session: Session;
  readonly signal: AbortSignal;
}

export interface Followed extends Sent {
  readonly tookMs: number;
  readonly comparison: Comparison;
  readonly shops: readonly Awaited<ReturnType<typeof resultOf>>[];
}

/** Has everything compared, of shops whose ledger is in doubt, and waits until what that sent is settled. */
export async function compareAndSettle(domains: readonly string[], open: Open): Promise<Followed> {
  const { deployment, ledger, session, signal } = open;
  const began = Date.now();
  const before = await countMessages(deployment);
  const [shop] = domains;
  const isOne = domains.length === 1 && deployment.connector.shops.length > 1;
  const only = isOne && shop !== undefined ? { shop } : {};
  const comparison = await compareEverything(domains, {
    ...{ ledger, signal, now: () => new Date() },
    start: () => runReconcile(session, deployment, domains, signal, only),
    note: (text) => session.terminal.note(text),
    pause: (ms) => sleep(ms, undefined, { signal }).catch(() => {}),
  });
  const { left, letters } = await drain(open);
  const shops = await Promise.all(domains.map((domain) => resultOf(domain, ledger)));
  const sent = shops.reduce((sum, one) => sum + one.sentAgain, 0);
  const failing = Math.max(0, letters - before.letters);
  // Only the queues say it: what they no longer hold is done.
  const handled = Math.max(0, sent - failing - left);
  const outcomes = { handled, failing, underway: left };
  return { tookMs: Date.now() - began, comparison, sent, outcomes, shops };
}

/** Where a run ends at once, because the store or the service does not answer. */
const AGAIN_MS = 5_000;

/** Longer than a run and the wait for one that never says that it ended: two starts at least. */
const STUCK_MS = 30 * 60_000;

interface Comparing extends Pick<Open, 'ledger' | 'signal'> {
  /** Waits for the end of the run, and returns how its record is recognised. */
  readonly start: () => Promise<(last: LastReconcile) => boolean>;
  readonly note: (text: string) => void;
  readonly now: () => Date;
  readonly pause: (ms: number) => Promise<void>;
}

export type Comparison =
  | { readonly kind: 'ended' | 'interrupted' }
  /** No run got further for half an hour. */
  | { readonly kind: 'stuck'; readonly starts: number };

/** Has reconcile run again and again, instead of by its schedule, as long as it gets further. */
export async function compareEverything(
  domains: readonly string[],
  { ledger, signal, start, note, now, pause }: Comparing,
): Promise<Comparison> {
  const noted = new Set<string>();
  let [movedAt, starts] = [now().getTime(), 0];
  let positions = await readPositions(ledger, domains);
  while (!signal.aborted) {
    const isOurs = await start();
    if (signal.aborted) break;
    starts += 1;
    const controls = await Promise.all(domains.map((domain) => readControl(ledger, domain)));
    if (!controls.some(({ doubt }) => isOpenDoubt(doubt))) return { kind: 'ended' };
    for (const domain of domains) {
      const last = await readLastReconcile(ledger, domain);
      const [stop] = last && isOurs(last) ? stopsOf(last) : [{ why: 'it left no record' }];
      if (!stop) continue;
      const text = `${domain}: the comparison stopped (${stop.why}) and is restarted. ${last ? courseText(last, now()) : ''}`;
      if (!noted.has(text)) note(text.trim());
      noted.add(text);
    }
    const reached = await readPositions(ledger, domains);
    if (reached !== positions) [movedAt, starts] = [now().getTime(), 0];
    positions = reached;
    if (now().getTime() - movedAt >= STUCK_MS) return { kind: 'stuck', starts };
    await pause(AGAIN_MS);
  }
  return { kind: 'interrupted' };
}

const POLL_MS = 2_000;

/** SQS counts approximately: one zero may be wrong. */
const ZEROS = 2;

/** If the queues do not get shorter for so long, the rest waits for a later try, perhaps for hours. */
const STILL_MS = 30_000;

/** Waits as long as the workers settle something, or until that is interrupted. */
async function drain({ deployment, session, signal }: Open) {
  const progress = session.terminal.progress('Messages left:');
  let [least, fellAt, zeros] = [Number.POSITIVE_INFINITY, Date.now(), 0];
  for (;;) {
    const counts = await countMessages(deployment);
    const { left } = counts;
    progress.report(left);
    if (left < least) [least, fellAt] = [left, Date.now()];
    zeros = left === 0 ? zeros + 1 : 0;
    if (zeros === ZEROS || Date.now() - fellAt > STILL_MS || signal.aborted) return counts;
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function countMessages(deployment: Deployment) {
  const queues = await readQueues(deployment);
  return { left: messagesIn(queues), letters: queues.reduce((sum, { dead }) => sum + dead, 0) };
}

export async function resultOf(domain: string, ledger: Ledger) {
  const { doubt } = await readControl(ledger, domain);
  const runs = await readReconcileRuns(ledger, domain);
  const { ordersRead, differing } = await readFoundByReading(ledger, domain);
  const since = doubt?.until ?? 0;
  const ours = runs.filter(({ endedAt }) => Date.parse(endedAt) >= since);
  return {
    shop: domain,
    comparedAt:
      doubt?.comparedAt === undefined ? undefined : new Date(doubt.comparedAt).toISOString(),
    isWhole: doubt?.comparedAt !== undefined && ordersRead.unread === 0,
    sentAgain: ours.reduce((sum, run) => sum + sumOf(run.rolledOut) + sumOf(run.healed), 0),
    orders: {
      unread: ordersRead.unread,
      differing: differing.filter(({ lately }) => !lately).length,
    },
  };
}

/** `done`: begins the words where all is well. `again`: what to do where not everything was compared. */
export function judgeFollowed(
  { tookMs, comparison, outcomes, shops }: Followed,
  done: string,
  again: string,
): Required<Pick<Document, 'verdict' | 'next'>> {
  const took = spanText(tookMs);
  const settled = judgeOutcomes(outcomes);
  const next = [
    ...(comparison.kind === 'stuck' ? [DOCTOR] : []),
    ...(differingIn(shops) > 0
      ? [{ label: 'See what differs', line: line('reconcile status') }]
      : []),
    ...settled.next,
  ];
  const say = (kind: VerdictKind, what: string) => ({ verdict: { kind, what }, next });
  if (!shops.every(({ isWhole }) => isWhole)) {
    const stuck =
      comparison.kind === 'stuck'
        ? `The comparison was started ${counted(comparison.starts, 'time')} and made no progress for ${spanText(STUCK_MS)}: see the log of the function "reconcile". Once the cause is fixed: `
        : '';
    const what = `Not everything was compared in ${took}. ${stuck}${again}`;
    return say('action required', what);
  }
  const compared = `Everything was compared in ${took}.`;
  if (differingIn(shops) > 0) {
    const differ = `${countedWith(differingIn(shops), 'order', 'differ')} in the loyalty service.`;
    return say('action required', `${compared} ${differ} ${settled.verdict.what}`);
  }
  const { kind, what } = settled.verdict;
  if (kind !== 'ok') return say(kind, `${compared} ${what}`);
  return say('ok', `${done} in ${took}: everything was compared, and the queues are empty.`);
}

const differingIn = (shops: Followed['shops']): number =>
  shops.reduce((sum, { orders }) => sum + orders.differing, 0);

export type IsOurs = (last: LastReconcile) => boolean;

const EVERY_MS = 2_000;

/** The function ends after 15 minutes, and AWS may start it late. */
const PATIENCE_MS = 17 * 60_000;

/** Starts a run and waits until it has ended for all shops, or long enough; returns how it is recognised. */
export async function runReconcile(
  { terminal }: Session,
  deployment: Deployment,
  domains: readonly string[],
  signal: AbortSignal,
  asked: Omit<ReconcileRequest, 'request'> = {},
): Promise<IsOurs> {
  const request = randomUUID();
  const askedAt = Date.now();
  await new LambdaClient(deployment.aws).send(
    new InvokeCommand({
      FunctionName: deployment.output('ReconcileFunction'),
      // A run may take a quarter of an hour.
      InvocationType: 'Event',
      Payload: Buffer.from(JSON.stringify({ request, ...asked })),
    }),
  );
  // A run of the schedule that began later replaces the record, and says the same.
  const isOurs: IsOurs = (last) => last.request === request || Date.parse(last.beganAt) > askedAt;
  const ledger = openLedger(deployment);
  const progress = terminal.progress('Shops compared, in 15 minutes at most:', domains.length);
  const endMs = performance.now() + PATIENCE_MS;
  while (!signal.aborted && performance.now() < endMs) {
    const runs = await Promise.all(domains.map((domain) => readLastReconcile(ledger, domain)));
    const ended = runs.filter((last) => last && isOurs(last)).length;
    progress.report(ended);
    if (ended === domains.length) break;
    await sleep(EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return isOurs;
}

const PHASES: Readonly<Record<string, string>> = {
  ledger: 'deletions',
  product: 'products',
  discount: 'codes',
  order: 'orders',
};

/** Empty where no deep scan is under way; a large shop's nearly always is. */
export function courseText({ deep }: Pick<LastReconcile, 'deep'>, now: Date): string {
  if (!deep?.stopped) return '';
  return `A comparison of everything has been running since ${momentText(deep.beganAt, now)}, now at ${PHASES[deep.stopped.in]}; each run continues it, reading the recent orders again and older ones in turn.`;
}

export const untilOf = ({ beganAt }: Pick<LastReconcile, 'beganAt'>, now: Date) =>
  momentText(new Date(quietUntil(new Date(beganAt))).toISOString(), now);

export const stopsOf = ({ stopped, deep }: LastReconcile) => [
  ...stopped,
  ...(deep?.stopped ? [deep.stopped] : []),
];
