import type * as v from 'valibot';
import { minorDigits } from '../../../shared/store/money.ts';
import type { Discount } from './apply-discounts.ts';
import { discountStatus } from './discounts.ts';
import type { PlainLine } from './draft-lines.ts';
import { formatMinor, parseMinor } from './minor-units.ts';
import type { orderDraft } from './order-inputs.ts';
import type { ApplicationRow } from './order-row.ts';
import type { CodeRow, DiscountRow } from './rows.ts';
import { type Refused, refused, type World } from './world.ts';

type DiscountDraft = v.InferOutput<typeof orderDraft>['discounts'][number];

/** The terms of a draft's discount: given in the draft, or those of the store's discount with that code. */
export function draftDiscount(
  world: World,
  draft: DiscountDraft,
  lines: readonly PlainLine[],
  customerId: string | null,
): Discount | Refused {
  const name = draft.code ?? draft.title;
  if (name === undefined) return refused('A discount needs a code or a title.');
  const type =
    draft.code !== undefined ? 'discount_code' : draft.automatic ? 'automatic' : 'manual';
  const own = ownValue(world, draft);
  if (own && 'why' in own) return own;
  if (own) {
    const selection = draft.lines ? (type === 'manual' ? 'explicit' : 'entitled') : 'all';
    return {
      application: {
        type,
        name,
        value: own,
        target: draft.shipping ? 'shipping_line' : 'line_item',
        selection,
        method: draft.each || draft.shipping ? 'each' : 'across',
      },
      ...(draft.lines && { lines: draft.lines }),
    };
  }
  if (draft.code === undefined)
    return refused(`The discount ${name} needs a percentage or an amount.`);
  return fromStore(world, draft.code, lines, customerId);
}

function ownValue(
  { shop }: World,
  draft: DiscountDraft,
): ApplicationRow['value'] | Refused | undefined {
  if (draft.percentage !== undefined) {
    return { kind: 'percentage', ppm: Math.round(draft.percentage * 10_000) };
  }
  if (draft.amount === undefined) return undefined;
  const minor = parseMinor(draft.amount, minorDigits(shop.currency));
  return minor === undefined
    ? refused(`${draft.amount} is not an amount of ${shop.currency}.`)
    : { kind: 'fixed_amount', minor };
}

function fromStore(
  world: World,
  code: string,
  lines: readonly PlainLine[],
  customerId: string | null,
): Discount | Refused {
  const { rows } = world;
  const row = rows.codes.get(code.toLowerCase());
  const discount = row && rows.discounts.get(row.discountId);
  if (!row || !discount) return refused(`There is no code ${code}.`);
  const obstacle = findObstacle(world, discount, row, lines, customerId);
  if (obstacle !== undefined) return refused(obstacle);
  const common = { type: 'discount_code', name: row.code } as const;
  if (discount.kind === 'free-shipping') {
    const value = { kind: 'percentage', ppm: 1_000_000 } as const;
    return {
      application: { ...common, value, target: 'shipping_line', selection: 'all', method: 'each' },
    };
  }
  const { value, productIds } = discount;
  if (discount.kind === 'bxgy') {
    return refused(
      `This store cannot price the code ${code}: it does not know which item is free.`,
    );
  }
  if (!value) return refused(`Only its app knows what the code ${code} is worth.`);
  const entitled =
    productIds &&
    lines.flatMap(({ productId }, i) =>
      productId !== null && productIds.includes(productId) ? [i] : [],
    );
  return {
    application: {
      ...common,
      value: value.kind === 'percentage' ? value : { kind: 'fixed_amount', minor: value.minor },
      target: 'line_item',
      selection: entitled ? 'entitled' : 'all',
      method: value.kind === 'fixed' && value.each ? 'each' : 'across',
    },
    ...(entitled && { lines: entitled }),
  };
}

/** Why the checkout would refuse the code for this customer and cart; undefined when it would accept it. */
function findObstacle(
  { rows, shop, now }: World,
  discount: DiscountRow,
  { code, used }: CodeRow,
  lines: readonly PlainLine[],
  customerId: string | null,
): string | undefined {
  const { context, oncePerCustomer, minimumMinor, productIds, usageLimit } = discount;
  if (usageLimit !== null && used >= usageLimit) return `The code ${code} has been used already.`;
  const status = discountStatus(discount, now());
  if (status === 'EXPIRED') return `The code ${code} has expired.`;
  if (status === 'SCHEDULED') return `The code ${code} is not valid yet.`;
  const isNamed = context.kind === 'customers';
  if (isNamed && (customerId === null || !context.ids.includes(customerId))) {
    return `The code ${code} is for another customer.`;
  }
  if (productIds && !lines.some(({ productId }) => productIds.includes(productId ?? ''))) {
    return `The code ${code} is for other products.`;
  }
  const subtotal = lines.reduce((sum, { unitMinor, quantity }) => sum + unitMinor * quantity, 0);
  if (minimumMinor !== null && subtotal < minimumMinor) {
    const least = formatMinor(minimumMinor, minorDigits(shop.currency));
    return `The code ${code} needs a larger order: ${shop.currency} ${least} or more.`;
  }
  const hasUsed = () =>
    [...rows.orders.values()].some(
      (order) =>
        order.customerId === customerId &&
        order.applications.some(({ type, name }) => type === 'discount_code' && name === code),
    );
  if (!oncePerCustomer || customerId === null || !hasUsed()) return undefined;
  return `The customer has used the code ${code} already.`;
}
