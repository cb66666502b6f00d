import { areWebhooksLost } from '../../../shared/core/reconcile/last-reconcile.ts';
import { type PauseStatus, pauseText, resumeText } from '../pause/read-pauses.ts';
import {
  type CredentialStatus,
  count,
  type LastHour,
  type QueueStatus,
  type ReconcileStatus,
  type Status,
  type SubscriptionStatus,
  type Trouble,
} from './status-model.ts';

export interface Verdict {
  readonly healthy: boolean;
  /** The most urgent first: problems that stop everything come before problems of one message. */
  readonly troubles: readonly Trouble[];
  /** Worth knowing, but not urgent. */
  readonly notes: readonly string[];
}

export interface Expectations {
  readonly oldestMessageMinutes: number;
  readonly reconcileEveryMinutes: number;
  readonly healedPercent: number;
}

/** One run may fail while the next is still running. */
const RUNS_MISSED = 2.5;

export function judgeStatus(status: Status, expected: Expectations): Verdict {
  const hour = judgeLastHour(status);
  const troubles = [
    ...status.credentials.flatMap(judgeCredential),
    ...whenKnown(status.pauses, (pauses) => pauses.filter(needsPerson).map(pauseTrouble)),
    ...status.subscriptions.flatMap(judgeSubscriptions),
    ...hour.troubles,
    ...whenKnown(status.queues, (queues) => judgeQueues(queues, expected)),
    ...whenKnown(status.reconcile, (runs) => judgeReconcile(runs, status.at, expected)),
  ];
  const unknown = Object.entries({
    'the queues': status.queues,
    "the last hour's figures": status.lastHour,
    'the last reconcile': status.reconcile,
    notices: status.notices,
    pauses: status.pauses,
    ...Object.fromEntries(
      status.subscriptions.map(({ shop, found }) => [`webhook subscriptions of ${shop}`, found]),
    ),
  }).flatMap(([name, part]) => (part.kind === 'unknown' ? [`${name}: unknown, ${part.why}`] : []));
  return {
    healthy: troubles.length === 0 && status.queues.kind === 'known',
    troubles,
    notes: [
      ...unknown,
      ...status.credentials
        .filter(({ state }) => state === 'unreadable')
        .map(({ shop, purpose, why }) => `${shop}: the ${purpose} secret ${why}`),
      ...hour.notes,
      ...whenKnown(status.pauses, (pauses) =>
        pauses.filter((pause) => !needsPerson(pause)).map(pauseText),
      ),
      ...status.subscriptions.flatMap(({ shop, found }) =>
        whenKnown(found, ({ notes }) => notes.map((note) => `${shop}: ${note}`)),
      ),
      ...whenKnown(status.reconcile, (runs) => runs.flatMap(differingOrders)),
      ...whenKnown(status.notices, (notices) =>
        notices.map(({ shop, at, why, id }) => `${at.slice(0, 10)} ${shop}: ${why} (${id})`),
      ),
    ],
  };
}

/** A throttled shop resumes by itself. */
function needsPerson(pause: PauseStatus): boolean {
  return pause.by === 'operator' || pause.why === 'misconfigured';
}

function pauseTrouble(pause: PauseStatus): Trouble {
  return { what: pauseText(pause), next: pause.by === 'operator' ? resumeText(pause) : 'doctor' };
}

function judgeSubscriptions({ shop, found }: SubscriptionStatus): readonly Trouble[] {
  return whenKnown(found, ({ faults }) =>
    faults.length === 0
      ? []
      : [{ what: `${shop}: ${summed(faults)}`, next: `webhooks check --shop ${shop}` }],
  );
}

function judgeCredential({ shop, purpose, state, why }: CredentialStatus): Trouble[] {
  switch (state) {
    case 'there':
    // That this user may not read it says nothing about the deployment: it becomes a note.
    case 'unreadable':
      return [];
    case 'missing':
    case 'malformed':
      return [
        {
          what: `${shop}: the ${purpose} secret ${why ?? `is ${state}`}`,
          next: `secrets set ${purpose} --shop ${shop}`,
        },
      ];
  }
}

function judgeQueues(
  queues: readonly QueueStatus[],
  { oldestMessageMinutes }: Expectations,
): Trouble[] {
  const troubles: Trouble[] = [];
  for (const { family, oldestSeconds } of queues) {
    if (oldestSeconds !== undefined && oldestSeconds > oldestMessageMinutes * 60) {
      troubles.push({
        what: `${family}: the oldest message has waited for ${Math.round(oldestSeconds / 60)} minutes`,
        next: 'doctor',
      });
    }
  }
  const dead = queues.reduce((sum, queue) => sum + queue.dead, 0);
  if (dead > 0) {
    const where = queues.filter((queue) => queue.dead > 0).map(({ family }) => family);
    troubles.push({
      what: `${count(dead, 'dead letter')} (${where.join(', ')}) ${dead === 1 ? 'needs' : 'need'} a person`,
      next: 'dead-letters list',
    });
  }
  return troubles;
}

