import { hostedPages } from '../../storefront-demo/demo.ts';
import type { RunningStack } from '../running-stack.ts';
import { hasSandbox, type RunningShop } from '../start-sandboxes.ts';
import { type ComparedStore, listSandbox } from './compare.ts';
import { type DayParts, openStore, playDay } from './day.ts';

export type Place = readonly [name: string, address: string, note?: string];

/** How a store is shown to a person. */
export interface ShownStore {
  /** False where it has orders of an earlier run. */
  readonly isNew: boolean;
  readonly play: (parts: Omit<DayParts, 'store' | 'loyalty'>) => Promise<void>;
  /** As it is at this moment. */
  readonly list: () => Promise<ComparedStore>;
  readonly pages: readonly Place[];
  readonly programs: readonly Place[];
  /** What a person can change in it, and how. */
  readonly toTry: string;
}

/** The store sandbox. The day is played in that of the first shop. */
export function showSandbox(
  stack: RunningStack,
  productChanges: 'webhooks' | 'events',
): ShownStore {
  const { store, shops, shop, shopAddress } = stack;
  const isNew = store.rows.orders.size === 0;
  return {
    isNew,
    async play(parts) {
      if (shops.length > 1)
        parts.say(`The day is played in the first shop of the settings: ${shop.domain}.`);
      openStore({ store, say: parts.say });
      if (isNew) await playDay({ ...stack, ...parts });
    },
    list: async () => listSandbox(store, productChanges),
    pages: [...shopPages(shopAddress), ...shops.flatMap(sandboxPages)],
    programs: shops.flatMap(programAddresses),
    toTry: hasSandbox(shop)
      ? 'Change something in the store with the buttons on its page.'
      : `Change something in your own store, ${shop.domain}.`,
  };
}

/** Only the first shop has them, and only with a storefront. */
function shopPages(shopAddress: string | undefined): Place[] {
  if (shopAddress === undefined) return [];
  return [
    ['the shop', shopAddress, 'buy, and see the points arrive'],
    ...hostedPages.map(
      ({ path, label, note }): Place => [label.toLowerCase(), `${shopAddress}${path}`, note],
    ),
  ];
}

function sandboxPages({ shop, store, loyalty }: RunningShop): Place[] {
  const note = `orders, products and buttons; shop ${shop.domain}`;
  return [
    ...(hasSandbox(shop) ? [['the store', store.address, note] as const] : []),
    loyaltyPage(loyalty),
  ];
}

export const loyaltyPage = ({ address }: RunningShop['loyalty']): Place => [
  'loyalty service',
  `${address}/state`,
  'points, orders and every call',
];

export function programAddresses({ loyalty, webhookAddress, webhookSecret }: RunningShop): Place[] {
  const { token, key } = loyalty.credentials;
  return [
    ['webhooks', webhookAddress, `secret ${webhookSecret}`],
    ['loyalty service', loyalty.address, `${token}:${key}`],
  ];
}
