import { randomBytes } from 'node:crypto';
import { createSaver, type DataFile } from '../sandbox-kit/data-file.ts';
import { Faults } from '../sandbox-kit/faults.ts';
import { Journal } from '../sandbox-kit/journal.ts';
import type { Neighbours } from '../sandbox-kit/pages/layout.ts';
import { type Random, seededRandom, uuidFrom } from '../sandbox-kit/seeded-random.ts';
import { Tables } from '../sandbox-kit/tables.ts';
import { type Disorder, inOrder } from './delivery/disorder.ts';
import { type EventSubscription, eventsFor } from './delivery/events.ts';
import { createWebhookPost, Sender } from './delivery/sender.ts';
import {
  openSubscriptions,
  type Subscriptions,
  setOptionAddress,
  subscribersOf,
} from './delivery/subscriptions.ts';
import { type FaultRule, faultRule } from './fault-rule.ts';
import { AdminApi } from './graphql/admin-api.ts';
import type { JournalEntry } from './journal.ts';
import { type ActionInput, type ActionName, type ActionValue, act } from './model/actions.ts';
import { createIds } from './model/ids.ts';
import { openRows } from './model/rows.ts';
import { fillSampleStore } from './model/sample-store.ts';
import type { Announcement, Refused, World } from './model/world.ts';
import { buildPayload } from './payloads/build-payload.ts';
import {
  apiVersion,
  defaultServerSettings,
  defaultShop,
  type ServerSettings,
  type ShopSettings,
} from './settings.ts';

interface AppCredentials {
  readonly clientId: string;
  /** Also the secret that webhooks are signed with. */
  readonly clientSecret: string;
  /** Never expires, like the token of a custom app that was created in the admin. */
  readonly accessToken: string;
}

export type StoreCredentials = AppCredentials & { readonly previousSecret: string };

/** Tokens for the Admin API: the static one, and those of the client-credentials grant. */
function createTokens(credentials: () => AppCredentials, lifeSeconds: number, now: () => Date) {
  /** The expiry of each that was issued. */
  const issued = new Map<string, number>();
  return {
    issue(clientId: string, clientSecret: string) {
      const expected = credentials();
      if (clientId !== expected.clientId || clientSecret !== expected.clientSecret)
        return undefined;
      const token = `shpat_${randomBytes(16).toString('hex')}`;
      issued.set(token, now().getTime() + lifeSeconds * 1000);
      return { token, expiresIn: lifeSeconds };
    },
    isValid: (token: string) =>
      token === credentials().accessToken || (issued.get(token) ?? 0) > now().getTime(),
  };
}

export interface StoreSandboxOptions {
  /** 0 (default): any free port. Always on 127.0.0.1. */
  readonly port?: number;
  /** Receives every topic, in addition to the subscriptions created through the Admin API. */
  readonly webhooksTo?: string;
  /** The topics that `webhooksTo` receives. Default: all. */
  readonly webhookTopics?: readonly string[];
  /** The Events of the app's configuration. Default: none. */
  readonly events?: readonly EventSubscription[];
  /** The app's client secret, which also signs webhooks. */
  readonly secret?: string;
  /** Used for signing if the disorder says so. */
  readonly previousSecret?: string;
  readonly clientId?: string;
  /** The token that never expires. */
  readonly accessToken?: string;
  /** Keeps the state across restarts. Absent: in memory. */
  readonly dataFile?: string;
  /** The same seed and the same actions give the same webhooks in the same disorder. */
  readonly seed?: number;
  readonly shop?: Partial<ShopSettings>;
  readonly settings?: Partial<ServerSettings>;
  readonly disorder?: Partial<Disorder>;
  readonly ids?: 'usual' | 'beyond-2^53';
  /** Of several stores each needs its own, because no two stores of Shopify share an id. Default: 0. */
  readonly place?: number;
  /** False: starts without products, customers, discounts, locations and staff. */
  readonly sample?: boolean;
  /** For links between the pages; read at each request. */
  readonly neighbours?: Neighbours;
  readonly now?: () => Date;
}

type Performed<Name extends ActionName> =
  | { readonly kind: 'done'; readonly value: ActionValue<Name> }
  | Refused;

/** The store without its HTTP server. */
export class StoreService {
  readonly options: StoreSandboxOptions;
  readonly settings: ServerSettings;
  readonly world: World;
  readonly subscriptions: Subscriptions;
  readonly sender: Sender;
  readonly api: AdminApi;
  readonly tokens: ReturnType<typeof createTokens>;
  readonly faults: Faults<FaultRule>;
  /** In memory: starts empty with every process. */
  readonly journal: Journal<JournalEntry>;
  readonly save: () => void;
  readonly #tables: Tables;
  readonly #dataFile: DataFile | undefined;
  readonly #eventRandom: Random;

