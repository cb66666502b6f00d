import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  QueueNameExists,
  SetQueueAttributesCommand,
  type SQSClient,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import type { QueueDescription, StackDescription } from './template/stack-description.ts';

/** Creates the queues and tables of the template; keeps those that an earlier run created. */
export async function createData(
  { queues, tables }: Pick<StackDescription, 'queues' | 'tables'>,
  clients: { readonly sqs: SQSClient; readonly dynamoDb: DynamoDBClient },
): Promise<void> {
  // The target of a redrive policy must exist first.
  const inOrder = queues.toSorted((a, b) => redrives(a) - redrives(b));
  for (const queue of inOrder) await createQueue(clients.sqs, queue);
  for (const { name, creation } of tables) {
    const input = { TableName: name, ...creation } as unknown as CreateTableCommandInput;
    await clients.dynamoDb.send(new CreateTableCommand(input)).catch((error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error;
    });
  }
}

const redrives = ({ attributes }: QueueDescription): number =>
  attributes.RedrivePolicy === undefined ? 0 : 1;

/** fauxqs uses a longer error name than SQS, which the SDK does not map to its class. */
const isNameTaken = (error: unknown): boolean =>
  error instanceof QueueNameExists ||
  (error instanceof SQSServiceException && error.name.endsWith('.QueueNameExists'));

async function createQueue(client: SQSClient, { name, url, attributes }: QueueDescription) {
  try {
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  } catch (error) {
    if (!isNameTaken(error)) throw error;
    // CloudFormation would update the queue, too, when the template has changed.
    const { FifoQueue: _, ...changeable } = attributes;
    await client.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: changeable }));
  }
}
