import type { Outcome } from '../batch/outcome.ts';
import { correlationOf, type Telemetry } from '../batch/telemetry.ts';
import type { StoreEvent } from '../events/event.ts';
import type { EventQueue } from '../events/queues.ts';
import { expiresAfter, type RedactionMark, readEntry } from '../ledger/ledger.ts';
import type { EntityKey, RecordKey } from '../ledger/ledger-key.ts';
import { bookKey, openIn } from '../redeem/redemption-book.ts';
import { secondsUntil } from '../redeem/redemption-state.ts';
import { fanOut, sendCode } from './fan-out.ts';
import { deactivateRedacted, handleMerge, type MemberWorld } from './handle-merge.ts';
import type { Store, Task } from './store-reader.ts';

export interface TaskWorld extends MemberWorld {
  readonly store: Store;
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
}

/** Work that is not about one entity. Each task may be repeated: a retry begins it again. */
export async function handleTask(
  event: StoreEvent,
  task: Task,
  world: TaskWorld,
): Promise<Outcome> {
  switch (task.kind) {
    case 'fan-out':
      return fanOut(event, task.discountId, world);
    case 'sync-code':
      await sendCode(event, { code: task.code }, world);
      return { kind: 'handled', how: 'code-enqueued' };
    case 'skip':
      return { kind: 'skipped', why: task.why };
    case 'redact': {
      const { shop } = event;
      const now = world.now();
      const mark = {
        redactedAt: now.getTime(),
        ...expiresAfter(world.orderRetentionDays, now),
      };
      const open = await redactBook(event, task.customerId, mark, world);
      if (open) return open;
      const keys = task.orderIds.map((id): EntityKey => ({ shop, kind: 'order', id }));
      const customer: RecordKey = { shop, kind: 'customer', id: task.customerId };
      const member: EntityKey = { shop, kind: 'member', id: task.customerId };
      await world.ledger.redact([...keys, customer, member], mark);
      const pending = await deactivateRedacted(shop, task.customerId, world);
      return pending ?? { kind: 'handled', how: 'redacted' };
    }
    case 'merge':
      return handleMerge(event, task, world);
    case 'notify':
      await note(event, task, world);
      return { kind: 'handled', how: task.notice };
  }
}

/** Of the 30 days that the law leaves; the person's redemptions end within minutes if no system is down. */
const REDACTION_WAITS_SECONDS = 86_400;

/**
 * Erases the redemptions of a person, unless one is open: it needs the person's id in the loyalty service
 * to come to its end, and without it points would be spent for nothing. The write is conditional, because
 * a click may begin a redemption after the reading. Undefined when it is done.
 */
async function redactBook(
  event: StoreEvent,
  customerId: string,
  mark: RedactionMark,
  { ledger, telemetry, now }: TaskWorld,
): Promise<Outcome | undefined> {
  const key = bookKey({ shop: event.shop, customerId });
  const entry = await readEntry(ledger, key);
  if (!entry) return undefined;
  const { remembered, revision, ...kept } = entry;
  const open = openIn(remembered, now());
  const mayWait = secondsUntil(event.receivedAt, REDACTION_WAITS_SECONDS, now()) > 0;
  if (open.length > 0 && mayWait) return { kind: 'retry', why: 'redemption-open' };
  const written = await ledger.write(key, { ...kept, ...mark }, revision);
  if (written.kind === 'conflict') return { kind: 'retry', why: 'redemption-open' };
  if (open.length > 0) {
    const ids = open.map(({ id }) => id).join(',');
    telemetry.log('error', 'redacted with open redemptions', { ...correlationOf(event), ids });
  }
  return undefined;
}

/** Kept in the ledger, where the operator's commands find it, and counted for the alarm. */
async function note(
  event: StoreEvent,
  { notice, id, why }: Extract<Task, { kind: 'notify' }>,
  { ledger, telemetry, now, orderRetentionDays }: TaskWorld,
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
