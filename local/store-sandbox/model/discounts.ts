import { minorDigits } from '../../../shared/store/money.ts';
import { parseMinor } from './minor-units.ts';
import type { CodeRow, DiscountRow, DiscountValue, RolloutRow } from './rows.ts';
import {
  type Announcement,
  done,
  type Input,
  moment,
  type Outcome,
  type Refused,
  refused,
  type World,
} from './world.ts';

type Fields = Omit<Input<'discountChange'>, 'discountId'>;

export function createDiscount(world: World, draft: Input<'discountDraft'>): Outcome<DiscountRow> {
  const { ids, rows } = world;
  const { kind, automatic, codes, ...fields } = draft;
  if (automatic && codes.length > 0) return refused('An automatic discount has no codes.');
  if (!automatic && codes.length === 0) return refused('A code discount needs a code.');
  const taken = findTaken(world, codes);
  if (taken !== undefined) return refused(taken);
  const at = moment(world);
  const blank: DiscountRow = {
    id: ids.next(automatic ? 'DiscountAutomaticNode' : 'DiscountCodeNode'),
    method: automatic ? 'automatic' : 'code',
    kind,
    title: codes[0] ?? 'Automatic discount',
    value: null,
    startsAt: at,
    endsAt: null,
    createdAt: at,
    updatedAt: at,
    context: { kind: 'all' },
    usageLimit: null,
    oncePerCustomer: false,
    minimumMinor: null,
    productIds: null,
    tags: [],
  };
  const discount = withFields(world, blank, fields);
  if ('why' in discount) return discount;
  if (discount.value === null && (kind === 'basic' || kind === 'bxgy')) {
    return refused('The discount needs a percentage or an amount.');
  }
  rows.discounts.put(discount.id, discount);
  for (const code of codes) addCode(world, discount.id, code);
  return done(discount, { topic: 'discounts/create', discount });
}

export function updateDiscount(
  world: World,
  discount: DiscountRow,
  fields: Fields,
): Outcome<DiscountRow> {
  const changed = withFields(world, discount, fields);
  return 'why' in changed ? changed : putDiscount(world, changed);
}

/** Like "Deactivate" in the admin: the discount ends now. */
export function deactivateDiscount(world: World, discount: DiscountRow) {
  return updateDiscount(world, discount, { endsAt: moment(world) });
}

export function deleteDiscount(world: World, discount: DiscountRow): Outcome<string> {
  const { rows } = world;
  const { id } = discount;
  for (const { code } of codesOf(world, id)) rows.codes.delete(code.toLowerCase());
  rows.discounts.delete(id);
  return done(id, { topic: 'discounts/delete', discount, at: moment(world) });
}

export function addCodes(
  world: World,
  discount: DiscountRow,
  { codes }: Input<'codesChange'>,
): Outcome<DiscountRow> {
  if (discount.method !== 'code') return refused(`${discount.id} is not a code discount.`);
  const taken = findTaken(world, codes);
  if (taken !== undefined) return refused(taken);
  const added = codes.map((code) => addCode(world, discount.id, code));
  return announceCodes(world, discount, 'discounts/redeemcode_added', added);
}

export function removeCodes(
  world: World,
  discount: DiscountRow,
  { codes }: Input<'codesChange'>,
): Outcome<DiscountRow> {
  const removed: CodeRow[] = [];
  for (const code of codes) {
    const row = world.rows.codes.get(code.toLowerCase());
    if (row?.discountId !== discount.id) return refused(`The discount has no code ${code}.`);
    removed.push(row);
  }
  for (const { code } of removed) world.rows.codes.delete(code.toLowerCase());
  return announceCodes(world, discount, 'discounts/redeemcode_removed', removed);
}

/** In the order of their creation. */
export function codesOf({ rows }: Pick<World, 'rows'>, discountId: string): CodeRow[] {
  return [...rows.codes.values()].filter((code) => code.discountId === discountId);
}

function announceCodes(
  world: World,
  discount: DiscountRow,
  topic: 'discounts/redeemcode_added' | 'discounts/redeemcode_removed',
  codes: readonly CodeRow[],
): Outcome<DiscountRow> {
  const updated = { ...discount, updatedAt: moment(world) };
  world.rows.discounts.put(discount.id, updated);
  return done(updated, ...codes.map((code): Announcement => ({ topic, discount: updated, code })));
}

