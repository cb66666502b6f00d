import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { DeadLetterReason, DeadLetters } from '../core/events/dead-letter.ts';
import { escapeToAscii } from '../core/events/message-body.ts';
import { letterIdOf } from '../core/events/message-ids.ts';
import type { SqsCalls } from './aws-calls.ts';

/**
 * Attributes count towards the 1 MiB of a message, of which an envelope leaves 48 KB. A message of
 * another sender that fills it all is refused here and taken by the queue's own redrive in the end.
 */
const ATTRIBUTE_MAX_CHARS = 1_000;

export function createSqsDeadLetters(sqs: SqsCalls, queueUrl: string): DeadLetters {
  return {
    async park(source, reason) {
      await sqs.sendMessage({
        QueueUrl: queueUrl,
        MessageBody: source.body,
        MessageDeduplicationId: letterIdOf(source),
        MessageGroupId: letterIdOf(source),
        MessageAttributes: attributesOf(reason),
      });
    },
  };
}

function attributesOf(reason: DeadLetterReason): Record<string, MessageAttributeValue> {
  const { attempts, ...texts } = reason;
  const attributes: Record<string, MessageAttributeValue> = {
    attempts: { DataType: 'Number', StringValue: String(attempts) },
  };
  for (const [name, text] of Object.entries(texts)) {
    const value = escapeToAscii(text).slice(0, ATTRIBUTE_MAX_CHARS);
    // SQS refuses an empty value.
    if (value !== '') attributes[name] = { DataType: 'String', StringValue: value };
  }
  return attributes;
}
