import type { Outcome } from '../batch/outcome.ts';
import { correlationOf, type Telemetry } from '../batch/telemetry.ts';
import type { StoreEvent } from '../events/event.ts';
import type { EventQueue } from '../events/queues.ts';
import { expiresAfter, type Ledger } from '../ledger/ledger.ts';
import type { EntityKey, RecordKey } from '../ledger/ledger-key.ts';
import { fanOut, sendCode } from './fan-out.ts';
import type { Store, Task } from './store-reader.ts';

export interface TaskWorld {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly queue: EventQueue;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
  readonly orderRetentionDays: number;
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
      const keys = task.orderIds.map((id): EntityKey => ({ shop: event.shop, kind: 'order', id }));
      const { shop } = event;
      const customer: RecordKey = { shop, kind: 'customer', id: task.customerId };
      const redemptions: RecordKey = { shop, kind: 'redemption', id: task.customerId };
      const now = world.now();
      await world.ledger.redact([...keys, customer, redemptions], {
        redactedAt: now.getTime(),
        ...expiresAfter(world.orderRetentionDays, now),
      });
      return { kind: 'handled', how: 'redacted' };
    }
    case 'notify':
      await note(event, task, world);
      return { kind: 'handled', how: task.notice };
  }
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
  telemetry.count('notice', { why: notice });
  telemetry.log('warn', why, { ...correlationOf(event), notice });
}
