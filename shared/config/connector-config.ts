import {
  type Connector,
  type ConnectorSettings,
  completeDeployment,
  completeHealing,
  completeStorefront,
  defaultAssumptions,
  defaultPath,
  given,
  type PlatformName,
  type Shop,
  type ShopSettings,
} from './connector-settings.ts';
import { defaultRules } from './mapping-settings.ts';
import { checkSettings, type SettingFault } from './settings-check.ts';

export type { Connector, ConnectorSettings, Shop } from './connector-settings.ts';

export type CheckedConnector =
  | { readonly kind: 'valid'; readonly connector: Connector }
  | { readonly kind: 'faulty'; readonly faults: readonly SettingFault[] };

/** All faults in one message, so that they can be corrected at once. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly SettingFault[];

  constructor(faults: readonly SettingFault[]) {
    super(faults.map(({ path, problem }) => `connector.config.ts: ${path} ${problem}`).join('\n'));
    this.faults = faults;
  }
}

const defined = new WeakSet<object>();

/** Put in by infra/bundle-functions.ts: the settings of a function were checked before it was built. */
declare const SETTINGS_ARE_CHECKED: true | undefined;

/**
 * Completes the settings of `connector.config.ts`.
 *
 * Throws a `SettingsError` when any is wrong: nothing can start without settings.
 */
export function defineConnector(settings: ConnectorSettings): Connector {
  const checked = checkConnector(settings);
  if (checked.kind === 'faulty') throw new SettingsError(checked.faults);
  defined.add(checked.connector);
  return checked.connector;
}

/** Of the store sandbox. */
const SANDBOX_TAX = 20;

/**
 * The same with a storefront, so that the local stack can show one that is not configured.
 *
 * @public local/stack/synthesize.ts writes a file that imports it.
 */
export function withStorefront(connector: Connector): Connector {
  const shown = {
    ...connector,
    // Cashback as store credit, so that the demo shop shows that too.
    storefront:
      connector.storefront ??
      completeStorefront({ taxInPrices: SANDBOX_TAX, cashback: 'store-credit' }),
  };
  defined.add(shown);
  return shown;
}

/** True only for objects that `defineConnector` checked. */
export function isConnector(value: unknown): value is Connector {
  return typeof value === 'object' && value !== null && defined.has(value);
}

export function checkConnector(settings: ConnectorSettings): CheckedConnector {
  if (typeof SETTINGS_ARE_CHECKED === 'undefined') {
    const faults = checkSettings(settings);
    if (faults.length > 0) return { kind: 'faulty', faults };
  }
  const shops = settings.shops.map((shop) => completeShop(shop, settings));
  const { address, callsPerSecond, assumptions } = settings.loyalty;
  const connector = {
    shops,
    loyalty: {
      address: address.replace(/(?<!\/)\/+$/, ''),
      callsPerSecond,
      assumptions: { ...defaultAssumptions, ...given(assumptions) },
    },
    retryWindowDays: settings.retryWindowDays ?? 4,
    orderRetentionDays: settings.orderRetentionDays ?? 400,
    healing: completeHealing(settings.healing),
    alarms: { emails: settings.alarms?.emails ?? [] },
    events: settings.events && { bus: 'default', ...given(settings.events) },
    deployment: completeDeployment(settings.deployment),
    storefront: completeStorefront(settings.storefront),
  };
  return { kind: 'valid', connector };
}

/** Vendure's codes are random: a number in one would be the id of another order. */
const OTHER_ORDER_IDS: Readonly<Record<PlatformName, Shop['otherOrderIds']>> = {
  shopify: ['name', 'number'],
  vendure: ['name'],
};

const VENDURE = { channel: undefined, changeDays: 60, precision: 2 };

function completeShop(
  { domain, path, rules, mode, otherOrderIds, observers, ...on }: ShopSettings,
  { rules: common, shops, storefront }: ConnectorSettings,
): Shop {
  const { platform = 'shopify', vendure } = on;
  const sharedAccount = shops.length > 1;
  const storeCredit = storefront?.cashback === 'store-credit' ? 'by-origin' : 'like-gift-cards';
  return {
    domain,
    path: path ?? defaultPath(domain),
    rules: { ...defaultRules, sharedAccount, storeCredit, ...given(common), ...given(rules) },
    mode: mode ?? 'live',
    otherOrderIds: otherOrderIds ?? OTHER_ORDER_IDS[platform],
    observers: observers ?? [],
    platform,
    vendure: vendure && { ...VENDURE, ...vendure },
  };
}
