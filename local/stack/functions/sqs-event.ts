import type { Message } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { InvocationResult } from './invocation.ts';

/** The event that Lambda's event source makes of a batch. */
export function toSqsEvent(messages: readonly Message[], queueArn: string): SQSEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn)) };
}

function toRecord(message: Message, eventSourceARN: string): SQSRecord {
  const { MessageId, ReceiptHandle, Body, Attributes = {}, MessageAttributes = {} } = message;
  return {
    messageId: MessageId ?? '',
    receiptHandle: ReceiptHandle ?? '',
    body: Body ?? '',
    attributes: Attributes as unknown as SQSRecord['attributes'],
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, { StringValue, BinaryValue, DataType }]) => [
        name,
        {
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
          stringListValues: [],
          binaryListValues: [],
          dataType: DataType ?? 'String',
        },
      ]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: eventSourceARN.split(':')[3] ?? '',
  };
}

/**
 * Which messages are done with. What a function returns that reports single failures is taken at its
 * word only if it makes sense: anything else means that the whole batch failed ("Handling errors for
 * an SQS event source in Lambda").
 */
export function settledMessages(
  messages: readonly Message[],
  result: InvocationResult,
  reportsItemFailures: boolean,
): readonly Message[] {
  if (result.kind !== 'returned') return [];
  if (!reportsItemFailures) return messages;
  const failures = readFailures(result.json);
  if (!failures) return [];
  const ids = new Set(messages.map(({ MessageId }) => MessageId));
  if (failures.some((id) => !ids.has(id))) return [];
  return messages.filter(({ MessageId }) => !failures.includes(MessageId ?? ''));
}

/** Undefined: not a list of identifiers. */
function readFailures(json: string): readonly string[] | undefined {
  const value: unknown = JSON.parse(json);
  // "null", "{}" and an empty list are a success of all.
  if (value === null) return [];
  if (typeof value !== 'object') return undefined;
  const { batchItemFailures: list = [] } = value as { readonly batchItemFailures?: unknown };
  if (list === null) return [];
  if (!Array.isArray(list)) return undefined;
  const ids = list.map((one: unknown) =>
    typeof one === 'object' && one !== null && 'itemIdentifier' in one ? one.itemIdentifier : '',
  );
  return ids.every((id): id is string => typeof id === 'string' && id !== '') ? ids : undefined;
}
