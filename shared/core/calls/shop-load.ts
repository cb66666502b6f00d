import {
  isNewer,
  type Ledger,
  type LedgerEntry,
  ledgerKeyText,
  type RecordKey,
  rememberedForm,
} from '../ledger/ledger.ts';

/**
 * Keeps one shop from holding all workers of a queue. A shop is busy while its service is slow, or while much of a batch
 * is its own. A batch works for a busy shop only with one of a few places; without one, its messages wait and the worker
 * is free for the others at once.
 *
 *   workers  ■ ■ ■ ■ ■ ■ □ □ □ □   □ never held by busy shops
 *            └ places ─┘           one shop takes all but the last, which is for another busy one
 *
 * A place is an item of the ledger that is only used while a shop is busy. That a service is slow is another one, which
 * every batch reads: a flood that comes one by one gives each worker a message, before any of them has an answer.
 * See docs/decisions/0011-one-ledger-item-holds-the-rate-limit-of-an-account.md.
 */
export interface ShopLoad {
  /** Groups of the shop that are worked on side by side: from 1 to the most. */
  parallelOf(shop: string): number;
  /** After every call that was sent, with or without an answer. */
  learn(shop: string, tookMs: number): void;
  /** `groups`: how many of each shop the batch has. */
  enter(groups: ReadonlyMap<string, number>): Visit;
}

interface Visit {
  /** Read with the batch. */
  readonly keys: readonly RecordKey<'place'>[];
  /** Shops that get no place: another batch of this process got none a moment ago. */
  readonly refused: ReadonlySet<string>;
  /** Whether a shop works only with a place. The others need not wait for `take`. */
  needsPlace(shop: string, entries: ReadonlyMap<string, LedgerEntry>): boolean;
  /**
   * Takes a place for each busy shop of these, and returns the shops that get none. Where so many messages wait that the
   * queue may soon hand out no others, a shop needs none.
   */
  take(
    shops: Iterable<string>,
    entries: ReadonlyMap<string, LedgerEntry>,
    isCrowded: () => Promise<boolean>,
  ): Promise<ReadonlySet<string>>;
  /** Never rejects. */
  leave(): Promise<void>;
}

interface LoadSettings {
  readonly queue: string;
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  /** Groups of one shop side by side in one worker, at most. */
  readonly most: number;
  /** How many workers of the queue run at once. Undefined where a shop has no neighbours: it needs no place. */
  readonly workers: number | undefined;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly random: () => number;
}

/** Beyond this the storefront no longer waits for an answer: the service is busy. */
const SLOW_MS = 3_000;
/** Half of a batch: with more workers than shops that send at once, a batch rarely has so many of one. */
const MANY_GROUPS = 5;
/** What was put off comes back one by one: it is still the same backlog. */
const STAYS_BUSY_MS = 60_000;
/** What was true a moment ago needs no second read. */
const REFUSED_MS = 1_000;
/** A worker that dies keeps its place: as long as a function may run. */
export const PLACE_MS = 240_000;
const KEPT_SECONDS = 3_600;
/** A shop that sends little is still known as slow when it sends much; one that became quick has half of the workers so long. */
const KNOWN_AS_SLOW_MS = 3_600_000;

