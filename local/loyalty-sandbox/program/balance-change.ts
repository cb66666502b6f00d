import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import { pointType } from './assigned-numbers.ts';
import { balanceOf, drawOn } from './balances.ts';
import type { Context } from './context.ts';
import { describePoints, unknownCustomerPoints } from './customer-points.ts';
import { findCustomer } from './customers.ts';
import { productInHundredths, scaleDown, toHundredths } from './hundredths.ts';
import { mayTakePart } from './order-points.ts';
import { describeFaults, done, findUnreadable, type Outcome, refuse } from './outcome.ts';
import { addPoints, spendPoints } from './points.ts';
import { readFields } from './read-fields.ts';

type Result = Outcome<components['schemas']['CustomerPoints']>;

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
  if (!customer) {
    return settings.unknownCustomer === 'flag'
      ? done(unknownCustomerPoints())
      : refuse(59, 'No customer has this id.');
  }
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(7, unreadable);
  const faults = [...call.faults];
  const fields = readFields(call.body, faults);
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
