import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type WaitingMessage,
  type WaitsFor,
  waitingIn,
  waitingKey,
} from '../../../shared/core/batch/waiting.ts';
import {
  changeControl,
  resumed,
  type ShopControl,
  withOperatorPause,
} from '../../../shared/core/calls/shop-pause.ts';
import type { QueueFamily } from '../../../shared/core/events/event.ts';
import { type Ledger, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import {
  findingsBlock,
  runChecks,
  serverCheck,
  shopDeps,
  verdictOf,
} from '../ground/checks/check.ts';
import { loyaltyCheck } from '../ground/checks/loyalty.ts';
import {
  isHolding,
  type PauseStatus,
  partText,
  pausesIn,
  pauseText,
  readPauses,
  shownPause,
} from '../ground/checks/read-pauses.ts';
import {
  readWaiting,
  type WokenMessage,
  wake,
  wokenTexts,
} from '../ground/checks/waiting-messages.ts';
import { durationMs, shopsOf } from '../ground/session/arguments.ts';
import { type Deployment, openLedger } from '../ground/session/deployment.ts';
import { readCaller } from '../ground/session/read-caller.ts';
import { type CommonOptions, carryOut, type Session } from '../ground/session/session.ts';
import { type Block, type Document, text, type VerdictKind } from '../ground/terminal/document.ts';
import { BadArguments, type ExitCode } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { type Ended, heldByPause, heldByWait, judgeEnded, resultOf } from './follow-letters.ts';

export interface PauseOptions extends CommonOptions {
  readonly queue?: QueueFamily;
  readonly because?: string;
  /** How long: `30m`, `2h`. */
  readonly for?: string;
}

/** What has waited for seven days raises an alarm, and after 13 it is parked. */
const LONGEST_DAYS = 7;

/** Confirm → record who → write the control record of every shop that is meant. */
export async function pauseCommand(
  session: Session,
  options: PauseOptions,
): Promise<Document | ExitCode> {
  const { shop, queue, for: length } = options;
  const lengthMs = length === undefined ? undefined : durationMs(length);
  if (lengthMs !== undefined && lengthMs > LONGEST_DAYS * 86_400_000) {
    throw new BadArguments(
      `pause for at most ${LONGEST_DAYS} days: messages that wait for 13 days become dead letters.`,
    );
  }
  const deployment = await session.findDeployment();
  const shops = shopsOf(deployment.connector, shop);
  const what = `${partText(queue ?? 'all')} of ${shops.map(({ domain }) => domain).join(', ')}`;
  return carryOut(session, deployment, options.yes, {
    preview: async () => {
      const lasting = await readPauses(openLedger(deployment), shops, new Date());
      return previewOf(options, what, lasting);
    },
    question: `Pause ${what}?`,
    act: () => pause(session, deployment, options, { what, lengthMs }),
  });
}

async function pause(
  session: Session,
  deployment: Deployment,
  { shop, queue, because }: PauseOptions,
  { what, lengthMs }: { readonly what: string; readonly lengthMs: number | undefined },
): Promise<Document> {
  const { arn } = await readCaller(deployment.aws);
  const { after } = await change(session, deployment, shop, (control, now) =>
    withOperatorPause(control, queue ?? 'all', arn, now, {
      ...(because !== undefined && { because }),
      ...(lengthMs !== undefined && { until: now.getTime() + lengthMs }),
    }),
  );
  return {
    title: `Pause ${what}`,
    verdict: { kind: 'ok', what: `Paused: ${what}.` },
    blocks: [findingsOf('Paused now', after)],
    data: { changed: true, pauses: after },
  };
}

function previewOf(
  { shop, queue, because, for: length }: PauseOptions,
  what: string,
  lasting: readonly PauseStatus[],
): Document {
  const end = length === undefined ? 'until "resume"' : `for ${length}`;
  const given = { shop, queue, because, for: length, yes: true };
  return {
    title: `Pause ${what}`,
    blocks: [
      text(
        `This would pause ${what}: nothing is sent to the loyalty service ${end}. What arrives meanwhile waits and is sent afterwards.`,
      ),
      findingsOf('Paused now', lasting),
    ],
    next: [{ label: `Pause ${what}`, line: line('pause', [], given) }],
    data: { changed: false, pauses: lasting },
  };
}

const findingsOf = (title: string, pauses: readonly PauseStatus[]): Block => ({
  ...{ kind: 'findings', title, findings: pauses.map(shownPause) },
});

/** End the pauses → wake what waited for their end → ask whether calls are accepted. */
export async function resumeCommand(
  session: Session,
  { shop, queue }: PauseOptions,
): Promise<Document> {
  const deployment = await session.findDeployment();
  const { before, after, recorded } = await change(session, deployment, shop, (control, now) =>
    resumed(control, queue ?? 'all', now),
  );
  const shops = shopsOf(deployment.connector, shop);
  const domains = shops.map(({ domain }) => domain);
  const waiting = await readWaiting(deployment, domains, new Date());
  const isFreed = (one: (typeof waiting)[number]) => !after.some((pause) => isHolding(pause, one));
  const meant = waiting.filter((one) =>
    queue === undefined
      ? WAITED_FOR_RESUME.has(one.waitsFor) && isFreed(one)
      : one.queue === queue && one.waitsFor === 'paused' && isFreed(one),
  );
  const { woken } = await wake(deployment, meant);
  recorded.count({ woken: woken.length });
  const ended = without(before, after);
  const what = `${partText(queue ?? 'all')} of ${domains.join(', ')}`;
  const isDone = ended.length + woken.length > 0;
  const deps = shopDeps(deployment, shops);
  const isFree = isDone && after.length === 0;
  const asked = isFree ? await runChecks([serverCheck(deps), loyaltyCheck(deps)]) : [];
  const { kind } = verdictOf(asked);
  const refused = findingsBlock(asked, { all: false });
  const not = after.length > 0 ? 'have no pause of their own' : 'are not paused';
  return {
    title: isDone ? `Resume ${what}` : `Nothing was changed: ${what} ${not}`,
    ...(isFree && { verdict: { kind, what: RESUMED[kind] } }),
    blocks: [
      ...(kind === 'ok' ? [] : [refused]),
      ...ended.map((pause) => text(`Ended: ${pauseText(pause)}`)),
      ...(woken.length > 0 ? wokenTexts(woken) : ['No message was waiting for it.']).map((one) =>
        text(one),
      ),
      findingsOf('Still paused', after),
    ],
    data: { changed: isDone, ended, pauses: after, woken: woken.length },
  };
}

const RESUMED: Readonly<Record<VerdictKind, string>> = {
  ok: 'Resumed: the store and the loyalty service accept the credentials.',
  pending: '',
  'action required': 'The pause has ended, but calls are still refused.',
  unknown: 'The pause has ended. Whether calls succeed could not be checked.',
};

const without = (some: readonly PauseStatus[], others: readonly PauseStatus[]) =>
  some.filter((one) => !others.some((other) => isDeepStrictEqual(one, other)));

const WAITED_FOR_RESUME: ReadonlySet<WaitsFor> = new Set(['paused', 'throttled', 'misconfigured']);

async function change(
  session: Session,
  deployment: Deployment,
  named: string | undefined,
  next: (control: ShopControl, now: Date) => ShopControl,
) {
  const recorded = await session.beginChange(deployment);
  const ledger = openLedger(deployment);
  const now = new Date();
  const before: PauseStatus[] = [];
  const after: PauseStatus[] = [];
  for (const shop of shopsOf(deployment.connector, named)) {
    let found: readonly PauseStatus[] = [];
    const control = await changeControl(ledger, shop.domain, (known) => {
      found = pausesIn(shop, known, now);
      return next(known, now);
    });
    before.push(...found);
    after.push(...pausesIn(shop, control, now));
    recorded.count({ begun: without(after, before).length, ended: without(before, after).length });
  }
  return { before, after, recorded };
}

export interface RetryNowOptions extends CommonOptions {
  /** Seconds. */
  readonly wait?: number;
}

/** Longer than an earlier call holds a message back. */
const PATIENCE_SECONDS = 60;

/** Find what waits → record who → end its wait → say what still holds it → follow it to its outcome. */
export async function retryNow(session: Session, options: RetryNowOptions): Promise<Document> {
  const deployment = await session.findDeployment();
  const shops = shopsOf(deployment.connector, options.shop);
  const domains = shops.map(({ domain }) => domain);
  const { wait = PATIENCE_SECONDS } = options;
  const signal = session.interruption('No longer following; the messages stay on their queues.');
  const recorded = await session.beginChange(deployment);
  const found = await readWaiting(deployment, domains, new Date());
  const meant = found.filter(({ waitsFor }) => waitsFor !== 'planned');
  if (meant.length === 0) {
    recorded.count({ woken: 0 });
    const data = { sent: 0, outcomes: {} };
    return { title: 'Nothing to retry: no message is waiting', blocks: [], data };
  }
  const ledger = openLedger(deployment);
  // Read before: waking ends a pause after refused credentials, and the next refusal begins one that is its outcome.
  const pauses = (await readPauses(ledger, shops, new Date())).filter(
    (pause) => pause.by !== 'service' || pause.why !== 'misconfigured',
  );
  const { woken, gone } = await wake(deployment, meant);
  const pauseOf = (one: WokenMessage) => pauses.find((pause) => isHolding(pause, one));
  const free = woken.filter((one) => !pauseOf(one));
  recorded.count({ woken: free.length, held: woken.length - free.length });
  const texts = wokenTexts(free);
  const progress = session.terminal.progress('Retried:', free.length);
  const report = (done: number) => progress.report(done, texts.join(' '));
  const followed = await followWoken(free, ledger, Date.now() + wait * 1_000, signal, report);
  const ended: readonly Ended[] = [
    ...followed.map(endOf),
    ...woken.flatMap((one): readonly Ended[] => {
      const pause = pauseOf(one);
      return pause ? [{ result: 'underway', held: heldByPause(pause) }] : [];
    }),
    // SQS refuses the receipt handle of a message that was received again, deleted, or is visible.
    ...Array<Ended>(gone).fill({ result: 'gone' }),
  ];
  const { verdict, next, outcomes } = judgeEnded(ended);
  const isOpen = ended.some(({ result, held }) => result === 'underway' && !held);
  return {
    title: 'Retry now',
    verdict,
    blocks: isOpen ? texts.map((words) => text(words)) : [],
    next,
    data: { sent: woken.length, outcomes },
  };
}

function endOf(message: FollowedMessage): Ended {
  const { last } = message;
  if (last.ended) return { result: resultOf(last.ended) };
  return { result: 'underway', ...(waitsAgain(message) && { held: heldByWait(last) }) };
}

interface FollowedMessage extends WokenMessage {
  /** Its newest wait; that of the command itself while no worker has had it since. */
  readonly last: WaitingMessage;
}

const EVERY_MS = 500;

/** Until each has left its queue, or none is tried again before `endsAt`. A worker records each new wait, and its end. */
async function followWoken(
  woken: readonly WokenMessage[],
  ledger: Pick<Ledger, 'readMany'>,
  endsAt: number,
  signal: AbortSignal,
  report: (done: number) => void,
): Promise<readonly FollowedMessage[]> {
  let followed = woken.map((one): FollowedMessage => ({ ...one, last: one }));
  for (;;) {
    const keys = followed.flatMap(({ shop, messageId, receives }) => [
      waitingKey(shop, messageId, receives),
      waitingKey(shop, messageId, receives + 1),
    ]);
    const entries = await ledger.readMany(keys);
    const waits = keys.map((key) => waitingIn(entries.get(ledgerKeyText(key))?.remembered));
    followed = followed.map((one, index) => {
      const [known = one.last, next] = waits.slice(2 * index, 2 * index + 2);
      return next ? { ...one, last: next, receives: one.receives + 1 } : { ...one, last: known };
    });
    const open = followed.filter(
      (one) => !one.last.ended && (!waitsAgain(one) || one.last.until < endsAt),
    );
    report(followed.length - open.length);
    if (open.length === 0 || signal.aborted || Date.now() >= endsAt) return followed;
    // Thousands of messages are read less often.
    await sleep(EVERY_MS + open.length, undefined, { signal }).catch(() => {});
  }
}

/** It was received since it was woken, and has a new receipt handle. */
const waitsAgain = ({ last, receiptHandle }: FollowedMessage): boolean =>
  !last.ended && last.receiptHandle !== receiptHandle;
