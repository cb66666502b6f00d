import type { Table, Tables } from '../../sandbox-kit/tables.ts';
import type { Ids } from '../model/ids.ts';

export interface SubscriptionRow {
  readonly id: string;
  /** `orders/create`; `*` for every topic. */
  readonly topic: string;
  readonly uri: string;
  /** Only subscriptions created through the Admin API are removed when their deliveries fail. */
  readonly madeBy: 'admin-api' | 'option';
  readonly includeFields: readonly string[];
  readonly metafieldNamespaces: readonly string[];
  readonly filter: string | null;
}

export class Subscriptions {
  readonly #rows: Table<SubscriptionRow>;

  constructor(tables: Tables) {
    this.#rows = tables.table('subscriptions');
  }

  all(): SubscriptionRow[] {
    return [...this.#rows.values()];
  }

  get(id: string): SubscriptionRow | undefined {
    return this.#rows.get(id);
  }

  of(topic: string): SubscriptionRow[] {
    return this.all().filter((one) => one.topic === topic || one.topic === '*');
  }

  put(row: SubscriptionRow): void {
    this.#rows.put(row.id, row);
  }

  delete(id: string): void {
    this.#rows.delete(id);
  }

  /** Replaces the address of an earlier start. */
  setOptionAddress(uri: string | undefined, topics: readonly string[], ids: Ids): void {
    for (const { id, madeBy } of this.all()) if (madeBy === 'option') this.delete(id);
    if (uri === undefined) return;
    for (const topic of topics) {
      this.put({
        id: ids.next('WebhookSubscription'),
        topic,
        uri,
        madeBy: 'option',
        includeFields: [],
        metafieldNamespaces: [],
        filter: null,
      });
    }
  }
}

/** The real store requires https; here http is enough. */
export function addressProblem(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'Address is invalid';
  return url.username || url.password ? 'Address must not contain a user name' : undefined;
}
