import type { PointTopic } from '../../../shared/loyalty/operations.ts';
import { type PointType, pointAction } from './assigned-numbers.ts';
import { type Context, daysLater, takeNumber } from './context.ts';
import { fromHundredths, scaleDown, scaleUp } from './hundredths.ts';
import type { CustomerRow, PointOriginRow, PointRow, PointSource } from './rows.ts';

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

/*
 * The only writers of point records. Each change writes one event, with the balances after it, into
 * the table `events`.
 *
 *   (none) ──addPoints: Point_Add──────────▶ record ──revisePoints: Point_Update──▶ record
 *   (none) ──spendPoints: as the settings──▶ record ──removePoints: Point_Removed──▶ (none)
 *                                               └─────giveBack: Point_Add──────────▶ record that counts no more
 */

interface NewPoints extends Amounts {
  readonly type: PointType;
  readonly source: PointSource;
}

export function addPoints(context: Context, customer: CustomerRow, added: NewPoints): PointRow {
  const validUntil = daysLater(context.now(), context.settings.pointsValidDays);
  const row = addRecord(context, customer, added, { validUntil, origins: [] });
  announce(context, 'Point_Add', customer, row);
  return row;
}

/** Adds a record below zero that names what it used. */
export function spendPoints(
  context: Context,
  customer: CustomerRow,
  { type, source }: Pick<NewPoints, 'type' | 'source'>,
  origins: readonly PointOriginRow[],
): PointRow {
  const sum = (of: (origin: PointOriginRow) => number) =>
    origins.reduce((total, origin) => total + of(origin), 0);
  const spent = {
    type,
    source,
    points: 0 - sum((origin) => origin.usedPointsHundredths),
    cashback: 0 - sum((origin) => origin.usedCashbackHundredths),
  };
  const row = addRecord(context, customer, spent, { validUntil: null, origins });
  announce(context, context.settings.spendingTopic, customer, row);
  return row;
}

/** For spent points: the earlier points that they used are usable again. */
export function giveBack(context: Context, customer: CustomerRow, row: PointRow): void {
  context.tables.points.put(String(row.PointId), { ...row, isCanceled: true });
  announce(context, 'Point_Add', customer, {
    ...row,
    PointId: takeNumber(context, 'point'),
    pointsHundredths: 0 - row.pointsHundredths,
    cashbackHundredths: 0 - row.cashbackHundredths,
    origins: [],
  });
}

function addRecord(
  context: Context,
  customer: CustomerRow,
  { points, cashback, type, source }: NewPoints,
  { validUntil, origins }: Pick<PointRow, 'validUntil' | 'origins'>,
): PointRow {
  const row: PointRow = {
    PointId: takeNumber(context, 'point'),
    customerId: customer.OriginalId,
    pointsHundredths: points,
    cashbackHundredths: cashback,
    type,
    source,
    received: context.now().toISOString(),
    validUntil,
    origins,
    isCanceled: false,
    metadatas: [],
  };
  context.tables.points.put(String(row.PointId), row);
  return row;
}

/** Validity stays as it was first given. */
export function revisePoints(
  context: Context,
  customer: CustomerRow,
  row: PointRow,
  pointsHundredths: number,
): PointRow {
  const revised = {
    ...row,
    pointsHundredths,
    cashbackHundredths: scaleUp(pointsHundredths, context.settings.cashbackPerPoint),
  };
  context.tables.points.put(String(row.PointId), revised);
  announce(context, 'Point_Update', customer, revised);
  return revised;
}

export function removePoints(context: Context, customer: CustomerRow, row: PointRow): void {
  context.tables.points.delete(String(row.PointId));
  announce(context, 'Point_Removed', customer, row);
}

/** A removed record is announced with what it last held; the balances are those without it. */
function announce(context: Context, topic: PointTopic, customer: CustomerRow, row: PointRow): void {
  const balance = balanceOf(context, row.customerId);
  const id = String(takeNumber(context, 'event'));
  context.tables.events.put(id, {
    id,
    topic,
    payload: {
      Points: fromHundredths(row.pointsHundredths),
      PointType: row.type,
      PointAction: pointAction[topic],
      Customer: {
        Id: customerIdIn(context, customer),
        Email: customer.Email,
        Name: customer.Name,
        Phone: customer.Phone,
        Document: customer.Document,
        BirthdayDate: customer.BirthdayDate,
        PointsBalance: fromHundredths(balance.points),
      },
      PointsBalance: {
        PointsBalance: fromHundredths(balance.points),
        CashbackBalance: fromHundredths(balance.cashback),
      },
      Cashback: fromHundredths(row.cashbackHundredths),
      ValidDate: row.validUntil,
      ValidDateFormatted: row.validUntil === null ? '' : formatDay(row.validUntil),
      PointId: row.PointId,
      EventDate: context.now().toISOString(),
      Origins: row.origins.map((origin) => ({
        PointId: origin.PointId,
        UsedPoints: fromHundredths(origin.usedPointsHundredths),
        UsedCashback: fromHundredths(origin.usedCashbackHundredths),
      })),
    },
  });
}

function customerIdIn({ settings }: Context, { OriginalId, Email, Document }: CustomerRow) {
  const ids = { 'store-id': OriginalId, null: null, email: Email, document: Document };
  return ids[settings.eventCustomerId];
}

/** dd/MM/yyyy, in UTC. */
function formatDay(isoDate: string): string {
  return isoDate.slice(0, 10).split('-').reverse().join('/');
}
