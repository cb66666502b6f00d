import type * as v from 'valibot';
import { minorDigits } from '../../../shared/store/currency.ts';
import type { Discount } from './apply-discounts.ts';
import { isUsable } from './discount-status.ts';
import type { PlainLine } from './draft-lines.ts';
import { parseMinor } from './minor-units.ts';
import type { orderDraft } from './order-inputs.ts';
import type { ApplicationRow } from './order-row.ts';
import { type Refused, refused, type World } from './world.ts';

type DiscountDraft = v.InferOutput<typeof orderDraft>['discounts'][number];

/** What a draft's discount means: its own words, or those of the store's discount with that code. */
export function draftDiscount(
  world: World,
  draft: DiscountDraft,
  lines: readonly PlainLine[],
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
  return fromStore(world, draft.code, lines);
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
  { rows, now }: World,
  code: string,
  lines: readonly PlainLine[],
): Discount | Refused {
  const row = rows.codes.get(code.toLowerCase());
  const discount = row && rows.discounts.get(row.discountId);
  if (!row || !discount) return refused(`The store has no code ${code}: say what it is worth.`);
  if (!isUsable(discount, row, now())) return refused(`The code ${code} cannot be used now.`);
  const common = { type: 'discount_code', name: row.code } as const;
  if (discount.kind === 'free-shipping') {
    const value = { kind: 'percentage', ppm: 1_000_000 } as const;
    return {
      application: { ...common, value, target: 'shipping_line', selection: 'all', method: 'each' },
    };
  }
  const { value, productIds } = discount;
  if (!value) return refused(`What the code ${code} is worth only its app knows: say it here.`);
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
