import {
  hashBody,
  isStoreEvent,
  type QueuedEvent,
  type StoreEvent,
} from '../../../../shared/core/events/event.ts';
import { canBeReadFromStore } from '../../../../shared/core/events/message-body.ts';
import type { ReadEvent } from '../../../../shared/core/store/store.ts';
import { createEventReader } from '../../../../shared/shopify/webhooks/read-event.ts';
import type { ReadLetter } from '../read-letter.ts';

export interface ReplayWishes {
  /** Without its body, so that the worker asks the store what the entity is now. */
  readonly refetch: boolean;
  /** Even if the ledger says that nothing changed. */
  readonly force: boolean;
  /** Who replays: goes into the message. */
  readonly by: string;
}

/** Why a letter that was chosen stays where it is. */
export type Obstacle =
  | 'undecodable'
  | 'newer-release'
  | 'shop-not-configured'
  | 'still-unreadable'
  | 'unreadable-for-ever'
  | 'not-in-the-store';

export const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  undecodable: 'this release cannot read the message: drop it once it is understood',
  'newer-release':
    'a newer release wrote it: update this command (npm install --save-exact loyalty-connector@latest), deploy that release, then replay',
  'still-unreadable':
    'this release cannot use the body either, so it would only come back; --refetch asks the store instead',
  'unreadable-for-ever':
    'this release cannot use the body either, and the store cannot be asked: drop it once it is understood',
  'shop-not-configured':
    'its shop is not in connector.config.ts: name the shop there and deploy, or drop it',
  'not-in-the-store': 'the store cannot be asked for it, so --refetch has nothing to fetch',
};

export type PreparedReplay =
  | {
      readonly kind: 'event';
      readonly event: QueuedEvent;
      /** The same when the same letter is replayed in the same way. */
      readonly name: string;
    }
  | { readonly kind: 'obstacle'; readonly obstacle: Obstacle };

export interface LetterReader {
  readonly read: ReadEvent;
  readonly knowsShop: (shop: string) => boolean;
}

/** Reads letters as the workers of these shops do. */
export function letterReaderOf(shops: readonly { readonly domain: string }[]): LetterReader {
  const domains = new Set(shops.map(({ domain }) => domain));
  return { read: createEventReader(domains), knowsShop: (shop) => domains.has(shop) };
}

/** The message to send again; an obstacle where it would only become a dead letter again. */
export function prepareReplay(
  { event, messageId, isNewer }: ReadLetter,
  { refetch, force, by }: ReplayWishes,
  reader: LetterReader,
  now: Date,
): PreparedReplay {
  if (!event) {
    return { kind: 'obstacle', obstacle: isNewer ? 'newer-release' : 'undecodable' };
  }
  const replays = [...(event.replays ?? []), { at: now.toISOString(), by }];
  const how = [...(refetch ? ['refetch'] : []), ...(force ? ['force'] : [])];
  const name = ['replay', messageId, ...how].join('/');
  const body = isStoreEvent(event) ? event.body : undefined;
  const isInTheStore = canBeReadFromStore(event, body ? hashBody(body) : '');
  if (refetch && !isInTheStore) return { kind: 'obstacle', obstacle: 'not-in-the-store' };
  if (!isStoreEvent(event)) {
    return reader.knowsShop(event.shop)
      ? { kind: 'event', event: { ...event, replays }, name }
      : { kind: 'obstacle', obstacle: 'shop-not-configured' };
  }
  const { force: _, ...rest } = event;
  const again: StoreEvent = {
    ...rest,
    ...(refetch && { body: undefined }),
    ...(force && { force }),
    replays,
  };
  const reading = reader.read(again);
  if (reading.kind === 'unreadable') {
    const unreadable = isInTheStore ? 'still-unreadable' : 'unreadable-for-ever';
    return { kind: 'obstacle', obstacle: reading.fault ?? unreadable };
  }
  return { kind: 'event', event: again, name };
}
