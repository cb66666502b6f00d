import { type Finding, info, pass, warn } from './finding.ts';

/** One answer's `Date` header against our own clock. */
export interface ClockReading {
  readonly whose: string;
  readonly date: string | undefined;
  /** Epoch milliseconds when the answer came. */
  readonly at: number;
}

/** The header counts whole seconds, and the answer was on its way. */
const TOLERANCE_SECONDS = 30;

/** AWS refuses requests that are five minutes off, and latency is measured across clocks. */
export function judgeClock(readings: readonly ClockReading[]): readonly Finding[] {
  const skews = readings.flatMap(({ whose, date, at }) => {
    const theirs = Date.parse(date ?? '');
    return Number.isFinite(theirs) ? [{ whose, seconds: Math.round((at - theirs) / 1000) }] : [];
  });
  if (skews.length === 0) return [info('nobody told the time to compare with')];
  const off = skews.filter(({ seconds }) => Math.abs(seconds) > TOLERANCE_SECONDS);
  if (off.length === 0) return [pass(`within ${TOLERANCE_SECONDS} s of ${listOf(skews)}`)];
  return off.map(({ whose, seconds }) =>
    warn(
      `this machine's clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of ${whose}`,
      'Let the machine set its clock by the network (timedatectl set-ntp true).',
    ),
  );
}

const listOf = (skews: readonly { readonly whose: string }[]) =>
  skews.map(({ whose }) => whose).join(', ');
