import { type PointTopic, pointTopics } from '../../../shared/loyalty/operations.ts';
import type { Table, Tables } from '../../sandbox-kit/tables.ts';

/** What a person enters in the service's panel. */
export interface Subscription {
  readonly name: string;
  readonly address: string;
  /** Default: all. */
  readonly topics?: readonly PointTopic[];
  /** Sent with every delivery: meant for a secret. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What it is now. */
interface Condition {
  readonly isOn: boolean;
  readonly failuresInRow: number;
}

const AT_FIRST: Condition = { isOn: true, failuresInRow: 0 };

/** Throws on what no panel would accept. */
export function checkSubscriptions(given: readonly Subscription[]): void {
  for (const { address } of given) {
    const protocol = URL.parse(address)?.protocol;
    if (protocol === 'http:' || protocol === 'https:') continue;
    throw new Error(
      `The address for point events must begin with http:// or https://, not: ${address}`,
    );
  }
  const names = new Set(given.map(({ name }) => name));
  if (names.size < given.length) throw new Error('Two subscriptions have the same name.');
}

const topicsOf = ({ topics = pointTopics }: Subscription) => topics;

/**
 *     on ──so many failures in a row──▶ off ──a person──▶ on
 *
 * Documented: five or more. What happens meanwhile is not sent later: not shown, and the worse case.
 */
export class Subscriptions {
  #given: readonly Subscription[];
  readonly #conditions: Table<Condition>;
  readonly #offAfter: number;

  /** `offAfter` 0: never. */
  constructor(given: readonly Subscription[], tables: Tables, offAfter: number) {
    this.#given = given;
    this.#conditions = tables.table('subscriptions');
    this.#offAfter = offAfter;
  }

  /** As a person does in the panel; replaces one of the same name. Until the process ends. */
  enter(subscription: Subscription): void {
    const others = this.#given.filter(({ name }) => name !== subscription.name);
    const next = [...others, subscription];
    checkSubscriptions(next);
    this.#given = next;
    this.#conditions.put(subscription.name, AT_FIRST);
  }

  /** Those that are on and have the topic. */
  activeFor(topic: PointTopic): readonly Subscription[] {
    return this.#given.filter(
      (one) => topicsOf(one).includes(topic) && this.#conditionOf(one.name).isOn,
    );
  }

  note({ name }: Subscription, result: 'delivered' | 'failed'): void {
    const { isOn, failuresInRow: before } = this.#conditionOf(name);
    const failuresInRow = result === 'failed' ? before + 1 : 0;
    if (failuresInRow === before) return;
    const isTooMany = this.#offAfter > 0 && failuresInRow >= this.#offAfter;
    this.#conditions.put(name, { isOn: isOn && !isTooMany, failuresInRow });
  }

  /** False where there is none of this name. */
  switchOn(name: string): boolean {
    const isKnown = this.#given.some((one) => one.name === name);
    if (isKnown) this.#conditions.put(name, AT_FIRST);
    return isKnown;
  }

  /** Of the headers only the names: the values are secrets. */
  all() {
    return this.#given.map((one) => ({
      name: one.name,
      address: one.address,
      topics: topicsOf(one),
      headers: Object.keys(one.headers ?? {}),
      ...this.#conditionOf(one.name),
    }));
  }

  #conditionOf(name: string): Condition {
    return this.#conditions.get(name) ?? AT_FIRST;
  }
}
