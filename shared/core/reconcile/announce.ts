import type { SummarizedDeadLetter } from '../batch/dead-letter.ts';
import {
  controlIn,
  controlKey,
  type Pause,
  pauseIn,
  type ShopControl,
} from '../calls/shop-pause.ts';
import type { QueueFamily } from '../events/event.ts';
import { type Ledger, ledgerKeyText } from '../ledger/ledger.ts';
import { readFoundByReading } from './deep-scan.ts';
import { cursorKey, openCursor } from './dependencies.ts';
import { readLastReconcile, sumOf } from './last-reconcile.ts';

/** One event for other tools of the merchant, without personal data: docs/events.schema.json. */
export interface Announcement {
  readonly type: (typeof TYPES)[keyof typeof TYPES][number] | 'Reconciled';
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What can hold for a shop: the event while it does, and the one that ends it. */
const TYPES = {
  letters: ['Dead Letters Added', 'Dead Letters Cleared'],
  paused: ['Shop Paused', 'Shop Resumed'],
  differing: ['Orders Differ', 'Orders Agree'],
} as const;

type Condition = keyof typeof TYPES;
const CONDITIONS = Object.keys(TYPES) as readonly Condition[];

interface Held {
  /** Epoch milliseconds: a later one, or a larger count, is a change. */
  readonly newest: number;
  readonly count: number;
  readonly detail: Announcement['detail'];
}

/** By the shop. */
export type Announced = Readonly<Record<string, Told>>;

/** What was announced of it. */
type Told = Partial<Record<Condition, Omit<Held, 'detail'> & { readonly at: number }>> & {
  /** When the last run of reconciliation that was announced had ended. */
  readonly reconciled?: string;
};

export interface AnnounceDeps {
  readonly ledger: Pick<Ledger, 'readMany' | 'write'>;
  /** Those that are listed. */
  readonly readLetters: () => AsyncIterable<readonly SummarizedDeadLetter[]>;
  /** Rejects unless all were accepted. */
  readonly send: (all: readonly Announcement[]) => Promise<void>;
  readonly now: () => Date;
}

/** What still holds is announced again after so long. */
const AGAIN_MS = 86_400_000;
/** Ids in one event, which may have 256 KB. */
const IDS_NAMED = 20;
const QUEUES: readonly QueueFamily[] = ['orders', 'products', 'coupons', 'balances'];
/** A refused worker tries again at most every half hour: without a pause that long, one of its calls was accepted. */
const RETRIED_MS = 35 * 60_000;
/** Of dead letters whose envelope cannot be read. */
const NO_SHOP = '';

/**
 * Compares what holds now with what was announced, sends the difference, and records it then: what breaks off in
 * between is sent twice, never lost. It reads what others record anyway, so no function of theirs knows of events.
 */
export async function announce(shops: readonly string[], deps: AnnounceDeps): Promise<void> {
  const { ledger, send, now } = deps;
  const at = now();
  const cursor = await openCursor<Announced>(ledger, cursorKey('all', 'announced'));
  const letters = await lettersByShop(deps);
  const controls = await ledger.readMany(shops.map(controlKey));
  const next: Record<string, Told> = {};
  const changes: Announcement[] = [];
  for (const shop of [...shops, NO_SHOP]) {
    const told = cursor.state?.[shop] ?? {};
    const control = controlIn(controls.get(ledgerKeyText(controlKey(shop))));
    const holding = {
      letters: letters.get(shop),
      paused: heldPause(control, at),
      differing: shop === NO_SHOP ? undefined : await heldDifferences(ledger, shop),
    };
    const say = (type: Announcement['type'], detail: Announcement['detail']) =>
      changes.push({ type, detail: { version: 1, ...(shop !== NO_SHOP && { shop }), ...detail } });
    const run = shop === NO_SHOP ? undefined : await readLastReconcile(ledger, shop);
    if (run && run.endedAt !== told.reconciled) {
      const { beganAt, endedAt, lookedAt, healed, rolledOut, stopped } = run;
      const counts = {
        lookedAt: sumOf(lookedAt),
        healed: sumOf(healed),
        sentAgain: sumOf(rolledOut),
      };
      say('Reconciled', { since: beganAt, at: endedAt, ...counts, complete: stopped.length === 0 });
    }
    next[shop] = {
      ...(run && { reconciled: run.endedAt }),
      ...Object.fromEntries(
        CONDITIONS.flatMap((one) => {
          const left = compare(one, told[one], holding[one], at, say);
          return left ? [[one, left]] : [];
        }),
      ),
    };
  }
  if (changes.length > 0) await send(changes);
  await cursor.keep(next, at.getTime());
}

function compare(
  condition: Condition,
  told: Told[Condition],
  held: Held | undefined,
  now: Date,
  say: (type: Announcement['type'], detail: Announcement['detail']) => void,
): Told[Condition] | undefined {
  const [begins, ends] = TYPES[condition];
  const at = now.toISOString();
  if (!held) {
    if (told) say(ends, { at });
    return undefined;
  }
  const { newest, count, detail } = held;
  const isNew = !told || newest > told.newest || count > told.count;
  const isSaid = isNew || now.getTime() - told.at >= AGAIN_MS;
  if (isSaid) say(begins, { at, again: !isNew, ...detail });
  return { newest, count, at: isSaid ? now.getTime() : told.at };
}

async function lettersByShop({ readLetters }: AnnounceDeps): Promise<ReadonlyMap<string, Held>> {
  const found = new Map<string, SummarizedDeadLetter[]>();
  for await (const page of readLetters()) {
    for (const letter of page.filter(({ gone }) => !gone)) {
      const shop = letter.event?.shop ?? NO_SHOP;
      const known = found.get(shop);
      if (known) known.push(letter);
      else found.set(shop, [letter]);
    }
  }
  return new Map([...found].map(([shop, all]) => [shop, heldLetters(all)]));
}

/** The newest first. */
function heldLetters(all: readonly SummarizedDeadLetter[]): Held {
  const newest = Math.max(...all.map(({ at }) => at));
  const letters = all.slice(0, IDS_NAMED).map(({ letterId, family, reason, code, event }) => ({
    ...{ id: letterId, queue: family, reason, ...(code !== undefined && { code }) },
    ...(event && { entity: `${event.kind} ${event.id}` }),
  }));
  return { newest, count: all.length, detail: { waiting: all.length, letters } };
}

/** The whole shop's, or that of any of its queues. */
function heldPause(control: ShopControl, now: Date): Held | undefined {
  const { service } = control;
  const of = (one: ShopControl): Pause | undefined =>
    QUEUES.map((queue) => pauseIn(one, queue, now)).find((pause) => pause !== undefined);
  const lasting = service && { ...service, until: service.until + RETRIED_MS };
  const pause = of(lasting ? { ...control, service: lasting } : control);
  if (!pause) return undefined;
  const since = new Date(pause.since).toISOString();
  if (pause.by === 'operator') {
    return { newest: pause.since, count: 1, detail: { since, by: pause.by, queue: pause.part } };
  }
  // Each attempt of a refused worker begins a series of its own, which is no change.
  return { newest: 0, count: 1, detail: { since, by: pause.by, why: pause.why, queue: 'all' } };
}

async function heldDifferences(
  ledger: AnnounceDeps['ledger'],
  shop: string,
): Promise<Held | undefined> {
  const { differing } = await readFoundByReading(ledger, shop);
  // The others may only be late.
  const found = differing.filter(({ lately }) => !lately);
  if (found.length === 0) return undefined;
  const orders = found.slice(0, IDS_NAMED).map(({ id }) => id);
  const newest = Math.max(...found.map(({ at }) => at));
  return { newest, count: found.length, detail: { differing: found.length, orders } };
}
