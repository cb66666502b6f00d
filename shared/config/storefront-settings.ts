import { type Check, filledText, matching, shapeOf } from './checks.ts';

/**
 * The way back: balances of the loyalty service, shown in the store. Without this setting nothing of it
 * is deployed and nothing of it costs.
 */
export interface StorefrontSettings {
  /**
   * The field of a point event's customer that holds the customer's id in the store. The service's
   * documentation does not show the fields. Default: `OriginalId`, its name for such an id everywhere.
   */
  readonly customerIdIn?: string;

  /**
   * The namespace of the customer metafields `points`, `cashback` and `tier`. Themes name it, so change
   * it only before the first balance is written. Default: `loyalty`.
   */
  readonly metafieldNamespace?: string;
}

export interface Storefront {
  readonly customerIdIn: string;
  readonly metafieldNamespace: string;
}

/** Undefined where the merchant does not want it. */
export function completeStorefront(
  settings: StorefrontSettings | undefined,
): Storefront | undefined {
  return (
    settings && {
      customerIdIn: settings.customerIdIn ?? 'OriginalId',
      metafieldNamespace: settings.metafieldNamespace ?? 'loyalty',
    }
  );
}

const storefrontChecks: Record<keyof StorefrontSettings, Check> = {
  customerIdIn: filledText,
  metafieldNamespace: matching(
    /^[A-Za-z0-9_-]{3,255}$/,
    'have 3 to 255 letters, digits, hyphens and underscores',
  ),
};

export const storefrontCheck: Check = shapeOf({ optional: storefrontChecks });