function judgeReconcile(
  runs: readonly ReconcileStatus[],
  at: string,
  { reconcileEveryMinutes, healedPercent }: Expectations,
): Trouble[] {
  return runs.flatMap(({ shop, endedAt, looked, healed }): Trouble[] => {
    if (endedAt === undefined) return [];
    const minutes = (Date.parse(at) - Date.parse(endedAt)) / 60_000;
    if (minutes > reconcileEveryMinutes * RUNS_MISSED) {
      const what = `${shop}: the last reconcile ended ${Math.round(minutes)} minutes ago, every ${reconcileEveryMinutes} are expected`;
      return [{ what, next: 'doctor' }];
    }
    if (areWebhooksLost({ lookedAt: looked, healed }, healedPercent)) {
      const what = `${shop}: the last reconcile had to send ${healed} of ${looked}: webhooks get lost`;
      return [{ what, next: `webhooks check --shop ${shop}` }];
    }
    return [];
  });
}

/** A person corrects them; the next deep walk shows whether they agree. */
function differingOrders({ shop, ordersRead = [] }: ReconcileStatus): readonly string[] {
  const ids = [...new Set(ordersRead.flatMap(({ ids }) => ids))];
  if (ids.length === 0) return [];
  const orders = `${shop}: the loyalty service holds another state of ${ids.join(', ')}`;
  return [`${orders}. See: npx loyalty-connector compare order ${ids[0]}`];
}

function whenKnown<Value, Result>(
  part: { readonly kind: 'known'; readonly value: Value } | { readonly kind: 'unknown' },
  judge: (value: Value) => readonly Result[],
): readonly Result[] {
  return part.kind === 'known' ? judge(part.value) : [];
}

function summed([first, ...others]: readonly string[]): string {
  return others.length === 0 ? `${first}` : `${first}, and ${others.length} more`;
}

/** Scanners cause a few of these. */
const FEW_BAD_SIGNATURES = 5;
/** A single entity that fails temporarily is tried a dozen times in its first hour. */
const MANY_WAITING = 5;
const MANY_RETRIED = 10;

interface HourVerdict {
  readonly troubles: readonly Trouble[];
  readonly notes: readonly string[];
}

/** Judges the figures of the last hour: a problem for which nothing waits any more is over. */
function judgeLastHour({ lastHour, queues }: Pick<Status, 'lastHour' | 'queues'>): HourVerdict {
  if (lastHour.kind === 'unknown') return { troubles: [], notes: [] };
  const waiting =
    queues.kind === 'unknown'
      ? undefined
      : queues.value.reduce((sum, queue) => sum + queue.waiting + queue.inFlight, 0);
  const verdicts = [judgeWork(lastHour.value, waiting), judgeReceiver(lastHour.value)];
  return {
    troubles: verdicts.flatMap(({ troubles }) => troubles),
    notes: verdicts.flatMap(({ notes }) => notes),
  };
}

/** `waiting` undefined: not known. */
function judgeWork(hour: LastHour, waiting: number | undefined): HourVerdict {
  const { misconfigured, crash, retried } = hour;
  const troubles: Trouble[] = [];
  const notes: string[] = [];
  if (misconfigured > 0) {
    const times = `(${count(misconfigured, 'time')} in the last hour)`;
    // Every affected message stays on its queue: empty queues show that the problem is solved.
    if (waiting === 0) {
      notes.push(
        `credentials, scopes or an address were refused ${times}, and nothing waits any more`,
      );
    } else {
      const what = `messages wait because credentials, scopes or an address are refused ${times}`;
      troubles.push({ what, next: 'doctor' });
    }
  }
  if (crash > 0) {
    const what = `work stopped at an unexpected error ${count(crash, 'time')} in the last hour: the log of the function has the reason`;
    troubles.push({ what, next: 'doctor' });
  }
  const settled = hour.applied + hour['no-change'];
  const isStuck = waiting !== undefined && waiting >= MANY_WAITING;
  if (isStuck && misconfigured === 0 && retried >= MANY_RETRIED && retried > settled) {
    const what = `${waiting} messages wait, and in the last hour more attempts failed (${retried}) than succeeded (${settled}): the loyalty service or the store is down, slow or refuses requests temporarily`;
    troubles.push({ what, next: 'doctor' });
  }
  return { troubles, notes };
}

function judgeReceiver(hour: LastHour): HourVerdict {
  const { 'signatures-refused': refused, 'older-secret-used': older } = hour;
  const what = `${refused} webhooks were refused for their signature in the last hour: the app signs with another secret, or the sender is not Shopify`;
  const note = `${count(older, 'request')} came signed with the older secret: do not finish the rotation yet`;
  return {
    troubles: refused > FEW_BAD_SIGNATURES ? [{ what, next: 'doctor' }] : [],
    notes: older > 0 ? [note] : [],
  };
}
