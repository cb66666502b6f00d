import type { components } from '../../../shared/loyalty/contract.gen.ts';
import type { Call, Fault } from '../call.ts';
import { findCashbackReward } from './available-rewards.ts';
import type { Context } from './context.ts';
import { fromHundredths, productInHundredths, scaleUp } from './hundredths.ts';
import { readFields } from './read-fields.ts';

type Schemas = components['schemas'];
type ErrorDescription = Required<Schemas['ErrorDescription']>;

export type ProductPointsOutcome =
  | { readonly kind: 'done'; readonly result: Schemas['ProductPoints'][] }
  | { readonly kind: 'refused'; readonly errors: ErrorDescription[] };

/** Enough to repair a request by; a list can be wrong in a million places. */
const mostErrors = 20;

/**
 * What each product would earn at its price, as an order of it would. The faults are reported
 * together, up to a bound: 7 for what is missing or cannot be read, 9 for a price that is not above
 * zero. The currency is taken as that of the program: conversion is not shown.
 */
export function calculateProductPoints(context: Context, call: Call): ProductPointsOutcome {
  const { settings } = context;
  const { body } = call;
  const hasCashback = findCashbackReward(context) !== undefined;
  const faults: Fault[] = [...call.faults];
  const errors: ErrorDescription[] = [];
  const result: Schemas['ProductPoints'][] = [];
  if (!Array.isArray(body)) faults.push({ path: '', problem: 'must be an array' });
  for (const [i, item] of (Array.isArray(body) ? body : []).entries()) {
    if (errors.length + faults.length >= mostErrors) break;
    const path = `[${i}]`;
    const fields = readFields(item, faults, path);
    if (!fields) continue;
    const Id = fields.key('Id');
    const price = fields.amount('Price');
    fields.text('PriceCurrency');
    fields.text('Name');
    if (Id === null) errors.push(describe(7, `${path}.Id`, 'must be given'));
    if (price === null) errors.push(describe(7, `${path}.Price`, 'must be given'));
    else if (price <= 0) errors.push(describe(9, `${path}.Price`, 'must be above zero'));
    else if (Id !== null) {
      const points = productInHundredths(price, settings.pointsPerUnit);
      result.push({
        Id,
        Points: fromHundredths(points),
        Cashback: hasCashback ? fromHundredths(scaleUp(points, settings.cashbackPerPoint)) : null,
      });
    }
  }
  const named = new Set(errors.map(({ Field }) => Field));
  for (const { path, problem } of faults) {
    if (!named.has(path)) errors.push(describe(7, path, problem));
    named.add(path);
  }
  return errors.length > 0
    ? { kind: 'refused', errors: errors.slice(0, mostErrors) }
    : { kind: 'done', result };
}

function describe(
  Description: ErrorDescription['Description'],
  Field: string,
  FieldText: string,
): ErrorDescription {
  return { Description, Field, FieldText };
}
