import type { Shop } from '../../../shared/config/connector-config.ts';
import type { ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import { type EntityKind, queueFamilyOf } from '../../../shared/core/events/event.ts';
import { readEntry } from '../../../shared/core/ledger/ledger.ts';
import { openIn } from '../../../shared/rewards/redeem/redemption-record.ts';
import { earningOf } from '../../../shared/rewards/storefront/read-history.ts';
import type { OrderEarning } from '../../../shared/store/storefront-answers.gen.ts';
import { type PauseStatus, readPauses } from '../ground/checks/read-pauses.ts';
import { readWaiting, type WaitingInShop } from '../ground/checks/waiting-messages.ts';
import { readSides, type Sides } from '../ground/compare/sides.ts';
import { lettersAbout, openSourceQueues } from '../ground/letters/read-letters.ts';
import { type Deployment, openLedger } from '../ground/session/deployment.ts';
import type { ShopServices } from '../ground/session/services.ts';

/** Everything known of one order, product, coupon or customer. */
export interface Trace extends Sides {
  readonly letters: readonly ListedDeadLetter[];
  /** What the loyalty service gives for an order. Undefined for what is none, and where the service did not say. */
  readonly earned: OrderEarning | undefined;
  /** Calls for it are paused. */
  readonly pause: PauseStatus | undefined;
  /** Messages on the queue of its kind, of any entity, that no worker has received yet. */
  readonly ready: number;
  /** Its own messages that wait for another attempt, the next first. */
  readonly waits: readonly WaitingInShop[];
  /** Of a customer, how many are not finished. */
  readonly redemptions: number;
}

export interface Traced {
  readonly shop: Shop;
  readonly kind: EntityKind;
  readonly id: string;
}

/** Reads ledger, store, dead letters and loyalty service, and changes nothing. */
export async function collectTrace(
  deployment: Deployment,
  services: ShopServices,
  { shop, kind, id }: Traced,
  signal: AbortSignal,
  onProgress: (seen: number, total: number) => void,
): Promise<Trace> {
  const key = { shop: shop.domain, kind, id } as const;
  const ledger = openLedger(deployment);
  const family = queueFamilyOf(kind);
  const now = new Date();
  const [sides, pauses, waits, { ready }, letters, record] = await Promise.all([
    readSides(deployment, services, shop, key),
    readPauses(ledger, [shop], now),
    readWaiting(deployment, [shop.domain], now, MOST_WAITS),
    openSourceQueues(deployment, [family]).depth.of(family),
    lettersAbout(deployment, key, { signal, onProgress }),
    kind === 'member' ? readEntry(ledger, { ...key, kind: 'redemption' }) : undefined,
  ]);
  return {
    ...{ ...sides, letters, ready },
    pause: pauses.find((one) => one.by !== 'operator' || ['all', family].includes(one.part)),
    earned: sides.held.kind === 'order' ? earningOf(sides.held.order) : undefined,
    waits: waits.filter(({ about }) => about.kind === kind && about.id === id),
    redemptions: openIn(record?.remembered, now).length,
  };
}

/** As many as `status` reads. */
const MOST_WAITS = 1_000;
