import { toHundredths } from '../../local/loyalty-sandbox/program/hundredths.ts';
import { seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import { Tables } from '../../local/sandbox-kit/tables.ts';
import {
  type ActionInput,
  type ActionName,
  type ActionValue,
  act,
} from '../../local/store-sandbox/model/actions.ts';
import { createIds } from '../../local/store-sandbox/model/ids.ts';
import { type OrderRow, openRows } from '../../local/store-sandbox/model/rows.ts';
import type { World } from '../../local/store-sandbox/model/world.ts';
import { buildPayload } from '../../local/store-sandbox/payloads/build-payload.ts';
import { defaultShop, type ShopSettings } from '../../local/store-sandbox/settings.ts';
import type { LoyaltyAssumptions } from '../../shared/config/connector-settings.ts';
import { defaultRules, type MappingSettings } from '../../shared/config/mapping-settings.ts';
import { routeOf } from '../../shared/shopify/webhooks/topics.ts';
import { openConnector, SHOP } from './in-process-connector.ts';
import { readOrderRow } from './sandbox-admin.ts';

interface ModelSettings {
  readonly shop?: Partial<ShopSettings>;
  readonly rules?: MappingSettings;
  readonly assumptions?: LoyaltyAssumptions;
  readonly cashback?: 'code' | 'store-credit';
}

/** What follows from the setting. */
const CREDIT_RULES = { code: 'like-gift-cards', 'store-credit': 'by-origin' } as const;

interface HeldOrder {
  readonly isCompleted: boolean;
  readonly isCancelled: boolean;
  /** What is left of its total after the partial cancels, in minor units of the shop's currency. */
  readonly minor: bigint;
  readonly completedAt: string | null;
}

/**
 * The store sandbox's model and the whole connector in one process: webhooks and answers of the Admin API are real,
 * queues, ledger and clock are models. Fast enough for thousands of order lives.
 */
export function openModelShop({
  shop,
  rules = {},
  assumptions,
  cashback = 'code',
}: ModelSettings = {}) {
  let current = { ...rules, storeCredit: CREDIT_RULES[cashback] };
  const own = { pendingOrders: 'skip', customers: 'with-orders' } as const;
  const connector = openConnector({
    rules: { ...own, ...rules },
    ...(assumptions && { assumptions }),
    storefront: { cashback },
  });
  const { clock, loyalty } = connector;
  const tables = new Tables();
  const rows = openRows(tables);
  const world: World = {
    rows,
    shop: { ...defaultShop, inventoryNoise: false, taxes: [], ...shop, domain: SHOP },
    ids: createIds(rows.counters, 'usual'),
    random: seededRandom(1),
    now: () => new Date(clock.ms),
  };
  /** By order: all its states, oldest first; undefined for its deletion. */
  const states = new Map<string, (OrderRow | undefined)[]>();
  const sent: { readonly topic: string; readonly body: string }[] = [];

  // Read when it is asked for: most changes never are.
  connector.store.readOrder = async (_shop, id, question) => {
    const row = rows.orders.get(id);
    if (!row) return { kind: 'gone' };
    const settings = { ...defaultRules, ...own, ...current };
    return { kind: 'found', value: await readOrderRow(world, row, settings, question) };
  };

  const model = {
    world,
    rows,
    clock,
    connector,
    states,

    attempt(name: ActionName, input: unknown): ReturnType<typeof act> {
      const outcome = act(world, name, input);
      if (outcome.kind === 'refused') return outcome;
      for (const { table, key, row } of tables.takeChanges()) {
        if (table !== 'orders') continue;
        states.set(key, [...(states.get(key) ?? []), row as OrderRow | undefined]);
      }
      for (const announcement of outcome.announcements) {
        const { topic } = announcement;
        const body = JSON.stringify(buildPayload(world, announcement));
        // A topic that the connector does not know is not subscribed to.
        if (routeOf(topic)?.kind === 'order') sent.push({ topic, body });
      }
      return outcome;
    },

    do<Name extends ActionName>(name: Name, input: ActionInput<Name>): ActionValue<Name> {
      clock.ms += 60_000;
      const outcome = model.attempt(name, input);
      if (outcome.kind === 'refused') throw new Error(`${name}: ${outcome.why}`);
      return outcome.value as ActionValue<Name>;
    },

    /** Delivers what was sent, in the order of these numbers: the lowest first. */
    async deliver(place: (index: number) => number = (index) => index): Promise<void> {
      const ordered = sent
        .splice(0)
        .map((one, index) => ({ ...one, at: place(index) }))
        .sort((one, other) => one.at - other.at);
      for (const { topic, body } of ordered) await connector.deliver({ topic, payload: body });
    },

    /** One invocation of the worker of orders. */
    async work(): Promise<void> {
      await connector.work('orders');
    },

    /** All webhooks are delivered and all messages are worked on. */
    async rest(): Promise<void> {
      await model.deliver();
      await connector.drain();
    },

    changeRules(next: MappingSettings, wanted = cashback): void {
      current = { ...next, storeCredit: CREDIT_RULES[wanted] };
      connector.changeRules({ ...own, ...next }, { cashback: wanted });
    },

    held(id: string): HeldOrder | undefined {
      const row = loyalty.rows.orders.get(id);
      if (!row) return undefined;
      // The sandbox counts points in hundredths; the amounts that it was told are exact. A call under a used key was
      // refused, whatever its amount.
      const taken = row.partialCancels.map(({ CancelKey, valueHundredths }) => {
        const told = loyalty.journal
          .filter(({ operation }) => operation === 'partiallyCancelPosOrder')
          .map(({ body }) => body as { readonly CancelKey: string; readonly ValueToRefund: number })
          .find(
            (call) =>
              call.CancelKey === CancelKey && toHundredths(call.ValueToRefund) === valueHundredths,
          );
        return inMinor(told?.ValueToRefund ?? Number.NaN, world);
      });
      const total = inMinor(row.OrderTotal, world);
      return {
        isCompleted: row.IsCompleted,
        isCancelled: row.IsCancelledOrReturned,
        minor: taken.reduce((left, one) => left - one, total),
        completedAt: row.OrderCompletedDate,
      };
    },

    /** What the dead letters about an order say. */
    letters: (id: string): string[] =>
      connector
        .deadLetters()
        .filter(({ body }) => body.includes(`"${id}"`))
        .map(({ attributes: { code, why } }) => [code, why].filter(Boolean).join(': ')),
  };
  return model;
}

/** An amount that has more decimals than the currency is an error. */
function inMinor(amount: number, { shop }: World): bigint {
  const digits = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: shop.currency,
  }).resolvedOptions().maximumFractionDigits;
  const [whole = '0', fraction = ''] = String(amount).split('.');
  if (fraction.length > (digits ?? 2) || /e/.test(String(amount))) {
    throw new Error(`${amount} is no amount in ${shop.currency}`);
  }
  return BigInt(whole + fraction.padEnd(digits ?? 2, '0'));
}
