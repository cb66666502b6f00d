import type { ScheduleDescription } from '../template/stack-description.ts';
import { UnknownInTemplate } from '../template/template.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** The limit of setInterval. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** `rate(6 hours)` in milliseconds. */
export function readRateMs(expression: string): number {
  const [, count, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = UNIT_MS[unit];
  if (count === undefined || unitMs === undefined) {
    throw new UnknownInTemplate(`the schedule ${expression}`);
  }
  return Number(count) * unitMs;
}

export interface Schedules {
  stop(): void;
}

/** Runs each schedule for the first time after one of its periods, as EventBridge does. */
export function startSchedules(
  schedules: readonly ScheduleDescription[],
  run: (schedule: ScheduleDescription) => void,
): Schedules {
  const timers = schedules.map((schedule) => {
    const periodMs = Math.min(readRateMs(schedule.expression), LONGEST_TIMER_MS);
    return setInterval(() => run(schedule), periodMs).unref();
  });
  return { stop: () => timers.forEach(clearInterval) };
}
