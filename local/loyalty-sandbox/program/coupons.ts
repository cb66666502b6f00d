import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call } from '../call.ts';
import { type Context, takeNumber } from './context.ts';
import { type CustomerPlan, isCustomerFault, planCustomer, saveCustomer } from './customers.ts';
import type { Page } from './envelopes.ts';
import {
  describeFaults,
  done,
  findUnreadable,
  type Outcome,
  type Refusal,
  refuse,
} from './outcome.ts';
import { type Fields, knownFields, readBody } from './read-fields.ts';
import type { CouponRow } from './rows.ts';

type CouponItem = Schemas['CouponItem'];
type CouponType = Schemas['CouponType'];

/**
 * An upsert by OriginalId; sending an inactive coupon again makes it active. The first broken rule
 * answers: 56 a body that is not JSON; 39 no OriginalId; 56 a body that cannot be read or makes no coupon, a code that belongs to
 * another coupon, a change of a used coupon; 55 a customer who is not known; then those of the
 * customer.
 */
export function createCoupon(context: Context, call: Call): Outcome<Page<CouponItem>> {
  const { tables } = context;
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(56, unreadable);
  const { faults, fields } = readBody(call);
  const id = fields?.key('OriginalId') ?? null;
  if (!fields || id === null) return refuse(39, 'OriginalId must be given.');
  const sent = readCoupon(fields);
  const customer = fields.object('Customer');
  const customerId = fields.key('CustomerId');
  const others = faults.filter((fault) => !isCustomerFault(fault) || !customer);
  if (others.length > 0) return refuse(56, describeFaults(others));
  const { CouponCode } = sent;
  if (CouponCode === null) return refuse(56, 'CouponCode must be given.');
  const impossible = findContradiction(sent);
  if (impossible) return refuse(56, impossible);

  const before = findCoupon(context, id);
  const holder = findCoupon(context, tables.couponCodes.get(codeKey(context, CouponCode)) ?? '');
  if (holder && holder.OriginalId !== before?.OriginalId) {
    return refuse(56, 'CouponCode belongs to another coupon.');
  }
  const plan = customer && planCustomer(context, customer, faults, 'coupon', customerId);
  if (plan?.kind === 'refused') return plan;
  const owner = findOwner(context, plan, customerId);
  if (owner.kind === 'refused') return owner;

  const after: CouponRow = {
    ...sent,
    Id: before?.Id ?? 0,
    OriginalId: before?.OriginalId ?? id,
    CouponCode,
    CreatedDate: sent.CreatedDate ?? before?.CreatedDate ?? context.now().toISOString(),
    customerId: owner.result,
    usedByOrderId: before?.usedByOrderId ?? null,
    isActive: true,
  };
  if (before?.IsUsed && !isSame(before, after)) return refuse(56, 'The coupon is used.');

  if (plan) saveCustomer(context, plan);
  if (before) tables.couponCodes.delete(codeKey(context, before.CouponCode));
  return done(listOne(context, saveCoupon(context, after)));
}

function readCoupon(fields: Fields) {
  const type = fields.integer('CouponType');
  return {
    CouponCode: fields.key('CouponCode'),
    CreatedDate: fields.date('CreatedDate'),
    CouponType: type as CouponType | null,
    CouponValue: fields.amount('CouponValue'),
    ValidDateStart: fields.date('ValidDateStart'),
    ValidDateEnd: fields.date('ValidDateEnd'),
    IsUsed: fields.flag('IsUsed') ?? false,
  };
}

function findContradiction({
  CouponType,
  CouponValue,
  ValidDateStart,
  ValidDateEnd,
}: ReturnType<typeof readCoupon>): string | undefined {
  if (CouponType !== null && ![0, 1, 2, 3, 4].includes(CouponType)) {
    return 'CouponType must be from 0 to 4.';
  }
  if (CouponValue !== null && CouponValue < 0) return 'CouponValue must not be below zero.';
  if (
    ValidDateStart !== null &&
    ValidDateEnd !== null &&
    Date.parse(ValidDateEnd) < Date.parse(ValidDateStart)
  ) {
    return 'ValidDateEnd is before ValidDateStart.';
  }
  return undefined;
}

