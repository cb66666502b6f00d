import type { ViewProps } from '../../router.ts';
import { Backfills } from './backfills.tsx';
import { Runs } from './runs.tsx';
import { Subscriptions } from './subscriptions.tsx';

/** What makes up for lost webhooks: comparisons, subscriptions, and sending what is older. */
export function HealingView(_props: ViewProps) {
  return (
    <>
      <Runs />
      <Subscriptions />
      <Backfills />
    </>
  );
}
