import type { Schemas } from '../../../shared/loyalty/operations.ts';
import type { Call } from '../call.ts';
import type { CatalogTier } from '../catalog.ts';
import { unspecified } from './assigned-numbers.ts';
import type { Context } from './context.ts';
import { fromHundredths } from './hundredths.ts';
import { type Answer, describeFaults, done, refuse } from './outcome.ts';
import { earnedPointsOf } from './points.ts';
import { readFields } from './read-fields.ts';

/** How far a customer is, in the measures that the goals of a tier use. */
type Progress = Readonly<Record<CatalogTier['goals'][number]['measure'], number>>;

const noProgress: Progress = { 'points-earned': 0, 'completed-orders': 0 };

const goalNames = {
  'points-earned': 'Points earned',
  'completed-orders': 'Completed orders',
} as const;

/** 59 for an unknown customer, 7 for a body that cannot be read. Asked for no customer: the base tier. */
export function listTiers(context: Context, call: Call): Answer<'TierAvailability'> {
  const faults = [...call.faults];
  const fields = call.body === undefined ? null : readFields(call.body, faults);
  const customerId = fields?.key('CustomerId') ?? null;
  if (faults.length > 0) return refuse(7, describeFaults(faults));
  if (customerId !== null && !context.tables.customers.get(customerId)) {
    return refuse(59, 'No customer has this CustomerId.');
  }
  const progress = customerId === null ? noProgress : progressOf(context, customerId);
  const { tiers } = context.catalog;
  const reached = findTier(context, progress);
  const all = tiers.map((tier, order) => describeTier(tier, order, progress));
  return done({
    CurrentTier: describeTier(reached, tiers.indexOf(reached), progress),
    NextTiers: all.slice(tiers.indexOf(reached) + 1),
    AllTiers: all,
  });
}

/** The highest tier of which every goal is reached; the base tier has none. */
export function tierOf(context: Context, customerId: string): CatalogTier {
  return findTier(context, progressOf(context, customerId));
}

function findTier({ catalog }: Context, progress: Progress): CatalogTier {
  return (
    catalog.tiers.findLast(({ goals }) =>
      goals.every(({ measure, value }) => progress[measure] >= value),
    ) ?? catalog.tiers[0]
  );
}

function progressOf(context: Context, customerId: string): Progress {
  const orders = context.tables.ordersByCustomer.of(customerId);
  return {
    'points-earned': fromHundredths(earnedPointsOf(context, customerId)),
    'completed-orders': orders.filter((o) => o.IsCompleted && !o.IsCancelledOrReturned).length,
  };
}

function describeTier(tier: CatalogTier, order: number, progress: Progress): Schemas['Tier'] {
  return {
    Id: tier.id,
    Image: iconUrl(tier),
    Color: tier.color,
    Name: tier.name,
    Order: order,
    Benefits: tier.benefits.map((Description) => ({
      IsUsed: false,
      Description,
      Type: unspecified,
      SubType: unspecified,
      Objective: {},
    })),
    Goals: tier.goals.map(({ measure, value }) => ({
      Name: goalNames[measure],
      GoalValue: value,
      CurrentValue: progress[measure],
      PercentToGoal: percentOf(progress[measure], value),
    })),
  };
}

/** Whole percents, cut off, so that 100 is never shown before the goal is reached. */
function percentOf(current: number, goal: number): number {
  return current >= goal ? 100 : Math.floor((current / goal) * 100);
}

export function iconUrl({ name }: CatalogTier): string {
  return `https://sandbox.example.com/tiers/${encodeURIComponent(name.toLowerCase())}.svg`;
}
