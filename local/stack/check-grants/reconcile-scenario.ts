import { inOrder } from '../../store-sandbox/delivery/disorder.ts';
import type { RunningStack } from '../running-stack.ts';
import type { ScheduleDescription } from '../template/stack-description.ts';
import type { Family } from './families.ts';
import { Unreached } from './patience.ts';
import type { Scenario } from './scenario.ts';

/** Reconciling leaves what changed in the last quarter of an hour to its webhooks. */
const AGO_SECONDS = 20 * 60;

/** What no webhook told is found and sent, by every schedule there is. */
export async function playReconcile(
  { stack, patience }: Scenario,
  families: readonly Family[],
  schedules: readonly ScheduleDescription[],
): Promise<void> {
  for (const schedule of schedules) {
    const isDeep = JSON.stringify(schedule.input).includes('deep');
    const reached = isDeep
      ? await untoldDeletion(stack, patience)
      : families.map(({ name, begin }) => ({ name, isReached: untold(stack, begin) }));
    const result = await stack.functions.runSchedule(schedule);
    if (result?.kind !== 'returned') {
      throw new Unreached(`the schedule ${schedule.expression} could not be run`);
    }
    for (const { name, isReached } of reached) {
      const what = `${name}: what no webhook told is found (${schedule.expression})`;
      await patience.until(what, isReached);
    }
  }
}

/** A product that the ledger knows and the store has no more: only the deep run walks the ledger. */
async function untoldDeletion(stack: RunningStack, patience: Scenario['patience']) {
  const { actions } = stack.store;
  const { id } = someTimeAgo(stack, () => actions.createProduct({ title: 'Gone', price: 5 }));
  const held = () => stack.loyalty.state().products.find((one) => one.OriginalId === id);
  await patience.until('products: what is new is sent', () => held() !== undefined);
  untold(stack, () => actions.deleteProduct({ productId: id }));
  return [{ name: 'products', isReached: () => held()?.IsActive === false }];
}

/** Happens some time ago, and every webhook of it is lost. */
function untold<T>(stack: RunningStack, happen: () => T): T {
  stack.store.disorder = { ...inOrder, drop: 1 };
  try {
    return someTimeAgo(stack, happen);
  } finally {
    stack.store.disorder = inOrder;
  }
}

function someTimeAgo<T>({ store }: RunningStack, happen: () => T): T {
  store.advanceClock(-AGO_SECONDS);
  try {
    return happen();
  } finally {
    store.advanceClock(AGO_SECONDS);
  }
}
