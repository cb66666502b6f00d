import type { StoreEvent } from '../../core/events/event.ts';
import type { EventReading, StoreEntity } from '../../core/store/store.ts';
import { versionOf } from '../../core/sync/read-snapshot.ts';
import type { ReadFault } from '../../store/store-entities.ts';

export function snapshot(event: StoreEvent, entity: StoreEntity, id: string): EventReading {
  return sameId(event, id) ?? { kind: 'snapshot', entity, version: versionOf(entity) };
}

/** The message is in the group of `event.id`: a change of another entity would bypass that one's group. */
export function sameId(event: StoreEvent, id: string): EventReading | undefined {
  return event.id === id
    ? undefined
    : unreadable([{ path: 'id', problem: 'is not the id under which the message was queued' }]);
}

/** A body can have thousands of faults. */
const MAX_FAULTS = 10;

export function unreadable(faults: readonly ReadFault[]): EventReading {
  const words = faults
    .slice(0, MAX_FAULTS)
    .map(({ path, problem }) => `${path === '$' ? 'the body' : path} ${problem}`);
  const more = faults.length - words.length;
  return {
    kind: 'unreadable',
    why: [...words, ...(more > 0 ? [`and ${more} more`] : [])].join('; '),
  };
}
