import { areWebhooksLost } from '../../../shared/core/reconcile/last-reconcile.ts';
import { type PauseStatus, pauseText, resumeText } from '../pause/read-pauses.ts';
import { FOR_WHAT } from '../pause/waiting-messages.ts';
import type { CredentialStatus } from '../secrets/read-secret.ts';
import { counted, momentText, spanText } from '../terminal/text.ts';
import type { SubscriptionStatus } from '../webhooks/webhooks.ts';
import type {
  Expectations,
  Findings,
  Known,
  LastHour,
  QueueStatus,
  ReconcileStatus,
  SignOf,
  Status,
  WaitingStatus,
} from './status-model.ts';

export interface Verdict extends Required<Findings> {
  /** `waiting`: all goes on by itself, later. */
  readonly state: 'well' | 'waiting' | 'action-required';
}

/** Each part is judged alone. Problems that stop everything come before problems of one message. */
export function judgeStatus(status: Status, expected: Expectations): Verdict {
  const found: readonly Findings[] = [
    judgeUnknown(status),
    ...status.credentials.map(judgeCredential),
    ...whenKnown(status.pauses, (pauses) => pauses.map(judgePause)),
    ...status.subscriptions.map(judgeSubscriptions),
    judgeWaiting(status, expected),
    judgeHour(status),
    ...whenKnown(status.queues, (queues) => [judgeAges(queues, expected), judgeDead(queues)]),
    ...whenKnown(status.reconcile, (runs) =>
      runs.flatMap((run) => [
        judgeReconcile(run, status.at, expected),
        differingOrders(run),
        judgeRecovery(run),
      ]),
    ),
    ...whenKnown(status.notices, (notices) =>
      notices.map(({ shop, at, why, id }) => ({
        notes: [`${at.slice(0, 10)} ${shop}: ${why} (${id})`],
      })),
    ),
  ];
  const troubles = found.flatMap((one) => one.troubles ?? []);
  const waits = found.flatMap((one) => one.waits ?? []);
  const notes = found.flatMap((one) => one.notes ?? []);
  const isBad = troubles.length > 0 || status.queues.kind === 'unknown';
  const calm = waits.length > 0 ? 'waiting' : 'well';
  return { state: isBad ? 'action-required' : calm, troubles, waits, notes };
}

function judgeUnknown(status: Status): Findings {
  const parts = {
    'the queues': status.queues,
    "the last hour's figures": status.lastHour,
    ...(status.lastDay && { "the last day's figures": status.lastDay }),
    'what waits': status.waiting,
    'the last reconcile': status.reconcile,
    notices: status.notices,
    pauses: status.pauses,
    ...Object.fromEntries(
      status.subscriptions.map(({ shop, found }) => [`webhook subscriptions of ${shop}`, found]),
    ),
  };
  const notes = Object.entries(parts).flatMap(([name, part]) =>
    part.kind === 'unknown' ? [`${name}: unknown, ${part.why}`] : [],
  );
  const old = status.queues.kind === 'known' ? status.queues.value : [];
  const ages = old.flatMap(({ family, oldestWhy }) =>
    oldestWhy === undefined
      ? []
      : [`how long the oldest of ${family} waits: unknown, ${oldestWhy}`],
  );
  return { notes: [...notes, ...ages] };
}

function judgeCredential({ shop, purpose, state, why }: CredentialStatus): Findings {
  switch (state) {
    case 'there':
      return {};
    // That this user may not read it says nothing about the deployment.
    case 'unreadable':
      return { notes: [`${shop}: the ${purpose} secret ${why}`] };
    case 'missing':
    case 'malformed': {
      const what = `${shop}: the ${purpose} secret ${why ?? `is ${state}`}`;
      // A shop that was never deployed has no secret to set; `doctor` says how it gets one.
      const next = state === 'missing' ? 'doctor' : `secrets set ${purpose} --shop ${shop}`;
      return { troubles: [{ what, next }] };
    }
  }
}

function judgePause(pause: PauseStatus): Findings {
  const what = pauseText(pause);
  if (pause.by === 'operator') return { troubles: [{ what, next: resumeText(pause) }] };
  // A throttled shop resumes by itself.
  return pause.why === 'throttled' ? { waits: [what] } : { troubles: [{ what, next: 'doctor' }] };
}

