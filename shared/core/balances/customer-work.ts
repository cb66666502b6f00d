import type { Item } from '../batch/conclude.ts';
import type { Outcome } from '../batch/outcome.ts';
import type { BalanceEvent } from '../events/event.ts';
import { firstDeliveryId } from '../events/message-ids.ts';
import type { RecordKey } from '../ledger/ledger-key.ts';
import { isFromTheFuture } from './decide-balance.ts';

type Rejected = Extract<Outcome, { kind: 'rejected' }>;

interface BalanceItem {
  readonly item: Item;
  readonly event: BalanceEvent;
}

/** The events of one batch about one customer. The newest counts; the others leave with it. */
export interface CustomerWork {
  readonly key: RecordKey<'customer'>;
  readonly newest: BalanceEvent;
  /** The newest first. */
  readonly items: readonly [BalanceItem, ...BalanceItem[]];
  /** The events with the newest one's date, itself first. */
  readonly moment: readonly [BalanceEvent, ...BalanceEvent[]];
}

export interface SortedGroup {
  readonly unusable: readonly { readonly item: Item; readonly outcome: Rejected }[];
  /** Undefined when no message of the group can be used. */
  readonly work: CustomerWork | undefined;
}

/** Separates what cannot be used, and orders the rest by date. */
export function sortGroup(items: readonly Item[], shops: { has(shop: string): boolean }) {
  const unusable: { item: Item; outcome: Rejected }[] = [];
  const usable: BalanceItem[] = [];
  for (const item of items) {
    const read = readItem(item, shops);
    if (read.kind === 'rejected') unusable.push({ item, outcome: read });
    else usable.push({ item, event: read });
  }
  const [newest, ...older] = newestFirst(usable);
  return { unusable, work: newest && workOn([newest, ...older]) } satisfies SortedGroup;
}

function readItem(item: Item, shops: { has(shop: string): boolean }): BalanceEvent | Rejected {
  if (!item.event) return rejected('unreadable', item.unreadable);
  const { event } = item;
  if (event.kind !== 'balance') return rejected('unreadable', 'it belongs on another queue');
  if (!shops.has(event.shop)) {
    return rejected('unreadable', 'the shop is not in the settings of the storefront');
  }
  if (!isFromTheFuture(event)) return event;
  const minutes = Math.round((dateOf(event) - Date.parse(event.receivedAt)) / 60_000);
  return rejected(
    'rejected',
    `its EventDate lies ${minutes} minutes after its arrival and would keep true events out: see whether the loyalty service's clock or time zone is wrong`,
  );
}

function rejected(reason: Rejected['reason'], why: string): Rejected {
  return { kind: 'rejected', reason, why };
}

function workOn(items: CustomerWork['items']): CustomerWork {
  const [{ event: newest }, ...older] = items;
  const sameDate = older.filter(({ event }) => dateOf(event) === dateOf(newest));
  return {
    key: { shop: newest.shop, kind: 'customer', id: newest.id },
    newest,
    items,
    moment: [newest, ...sameDate.map(({ event }) => event)],
  };
}

/** By date; within one date by arrival, where a repetition counts as arriving with the first. */
function newestFirst(items: readonly BalanceItem[]): BalanceItem[] {
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

const dateOf = ({ eventDate }: BalanceEvent): number => Date.parse(eventDate);
