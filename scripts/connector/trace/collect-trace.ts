import type { Shop } from '../../../shared/config/connector-config.ts';
import type { ListedDeadLetter } from '../../../shared/core/batch/dead-letter.ts';
import { createCircuitBreaker } from '../../../shared/core/calls/call-loyalty.ts';
import { readControl } from '../../../shared/core/calls/shop-pause.ts';
import {
  type EntityKey,
  type EntityKind,
  queueFamilyOf,
} from '../../../shared/core/events/event.ts';
import type { MappingSkip } from '../../../shared/core/events/outcome.ts';
import type { Doubt } from '../../../shared/core/ledger/entry.ts';
import { type EntityEntry, ledgerKeyText } from '../../../shared/core/ledger/ledger.ts';
import { idempotencyKey, type Mapped } from '../../../shared/core/mapping/wanted-state.ts';
import type { StoreAnswer, StoreEntity } from '../../../shared/core/store/store.ts';
import { earningOf, type OrderEarning } from '../../../shared/core/storefront/read-history.ts';
import type { LoyaltyClient } from '../../../shared/loyalty/client.ts';
import { askStore, heldIn, mapNow } from '../compare/compare-sides.ts';
import { lettersAbout, openSourceQueues } from '../dead-letters/read.ts';
import { type Deployment, openLedger, rulesOf } from '../deployment/deployment.ts';
import type { ShopServices } from '../deployment/services.ts';
import { type PauseStatus, readPauses } from '../pause/read-pauses.ts';
import { readWaiting, type WaitingInShop } from '../retry-now/waiting-messages.ts';

/** What can be read back from the loyalty service: of an order only its customer. */
export type ReadBack =
  | { readonly kind: 'nothing-to-read' }
  | { readonly kind: 'known'; readonly customerId: string; readonly tier: string | undefined }
  | { readonly kind: 'not-known'; readonly customerId: string; readonly why: string };

/** An order in the loyalty service. */
type ServiceOrder =
  | {
      readonly kind: 'held';
      readonly earning: OrderEarning;
      /** As the service writes it; undefined when it does not say. */
      readonly changedAt: string | undefined;
      readonly givenAt: string | undefined;
    }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly why: string };

/** Everything known of one order, product, coupon or customer. */
export interface Trace {
  readonly key: EntityKey;
  readonly entry: EntityEntry | undefined;
  readonly letters: readonly ListedDeadLetter[];
  readonly store: StoreAnswer<StoreEntity>;
  /** What the loyalty service should hold by today's rules; undefined when unknown. */
  readonly mapped: Mapped | undefined;
  readonly readBack: ReadBack;
  /** Undefined for what is no order. */
  readonly serviceOrder: ServiceOrder | undefined;
  /** The ledger was lost or restored, and what it says may be out of date. */
  readonly doubt: Doubt | undefined;
  /** Calls for it are paused. */
  readonly pause: PauseStatus | undefined;
  /** Messages on the queue of its kind, of any entity. */
  readonly waiting: number;
  /** Its own messages that wait for another attempt, the next first. */
  readonly waits: readonly WaitingInShop[];
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
  const loyalty = services.loyalty(shop);
  const [pauses, waits, { ready, hidden }, entries, store, letters] = await Promise.all([
    readPauses(ledger, [shop], now),
    readWaiting(deployment, [shop.domain], now, MOST_WAITS),
    openSourceQueues(deployment, [family]).depth.of(family),
    ledger.readMany([key]),
    askStore(services.store, key),
    lettersAbout(deployment, key, { signal, onProgress }),
  ]);
  const entry = entries.get(ledgerKeyText(key));
  const pause = pauses.find((one) => one.by === 'service' || ['all', family].includes(one.part));
  const waiting = ready + hidden;
  const serviceOrder = kind === 'order' ? await askForOrder(loyalty, id, signal) : undefined;
  const wanted = mapNow(key, store, entry, await rulesOf(shop, ledger));
  const mapped = skippedToItsEnd(wanted, entry, serviceOrder);
  const { doubt } = await readControl(ledger, shop.domain);
  const readBack = await askLoyalty(loyalty, mapped);
  return {
    ...{ key, entry, letters, store, mapped, readBack, serviceOrder, pause, waiting, doubt },
    waits: waits.filter(({ about }) => about.kind === kind && about.id === id),
  };
}

/**
 * A worker that meets the end of an order cancels it even if nothing of it was sent, in case that was not
 * recorded. The loyalty service is not expected to hold such an order: it was skipped to its end.
 */
export function skippedToItsEnd(
  mapped: Mapped | undefined,
  entry: EntityEntry | undefined,
  serviceOrder: Trace['serviceOrder'],
): Mapped | undefined {
  if (mapped?.kind !== 'wanted' || mapped.wanted.kind !== 'cancelled-order') return mapped;
  const { uncertain = false, amounts, appliedKey, outcomes = [] } = entry ?? {};
  const calls = outcomes.filter(({ outcome }) => outcome === 'applied');
  const isCancelled = appliedKey === idempotencyKey(mapped.wanted);
  const mayBeSent = uncertain || amounts !== undefined || calls.length > (isCancelled ? 1 : 0);
  const isAbsent =
    serviceOrder?.kind === 'absent' ||
    (serviceOrder?.kind === 'unknown' && entry !== undefined && appliedKey === undefined);
  if (mayBeSent || !isAbsent) return mapped;
  const why = outcomes.findLast(({ outcome }) => outcome === 'skipped')?.why;
  return { kind: 'skip', why: LASTING.find((one) => one === why) ?? 'never-sent' };
}

/** The other reasons held only as long as the order went on. */
const LASTING: readonly MappingSkip[] = [
  ...(['guest', 'customer-without-email', 'test-order', 'before-go-live', 'redacted'] as const),
];

/** As many as `status` reads. */
export const MOST_WAITS = 1_000;

async function askForOrder(
  loyalty: LoyaltyClient,
  id: string,
  signal: AbortSignal,
): Promise<ServiceOrder> {
  const held = heldIn({ getOrder: await loyalty.getOrder(id, { signal }) });
  if (held.kind === 'unknown') return held;
  if (held.kind !== 'order') return { kind: 'absent' };
  const { earning, givenAt } = await earningOf(held.order.Customer?.OriginalId ?? '', held.order, {
    ...{ loyalty, breaker: createCircuitBreaker(), deadline: signal },
    ...{ telemetry: { count: () => {}, log: () => {} }, now: () => new Date() },
  });
  const changedAt = held.order.UpdatedDate;
  return { kind: 'held', earning, changedAt, givenAt: givenAt ?? undefined };
}

/** Of an order only its customer: `compare` reads the order itself. */
async function askLoyalty(loyalty: LoyaltyClient, mapped: Mapped | undefined): Promise<ReadBack> {
  const wanted = mapped?.kind === 'wanted' ? mapped.wanted : undefined;
  const customerId = wanted && 'order' in wanted ? wanted.order.Customer?.OriginalId : undefined;
  if (!customerId) return { kind: 'nothing-to-read' };
  const result = await loyalty.getCustomer(customerId);
  switch (result.kind) {
    case 'success':
    case 'warning':
      return { kind: 'known', customerId, tier: result.value.CurrentTier?.Name };
    case 'business-error':
    case 'transport-failure':
      return { kind: 'not-known', customerId, why: result.message };
  }
}