function judgeSubscriptions({ shop, found }: SubscriptionStatus): Findings {
  if (found.kind === 'unknown') return {};
  const notes = found.value.notes.map((note) => `${shop}: ${note}`);
  const [first, ...others] = found.value.faults;
  if (first === undefined) return { notes };
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  const what = `${shop}: ${first}${more}`;
  return { notes, troubles: [{ what, next: `webhooks check --shop ${shop}` }] };
}

function judgeAges(
  queues: readonly QueueStatus[],
  { oldestMessageMinutes }: Expectations,
): Findings {
  const old = queues.filter(({ oldestSeconds = 0 }) => oldestSeconds > oldestMessageMinutes * 60);
  const troubles = old.map(({ family, oldestSeconds = 0 }) => ({
    what: `${family}: the oldest message has waited for ${Math.round(oldestSeconds / 60)} minutes`,
    next: 'doctor',
  }));
  return { troubles };
}

function judgeDead(queues: readonly QueueStatus[]): Findings {
  const dead = queues.reduce((sum, queue) => sum + queue.dead, 0);
  if (dead === 0) return {};
  const where = queues.filter((queue) => queue.dead > 0).map(({ family }) => family);
  const what = `${counted(dead, 'dead letter')} (${where.join(', ')}) ${dead === 1 ? 'waits' : 'wait'} for a decision`;
  return { troubles: [{ what, next: 'dead-letters list' }] };
}

/** One run may fail while the next is still running. */
const RUNS_MISSED = 2.5;

function judgeReconcile(
  { shop, endedAt, looked, healed }: ReconcileStatus,
  at: string,
  { reconcileEveryMinutes, healedPercent }: Expectations,
): Findings {
  if (endedAt === undefined) return {};
  const minutes = (Date.parse(at) - Date.parse(endedAt)) / 60_000;
  if (minutes > reconcileEveryMinutes * RUNS_MISSED) {
    const what = `${shop}: the last reconcile ended ${Math.round(minutes)} minutes ago, every ${reconcileEveryMinutes} are expected`;
    return { troubles: [{ what, next: 'doctor' }] };
  }
  if (!areWebhooksLost({ lookedAt: looked, healed }, healedPercent)) return {};
  const what = `${shop}: the last reconcile had to send ${healed} of ${looked}: webhooks get lost`;
  return { troubles: [{ what, next: `webhooks check --shop ${shop}` }] };
}

function judgeRecovery({ shop, recoversSince }: ReconcileStatus): Findings {
  if (recoversSince === undefined) return {};
  const since = `${recoversSince.slice(0, 16).replace('T', ' ')} UTC`;
  const what = `${shop}: the ledger was lost or restored; since ${since} everything is compared with the store and the loyalty service. Every run of reconcile goes on; "recover" does not wait for the next`;
  return { waits: [what] };
}

/** A person corrects them; the next deep comparison shows whether they agree. */
function differingOrders({ shop, ordersRead = [] }: ReconcileStatus): Findings {
  const ids = [...new Set(ordersRead.flatMap(({ ids }) => ids))];
  if (ids.length === 0) return {};
  const orders = `${shop}: the loyalty service holds another state of ${ids.join(', ')}`;
  return { notes: [`${orders}; "reconcile status" says how to look at them`] };
}

function whenKnown<Value>(
  part: Known<Value>,
  judge: (value: Value) => readonly Findings[],
): readonly Findings[] {
  return part.kind === 'known' ? judge(part.value) : [];
}

/** Scanners cause a few of these. */
export const FEW_BAD_SIGNATURES = 5;

/**
 * What the figures of the last hour show. Trouble is over when something was accepted since it was last seen: then it
 * is a note.
 */
