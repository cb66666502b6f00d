import type { Shop } from '../config/connector-config.ts';
import type { Deliveries } from '../core/events/receive-delivery.ts';
import type { ReadEvent } from '../core/store/store.ts';
import { createEventReader } from '../shopify/webhooks/read-event.ts';
import { shopifyDeliveries } from '../shopify/webhooks/receive-webhook.ts';
import { readVendureEvent, vendureDeliveries } from '../vendure/deliveries.ts';

/** Put in by infra/bundle-functions.ts where no shop is Vendure's: its code is then left out. */
declare const NO_VENDURE: true | undefined;

/** How a shop's platform proves and names what it delivers. */
export const deliveriesOf = ({ vendure }: Pick<Shop, 'vendure'>): Deliveries =>
  typeof NO_VENDURE === 'undefined' && vendure ? vendureDeliveries : shopifyDeliveries;

export interface PlatformShops {
  readonly shops: readonly (Pick<Shop, 'domain'> & Partial<Pick<Shop, 'vendure'>>)[];
}

/** Reads the events of all configured shops, each as its platform writes them. */
export function createPlatformReader({ shops }: PlatformShops): ReadEvent {
  const read = createEventReader(new Set(shops.map(({ domain }) => domain)));
  if (typeof NO_VENDURE === 'undefined') {
    const vendure = new Set(shops.filter((shop) => shop.vendure).map(({ domain }) => domain));
    return (event) => (vendure.has(event.shop) ? readVendureEvent(event) : read(event));
  }
  return read;
}
