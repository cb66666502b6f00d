import { type Check, filledText, matching, must, oneOf, shapeOf, wholeNumber } from './checks.ts';
import { MEANINGS, type StorefrontSettings } from './storefront-settings.ts';

const storefrontChecks: Record<keyof StorefrontSettings, Check> = {
  customerIdIn: filledText,
  metafieldNamespace: matching(
    /^[A-Za-z0-9_-]{3,255}$/,
    'have 3 to 255 letters, digits, hyphens and underscores',
  ),
  posCustomerId: oneOf('email-or-document', 'store-id'),
  rewardTypes: (value, path) =>
    shapeOf({ optional: Object.fromEntries(wholeNumbersIn(value).map((type) => [type, kind])) })(
      value,
      path,
    ),
  readsPerMinute: wholeNumber(10, 1000, 'requests'),
  tillRequestsPerMinute: wholeNumber(10, 1000, 'requests'),
  taxInPrices: must(
    'be a percentage from 0 to 100',
    (value) => typeof value === 'number' && value >= 0 && value <= 100,
  ),
  redeemsPerHour: wholeNumber(1, 1000, 'rewards'),
};

const kind = oneOf(...MEANINGS);

function wholeNumbersIn(value: unknown): string[] {
  return Object.keys(Object(value)).filter((name) => /^\d{1,9}$/.test(name));
}

export const storefrontCheck: Check = shapeOf({ optional: storefrontChecks });
