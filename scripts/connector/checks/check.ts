import type { PauseStatus } from '../pause/read-pauses.ts';

/** The result of one check. */
export interface Finding {
  /** `info`: neither good nor bad, but worth knowing. */
  readonly verdict: 'pass' | 'warn' | 'fail' | 'info';
  readonly what: string;
  /** What to do about it, for `warn` and `fail`. */
  readonly fix?: string;
  /** The command that does it, complete, where there is one; `fix` ends with it. */
  readonly command?: string;
  /** What it is about, as values. */
  readonly about?: Subject;
}

/** Who gets alarms: an address, or another target that was subscribed by hand. */
export interface AlarmSubscription {
  readonly endpoint: string;
  readonly confirmed: boolean;
}

/** What a set-up consists of, beside its settings. */
type Subject =
  | ({ readonly kind: 'alarm-address' } & AlarmSubscription)
  | ({ readonly kind: 'pause' } & PauseStatus)
  | {
      readonly kind: 'reward';
      readonly shop: string;
      readonly id: number | undefined;
      readonly title: string;
      /** Undefined when it could not be read. */
      readonly becomes: RewardReading | undefined;
    };

/** In words, or a command, if need be with words before it. */
type Fix = string | { readonly say?: string; readonly run: string };

const fixOf = (fix: Fix): Pick<Finding, 'fix' | 'command'> =>
  typeof fix === 'string'
    ? { fix }
    : { fix: [fix.say, fix.run].filter(Boolean).join(' '), command: fix.run };

export const pass = (what: string): Finding => ({ verdict: 'pass', what });
export const info = (what: string): Finding => ({ verdict: 'info', what });
export const warn = (what: string, fix: Fix): Finding => ({ verdict: 'warn', what, ...fixOf(fix) });
export const fail = (what: string, fix: Fix): Finding => ({ verdict: 'fail', what, ...fixOf(fix) });

export const about = (about: Subject, finding: Finding): Finding => ({ ...finding, about });

/** One thing that must be right. `doctor` looks; `setup` looks, fixes and looks again. */
export interface Check {
  readonly name: string;
  /** The checks without which this one can say nothing: what it finds then only follows from theirs. */
  readonly needs?: readonly string[];
  /** Reads, and changes nothing. */
  look(): Promise<readonly Finding[]>;
  /** Does what it can about what is wrong, and asks a person where it must. The next look says whether it helped. */
  fix?(found: readonly Finding[]): Promise<void>;
}

export interface CheckResult {
  readonly name: string;
  readonly findings: readonly Finding[];
}

/**
 * Runs all checks in parallel and yields their results in order. A check that throws or hangs becomes a
 * finding and does not delay the others.
 */
export async function* runChecks(
  checks: readonly Check[],
  timeoutMs: number,
  explain: (error: unknown) => { readonly what: string; readonly fix: string },
): AsyncGenerator<CheckResult> {
  const running = checks.map(async (check) => ({
    name: check.name,
    findings: await within(timeoutMs, attempt(check)),
  }));
  for (const result of running) yield await result;

  async function attempt({ look }: Check): Promise<readonly Finding[]> {
    try {
      return await look();
    } catch (error) {
      const { what, fix } = explain(error);
      return [fail(what, fix)];
    }
  }
}

async function within(
  timeoutMs: number,
  work: Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    const what = `no answer within ${timeoutMs / 1000} s`;
    const findings = [fail(what, 'Check the network from here, then run the command again.')];
    timer = setTimeout(() => resolve(findings), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the connector would make of a reward of the program. */
export interface RewardReading {
  readonly kind: 'code' | 'not-redeemable' | 'unknown-type';
  readonly text: string;
}
