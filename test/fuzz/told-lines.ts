import { createEmfTelemetry } from '../../shared/aws/emf-telemetry.ts';
import { METRICS, type Service, type StorefrontService } from '../../shared/config/metrics.ts';
import { expectLaw } from './fuzz-target.ts';

const NAMESPACE = 'LoyaltyConnector/fuzz';

/** Longer than any line of ours by far: what is longer repeats what somebody sent. */
const LONGEST_LINE = 4_000;

/** What begins a new line, or colours a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Telemetry whose lines are held to what CloudWatch makes of them. */
export function createToldLines(service: Service | StorefrontService) {
  const lines: string[] = [];
  const telemetry = createEmfTelemetry({ namespace: NAMESPACE, service }, (line) => {
    lines.push(line);
  });
  return {
    telemetry,
    /** Every line is one object on one line, and only our own metrics are in the metric format. */
    expectSound(): void {
      for (const line of lines.splice(0)) {
        expectLaw(line.length <= LONGEST_LINE, 'a line of the log is short');
        expectLaw(!CONTROL.test(line), 'a line of the log is one line');
        const told = JSON.parse(line);
        if (!('_aws' in told)) continue;
        const [directive, ...others] = told._aws.CloudWatchMetrics;
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
