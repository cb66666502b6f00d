import type { Message } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { toHttpRequest } from '../../../functions/wiring.ts';
import { settledMessages } from '../../../local/stack/functions/event-source.ts';
import { readRateMs } from '../../../local/stack/functions/function-runner.ts';
import { readEmbeddedMetrics } from '../../../local/stack/functions/metrics.ts';
import { toHttpAnswer, toHttpEvent } from '../../../local/stack/functions/web-server.ts';
import { createEmfTelemetry } from '../../../shared/aws/emf-telemetry.ts';

const request = (contentType: string | undefined, body: Buffer) => ({
  method: 'POST',
  target: '/shop?a=1&a=2',
  headers: { host: 'h', ...(contentType && { 'content-type': contentType }), cookie: 'x=1; y=2' },
  body,
});

describe('a request becomes an event of payload format 2.0', () => {
  it.each([
    ['application/json', false],
    ['application/json; charset=utf-8', false],
    ['text/plain', false],
    ['application/xml', false],
    ['application/x-www-form-urlencoded', true],
    ['application/octet-stream', true],
    ['application/vnd.api+json', true],
    [undefined, true],
  ])('%s comes in base64: %s', (contentType, isBase64Encoded) => {
    const event = toHttpEvent(request(contentType, Buffer.from('{"a":"ä"}')), '$default');
    expect(event.isBase64Encoded).toBe(isBase64Encoded);
    const { body } = toHttpRequest(event as never);
    expect(Buffer.from(body).toString()).toBe('{"a":"ä"}');
  });

  it('returns the answer of the function, or an error without details', () => {
    const returned = (value: unknown) =>
      toHttpAnswer({ kind: 'returned', json: JSON.stringify(value) });
    expect(returned({ statusCode: 401, body: 'no' })).toMatchObject({ status: 401, body: 'no' });
    expect(returned({ statusCode: 200, body: 'YQ==', isBase64Encoded: true }).body).toEqual(
      Buffer.from('a'),
    );
    expect(returned('hello')).toMatchObject({ status: 200, body: 'hello' });
    const failed = { kind: 'failed', errorType: 'Error', errorMessage: 'a secret' } as const;
    expect(toHttpAnswer(failed)).toMatchObject({ status: 502 });
    expect(JSON.stringify(toHttpAnswer(failed))).not.toContain('secret');
    expect(toHttpAnswer({ kind: 'throttled' }).status).toBe(429);
  });
});

describe('a batch of messages', () => {
  const messages: Message[] = ['a', 'b', 'c'].map((id) => ({
    MessageId: id,
    ReceiptHandle: `handle-${id}`,
    Body: id,
    MD5OfBody: 'm',
    Attributes: { ApproximateReceiveCount: '2', MessageGroupId: 'g' },
  }));
  const settled = (json: string, reports = true) =>
    settledMessages(messages, { kind: 'returned', json }, reports).map(
      ({ MessageId }) => MessageId,
    );

  it('is deleted except for the messages that the function reports as failed', () => {
    expect(settled('{"batchItemFailures":[{"itemIdentifier":"b"}]}')).toEqual(['a', 'c']);
    expect(settled('{"batchItemFailures":[]}')).toEqual(['a', 'b', 'c']);
    expect(settled('null')).toEqual(['a', 'b', 'c']);
    expect(settled('{}')).toEqual(['a', 'b', 'c']);
  });

  it.each([
    '"ok"',
    '{"batchItemFailures":"b"}',
    '{"batchItemFailures":[{"itemIdentifier":"unknown"}]}',
    '{"batchItemFailures":[{"itemIdentifier":""}]}',
    '{"batchItemFailures":[{"itemIdentifier":null}]}',
    '{"batchItemFailures":[{}]}',
  ])('stays whole when the answer is %s', (json) => {
    expect(settled(json)).toEqual([]);
  });

  it('is kept when the function fails, and is deleted whole when single failures are not reported', () => {
    const failed = { kind: 'failed', errorType: 'E', errorMessage: 'm' } as const;
    expect(settledMessages(messages, failed, true)).toEqual([]);
    expect(settled('{"batchItemFailures":[{"itemIdentifier":"b"}]}', false)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });
});

describe('metrics in the log', () => {
  it('are read as the connector writes them', () => {
    const lines: string[] = [];
    const telemetry = createEmfTelemetry(
      { namespace: 'N', service: 'sync-orders', monitoring: 'full' },
      (line) => lines.push(line),
      () => new Date(1000),
    );
    telemetry.count('applied', { kind: 'order' }, 3);
    telemetry.log('info', 'applied', {});
    telemetry.flush();
    expect(lines.flatMap(readEmbeddedMetrics)).toContainEqual({
      name: 'applied',
      dimensions: {},
      at: 1000,
      value: 3,
    });
  });

  it.each(['', 'text', '{"_aws"', '{"_aws":1}', '{"_aws":{}}'])('none are in %j', (line) => {
    expect(readEmbeddedMetrics(line)).toEqual([]);
  });
});

describe('schedules', () => {
  it('by a rate', () => {
    expect(readRateMs('rate(1 hour)')).toBe(3_600_000);
    expect(readRateMs('rate(7 days)')).toBe(604_800_000);
    expect(() => readRateMs('cron(0 12 * * ? *)')).toThrow('cron(0 12 * * ? *)');
  });
});
