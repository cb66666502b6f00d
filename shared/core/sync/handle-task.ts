import { ask, callService } from '../calls/call-loyalty.ts';
import { type EntityKey, type EventQueue, hashBody, type StoreEvent } from '../events/event.ts';
import { type Outcome, overtaken } from '../events/outcome.ts';
import { correlationOf, type Telemetry } from '../events/telemetry.ts';
import { noteMerge } from '../ledger/entry.ts';
import { expiresAfter, type RecordKey, readEntry } from '../ledger/ledger.ts';
import type { Store, Task } from '../store/store.ts';
import { fanOut, sendCode } from './fan-out.ts';
import type { SyncDeps } from './sync-entity.ts';

interface TaskDeps extends MemberDeps {
  readonly store: Store;
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
}

type Redaction = Extract<Task, { kind: 'redact' }>;

/** Work that is not about one entity. Each task may be repeated: a retry begins it again. */
export async function handleTask(event: StoreEvent, task: Task, deps: TaskDeps): Promise<Outcome> {
  switch (task.kind) {
    case 'fan-out':
      return fanOut(event, task, deps);
    case 'sync-code':
      await sendCode(event, { code: task.code }, deps);
      return { kind: 'handled', how: 'code-enqueued' };
    case 'skip':
      return { kind: 'skipped', why: task.why };
    case 'redact':
      return redactOnce(event, task, deps);
    case 'merge':
      return handleMerge(event, task, deps);
    case 'notify':
      await note(event, task, deps);
      return { kind: 'handled', how: task.notice };
  }
}

/** The store repeats an unanswered webhook for four hours; an operator may repeat one on purpose. */
const REPEATED_WITHIN_SECONDS = 86_400;

const CAME_BEFORE: Outcome = {
  kind: 'rejected',
  reason: 'rejected',
  why: 'the same bytes erased this customer before, so they may be a captured request: ask the merchant, and replay this dead letter if the customer asked again',
};

/**
 * Only the body is signed, and it has no date. Who captured one could erase what the customer has after coming back:
 * later than a day after the first, the same bytes are for a person, whose replay erases.
 * See docs/decisions/0002-the-store-confirms-what-a-body-cannot-prove.md.
 */
async function redactOnce(event: StoreEvent, task: Redaction, deps: TaskDeps): Promise<Outcome> {
  const { ledger, now, orderRetentionDays } = deps;
  if (!event.body) return redact(event, task, deps);
  const id = `${hashBody(event.body)}/redacted`;
  const key: RecordKey<'parked'> = { shop: event.shop, kind: 'parked', id };
  const first = await readEntry(ledger, key);
  const since = first && Date.parse(event.receivedAt) - first.version;
  const isLate = since !== undefined && since > REPEATED_WITHIN_SECONDS * 1000;
  if (isLate && !event.replays) return CAME_BEFORE;
  const outcome = await redact(event, task, deps);
  if (first || outcome.kind !== 'handled') return outcome;
  const at = now();
  const plain = { version: at.getTime(), uncertain: false, outcomes: [] };
  // A conflict means that another worker did the same.
  await ledger.write(key, { ...plain, ...expiresAfter(orderRetentionDays, at) }, undefined);
  return outcome;
}

async function redact(event: StoreEvent, task: Redaction, deps: TaskDeps): Promise<Outcome> {
  const { shop } = event;
  const now = deps.now();
  const mark = { redactedAt: now.getTime(), ...expiresAfter(deps.orderRetentionDays, now) };
  const open = await deps.rewards?.personErased(event, task.customerId, mark, deps);
  if (open) return open;
  const keys = task.orderIds.map((id): EntityKey => ({ shop, kind: 'order', id }));
  const customer: RecordKey = { shop, kind: 'customer', id: task.customerId };
  const member: EntityKey = { shop, kind: 'member', id: task.customerId };
  // What a storefront has left that is no longer in the settings.
  const left: RecordKey = { ...customer, kind: 'redemption' };
  const isLeft = !deps.rewards && (await readEntry(deps.ledger, left)) !== undefined;
  await deps.ledger.redact([...keys, customer, member, ...(isLeft ? [left] : [])], mark);
  const pending = await deactivateRedacted(shop, task.customerId, deps);
  return pending ?? { kind: 'handled', how: 'redacted' };
}

/** Kept in the ledger, where the operator's commands find it, and counted for the alarm. */
async function note(
  event: StoreEvent,
  { notice, id, why }: Extract<Task, { kind: 'notify' }>,
  { ledger, telemetry, now, orderRetentionDays }: TaskDeps,
): Promise<void> {
  const key: RecordKey = { shop: event.shop, kind: 'notice', id: `${notice}/${id}` };
  const at = now();
  const line = { at: at.toISOString(), outcome: notice, version: at.getTime(), topic: event.topic };
  // A conflict means that it is noted already.
  await ledger.write(
    key,
    {
      version: at.getTime(),
      uncertain: false,
      outcomes: [{ ...line, why }],
      ...expiresAfter(orderRetentionDays, at),
    },
    undefined,
  );
  telemetry.count(notice);
  telemetry.log('warn', why, { ...correlationOf(event), notice });
}

type MemberDeps = Pick<
  SyncDeps,
  'ledger' | 'now' | 'orderRetentionDays' | 'deadline' | 'shop' | 'rewards'
>;

/**
 * The service has no operation that merges customers. What the member of the customer who is gone still has is
 * moved by a person: the message is parked until nothing is left, and a replay looks again.
 * See docs/decisions/0015-customers-are-sent-from-sign-up-and-people-finish-merges.md.
 */
async function handleMerge(
  event: StoreEvent,
  { deletedId, keptId }: { readonly deletedId: string; readonly keptId: string },
  deps: MemberDeps,
): Promise<Outcome> {
  const { ledger, now } = deps;
  const noted = await noteMerge({ shop: event.shop, id: deletedId }, keptId, {
    ...{ ledger, now: now(), topic: event.topic, retentionDays: deps.orderRetentionDays },
  });
  if (!noted) return overtaken;
  const pending = await deps.rewards?.customerMerged(event, deletedId, deps);
  if (pending) return pending;
  const asked = await ask('getCustomerPoints', [deletedId], { ...deps, ...deps.shop(event.shop) });
  if (asked.kind === 'retry') return asked;
  const { PointsBalance: points = 0, CashbackBalance: cashback = 0 } = asked.value ?? {};
  if (points === 0 && cashback === 0) return { kind: 'handled', how: 'merged' };
  const why =
    'the store merged two customers; the loyalty service keeps both members, and the one who is gone still has points: move them to the kept one, then replay this dead letter';
  return { kind: 'rejected', reason: 'rejected', why };
}

const REASON = 'the store asked to erase this customer';

/** Undefined when there was nothing to do, or it is done. */
async function deactivateRedacted(
  shop: string,
  customerId: string,
  deps: MemberDeps,
): Promise<Outcome | undefined> {
  const { rules, observes, ...program } = deps.shop(shop);
  if (observes || rules.redactedCustomers === 'keep') return undefined;
  const given = [customerId, { IsEnabled: false, Reason: REASON }] as const;
  const { outcome } = await callService('changeCustomerStatus', [...given], {
    ...deps,
    ...program,
  });
  const isUnknown = outcome.kind === 'rejected' && outcome.code === 'Customer_NotFound';
  return outcome.kind === 'applied' || isUnknown ? undefined : outcome;
}