interface Place {
  readonly shop: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

const form = rememberedForm<Place>('place', 1);

const slowKey = (shop: string): RecordKey<'place'> => ({
  shop: '*',
  kind: 'place',
  id: `slow/${shop}`,
});

export function createShopLoad(settings: LoadSettings): ShopLoad {
  const { queue, ledger, most, workers, now, random } = settings;
  const parallelisms = new Map<string, ReturnType<typeof createParallelism>>();
  const busyUntil = new Map<string, number>();
  const refusedUntil = new Map<string, number>();
  const half = Math.max(Math.floor((workers ?? 0) / 2), 1);
  const count = workers === undefined ? 0 : Math.min(half + 1, workers - 1);
  const places = Array.from(
    { length: count },
    (_, place): RecordKey<'place'> => ({ shop: '*', kind: 'place', id: `${queue}/${place}` }),
  );

  function parallelismOf(shop: string) {
    const known = parallelisms.get(shop) ?? createParallelism(most, now);
    parallelisms.set(shop, known);
    return known;
  }

  const isSlow = (shop: string) => (parallelisms.get(shop)?.allowed() ?? most) < most;

  function isBusy(shop: string, groups: number): boolean {
    if (isSlow(shop) || groups >= MANY_GROUPS) busyUntil.set(shop, now() + STAYS_BUSY_MS);
    return (busyUntil.get(shop) ?? 0) > now();
  }

  /** Tells the other processes, twice in the time that they remember it. */
  async function markSlow(
    shop: string,
    entries: ReadonlyMap<string, LedgerEntry>,
  ): Promise<unknown> {
    const key = slowKey(shop);
    const text = ledgerKeyText(key);
    const entry = entries.get(text);
    const until = form.read(entry?.remembered)?.until ?? 0;
    if (isNewer(entries, text) || until > now() + KNOWN_AS_SLOW_MS / 2) return undefined;
    const mark = entryOf({ shop, until: now() + KNOWN_AS_SLOW_MS });
    return ledger.write(key, mark, entry?.revision);
  }

  async function take(
    shop: string,
    entries: ReadonlyMap<string, LedgerEntry>,
    own: Map<RecordKey<'place'>, number>,
  ): Promise<boolean> {
    const all = places.map((key) => {
      const text = ledgerKeyText(key);
      // What a newer release wrote is not ours to take.
      if (isNewer(entries, text)) return { key, entry: undefined, by: '' };
      const entry = entries.get(text);
      const held = form.read(entry?.remembered);
      const isHeld = held !== undefined && held.until > now();
      return { key, entry, by: isHeld ? held.shop : undefined };
    });
    if (all.filter(({ by }) => by === shop).length >= half) return false;
    const free = all.filter(({ key, by }) => by === undefined && !own.has(key));
    const from = Math.floor(random() * free.length);
    for (const { key, entry } of [...free.slice(from), ...free.slice(0, from)]) {
      const written = await ledger.write(
        key,
        entryOf({ shop, until: now() + PLACE_MS }),
        entry?.revision,
      );
      if (written.kind === 'written') {
        own.set(key, written.revision);
        return true;
      }
    }
    return false;
  }

  return {
    parallelOf: (shop) => parallelismOf(shop).allowed(),
    learn: (shop, tookMs) => parallelismOf(shop).learn(tookMs),

    enter(groups) {
      const busy =
        places.length === 0
          ? []
          : [...groups].flatMap(([shop, number]) => (isBusy(shop, number) ? [shop] : []));
      const refused = new Set(busy.filter((shop) => (refusedUntil.get(shop) ?? 0) > now()));
      const asks = busy.some((shop) => !refused.has(shop));
      /** With the revision that the next write names. */
      const own = new Map<RecordKey<'place'>, number>();
      const known = [...groups.keys()].filter((shop) => shop !== '' && !refused.has(shop));
      const neighbours = places.length === 0 ? [] : known;
      const marks = neighbours.map(slowKey);
      let read: ReadonlyMap<string, LedgerEntry> = new Map();
      const isKnownAsSlow = (shop: string, entries: ReadonlyMap<string, LedgerEntry>) => {
        const mark = form.read(entries.get(ledgerKeyText(slowKey(shop)))?.remembered);
        return mark !== undefined && mark.until > now();
      };
      const needsPlace: Visit['needsPlace'] = (shop, entries) =>
        busy.includes(shop) || isKnownAsSlow(shop, entries);
      return {
        keys: asks ? [...marks, ...places] : marks,
        refused,
        needsPlace,
        async take(shops, entries, isCrowded) {
          const without = new Set(refused);
          read = entries;
          let ofPlaces = asks ? entries : undefined;
          for (const shop of shops) {
            if (refused.has(shop)) continue;
            if (!needsPlace(shop, entries)) continue;
            if (!busy.includes(shop)) busyUntil.set(shop, now() + STAYS_BUSY_MS);
            // A ledger that cannot be used stops the work itself, with a better reason.
            const takes = async () => {
              ofPlaces ??= await ledger.readMany(places);
              return take(shop, ofPlaces, own);
            };
            if (await takes().catch(() => true)) continue;
            if (await isCrowded()) continue;
            refusedUntil.set(shop, now() + REFUSED_MS);
            without.add(shop);
          }
          return without;
        },
        async leave() {
          const free = entryOf({ shop: '', until: 0 });
          const left = [...own].map(([key, revision]) => ledger.write(key, free, revision));
          const slow = neighbours.filter(isSlow).map((shop) => markSlow(shop, read));
          // What could not be given back is free when its time is over.
          await Promise.allSettled([...left, ...slow]);
        },
      };
    },
  };

  function entryOf(place: Place) {
    const expiresAt = Math.ceil((now() + PLACE_MS) / 1_000) + KEPT_SECONDS;
    return form.entry(place, 0, { expiresAt });
  }
}

/**
 * Halved by a slow call, and one more after as many quick calls as run side by side: it falls at once and
 * returns gradually (additive increase, multiplicative decrease).
 */
function createParallelism(most: number, now: () => number) {
  let allowed = most;
  let loweredAt = Number.NEGATIVE_INFINITY;
  return {
    allowed: () => Math.floor(allowed),
    learn(tookMs: number) {
      if (tookMs < SLOW_MS) {
        allowed = Math.min(allowed + 1 / allowed, most);
        return;
      }
      // Calls that were under way together are slow together: they count once.
      if (now() - tookMs < loweredAt) return;
      allowed = Math.max(allowed / 2, 1);
      loweredAt = now();
    },
  };
}
