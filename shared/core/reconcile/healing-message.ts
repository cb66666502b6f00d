import type { StoreCoupon } from '../../store/store-entities.ts';
import type { Claim, StoreEvent } from '../events/event.ts';
import type { EventQueue } from '../events/queues.ts';
import { encodeCoupon } from '../events/snapshot-body.ts';
import type { WalkedKind } from '../sync/store-walk.ts';

export type HealedKind = 'order' | 'product' | 'coupon';

/** The loyalty service holds the codes of a discount, not the discount. */
export function healedKindOf(kind: WalkedKind): HealedKind {
  return kind === 'discount' ? 'coupon' : kind;
}

/** Why something was sent by reconciling. */
export type SentReason =
  /** No event of it was ever settled. */
  | 'missing'
  /** The store has changed it since. */
  | 'stale'
  /** The same version, but another state: two changes in one second. */
  | 'different'
  /** A call was begun and its outcome is not known. */
  | 'uncertain'
  /** The store no longer has it, or the discount has lost the code. */
  | 'deleted'
  | 'removed'
  /** It is mapped differently today: a rule for products or coupons changed, or a date was reached. */
  | 'rules-changed'
  /** Nothing that is sent has changed, so the store announced nothing. */
  | 'unannounced'
  /** It was rejected at this version, and its dead letter no longer exists. */
  | 'letter-expired'
  /** The loyalty service has lost the state that was sent. */
  | 'lost'
  /** The ledger was lost or restored, and does not know what was sent. */
  | 'recovered';

/** These mean no lost webhook. */
export const ROLLED_OUT: ReadonlySet<SentReason> = new Set([
  ...(['rules-changed', 'unannounced', 'letter-expired', 'lost', 'recovered'] as const),
]);

interface Found {
  readonly shop: string;
  readonly id: string;
  readonly version: number;
  readonly now: Date;
}

type Finding = Omit<StoreEvent, 'topic' | 'origin'>;

/**
 * For what is missing or stale. Without a body, so that the worker reads the store. A code carries its
 * coupon, as after its discount's own event, because reading thousands one by one is expensive.
 *
 * The id names entity, version and wanted state, not the run: a page that is repeated within five minutes,
 * after a crash or by another run, sends nothing twice.
 */
export function healingMessage(
  kind: HealedKind,
  { shop, id, version, now }: Found,
  wantedKey: string | undefined,
  coupon?: StoreCoupon,
): Finding {
  return {
    shop,
    kind,
    id,
    claim: 'changed',
    deliveryId: `reconcile/${kind}/${id}/${version}/${wantedKey?.slice(0, 16) ?? ''}`,
    receivedAt: now.toISOString(),
    body: coupon && encodeCoupon(coupon),
  };
}

/** For what the store no longer shows. The worker asks the store again before it acts. */
export function deletionMessage(
  kind: WalkedKind | 'coupon',
  { shop, id, version, now }: Found,
): Finding {
  return {
    shop,
    kind,
    id,
    claim: kind === 'coupon' ? 'code-removed' : 'deleted',
    deliveryId: `reconcile/${kind}/${id}/${version}/gone`,
    receivedAt: now.toISOString(),
    body: undefined,
  };
}

export interface HealingWorld {
  readonly queue: EventQueue;
  /** The label that the message carries: the store's own name for such an event. */
  readonly topicOf: (kind: StoreEvent['kind'], claim: Claim) => string;
  /** Delivery ids of what this run has sent. */
  readonly sent: Set<string>;
}

/**
 * False: this run has sent it already. The walks of one run overlap, and messages of the first still
 * wait while the second compares.
 */
export async function sendOnce(
  finding: Finding,
  { queue, topicOf, sent }: HealingWorld,
): Promise<boolean> {
  if (sent.has(finding.deliveryId)) return false;
  const { kind, claim } = finding;
  await queue.send({ ...finding, origin: 'reconcile', topic: topicOf(kind, claim) });
  sent.add(finding.deliveryId);
  return true;
}
