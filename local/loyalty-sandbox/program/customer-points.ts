import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call } from '../call.ts';
import { pointType } from './assigned-numbers.ts';
import { findCashbackReward } from './available-rewards.ts';
import { type Context, daysLater, formatMoney } from './context.ts';
import { findCustomer } from './customers.ts';
import type { Page } from './envelopes.ts';
import { fromHundredths, productInHundredths, scaleDown, toHundredths } from './hundredths.ts';
import { mayTakePart } from './order-points.ts';
import {
  type Answer,
  describeFaults,
  done,
  findUnreadable,
  type Outcome,
  refuse,
} from './outcome.ts';
import { addPoints, balanceOf, drawOn, historyOf, spendPoints, usablePointsOf } from './points.ts';
import { knownFields, readBody } from './read-fields.ts';
import { pageOf, readFlag } from './rewards.ts';
import type { CustomerRow, PointRow } from './rows.ts';

/** An unknown customer is no error: CustomerExists is false. */
export function getCustomerPoints(context: Context, { path }: Call) {
  const customer = findCustomer(context, path.id, 'store-id-or-email');
  return done(customer ? describePoints(context, customer, '') : unknownCustomerPoints());
}

function unknownCustomerPoints() {
  return {
    CustomerExists: false,
    PointsBalance: 0,
    PointsToExpire: [],
    CashbackBalance: 0,
    PointHistory: [],
    Error: '',
  };
}

function describePoints(context: Context, customer: CustomerRow, redeemKey: string) {
  return {
    CustomerExists: true,
    InternalId: String(customer.Id),
    ...describeBalances(context, customer),
    // Its meaning is not shown; the key of a change is the only one at hand.
    RedeemKey: redeemKey,
    Name: customer.Name ?? '',
    Error: '',
  };
}

/** Documented: only points close to their expiry. How close is not shown. */
const EXPIRE_SOON_DAYS = 30;

function describeBalances(context: Context, { OriginalId }: CustomerRow) {
  const balance = balanceOf(context, OriginalId);
  const soon = daysLater(context.now(), EXPIRE_SOON_DAYS);
  // Documented: 0 while the cashback reward is off.
  const hasCashback = findCashbackReward(context) !== undefined;
  return {
    PointsBalance: fromHundredths(balance.points),
    PointsToExpire: usablePointsOf(context, OriginalId).flatMap(({ row, left }) =>
      left.points > 0 && row.validUntil !== null && row.validUntil <= soon
        ? [{ Points: fromHundredths(left.points), When: row.validUntil }]
        : [],
    ),
    CashbackBalance: hasCashback ? fromHundredths(balance.cashback) : 0,
    PointHistory: historyOf(context, OriginalId).map((row) => describeRecord(context, row)),
  };
}

const typeNames = ['', 'Purchase', 'Cashback change', 'Reward', 'Quiz', 'Points change'];

function describeRecord({ tables }: Context, row: PointRow): Schemas['PointHistoryEntry'] {
  const branch =
    row.source.kind === 'order' ? tables.orders.get(row.source.orderId)?.Branch : undefined;
  return knownFields({
    Id: row.PointId,
    DateReceived: row.received,
    ExpirationDate: row.validUntil,
    Amount: fromHundredths(row.pointsHundredths),
    CashbackAmount: fromHundredths(row.cashbackHundredths),
    BranchId: branch?.OriginalId ?? null,
    BranchName: branch?.Name ?? null,
    IsCanceled: row.isCanceled,
    OrderOriginDescription: row.source.kind === 'order' ? 'API' : null,
    PointType: row.type,
    PointTypeDescription: typeNames[row.type] ?? '',
  });
}

/** 59 for an unknown customer, 45 for a page that cannot be. Newest first. */
export function listPointsHistory(
  context: Context,
  { path, query }: Call,
): Outcome<Page<Schemas['PointsHistoryItem']>> {
  const customer = findCustomer(context, path.id, 'store-id-or-email');
  if (!customer) return refuse(59, 'No customer has this id.');
  const items = historyOf(context, customer.OriginalId).map((row) => describeItem(context, row));
  return pageOf(items.reverse(), query.PageNumber, query.PageSize, 50);
}

