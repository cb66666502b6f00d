import type { PlatformName, Shop } from '../config/connector-settings.ts';
import type { StorePlatform } from '../core/platform/platform.ts';
import { type EventReading, type ReadEvent, readErasureAsked } from '../core/store/store.ts';
import { shopifyCommands } from '../shopify/commands.ts';
import { shopifyHealing } from '../shopify/healing.ts';
import { readShopifyEvent } from '../shopify/webhooks/read-event.ts';
import { shopifyDeliveries } from '../shopify/webhooks/topics.ts';
import { vendureCommands } from '../vendure/commands.ts';
import { readVendureEvent, vendureDeliveries } from '../vendure/deliveries.ts';
import { vendureHealing } from '../vendure/healing.ts';

/**
 * One part of every platform. The tables are apart, because a bundle holds those that its function names; of a platform
 * that no shop has, infra/bundle-functions.ts leaves the parts out. That of stores is in configured-store.ts, which a
 * worker loads later.
 */
export type OfPlatforms<Part extends keyof StorePlatform> = Readonly<
  Record<PlatformName, StorePlatform[Part]>
>;

export const DELIVERIES: OfPlatforms<'deliveries'> = {
  shopify: shopifyDeliveries,
  vendure: vendureDeliveries,
};

const READERS: OfPlatforms<'readEvent'> = {
  shopify: readShopifyEvent,
  vendure: readVendureEvent,
};

export const HEALING: OfPlatforms<'healing'> = {
  shopify: shopifyHealing,
  vendure: vendureHealing,
};

export const COMMANDS: OfPlatforms<'commands'> = {
  shopify: shopifyCommands,
  vendure: vendureCommands,
};

/**
 * Reads the events of all configured shops, each as its platform writes them. An event of a shop that left the settings
 * is unreadable, so that it is parked at once.
 */
export function createPlatformReader(
  shops: readonly Pick<Shop, 'domain' | 'platform'>[],
): ReadEvent {
  const readers = new Map(shops.map(({ domain, platform }) => [domain, READERS[platform]]));
  return (event) => {
    const read = readers.get(event.shop);
    if (!read) return SHOP_NOT_CONFIGURED;
    const erasure = event.claim === 'customer-redaction' ? readErasureAsked(event) : undefined;
    return erasure ?? read(event);
  };
}

const SHOP_NOT_CONFIGURED: EventReading = {
  kind: 'unreadable',
  why: 'its shop is not in connector.config.ts',
};
