import type { Random } from '../../local/sandbox-kit/seeded-random.ts';
import { createEmfTelemetry } from '../../shared/aws/emf-telemetry.ts';
import { METRICS, type Service, type StorefrontService } from '../../shared/config/metrics.ts';

/** One input: mutated bytes, and small texts around them. */
export interface FuzzInput {
  readonly body: Uint8Array;
  /** Topic, headers, operation. */
  readonly parts: Readonly<Record<string, string>>;
}

export interface FuzzTarget {
  /** The same random numbers make the same input. */
  make(random: Random): FuzzInput;
  /**
   * Returns how the input was handled, so that a report shows how many got past the first check. Throws
   * when a law is broken.
   */
  run(input: FuzzInput): Promise<string>;
}

export class BrokenLaw extends Error {
  override readonly name = 'BrokenLaw';
}

export function expectLaw(holds: boolean, law: string): asserts holds {
  if (!holds) throw new BrokenLaw(law);
}

export function pick<T>(random: Random, all: readonly T[]): T {
  const found = all[Math.floor(random() * all.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}

export function wholeNumber(random: Random, below: number): number {
  return Math.floor(random() * below);
}

const NAMESPACE = 'LoyaltyConnector/fuzz';

/** Far longer than any log line: a longer one repeats input. */
const LONGEST_LINE = 4_000;

/** Characters that begin a new line or control a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Telemetry whose lines are checked as CloudWatch reads them. */
export function createCheckedTelemetry(service: Service | StorefrontService) {
  const lines: string[] = [];
  const telemetry = createEmfTelemetry(
    { namespace: NAMESPACE, service, monitoring: 'full' },
    (line) => {
      lines.push(line);
    },
  );
  return {
    telemetry,
    /** Every line is one object, and only known metrics are in the metric format. */
    expectValidLines(): void {
      for (const line of lines.splice(0)) {
        expectLaw(line.length <= LONGEST_LINE, 'a line of the log is short');
        expectLaw(!CONTROL.test(line), 'a line of the log is one line');
        const entry = JSON.parse(line);
        if (!('_aws' in entry)) continue;
        const [directive, ...others] = entry._aws.CloudWatchMetrics;
        expectLaw(others.length === 0, 'a metric line has one directive');
        expectLaw(directive.Namespace === NAMESPACE, 'a metric stays in its namespace');
        const names = directive.Metrics.map(({ Name }: { Name: string }) => Name);
        expectLaw(
          names.every((name: string) => Object.hasOwn(METRICS, name)),
          'no metric is named by input',
        );
      }
    },
  };
}
