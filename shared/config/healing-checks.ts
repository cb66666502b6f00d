import {
  type Check,
  either,
  listOf,
  matching,
  oneOf,
  shapeOf,
  trueOrFalse,
  wholeNumber,
} from './checks.ts';
import type { HealingSettings } from './healing-settings.ts';

const healingChecks: Record<keyof HealingSettings, Check> = {
  everyMinutes: wholeNumber(15, 1_440, 'minutes'),
  deepEveryDays: either(
    (value) => value === false,
    () => [],
    wholeNumber(1, 31, 'days'),
  ),
  subscriptions: oneOf('admin-api', 'app-configuration'),
  repairSubscriptions: trueOrFalse,
  productChanges: oneOf('webhooks', 'events'),
  productTriggers: listOf(
    matching(
      /^product\.[\w*.$(): ',-]+$/,
      'be the path of a field: product.title, product.variants.*',
    ),
    1,
  ),
};

export const healingCheck: Check = shapeOf({ optional: healingChecks });
