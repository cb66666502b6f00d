import { areWebhooksLost } from '../../../shared/core/reconcile/last-reconcile.ts';
import { type PauseStatus, pauseText, resumeText } from '../pause/read-pauses.ts';
import { judgeHour } from './judge-hour.ts';
import { judgeWaiting } from './judge-waiting.ts';
import {
  type CredentialStatus,
  count,
  type Expectations,
  type Findings,
  type Known,
  type QueueStatus,
  type ReconcileStatus,
  type Status,
  type SubscriptionStatus,
} from './status-model.ts';

export interface Verdict extends Required<Findings> {
  /** `waiting`: all goes on by itself, later. */
  readonly state: 'well' | 'waiting' | 'needs-a-person';
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
  return { state: isBad ? 'needs-a-person' : calm, troubles, waits, notes };
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
  const what = `${count(dead, 'dead letter')} (${where.join(', ')}) ${dead === 1 ? 'needs' : 'need'} a person`;
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
