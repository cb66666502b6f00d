import type { Context } from './context.ts';
import { scaleDown, scaleUp } from './hundredths.ts';
import type { PointOriginRow, PointRow } from './rows.ts';

/** Both in hundredths. */
export interface Amounts {
  readonly points: number;
  readonly cashback: number;
}

/** Oldest first, with what no longer counts. */
export function historyOf({ tables }: Context, customerId: string): readonly PointRow[] {
  return tables.pointsByCustomer.of(customerId);
}

function countingRows(context: Context, customerId: string): readonly PointRow[] {
  return historyOf(context, customerId).filter(({ isCanceled }) => !isCanceled);
}

/**
 * The sum of the history. It can be below zero: when an order is cancelled, all of its points go, also
 * those that were spent.
 */
export function balanceOf(context: Context, customerId: string): Amounts {
  let [points, cashback] = [0, 0];
  for (const row of countingRows(context, customerId)) {
    points += row.pointsHundredths;
    cashback += row.cashbackHundredths;
  }
  return { points, cashback };
}

/** All that was earned and not taken back, whatever was spent of it since. */
export function earnedPointsOf(context: Context, customerId: string): number {
  return countingRows(context, customerId).reduce(
    (sum, { pointsHundredths }) => sum + Math.max(0, pointsHundredths),
    0,
  );
}

/** What is left of each record that was given, oldest first. */
export function usablePointsOf(
  context: Context,
  customerId: string,
): { readonly row: PointRow; readonly left: Amounts }[] {
  const history = countingRows(context, customerId);
  const used = new Map<number, Amounts>();
  for (const { PointId, usedPointsHundredths, usedCashbackHundredths } of history.flatMap(
    (row) => row.origins,
  )) {
    const before = used.get(PointId) ?? { points: 0, cashback: 0 };
    used.set(PointId, {
      points: before.points + usedPointsHundredths,
      cashback: before.cashback + usedCashbackHundredths,
    });
  }
  return history.flatMap((row) => {
    // A small cashback can be worth less than a hundredth of a point, and is there all the same.
    if (row.pointsHundredths <= 0 && row.cashbackHundredths <= 0) return [];
    const spent = used.get(row.PointId) ?? { points: 0, cashback: 0 };
    // A record can have shrunk below what was spent of it.
    const left = {
      points: Math.max(0, row.pointsHundredths - spent.points),
      cashback: Math.max(0, row.cashbackHundredths - spent.cashback),
    };
    return [{ row, left }];
  });
}

/**
 * Takes an amount out of the oldest points first, counted in points or in cashback; the other view
 * follows by the rate, and goes entirely with a record that is used up. Within the balance there is
 * always enough: what is left of the records is never less than the balance.
 */
export function drawOn(
  context: Context,
  customerId: string,
  view: keyof Amounts,
  amount: number,
): PointOriginRow[] {
  const { cashbackPerPoint } = context.settings;
  const origins: PointOriginRow[] = [];
  let missing = amount;
  for (const { row, left } of usablePointsOf(context, customerId)) {
    const taken = Math.min(missing, left[view]);
    if (taken === 0) continue;
    missing -= taken;
    const usedUp = taken === left[view];
    const used =
      view === 'points'
        ? { points: taken, cashback: usedUp ? left.cashback : scaleUp(taken, cashbackPerPoint) }
        : { points: usedUp ? left.points : scaleDown(taken, cashbackPerPoint), cashback: taken };
    origins.push({
      PointId: row.PointId,
      usedPointsHundredths: Math.min(used.points, left.points),
      usedCashbackHundredths: Math.min(used.cashback, left.cashback),
    });
  }
  return origins;
}