function judgeHour({ at, lastHour, queues, waiting }: Status): Findings {
  if (lastHour.kind === 'unknown') return {};
  const hour = lastHour.value;
  const older = hour['older-secret-used'];
  const rotation = `${counted(older, 'request')} came signed with the older secret: do not finish the rotation yet`;
  const found = [judgeRefused(), judgeCrashes(), judgeSignatures()];
  return {
    troubles: found.flatMap(({ troubles = [] }) => troubles),
    notes: [...found.flatMap(({ notes = [] }) => notes), ...(older > 0 ? [rotation] : [])],
  };

  function judgeRefused(): Findings {
    const { misconfigured } = hour;
    // Where messages wait for it, their records say more.
    const isRecorded =
      waiting.kind === 'known' && waiting.value.some((one) => one.waitsFor === 'misconfigured');
    if (misconfigured === 0 || isRecorded) return {};
    const what = `credentials, scopes or an address were refused ${counted(misconfigured, 'time')} in the last hour`;
    // Every message that met it stays on its queue: empty queues show that it is solved.
    const isEmpty =
      queues.kind === 'known' && queues.value.every((one) => one.waiting + one.inFlight === 0);
    if (isEmpty)
      return { notes: [`${what}${whenIn('misconfigured')}, and nothing waits any more`] };
    return troubleOrNote('misconfigured', what);
  }

  function judgeCrashes(): Findings {
    if (hour.crash === 0) return {};
    const what = `work stopped at an unexpected error ${counted(hour.crash, 'time')} in the last hour: the log of the function has the reason`;
    return troubleOrNote('crash', what);
  }

  function judgeSignatures(): Findings {
    const refused = hour['signatures-refused'];
    return refused > FEW_BAD_SIGNATURES
      ? troubleOrNote('signatures-refused', signaturesText(hour))
      : {};
  }

  function troubleOrNote(sign: SignOf, what: string): Findings {
    const since = hour.signs[sign]?.acceptedSince ?? 0;
    const seen = `${what}${whenIn(sign)}`;
    return since > 0
      ? { notes: [`${seen}; ${since} accepted since`] }
      : { troubles: [{ what: `${seen}; none accepted since`, next: 'doctor' }] };
  }

  function whenIn(sign: SignOf): string {
    const last = hour.signs[sign]?.lastAt;
    return last === undefined
      ? ''
      : `, last at ${momentText(new Date(last).toISOString(), new Date(at))}`;
  }
}

export function signaturesText(hour: Pick<LastHour, 'signatures-refused'>): string {
  return `${hour['signatures-refused']} webhooks were refused for their signature in the last hour: the app signs with another secret, or the sender is not Shopify`;
}

/** What waits, and whether it goes on without a person. */
function judgeWaiting(status: Status, expected: Expectations): Findings {
  const waiting = status.waiting.kind === 'known' ? status.waiting.value : [];
  if (waiting.length === 0) return judgeUnrecorded(status);
  const found = waiting.map((group) => judgeGroup(group, new Date(status.at), expected));
  return {
    troubles: found.flatMap(({ troubles = [] }) => troubles),
    waits: found.flatMap(({ waits = [] }) => waits),
  };
}

function judgeGroup(group: WaitingStatus, now: Date, expected: Expectations): Findings {
  const { shop, waitsFor, messages, since, nextTry, whys } = group;
  const [wait, inSeconds] = [messages === 1 ? 'waits' : 'wait', Date.parse(nextTry) - +now];
  const what = `${shop}: ${counted(messages, 'message')} ${wait} ${FOR_WHAT[waitsFor]} since ${momentText(since, now)} (${whys.join(', ')}), next try in ${spanText(inSeconds)}`;
  switch (waitsFor) {
    // The pause itself is trouble, with the command that ends it.
    case 'paused':
    case 'patience':
      return { waits: [what] };
    case 'misconfigured':
      return { troubles: [{ what, next: 'doctor' }] };
    case 'connector':
    case 'loyalty':
    case 'store':
    case 'throttled': {
      const minutes = (+now - Date.parse(since)) / 60_000;
      // The alarms ring then, too: `stuck` and `crash`.
      const needsPerson = minutes > expected.oldestMessageMinutes || whys.includes('broke-off');
      return needsPerson ? { troubles: [{ what, next: 'doctor' }] } : { waits: [what] };
    }
  }
}

/** A failed attempt says nothing of the messages that are in flight now for longer than this. */
const RECENT_MS = 5 * 60_000;

/** The ledger has no records, or cannot be read: the figures show that attempts fail. */
function judgeUnrecorded({ at, lastHour, queues }: Status): Findings {
  if (lastHour.kind === 'unknown' || queues.kind === 'unknown') return {};
  const inFlight = queues.value.reduce((sum, queue) => sum + queue.inFlight, 0);
  const { retried } = lastHour.value.signs;
  if (inFlight === 0 || !retried || retried.acceptedSince > 0) return {};
  if (Date.parse(at) - retried.lastAt > RECENT_MS) return {};
  const last = momentText(new Date(retried.lastAt).toISOString(), new Date(at));
  return {
    waits: [`${counted(inFlight, 'message')} in flight; the last attempt failed at ${last}`],
  };
}
