import { randomUUID } from 'node:crypto';
import type { LambdaFunctionURLEvent, SQSEvent } from 'aws-lambda';
import { toFunctionUrlEvent } from '../../local/harness/webhook-request.ts';
import type { SentMessage } from '../endpoints/aws-answers.ts';

/** The event of a function URL for a webhook with this body. */
export function webhookEvent(body: string, path = 'example-store'): LambdaFunctionURLEvent {
  return toFunctionUrlEvent({
    path,
    shop: `${path}.myshopify.com`,
    topic: 'orders/updated',
    webhookId: randomUUID(),
    triggeredAt: new Date().toISOString(),
    secret: 'bench-secret',
    body: Buffer.from(body),
  });
}

/** The event of an event source for these messages. */
export function batchEvent(messages: readonly SentMessage[]): SQSEvent {
  return {
    Records: messages.map(({ MessageBody, MessageGroupId }, index) => ({
      messageId: randomUUID(),
      receiptHandle: `${'AQEB'.repeat(60)}${index}`,
      body: MessageBody,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: String(Date.now()),
        SenderId: 'AROABENCH:receive-webhook',
        ApproximateFirstReceiveTimestamp: String(Date.now()),
        MessageGroupId,
        MessageDeduplicationId: randomUUID(),
        SequenceNumber: String(18_849_496_460_467_696_128n + BigInt(index)),
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:orders.fifo',
      awsRegion: 'us-east-1',
    })),
  };
}
