import { describe, expect, it } from 'vitest';
import { createEmfTelemetry } from '../../../shared/aws/emf-telemetry.ts';
import { errorFields } from '../../../shared/core/batch/telemetry.ts';
import { readAnswer } from '../../../shared/loyalty/read-answer.ts';

const HOSTILE = [
  'a\r\n{"level":"error","message":"forged"}',
  '\u001b[2J\u001b[31mred',
  '"}\n{"_aws":{"CloudWatchMetrics":[{"Namespace":"AWS/Billing"}]}}',
  '\u2028\u2029\u0085',
  '\ud800',
];

function told(act: (telemetry: ReturnType<typeof createEmfTelemetry>) => void): string[] {
  const lines: string[] = [];
  const settings = { namespace: 'LoyaltyConnector/test', service: 'receive-webhook' } as const;
  const telemetry = createEmfTelemetry(settings, (line) => lines.push(line));
  act(telemetry);
  telemetry.flush();
  return lines;
}

describe('a log line', () => {
  it.each(HOSTILE)('stays one line of JSON whatever a header or an id holds: %j', (text) => {
    const lines = told(({ log }) =>
      log('info', 'received', { correlationId: text, id: text, topic: text }),
    );
    expect(lines).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f]/);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'received', id: text });
    expect(JSON.parse(lines[0] ?? '')).not.toHaveProperty('_aws');
  });

  it.each(HOSTILE)('is no metric of another name or namespace: %j', (text) => {
    const [line = ''] = told(({ count }) => count('refused', { why: text }));
    const { _aws, ...fields } = JSON.parse(line);
    expect(_aws.CloudWatchMetrics).toMatchObject([
      { Namespace: 'LoyaltyConnector/test', Metrics: [{ Name: 'refused' }] },
    ]);
    expect(fields).toEqual({ service: 'receive-webhook', why: text, refused: 1 });
  });

  it('tells of an error by its kind and place, never in its words', () => {
    const error = new TypeError(`cannot read ${HOSTILE.join(' ')} of robin@example.com`);
    const text = JSON.stringify(errorFields(error));
    expect(text).not.toMatch(/robin|forged|red/);
    expect(text).toContain('TypeError');
  });

  it.each(HOSTILE)('takes the service’s own words on one line: %j', (text) => {
    const result = readAnswer(
      'sendOrder',
      {
        kind: 'answer',
        status: 200,
        headers: {},
        text: JSON.stringify({ HasError: true, ErrorCode: 50, ErrorMessage: `No. ${text}` }),
      },
      { input: {}, hidden: () => [] },
      new Date(0),
    );
    const { message } = result as { message: string };
    expect(message).toContain('No.');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(message).not.toMatch(/[\u0000-\u001f\u007f]/);
  });
});
