import type { Item } from '../batch/conclude.ts';
import type { Outcome } from '../batch/outcome.ts';
import type { BalanceEvent, BalanceRequest } from '../events/event.ts';
import { firstDeliveryId } from '../events/message-ids.ts';
import type { RecordKey } from '../ledger/ledger-key.ts';
import { dateOf, isFromTheFuture, type Messages } from './decide-balance.ts';

type Rejected = Extract<Outcome, { kind: 'rejected' }>;

interface BalanceItem<Event = BalanceEvent | BalanceRequest> {
  readonly item: Item;
  readonly event: Event;
}

/** The messages of one batch about one customer. The first counts; the others leave with it. */
export interface CustomerWork extends Messages {
  readonly key: RecordKey<'customer'>;
  /** The events, the newest first, and after them the requests. */
  readonly items: readonly [BalanceItem, ...BalanceItem[]];
}

interface SortedGroup {
  readonly unusable: readonly { readonly item: Item; readonly outcome: Rejected }[];
  /** Undefined when no message of the group can be used. */
  readonly work: CustomerWork | undefined;
}

export function customerKey({
  shop,
  id,
}: Pick<BalanceEvent, 'shop' | 'id'>): RecordKey<'customer'> {
  return { shop, kind: 'customer', id };
}

/** Separates what cannot be used, and orders the rest by date. */
export function sortGroup(
  items: readonly Item[],
  shops: { has(shop: string): boolean },
): SortedGroup {
  const unusable: { item: Item; outcome: Rejected }[] = [];
  const events: BalanceItem<BalanceEvent>[] = [];
  const requests: BalanceItem<BalanceRequest>[] = [];
  for (const item of items) {
    const read = readItem(item, shops);
    if (read.kind === 'rejected') unusable.push({ item, outcome: read });
    else if ('eventDate' in read) events.push({ item, event: read });
    else requests.push({ item, event: read });
  }
  const ordered = newestFirst(events);
  const [first, ...others] = [...ordered, ...requests];
  if (!first) return { unusable, work: undefined };
  const work: CustomerWork = {
    key: customerKey(first.event),
    events: ordered.map(({ event }) => event),
    requests: requests.map(({ event }) => event),
    items: [first, ...others],
  };
  return { unusable, work };
}

function readItem(
  item: Item,
  shops: { has(shop: string): boolean },
): BalanceEvent | BalanceRequest | Rejected {
  if (!item.event) return rejected('unreadable', item.unreadable);
  const { event } = item;
  if (event.kind !== 'balance') return rejected('unreadable', 'it belongs on another queue');
  if (!shops.has(event.shop)) {
    return rejected('unreadable', 'the shop is not in the settings of the storefront');
  }
  if (!('eventDate' in event) || !isFromTheFuture(event)) return event;
  const minutes = Math.round((dateOf(event) - Date.parse(event.receivedAt)) / 60_000);
  return rejected(
    'rejected',
    `its EventDate lies ${minutes} minutes after its arrival and would keep true events out: see whether the loyalty service's clock or time zone is wrong`,
  );
}

function rejected(reason: Rejected['reason'], why: string): Rejected {
  return { kind: 'rejected', reason, why };
}

/** By date; within one date by arrival, where a repetition counts as arriving with the first. */
function newestFirst(items: readonly BalanceItem<BalanceEvent>[]): BalanceItem<BalanceEvent>[] {
  const arrivals = new Map<string, bigint>();
  for (const { item, event } of items) {
    const arrival = BigInt(item.message.sequenceNumber);
    const known = arrivals.get(firstDeliveryId(event));
    if (known === undefined || arrival < known) arrivals.set(firstDeliveryId(event), arrival);
  }
  const arrivalOf = ({ event }: BalanceItem) => arrivals.get(firstDeliveryId(event)) ?? 0n;
  return items.toSorted((a, b) => {
    const byDate = dateOf(b.event) - dateOf(a.event);
    return byDate === 0 ? Number(arrivalOf(b) - arrivalOf(a)) : byDate;
  });
}