function describeItem(context: Context, row: PointRow): Schemas['PointsHistoryItem'] {
  const { tables } = context;
  const { source } = row;
  const key = source.kind === 'reward' ? source.rewardKey : '';
  const saidToCustomer = 'customerReason' in source ? source.customerReason : null;
  const cashback = fromHundredths(row.cashbackHundredths);
  const coupon = tables.coupons.get(tables.redemptions.get(key)?.couponId ?? '');
  return {
    Date: row.received,
    Points: fromHundredths(row.pointsHundredths),
    Title: saidToCustomer ?? typeNames[row.type] ?? '',
    PointType: row.type,
    IsCanceled: row.isCanceled,
    CouponCode: coupon?.CouponCode ?? null,
    CouponRefunded: coupon ? row.isCanceled : null,
    CouponIsUsed: coupon?.IsUsed ?? null,
    CouponIsAvailable: coupon ? coupon.isActive && !coupon.IsUsed : null,
    CashbackDescription:
      row.type === pointType.cashbackChange ? formatMoney(context, cashback) : null,
    CashbackValue: cashback,
    IsTierHistory: false,
    TierUpdate: null,
    TierName: null,
    Metadatas: [...row.metadatas],
  };
}

/**
 * 45 for a page that cannot be, 7 for a date or flag that cannot be read. `from` and `to` compare with
 * the day of signing up: which date the service takes is not shown.
 */
export function listCustomersReport(
  context: Context,
  { query }: Call,
): Outcome<Page<Schemas['ReportedCustomer']>> {
  const isEnrolled = readFlag(query.isEnrolled);
  if (isEnrolled === 'unreadable') return refuse(7, 'isEnrolled must be true or false.');
  const moments = [query.from, query.to, query.pointDateFrom, query.pointDateTo].map(readMoment);
  if (moments.some(Number.isNaN)) return refuse(7, 'A date cannot be read.');
  const [from = 0, to = 0, pointFrom = 0, pointTo = 0] = moments;
  const within = (date: string, least: number, most: number) =>
    Date.parse(date) >= least && Date.parse(date) <= most;
  const pointsMoved = query.pointDateFrom !== undefined || query.pointDateTo !== undefined;
  const same = (asked: string | undefined, held: string | null) =>
    asked === undefined || asked.toLowerCase() === held?.toLowerCase();
  const found = [...context.tables.customers.values()].filter(
    (customer) =>
      customer.IsEnrolled === (isEnrolled !== 'false') &&
      same(query.email, customer.Email) &&
      same(query.document, customer.Document) &&
      same(query.originalId, customer.OriginalId) &&
      within(customer.SignupDate ?? customer.createdAt, from, asEnd(to)) &&
      (!pointsMoved ||
        historyOf(context, customer.OriginalId).some(({ received }) =>
          within(received, pointFrom, asEnd(pointTo)),
        )),
  );
  const items = found.map((customer) => ({
    OriginalId: customer.OriginalId,
    Name: customer.Name,
    Email: customer.Email,
    Document: customer.Document,
    IsEnrolled: customer.IsEnrolled,
    ...describeBalances(context, customer),
  }));
  return pageOf(items, query.pageNumber, query.pageSize, 500);
}

/** 45 for a page that cannot be, 7 for a date that cannot be read. Each customer once. */
export function listExpiringPoints(
  context: Context,
  { query }: Call,
): Outcome<Page<Schemas['ExpiringCustomer']>> {
  const [from = 0, to = 0] = [query.from, query.to].map(readMoment);
  if (Number.isNaN(from) || Number.isNaN(to)) return refuse(7, 'A date cannot be read.');
  const found = [...context.tables.customers.values()].filter(({ OriginalId }) =>
    usablePointsOf(context, OriginalId).some(({ row, left }) => {
      const at = row.validUntil === null ? Number.NaN : Date.parse(row.validUntil);
      return left.points > 0 && at >= from && at <= asEnd(to);
    }),
  );
  const items = found.map(({ OriginalId }) => ({ OriginalId }));
  return pageOf(items, query.pageNumber, query.pageSize, 500);
}

