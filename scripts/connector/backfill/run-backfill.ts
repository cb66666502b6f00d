import { setFlagsFromString } from 'node:v8';
import type { BulkQueue, QueueDepth, StoreEvent } from '../../../shared/core/events/event.ts';
import type { Ledger } from '../../../shared/core/ledger/ledger.ts';
import { encodeSnapshot, idOf } from '../../../shared/core/store/store.ts';
import { announce } from '../../../shared/core/sync/fan-out.ts';
import type { Ask } from '../../../shared/shopify/admin/client/admin-client.ts';
import { type BulkFile, readBulkLines } from '../../../shared/shopify/bulk/bulk-lines.ts';
import type { BulkState } from '../../../shared/shopify/bulk/bulk-operation.ts';
import { type BulkEntity, readEntities } from '../../../shared/shopify/bulk/read-entities.ts';
import { backfillTopicOf } from '../../../shared/shopify/webhooks/topics.ts';
import type { StoreCoupon } from '../../../shared/store/coupon.ts';
import type { BackfillState, Backfills, KeptBackfill } from './backfill-state.ts';
import type { Pace } from './pace.ts';

export interface BackfillWorld {
  readonly ask: Ask;
  readonly ledger: Ledger;
  readonly backfills: Backfills;
  readonly queue: Pick<BulkQueue, 'sendAll'>;
  readonly depth: QueueDepth;
  readonly pace: Pace;
  /** Nothing is sent while more messages than this wait: live events must not wait behind the backfill. */
  readonly mostWaiting: number;
  readonly now: () => Date;
  /** Ends early when the signal fires. */
  readonly pause: (milliseconds: number) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly onProgress: (state: BackfillState, waitsFor: string | undefined) => void;
}

export interface BackfillRun {
  readonly state: BackfillState;
  readonly ended: 'finished' | 'interrupted';
}

type Completed = Extract<BulkState, { kind: 'completed' }>;

/**
 * Sends the contents of the store's file from the saved place on. Send, then save: a crash between
 * the two repeats one window with the same ids, which the queue drops within five minutes and the
 * ledger makes `unchanged` later.
 */
export async function runBackfill(
  kept: KeptBackfill,
  file: Completed,
  world: BackfillWorld,
): Promise<BackfillRun> {
  let { state, revision } = kept;
  const family = state.kind === 'discounts' ? 'coupons' : state.kind;

  async function save(next: BackfillState): Promise<void> {
    state = { ...next, savedAt: world.now().toISOString() };
    revision = await world.backfills.save(state, revision);
    world.onProgress(state, undefined);
  }

  async function send(window: readonly BulkEntity[]): Promise<void> {
    await waitForRoom(family, world, () => world.onProgress(state, 'the workers'));
    await world.pause(world.pace.before(window.length, world.now().getTime()));
    world.signal.throwIfAborted();
    const usable = window.filter((one) => one.kind !== 'unreadable');
    await announce(state.shop, couponsIn(usable), world.ledger);
    const moments = { readAt: file.readSince, now: world.now() };
    const refused = await world.queue.sendAll(usable.map((one) => toEvent(one, state, moments)));
    if (refused.length > 0) {
      const codes = new Set(refused.map(({ code }) => code));
      throw new Error(`SQS did not take ${refused.length} messages: ${[...codes].join(', ')}`);
    }
    await save({
      ...state,
      place: window.at(-1)?.next ?? state.place,
      sent: state.sent + usable.length,
      asked: state.asked + usable.filter(({ kind }) => kind === 'ask').length,
      unreadable: state.unreadable + window.length - usable.length,
    });
  }

  try {
    if (file.url !== undefined) {
      const source: BulkFile = { url: file.url, signal: world.signal, pause: world.pause };
      const lines = readBulkLines(source, state.place.byte);
      let window: BulkEntity[] = [];
      for await (const found of readEntities(state.kind, lines, state.place)) {
        window.push(found);
        if (window.length < world.pace.window) continue;
        await send(window);
        window = [];
      }
      if (window.length > 0) await send(window);
    }
    await save({ ...state, finishedAt: world.now().toISOString() });
    return { state, ended: 'finished' };
  } catch (error) {
    if (!world.signal.aborted) throw error;
    return { state, ended: 'interrupted' };
  }
}

const LOOK_AGAIN_MS = 2_000;

async function waitForRoom(
  family: Parameters<QueueDepth['of']>[0],
  { depth, mostWaiting, pause, signal }: BackfillWorld,
  onWait: () => void,
): Promise<void> {
  if (mostWaiting === Number.POSITIVE_INFINITY) return;
  while (!signal.aborted) {
    const { ready, hidden } = await depth.of(family);
    if (ready + hidden <= mostWaiting) return;
    onWait();
    await pause(LOOK_AGAIN_MS);
  }
}

function couponsIn(window: readonly BulkEntity[]): readonly StoreCoupon[] {
  return window.flatMap((one) =>
    one.kind === 'entity' && one.entity.kind === 'coupon' ? [one.entity.coupon] : [],
  );
}

/**
 * The message of one entity. Its delivery id is made from the backfill and the entity, so that sending it
 * again after a crash sends the same message.
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

/**
 * Keeps V8 from enlarging the space for new objects. It would do so for a stream that waits for its queue,
 * because waiting objects survive: a hundred megabytes for speed that a paced backfill does not need. Without
 * it, the memory use of a backfill becomes flat only after a while.
 */
export function keepMemorySteady(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
