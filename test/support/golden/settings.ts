import {
  type ConnectorSettings,
  defineConnector,
} from '../../../shared/config/connector-config.ts';
import type {
  LoyaltyAssumptions,
  ShopSettings,
  StorefrontSettings,
} from '../../../shared/config/connector-settings.ts';
import type { MappingSettings } from '../../../shared/config/mapping-settings.ts';
import type { Full, Sample, Samples } from './golden.ts';

/** A merchant's file stays as it is when the connector is renewed: what it may say, every release accepts. */
const accepted = (settings: ConnectorSettings): Sample => ({
  write: () => settings,
  read(written: ConnectorSettings) {
    defineConnector(written);
    return 'accepted';
  },
});

/** A function of the merchant's is code, and no form. */
type OfFunctions = 'metadata' | 'document' | 'birthday' | 'enrolment';
export const otherRules: Full<Omit<MappingSettings, OfFunctions>> &
  Pick<MappingSettings, OfFunctions> = {
  ...{ goLive: '2026-01-01', completeWhen: 'paid', pendingOrders: 'send' },
  ...{ taxes: 'include', giftCards: 'never' },
  ...{ lostDisputes: 'take-back', customersWithoutEmail: 'send', customers: 'with-orders' },
  ...{ redactedCustomers: 'deactivate', testOrders: 'send', enrolment: 'everyone' },
  document: { from: 'note-attribute', name: 'document' },
  birthday: { from: 'metafield', owner: 'customer', namespace: 'facts', key: 'birthday' },
  enrich: { cardDetails: true, locationNames: true, staffNames: true },
  ...{ productUrl: 'https://{domain}/p/{handle}', couponKinds: ['percentage'], currency: 'EUR' },
  ...{ sharedAccount: false, couponForEveryone: 'skip' },
};

const shopify: Full<Omit<ShopSettings, 'vendure' | 'rules'>> & Pick<ShopSettings, 'rules'> = {
  ...{
    domain: 'example-store.myshopify.com',
    platform: 'shopify',
    path: 'main',
    rules: otherRules,
  },
  ...{ mode: 'observe', otherOrderIds: ['name', 'number'], observers: ['7001'] },
};
const vendure: Full<Pick<ShopSettings, 'domain' | 'platform' | 'vendure'>> = {
  ...{ domain: 'shop.example.com', platform: 'vendure' },
  vendure: {
    ...{ adminApi: 'https://shop.example.com/admin-api', currency: 'EUR', channel: 'main' },
    ...{ changeDays: 30, precision: 2 },
  },
};

const assumptions: Full<LoyaltyAssumptions> = {
  ...{ ordersAreReplaced: false, couponsAreReplaced: false },
  ...{ completedOrdersTakeTheCancelledMark: false },
  ...{
    refunds: 'resend',
    raiseAfterPartialCancel: 'send-gross',
    readTotals: 'less-partial-cancels',
  },
  ...{ usedCancelKeyError: 97, redemptionsKeepMetadata: false },
};
const storefront: Full<StorefrontSettings> = {
  ...{ customerIdIn: 'OriginalId', metafieldNamespace: 'points', posCustomerId: 'store-id' },
  ...{ rewardTypes: { 7: 'free-shipping' }, readsPerMinute: 30, taxInPrices: 19, cashback: 'code' },
  ...{ redeemsPerHour: 5, takeBack: { by: 'staff', withinDays: 10 } },
  flow: { expiryNoticeDays: 7, mostPointsPerRun: 10, mostPointsPerDay: 100 },
};

const all: Full<Omit<ConnectorSettings, 'shops' | 'rules'>> & ConnectorSettings = {
  shops: [shopify],
  rules: otherRules,
  loyalty: { address: 'https://loyalty.example.com', callsPerSecond: 5, assumptions },
  ...{ retryWindowDays: 5, orderRetentionDays: 500, storefront },
  healing: {
    deepEveryDays: 14,
    productChanges: 'events',
  },
  alarms: { emails: ['operator@shop.example'] },
  events: { bus: 'loyalty' },
  deployment: {
    endpoint: {
      kind: 'http-api',
      throttle: { ratePerSecond: 100, burst: 200 },
      domain: {
        name: 'hooks.shop.example',
        certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d',
      },
    },
    maxConcurrency: {
      ...{ orders: 4, products: 3, coupons: 2, balances: 6, receiver: 70, storefront: 20 },
    },
    ...{ logRetentionDays: 90, retainData: false, monitoring: 'basic' },
    permissionsBoundary: 'arn:aws:iam::123456789012:policy/boundary',
    ...{ tags: { team: 'loyalty' }, namePrefix: 'team-a-', bootstrapQualifier: 'teama' },
    encryptionKey: 'arn:aws:kms:eu-west-1:123456789012:key/0a1b2c3d-4e5f',
  },
};

const {
  permissionsBoundary: _b,
  tags: _t,
  namePrefix: _n,
  bootstrapQualifier: _q,
  ...plain
} = all.deployment;
const { events: _e, ...quiet } = all;
const ungoverned = { ...quiet, deployment: plain };
const { balances: _, receiver: __, ...fewerNumbers } = plain.maxConcurrency;
const firstRelease = { ...quiet, deployment: { ...plain, maxConcurrency: fewerNumbers } };

export const settings: Samples = {
  'settings with every field': accepted(firstRelease),
  'settings with workers of balances and a receiver': accepted(ungoverned),
  'settings of a governed account': accepted(all),
  'settings of a Vendure shop': accepted({
    shops: [vendure],
    loyalty: { address: 'https://loyalty.example.com' },
  }),
};