  constructor(options: StoreSandboxOptions, tables: Tables, dataFile: DataFile | undefined) {
    const { seed = 1, now: clock = () => new Date() } = options;
    const settings = { ...defaultServerSettings, ...options.settings };
    const shop = { ...defaultShop, ...options.shop };
    this.options = options;
    this.settings = settings;
    this.#tables = tables;
    this.#dataFile = dataFile;
    this.save = createSaver(tables, dataFile);
    const rows = openRows(tables);
    const starts = (rows.counters.get('starts') ?? 0) + 1;
    rows.counters.put('starts', starts);
    // Each start draws different numbers, because webhook ids are made from them.
    const random = (part: number) => seededRandom(seed + part * 7_919 + starts * 1_000_003);
    this.#eventRandom = random(1);
    const now = () => new Date(clock().getTime() + (rows.counters.get('clock ms') ?? 0));
    this.world = {
      rows,
      shop,
      ids: createIds(rows.counters, options.ids ?? 'usual', options.place),
      random: random(2),
      now,
    };
    this.subscriptions = openSubscriptions(tables);
    const { webhooksTo, webhookTopics = ['*'] } = options;
    setOptionAddress(this.subscriptions, webhooksTo, webhookTopics, this.world.ids);
    this.tokens = createTokens(() => this.credentials, settings.tokenSeconds, now);
    this.faults = new Faults(random(3), faultRule);
    this.journal = new Journal(new Tables(), settings.journalLimit);
    this.sender = new Sender({
      tables,
      subscriptions: this.subscriptions,
      post: createWebhookPost(shop.domain, apiVersion, settings.deliveryTimeoutMs),
      secrets: () => ({
        current: this.credentials.clientSecret,
        previous: this.credentials.previousSecret,
      }),
      settings,
      random: random(4),
      disorder: () => this.disorder,
      now,
      save: this.save,
    });
    this.api = new AdminApi({
      world: this.world,
      subscriptions: this.subscriptions,
      settings,
      perform: (name, input) => this.perform(name, input),
      save: this.save,
    });
    if ((options.sample ?? true) && starts === 1) fillSampleStore(this.world);
    this.save();
  }

  /** The secret may have been rotated since the start. */
  get credentials(): StoreCredentials {
    const { clientId, secret, previousSecret, accessToken } = this.options;
    const clientSecret = secret ?? 'sandbox-secret';
    return {
      clientId: clientId ?? 'sandbox-client',
      clientSecret,
      // Until a rotation there is no other one.
      previousSecret: previousSecret ?? clientSecret,
      accessToken: accessToken ?? 'shpat_sandbox',
      ...this.#tables.table<Partial<AppCredentials>>('secrets').get('app'),
    };
  }

  get disorder(): Disorder {
    return this.#tables.table<Disorder>('disorder').get('now') ?? inOrder;
  }

  set disorder(disorder: Disorder) {
    this.#tables.table<Disorder>('disorder').put('now', disorder);
    this.save();
  }

  /** Called when the server listens. */
  begin(): void {
    this.sender.resume();
  }

  /** Performs the action, stores the result, and only then sends webhooks. */
  perform<Name extends ActionName>(name: Name, input: ActionInput<Name>): Performed<Name> {
    const outcome = act(this.world, name, input);
    if (outcome.kind === 'refused') return outcome;
    this.#announce(outcome.announcements);
    return { kind: 'done', value: outcome.value as ActionValue<Name> };
  }

  /** From now on webhooks are signed with this secret; the old one becomes the previous secret. */
  rotateSecret(clientSecret: string): void {
    const { clientSecret: previousSecret } = this.credentials;
    this.#tables.table('secrets').put('app', { clientSecret, previousSecret });
    this.save();
  }

  advanceClock(seconds: number): void {
    const { counters } = this.world.rows;
    counters.put('clock ms', (counters.get('clock ms') ?? 0) + seconds * 1000);
    this.save();
  }

  async stop(): Promise<void> {
    await this.sender.stop();
    this.#dataFile?.close();
  }

  #announce(announcements: readonly Announcement[]): void {
    const eventId = uuidFrom(this.#eventRandom);
    // Bodies without subscribers are not built: stores are often filled before the first subscription.
    const subscribed = announcements.filter(
      ({ topic }) => subscribersOf(this.subscriptions, topic).length > 0,
    );
    const events = announcements.flatMap((announcement) =>
      (this.options.events ?? []).flatMap((subscription) =>
        eventsFor(subscription, announcement, (query, variables) => this.api.run(query, variables)),
      ),
    );
    this.sender.accept([
      ...subscribed.map((announcement) => ({
        topic: announcement.topic,
        eventId,
        body: JSON.stringify(buildPayload(this.world, announcement)),
      })),
      ...events.map((event) => ({ ...event, eventId })),
    ]);
    this.save();
    this.sender.dispatch();
  }
}
