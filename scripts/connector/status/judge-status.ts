import { judgeLastHour } from './judge-last-hour.ts';
import type {
  CredentialStatus,
  QueueStatus,
  ReconcileStatus,
  Status,
  SubscriptionStatus,
} from './status-model.ts';
import { count, type Trouble } from './trouble.ts';

export interface Verdict {
  readonly healthy: boolean;
  /** The most urgent first: what stops everything stands before what one message met. */
  readonly troubles: readonly Trouble[];
  /** Worth knowing, and no reason to get up at night. */
  readonly notes: readonly string[];
}

export interface Expectations {
  readonly oldestMessageMinutes: number;
  readonly reconcileEveryMinutes: number;
  readonly healedPercent: number;
}

/** Below so many, a share says nothing: one healed of three looked at is no sign of lost webhooks. */
const LEAST_HEALED = 5;
/** One run may fail and one may still be under way. */
const RUNS_MISSED = 2.5;

export function judgeStatus(status: Status, expected: Expectations): Verdict {
  const hour = judgeLastHour(status);
  const troubles = [
    ...status.credentials.flatMap(judgeCredential),
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
    ...Object.fromEntries(
      status.subscriptions.map(({ shop, found }) => [`webhook subscriptions of ${shop}`, found]),
    ),
  }).flatMap(([name, part]) =>
    part.kind === 'unknown' ? [`${name}: not known, ${part.why}`] : [],
  );
  return {
    healthy: troubles.length === 0 && status.queues.kind === 'known',
    troubles,
    notes: [
      ...unknown,
      ...status.credentials
        .filter(({ state }) => state === 'unreadable')
        .map(({ shop, purpose, why }) => `${shop}: the ${purpose} secret ${why}`),
      ...hour.notes,
      ...status.subscriptions.flatMap(({ shop, found }) =>
        whenKnown(found, ({ notes }) => notes.map((note) => `${shop}: ${note}`)),
      ),
      ...whenKnown(status.notices, (notices) =>
        notices.map(({ shop, at, why, id }) => `${at.slice(0, 10)} ${shop}: ${why} (${id})`),
      ),
    ],
  };
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
    // That we may not look says nothing about the deployment: it is noted.
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
    if (healed >= LEAST_HEALED && healed * 100 > looked * healedPercent) {
      const what = `${shop}: the last reconcile had to mend ${healed} of ${looked}: webhooks get lost`;
      return [{ what, next: `webhooks check --shop ${shop}` }];
    }
    return [];
  });
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
