import type { SQSEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { toMessages } from '../../shared/aws/lambda-events.ts';

it('a message has its receives as a number, and its sequence number to the last of 20 digits', () => {
  const attributes = {
    ApproximateReceiveCount: '12',
    SequenceNumber: '18849496460467696129',
    MessageGroupId: 'g',
  };
  const record = { messageId: 'm', receiptHandle: 'r', body: '{}', attributes };
  const event = { Records: [record] } as unknown as SQSEvent;
  expect(toMessages(event)).toStrictEqual([
    {
      messageId: 'm',
      receiptHandle: 'r',
      body: '{}',
      groupId: 'g',
      attempts: 12,
      sequenceNumber: '18849496460467696129',
    },
  ]);
});
