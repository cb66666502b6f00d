import type { StoreEvent } from '../../../shared/core/events/event.ts';
import { encodeSnapshot, idOf } from '../../../shared/core/events/snapshot-body.ts';
import type { BulkEntity } from '../../../shared/shopify/bulk/read-entities.ts';
import { backfillTopicOf } from '../../../shared/shopify/webhooks/topics.ts';
import type { BackfillState } from './backfill-state.ts';

/**
 * The message of one entity. Its delivery is named by the backfill and the entity, so that sending it
 * again after a crash is sending the same.
 */
export function toEvent(
  found: Exclude<BulkEntity, { kind: 'unreadable' }>,
  { shop, id, run }: Pick<BackfillState, 'shop' | 'id' | 'run'>,
  { readAt, now }: { readonly readAt: Date; readonly now: Date },
): StoreEvent {
  const kind = found.kind === 'entity' ? found.entity.kind : 'order';
  const entityId = found.kind === 'entity' ? idOf(found.entity) : found.id;
  return {
    shop,
    kind,
    id: entityId,
    claim: 'changed',
    origin: 'backfill',
    topic: backfillTopicOf(kind),
    deliveryId: `backfill/${id}/${run}/${kind}/${entityId}`,
    receivedAt: now.toISOString(),
    ...(kind === 'order' && { history: true }),
    body: found.kind === 'entity' ? encodeSnapshot(found.entity, readAt) : undefined,
  };
}