/** 0 for none; NaN for what is no date. */
function readMoment(text: string | undefined): number {
  return text === undefined || text === '' ? 0 : Date.parse(text);
}

function asEnd(moment: number): number {
  return moment === 0 ? Number.POSITIVE_INFINITY : moment;
}

type Result = Answer<'CustomerPoints'>;

export const changeCashback = (context: Context, call: Call): Result =>
  changeBalance(context, call, 'cashback');

export const changePoints = (context: Context, call: Call): Result =>
  changeBalance(context, call, 'points');

/**
 * The first broken rule answers: 59 unknown customer; 7 a body that is not JSON; 65 no ChangeKey; 66 a
 * ChangeKey used before, by whomever; 67 no Reason; 7 anything else that is missing or cannot be read;
 * 64 less than a hundredth; 62 or 63 a wrong sign; 69 a customer who is not enrolled; 70 more than the
 * balance.
 *
 * Documented: 0 adds, with an amount above zero (else 62); 1 removes, with one below zero (else 63).
 */
function changeBalance(context: Context, call: Call, view: 'cashback' | 'points'): Result {
  const { tables, settings } = context;
  const customer = findCustomer(context, call.path.id, 'store-id-or-email');
  if (!customer) return refuse(59, 'No customer has this id.');
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(7, unreadable);
  const { faults, fields } = readBody(call);
  const changeKey = fields?.key('ChangeKey') ?? null;
  const reason = fields?.key('Reason') ?? null;
  const customerReason = fields?.key('CustomerReason')?.replace(/<[^>]*>/g, '') || null;
  if (changeKey === null) return refuse(65, 'ChangeKey must be given.');
  if (tables.changeKeys.get(changeKey) !== undefined) {
    return refuse(66, 'This ChangeKey was used before.');
  }
  if (reason === null) return refuse(67, 'Reason must be given.');
  const name = view === 'cashback' ? 'Value' : 'Points';
  const value = fields?.amount(name) ?? null;
  const operation = fields?.integer('OperationType') ?? null;
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  if (value === null) return refuse(7, `${name} must be given.`);
  if (view === 'points' && !Number.isInteger(value)) {
    return refuse(7, 'Points must be a whole number.');
  }
  if (operation !== 0 && operation !== 1) return refuse(7, 'OperationType must be 0 or 1.');

  const isAddition = operation === 0;
  const amount = toHundredths(isAddition ? value : -value);
  if (amount === 0) return refuse(64, `${name} must not be zero.`);
  if (amount < 0 && isAddition) return refuse(62, `An addition needs ${name} above zero.`);
  if (amount < 0) return refuse(63, `A removal needs ${name} below zero.`);
  if (!mayTakePart(customer)) return refuse(69, 'The customer is not enrolled.');
  const isCovered = isAddition || amount <= balanceOf(context, customer.OriginalId)[view];
  if (!isCovered) return refuse(70, 'The balance does not cover this change.');

  const isCashback = view === 'cashback';
  const entry = {
    type: isCashback ? pointType.cashbackChange : pointType.pointsChange,
    source: {
      kind: isCashback ? 'cashback-change' : 'points-change',
      ...{ changeKey, reason, customerReason },
    },
  } as const;
  const row = isAddition
    ? addPoints(context, customer, {
        ...entry,
        points: isCashback ? scaleDown(amount, settings.cashbackPerPoint) : amount,
        cashback: isCashback ? amount : productInHundredths(value, settings.cashbackPerPoint),
      })
    : spendPoints(context, customer, entry, drawOn(context, customer.OriginalId, view, amount));
  tables.changeKeys.put(changeKey, row.PointId);
  return done(describePoints(context, customer, changeKey));
}