/** Who gets the coupon; null for nobody in particular. */
function findOwner(
  { tables, settings }: Context,
  plan: CustomerPlan | null,
  customerId: string | null,
): { readonly kind: 'done'; readonly result: string | null } | Refusal {
  if (plan) {
    return customerId === null || customerId === plan.id
      ? { kind: 'done', result: plan.id }
      : refuse(56, 'CustomerId and Customer.OriginalId differ.');
  }
  if (customerId === null) {
    return settings.requireCouponCustomer
      ? refuse(55, 'CustomerId or Customer must be given.')
      : { kind: 'done', result: null };
  }
  return tables.customers.get(customerId)
    ? { kind: 'done', result: customerId }
    : refuse(55, 'No customer has this CustomerId.');
}

function isSame(a: CouponRow, b: CouponRow): boolean {
  return (Object.keys(b) as (keyof CouponRow)[]).every((name) => a[name] === b[name]);
}

/** Gives a new coupon its number. */
export function saveCoupon(context: Context, coupon: CouponRow): CouponRow {
  const { tables } = context;
  const row = coupon.Id === 0 ? { ...coupon, Id: takeNumber(context, 'coupon') } : coupon;
  tables.coupons.put(row.OriginalId, row);
  tables.couponCodes.put(codeKey(context, row.CouponCode), row.OriginalId);
  return row;
}

const codeKey = ({ settings }: Pick<Context, 'settings'>, code: string): string =>
  settings.couponCase === 'ignored' ? code.toLowerCase() : code;

function findCoupon({ tables, settings }: Context, id: string): CouponRow | undefined {
  const exact = tables.coupons.get(id);
  if (exact || settings.couponCase === 'distinguished') return exact;
  const folded = id.toLowerCase();
  return [...tables.coupons.values()].find((row) => row.OriginalId.toLowerCase() === folded);
}

const couponOfCode = (context: Context, code: string): CouponRow | undefined =>
  context.tables.coupons.get(context.tables.couponCodes.get(codeKey(context, code)) ?? '');

/** 57 for an unknown code. A coupon that is inactive already stays so, without an error. */
export function deactivateCoupon(context: Context, call: Call): Outcome<Page<CouponItem>> {
  const { tables } = context;
  const coupon = couponOfCode(context, call.path.code ?? '');
  if (!coupon) return refuse(57, 'No coupon has this code.');
  const inactive = { ...coupon, isActive: false };
  if (coupon.isActive) tables.coupons.put(coupon.OriginalId, inactive);
  return done(listOne(context, inactive));
}

/** 57 for an unknown code. Documented: IsUsed is true for an inactive one, too. */
export function getCoupon(context: Context, { path }: Call): Outcome<Page<CouponItem>> {
  const coupon = couponOfCode(context, path.code ?? '');
  if (!coupon) return refuse(57, 'No coupon has this code.');
  return done(listOne(context, { ...coupon, IsUsed: coupon.IsUsed || !coupon.isActive }));
}

function listOne({ tables }: Context, row: CouponRow): Page<CouponItem> {
  const owner = row.customerId === null ? undefined : tables.customers.get(row.customerId);
  const item = knownFields({
    CouponCode: row.CouponCode,
    CreatedDate: row.CreatedDate,
    IsUsed: row.IsUsed,
    CouponValue: row.CouponValue,
    CustomerId: owner?.Id ?? null,
    ValidDateStart: row.ValidDateStart,
    ValidDateEnd: row.ValidDateEnd,
    CouponType: row.CouponType,
  });
  return { items: [item], total: 1, size: 1, number: 1 };
}

/**
 * An order that names a customer's coupon has used it, even if the coupon belongs to another customer or
 * was not valid: the store has accepted it. The use stays when the order is cancelled or later names
 * another code. A coupon without a customer is public and serves every customer, so one order does not
 * use it up (the contract does not say). An unknown code is ignored: a store need not mirror every discount.
 */
export function useCoupon(context: Context, code: string, orderId: string): void {
  const { tables } = context;
  const redemption = tables.redemptions.get(tables.externalCodes.get(code) ?? '');
  if (redemption && redemption.usedByOrderId === null) {
    tables.redemptions.put(redemption.OriginalKey, { ...redemption, usedByOrderId: orderId });
  }
  const coupon = couponOfCode(context, code);
  if (!coupon || coupon.IsUsed || coupon.customerId === null) return;
  tables.coupons.put(coupon.OriginalId, { ...coupon, IsUsed: true, usedByOrderId: orderId });
}
