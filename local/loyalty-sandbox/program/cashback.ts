import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call } from '../call.ts';
import { pointType } from './assigned-numbers.ts';
import { balanceOf, drawOn, historyOf, usablePointsOf } from './balances.ts';
import type { Context } from './context.ts';
import { fromHundredths, scaleDown, toHundredths } from './hundredths.ts';
import { knownFields } from './known-fields.ts';
import { describeFaults, done, findUnreadable, type Outcome, refuse } from './outcome.ts';
import { addPoints, spendPoints } from './points.ts';
import { readFields } from './read-fields.ts';
import type { CustomerRow, PointRow } from './rows.ts';

type Schemas = components['schemas'];

/**
 * The first broken rule answers: 59 unknown customer; 7 a body that is not JSON; 65 no ChangeKey; 66 a ChangeKey used before, by
 * whomever; 67 no Reason; 7 anything else that is missing or cannot be read; 64 a Value of less than a
 * hundredth; 62 or 63 a Value below zero; 69 a customer who is not enrolled; 70 more than the balance.
 *
 * 62 and 63 are read as: OperationType says what is wanted, so a Value below zero contradicts an
 * addition (62) or a removal (63). The names allow the opposite reading too.
 */
export function changeCashback(context: Context, call: Call): Outcome<Schemas['CustomerPoints']> {
  const { tables, settings } = context;
  const customer = tables.customers.get(call.path.id ?? '');
  if (!customer) return refuse(59, 'No customer has this id.');
  const unreadable = findUnreadable(call);
  if (unreadable) return refuse(7, unreadable);
  const faults = [...call.faults];
  const fields = readFields(call.body, faults);
  const changeKey = fields?.key('ChangeKey') ?? null;
  const reason = fields?.key('Reason') ?? null;
  if (changeKey === null) return refuse(65, 'ChangeKey must be given.');
  if (tables.changeKeys.get(changeKey) !== undefined) {
    return refuse(66, 'This ChangeKey was used before.');
  }
  if (reason === null) return refuse(67, 'Reason must be given.');
  const value = fields?.amount('Value') ?? null;
  const operation = fields?.integer('OperationType') ?? null;
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  if (value === null) return refuse(7, 'Value must be given.');
  if (operation !== 0 && operation !== 1) return refuse(7, 'OperationType must be 0 or 1.');

  const amount = toHundredths(value);
  const isAddition = operation === settings.addingOperationType;
  if (amount === 0) return refuse(64, 'Value must not be zero.');
  if (amount < 0) {
    return refuse(isAddition ? 62 : 63, 'Value must be above zero: OperationType says which way.');
  }
  if (!customer.IsEnrolled) return refuse(69, 'The customer is not enrolled.');
  const isCovered = isAddition || amount <= balanceOf(context, customer.OriginalId).cashback;
  if (!isCovered) return refuse(70, 'The balance does not cover this Value.');

  const entry = {
    type: pointType.cashbackChange,
    source: { kind: 'cashback-change', changeKey, reason },
  } as const;
  const row = isAddition
    ? addPoints(context, customer, {
        ...entry,
        points: scaleDown(amount, settings.cashbackPerPoint),
        cashback: amount,
      })
    : spendPoints(
        context,
        customer,
        entry,
        drawOn(context, customer.OriginalId, 'cashback', amount),
      );
  tables.changeKeys.put(changeKey, row.PointId);
  return done(describePoints(context, customer, changeKey));
}

function describePoints(
  context: Context,
  customer: CustomerRow,
  changeKey: string,
): Schemas['CustomerPoints'] {
  const balance = balanceOf(context, customer.OriginalId);
  return {
    CustomerExists: true,
    InternalId: String(customer.Id),
    PointsBalance: fromHundredths(balance.points),
    PointsToExpire: usablePointsOf(context, customer.OriginalId).flatMap(({ row, left }) =>
      left.points > 0 && row.validUntil !== null
        ? [{ Points: fromHundredths(left.points), When: row.validUntil }]
        : [],
    ),
    CashbackBalance: fromHundredths(balance.cashback),
    // Its meaning is not shown; the key of this change is the only one at hand.
    RedeemKey: changeKey,
    PointHistory: historyOf(context, customer.OriginalId).map((row) =>
      describeRecord(context, row),
    ),
    Name: customer.Name ?? '',
    Error: '',
  };
}

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
  });
}