function addCode({ rows, ids }: World, discountId: string, code: string): CodeRow {
  const row = { id: ids.next('DiscountRedeemCode'), code, discountId, used: 0 };
  rows.codes.put(code.toLowerCase(), row);
  return row;
}

function findTaken({ rows }: World, codes: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const code of codes) {
    const key = code.toLowerCase();
    if (rows.codes.get(key) || seen.has(key)) return `The code ${code} is taken.`;
    seen.add(key);
  }
  return undefined;
}

function putDiscount(world: World, discount: DiscountRow): Outcome<DiscountRow> {
  const updated = { ...discount, updatedAt: moment(world) };
  world.rows.discounts.put(discount.id, updated);
  return done(updated, { topic: 'discounts/update', discount: updated });
}

function withFields({ shop }: World, row: DiscountRow, fields: Fields): DiscountRow | Refused {
  const digits = minorDigits(shop.currency);
  const { percentage, amount, minimumSubtotal, customerIds, segments } = fields;
  const minor = amount === undefined ? 0 : parseMinor(amount, digits);
  const minimumMinor = minimumSubtotal == null ? null : parseMinor(minimumSubtotal, digits);
  if (minor === undefined || minimumMinor === undefined) {
    return refused(`An amount is none of ${shop.currency}.`);
  }
  let { value, context } = row;
  if (percentage !== undefined)
    value = { kind: 'percentage', ppm: Math.round(percentage * 10_000) };
  else if (amount !== undefined) value = fixed(minor, fields.each ?? false);
  if (customerIds) context = { kind: 'customers', ids: customerIds };
  else if (segments) context = { kind: 'segments' };
  return {
    ...row,
    value,
    context,
    title: fields.title ?? row.title,
    startsAt: fields.startsAt === undefined ? row.startsAt : seconds(fields.startsAt),
    endsAt:
      fields.endsAt === undefined
        ? row.endsAt
        : fields.endsAt === null
          ? null
          : seconds(fields.endsAt),
    usageLimit: fields.usageLimit === undefined ? row.usageLimit : fields.usageLimit,
    oncePerCustomer: fields.oncePerCustomer ?? row.oncePerCustomer,
    minimumMinor: minimumSubtotal === undefined ? row.minimumMinor : minimumMinor,
    productIds: fields.productIds === undefined ? row.productIds : fields.productIds,
    tags: fields.tags ?? row.tags,
    ...(fields.combinesWith && { combinesWith: fields.combinesWith }),
  };
}

const fixed = (minor: number, each: boolean): DiscountValue => ({ kind: 'fixed', minor, each });

const seconds = (iso: string): string => moment({ now: () => new Date(iso) });

/** Depends only on the clock: as in the real store, no webhook is sent when a discount expires. */
export function discountStatus(
  { startsAt, endsAt }: Pick<DiscountRow, 'startsAt' | 'endsAt'>,
  now: Date,
): 'ACTIVE' | 'SCHEDULED' | 'EXPIRED' {
  if (endsAt !== null && Date.parse(endsAt) <= now.getTime()) return 'EXPIRED';
  return Date.parse(startsAt) > now.getTime() ? 'SCHEDULED' : 'ACTIVE';
}

/** The names of its webhooks are not documented, and a discount in it is not changed by it: it announces nothing. */
export function startRollout(world: World, draft: Input<'rolloutDraft'>): Outcome<RolloutRow> {
  const rollout = { id: world.ids.next('Rollout'), startedAt: moment(world), ...draft };
  world.rows.rollouts.put(rollout.id, rollout);
  return done(rollout);
}

export function endRollout(
  { rows }: World,
  { rolloutId }: Input<'rolloutReference'>,
): Outcome<string> {
  if (!rows.rollouts.get(rolloutId)) return refused(`There is no active Rollout ${rolloutId}.`);
  rows.rollouts.delete(rolloutId);
  return done(rolloutId);
}

/** What the checkout goes by. Of a Rollout for a share of buyers, this sandbox's buyers are not part. */
export function statusAtCheckout(
  { rows, now }: Pick<World, 'rows' | 'now'>,
  discount: DiscountRow,
): ReturnType<typeof discountStatus> {
  const whole = [...rows.rollouts.values()]
    .filter(({ allocation }) => allocation === 100)
    .flatMap(({ treatments }) => treatments.filter(({ split }) => split === 100));
  if (whole.some(({ expire }) => expire.includes(discount.id))) return 'EXPIRED';
  if (whole.some(({ activate }) => activate.includes(discount.id))) return 'ACTIVE';
  return discountStatus(discount, now());
}
