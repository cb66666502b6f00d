import {
  type AlarmSettings,
  type Alarms,
  completeAlarms,
  type OrderSilence,
} from './alarm-settings.ts';
import type { SettingFault } from './checks.ts';
import { defaultPath, given } from './defaults.ts';
import {
  completeDeployment,
  type Deployment,
  type DeploymentSettings,
} from './deployment-settings.ts';
import { completeHealing, type Healing, type HealingSettings } from './healing-settings.ts';
import {
  type CompleteAssumptions,
  defaultAssumptions,
  type LoyaltyAssumptions,
} from './loyalty-assumptions.ts';
import { defaultRules, type MappingRules, type MappingSettings } from './mapping-settings.ts';
import { checkSettings } from './settings-check.ts';
import {
  completeStorefront,
  type Storefront,
  type StorefrontSettings,
} from './storefront-settings.ts';

interface ShopSettings {
  /** The shop's permanent domain: `example-store.myshopify.com`. */
  readonly domain: string;

  /**
   * The part of the webhook address that belongs to this shop alone, as in `https://…/example-store`.
   * Default: the domain up to its first dot.
   */
  readonly path?: string;

  /** Rules that differ for this shop; all others are those of `rules`. */
  readonly rules?: MappingSettings;

  /** When this shop counts as silent. Default: as `alarms.orderSilence` says. */
  readonly orderSilence?: false | OrderSilence;
}

/** The settings in `connector.config.ts`. Secrets are not settings and are in no file. */
export interface ConnectorSettings {
  /** The shops that the connector syncs with the loyalty service; one or more. */
  readonly shops: readonly ShopSettings[];

  readonly loyalty: {
    /** Base address of the loyalty service: `https://loyalty.example.com`. */
    readonly address: string;
    /**
     * The most calls a second to an account of the service, by all functions of the stack together, from 0.1 to
     * 1000. Shops with `rules.sharedAccount` share it. Shoppers do not wait for it: the workers make room.
     * Default: no limit, because the service documents none. It costs a write a second and worker.
     */
    readonly callsPerSecond?: number;
    /** Assumptions where its documentation is silent. */
    readonly assumptions?: LoyaltyAssumptions;
  };

  /** How entities of the store become entities of the loyalty service, in all shops. */
  readonly rules?: MappingSettings;

  /**
   * How long an event is retried before it is parked for a person, in days from 1 to 10. Must be longer
   * than an outage of the loyalty service. Default: 4.
   */
  readonly retryWindowDays?: number;

  /**
   * How long the connector remembers an order after its last event, in days from 35 (longer than any
   * event can wait in a queue or as a dead letter) to 3650. A later event reads the order from the
   * store again. Default: 400, so that a return after a year still finds its order. Raise it before the first
   * entry expires: an order that was forgotten under a lower number counts as never sent until then.
   */
  readonly orderRetentionDays?: number;

  /** How lost webhooks are found and made up for. */
  readonly healing?: HealingSettings;

  /** Who gets alarms, and when. */
  readonly alarms?: AlarmSettings;

  /** How it is deployed. */
  readonly deployment?: DeploymentSettings;

  /** Balances and rewards in the store. Default: not deployed. */
  readonly storefront?: StorefrontSettings;
}

export interface Shop {
  readonly domain: string;
  readonly path: string;
  readonly rules: MappingRules;
  readonly orderSilence: false | OrderSilence;
}

/** The settings, checked and complete. */
export interface Connector {
  readonly shops: readonly Shop[];
  readonly loyalty: {
    readonly address: string;
    readonly callsPerSecond: number | undefined;
    readonly assumptions: CompleteAssumptions;
  };
  readonly retryWindowDays: number;
  readonly orderRetentionDays: number;
  readonly healing: Healing;
  readonly alarms: Alarms;
  readonly deployment: Deployment;
  /** Undefined: the storefront is not deployed. */
  readonly storefront: Storefront | undefined;
}

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
    storefront: connector.storefront ?? completeStorefront({ taxInPrices: SANDBOX_TAX }),
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
    alarms: completeAlarms(settings.alarms),
    deployment: completeDeployment(settings.deployment),
    storefront: completeStorefront(settings.storefront),
  };
  return { kind: 'valid', connector };
}

function completeShop(
  { domain, path, rules, orderSilence }: ShopSettings,
  { rules: common, alarms, shops }: ConnectorSettings,
): Shop {
  const sharedAccount = shops.length > 1;
  return {
    domain,
    path: path ?? defaultPath(domain),
    rules: { ...defaultRules, sharedAccount, ...given(common), ...given(rules) },
    orderSilence: orderSilence ?? alarms?.orderSilence ?? false,
  };
}
