import { inOrder } from '../../store-sandbox/delivery/disorder.ts';
import type { ScheduleDescription } from '../template/stack-description.ts';
import type { Family } from './families.ts';
import { Unreached } from './patience.ts';
import type { Scenario } from './scenario.ts';

/** What no webhook told is found and sent, by every schedule there is. */
export async function playReconcile(
  { stack, patience }: Scenario,
  families: readonly Family[],
  schedules: readonly ScheduleDescription[],
): Promise<void> {
  const { store, functions } = stack;
  for (const schedule of schedules) {
    store.disorder = { ...inOrder, drop: 1 };
    const reached = families.map((family) => ({ name: family.name, isReached: family.begin() }));
    store.disorder = inOrder;
    const result = await functions.runSchedule(schedule);
    if (result?.kind !== 'returned') {
      throw new Unreached(`the schedule ${schedule.expression} could not be run`);
    }
    for (const { name, isReached } of reached) {
      await patience.until(
        `${name}: what no webhook told is found (${schedule.expression})`,
        isReached,
      );
    }
  }
}
