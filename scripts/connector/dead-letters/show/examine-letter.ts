import {
  type EntityKey,
  isStoreEvent,
  type StoreEvent,
} from '../../../../shared/core/events/event.ts';
import {
  type EntityEntry,
  type Ledger,
  ledgerKeyText,
} from '../../../../shared/core/ledger/ledger.ts';
import type { ReadEvent, Task } from '../../../../shared/core/store/store.ts';
import {
  type Preview,
  type PreviewWorld,
  previewSync,
} from '../../../../shared/core/sync/preview-sync.ts';
import { createEventReader } from '../../../../shared/shopify/webhooks/read-event.ts';
import type { Deployment } from '../../deployment/deployment.ts';
import { openLedger } from '../../deployment/open-ledger.ts';
import { openShopServices } from '../../deployment/services.ts';
import type { ReadLetter } from '../read-letter.ts';

export interface ExaminingWorld {
  readonly ledger: Pick<Ledger, 'readMany'>;
  readonly read: ReadEvent;
  readonly shop: (domain: string) => PreviewWorld;
}

/** What would become of a letter if it were sent now. */
export type Prospect =
  | { readonly kind: 'preview'; readonly preview: Preview }
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'unreadable'; readonly why: string }
  /** No event of the store: its worker decides by what it then finds. */
  | { readonly kind: 'storefront' }
  /** The store, or a secret that opens it, could not be had. */
  | { readonly kind: 'unknown'; readonly error: unknown };

export interface Examined {
  readonly letter: ReadLetter;
  /** Undefined for what has no entry, and for an entity that the ledger does not know. */
  readonly entry: EntityEntry | undefined;
  readonly prospect: Prospect;
}

/** A letter beside what the ledger knows, and what today's code and settings would make of it. */
export async function examineLetter(letter: ReadLetter, world: ExaminingWorld): Promise<Examined> {
  const { event } = letter;
  if (!event) {
    const why = letter.undecodable ?? letter.why;
    return { letter, entry: undefined, prospect: { kind: 'unreadable', why } };
  }
  if (!isStoreEvent(event)) {
    return { letter, entry: undefined, prospect: { kind: 'storefront' } };
  }
  const key = keyOf(event);
  const entries = await world.ledger.readMany(key ? [key] : []);
  const entry = key && entries.get(ledgerKeyText(key));
  return { letter, entry, prospect: await foresee(event, key, entry, world) };
}

/** What a worker would do with the event now. */
export async function foresee(
  event: StoreEvent,
  key: EntityKey | undefined,
  entry: EntityEntry | undefined,
  world: ExaminingWorld,
): Promise<Prospect> {
  const reading = world.read(event);
  if (reading.kind === 'unreadable') return reading;
  if (reading.kind === 'task') return reading;
  if (!key) return { kind: 'unreadable', why: 'it is neither about an entity nor a task' };
  try {
    const preview = await previewSync(key, { event, reading }, entry, world.shop(event.shop));
    return { kind: 'preview', preview };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

function keyOf({ shop, kind, id }: StoreEvent): EntityKey | undefined {
  return kind === 'order' || kind === 'product' || kind === 'coupon' || kind === 'member'
    ? { shop, kind, id }
    : undefined;
}

/** As the workers of this deployment see it. */
export function examiningWorld(deployment: Deployment): ExaminingWorld {
  const { connector } = deployment;
  const { store } = openShopServices(deployment);
  const ledger = openLedger(deployment);
  return {
    ledger,
    read: createEventReader(new Set(connector.shops.map(({ domain }) => domain))),
    shop(domain) {
      const shop = connector.shops.find((one) => one.domain === domain);
      if (!shop) throw new Error('an event of an unknown shop was not called unreadable');
      const { assumptions } = connector.loyalty;
      return { store, ledger, rules: shop.rules, assumptions, now: () => new Date() };
    },
  };
}
