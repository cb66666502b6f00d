import type { Healing, Shop } from '../../config/connector-settings.ts';
import type { View } from '../../store/storefront-answers.gen.ts';
import type { EntityKind, StoreEvent } from '../events/event.ts';
import type { Deliveries, Delivery } from '../events/receive-delivery.ts';
import type { Telemetry } from '../events/telemetry.ts';
import type { ReadEvent, ScanAnswer, ScannedKind, Span, Store, StoreScan } from '../store/store.ts';

/**
 * What shops run on. Each platform has a folder in `shared`; `shared/services` lists them, with a table for each part
 * below, because a function holds only the parts that it needs.
 * See docs/how-to/add-a-store-platform.md.
 */
export interface StorePlatform {
  /** The receiver: proves and names what comes. */
  readonly deliveries: Deliveries;
  /** The workers: what an event says. */
  readonly readEvent: ReadEvent;
  /** The workers, when they first ask it. */
  readonly openStore: (settings: StoreSettings) => ShopStore;
  readonly healing: PlatformHealing;
  readonly commands: PlatformCommands;
}

export interface ShopStore extends Store, StoreScan {
  until(signal: AbortSignal): ShopStore;
}

export interface StoreSettings {
  /** Throws for a shop that is not configured. */
  readonly shop: (domain: string) => OpenShop;
  /** The part of the platform's rate limit that is left to others. */
  readonly reserve?: number;
}

/** One shop, and what opens its store. */
export interface OpenShop {
  readonly shop: Shop;
  /** Of a store on this machine. */
  readonly sandboxAddress: string | undefined;
  /** The secret `store`, in the platform's own form. */
  readonly secret: <Credentials>(parse: ParseSecret<Credentials>) => StoreSecret<Credentials>;
}

/** `unreachable`: it cannot be read now; `unusable`: it holds no valid credentials. */
export interface StoreSecret<Credentials> {
  get(): Promise<Credentials | 'unreachable' | 'unusable'>;
  /** For credentials that the store refused: they may have been changed since. */
  refresh(): Promise<Credentials | 'unreachable' | 'unusable'>;
}

export type ParseSecret<Value> = (texts: SecretTexts) => ParsedSecret<Value>;

/** The fields of a secret that are texts and not empty. */
export type SecretTexts = Readonly<Partial<Record<string, string>>>;

/** A fault names the field, never its value. Without `why`, it must be a text that is not empty. */
export type ParsedSecret<Value> =
  | { readonly kind: 'parsed'; readonly value: Value }
  | { readonly kind: 'fault'; readonly field: string; readonly why?: string };

/** How what was missed is found again. */
export interface PlatformHealing {
  /**
   * Kinds whose versions are moments of reading. Of the others they are the platform's date of the last change, which
   * must move with every payment, shipment and refund.
   */
  readonly versionsAreReadings: readonly EntityKind[];
  /** The label of an event that is made here: the platform's own name for it. */
  readonly topicOf: (event: Pick<StoreEvent, 'kind' | 'claim'>) => string;
  readonly openStore: (settings: StoreSettings, wanted: WantedDeliveries) => HealedStore;
}

interface WantedDeliveries {
  /** Of the deployment, without a shop's part. */
  readonly webhookAddress: string;
  readonly healing: Healing;
  readonly telemetry: Telemetry;
}

export interface HealedStore extends ShopStore {
  /** Absent where events come without a subscription. Never rejects because of what it finds. */
  checkSubscriptions?(shop: string): Promise<void>;
  until(signal: AbortSignal): HealedStore;
}

/** What the commands need, and the platform's words for people. */
export interface PlatformCommands {
  readonly name: string;
  readonly secrets: Readonly<Record<'webhook' | 'store', readonly AskedField[]>>;
  /** Of another form of the secret `store`. */
  readonly olderSecret?: readonly AskedField[];
  /** The form of the secret `store`. */
  readonly parseSecret: ParseSecret<unknown>;
  /** A number with fewer digits is no id. */
  readonly shortestId: number;
  /** A customer's id as a file of people may write it; its first group is the id. */
  readonly customerId: RegExp;
  /** What no scan of the store shows, where there is such. */
  readonly hidden?: string;
  /** A test of the address, which is not queued. */
  readonly probe: (shop: string, secret: string, now: Date) => Pick<Delivery, 'headers' | 'body'>;
  readonly open: (shop: OpenShop) => AskedShop;
  /**
   * Who sends the events, where nobody subscribes to them. Absent: an app does, whose folder, subscriptions and pages
   * the commands look after.
   */
  readonly sender?: string;
}

export interface AskedField {
  readonly field: string;
  readonly question: string;
  /** The environment variable that `setup` reads instead of asking. */
  readonly variable: string;
  /** Given, no further field is needed; it may be left empty for those. */
  readonly isEnough?: true;
}

/**
 * What a person searches by. `ordersNamed`: by name or e-mail address, an order of exactly that name first; `ordersOf`:
 * of a customer's id, the newest first.
 */
export type SearchedBy = 'ordersNamed' | 'ordersOf' | 'productsTitled' | 'customerWith' | 'byId';

/** A shop's store, asked by a person. */
export interface AskedShop extends Readonly<Record<SearchedBy, (text: string) => FoundByName>> {
  /** Of these ids, as far as the store has them and answers. */
  namesOf(kind: 'order' | 'product', ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  count(kind: ScannedKind, span: Span): Promise<ScanAnswer<number>>;
  /** Whether the store takes the credentials, and what it then lets the connector read. */
  look(): Promise<readonly StoreFinding[]>;
  /** What its pages show of a customer, in fields of this namespace. Absent where it has no pages of the program. */
  balanceOf?(id: string, namespace: string): Promise<ScanAnswer<ShownBalance | undefined>>;
}

/** Null until an event or a reading has reported it. */
export interface ShownBalance {
  readonly points: number | null;
  readonly cashback: number | null;
  readonly expiring: View['expiring'];
  /** The tier's name when the balance was last written. */
  readonly tier: string | null;
}

/** `name`: of an order or a product. Of a customer nothing says who it is. */
type FoundByName = Promise<
  ScanAnswer<
    readonly {
      readonly kind: 'order' | 'product' | 'customer';
      readonly id: string;
      readonly name: string | null;
    }[]
  >
>;

export interface StoreFinding {
  readonly verdict: 'pass' | 'fail' | 'unknown';
  readonly what: string;
  readonly fix?: string;
  /** The credentials are refused: others may help. */
  readonly isRefused?: true;
  readonly currency?: string;
  /** What the store's app may do, where it has one. */
  readonly scopes?: readonly string[];
}
