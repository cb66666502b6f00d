import type { PlatformHealing } from '../core/platform/platform.ts';
import { KINDS } from './deliveries.ts';
import { openVendureStore } from './vendure-store.ts';

/** The plugin sends without a subscription. No date moves with a payment, a refund or a change of price. */
export const vendureHealing: PlatformHealing = {
  versionsAreReadings: ['order', 'product', 'coupon', 'member'],
  topicOf({ kind, claim }) {
    const about = kind === 'coupon' ? 'discount' : kind;
    const [name = about] = [...KINDS].find(([, of]) => of === about) ?? [];
    return `${name}/${claim}`;
  },
  openStore: openVendureStore,
};
