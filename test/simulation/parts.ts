import { type SimulationResult, type SimulationSettings, simulate } from './simulate.ts';
import { simulateStorefront } from './storefront/simulate-storefront.ts';

/**
 * The two halves of the connector: orders to the service, and the storefront; and the first half while it only observes
 * and then goes live. Their worlds are separate.
 */
export const PARTS = ['orders', 'storefront', 'observed'] as const;
export type Part = (typeof PARTS)[number];

/** A step of the storefront takes about as long as this many webhooks. */
const WEBHOOKS_PER_STEP = 4;

type Simulate = (settings: SimulationSettings) => Promise<SimulationResult>;

/** One seed of a part. `events` counts webhooks, so that one number fits both. */
export const simulations: Readonly<Record<Part, Simulate>> = {
  orders: simulate,
  storefront: (settings) =>
    simulateStorefront({ ...settings, events: Math.ceil(settings.events / WEBHOOKS_PER_STEP) }),
  observed: (settings) =>
    simulate({ ...settings, events: Math.ceil(settings.events / 2), isObserved: true }),
};
