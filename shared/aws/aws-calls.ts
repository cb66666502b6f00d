// Only types: what they come from would be most of a function's bundle.
import type {
  BatchGetItemInput,
  BatchGetItemOutput,
  PutItemInput,
  QueryInput,
  QueryOutput,
  ScanInput,
  ScanOutput,
  UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import type {
  GetSecretValueRequest,
  GetSecretValueResponse,
} from '@aws-sdk/client-secrets-manager';
import type {
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityBatchResult,
  GetQueueAttributesRequest,
  GetQueueAttributesResult,
  SendMessageBatchRequest,
  SendMessageBatchResult,
  SendMessageRequest,
  SendMessageResult,
} from '@aws-sdk/client-sqs';

/**
 * The calls that functions make, each a part of the SDK's own client of that service: the command line
 * passes that client, the functions pass what `function-clients.ts` makes.
 */
export interface SqsCalls {
  /** Both reject when the checksum of what SQS holds is another. */
  sendMessage(input: SendMessageRequest): Promise<SendMessageResult>;
  sendMessageBatch(input: SendMessageBatchRequest): Promise<SendMessageBatchResult>;
  changeMessageVisibilityBatch(
    input: ChangeMessageVisibilityBatchRequest,
  ): Promise<ChangeMessageVisibilityBatchResult>;
  getQueueAttributes(input: GetQueueAttributesRequest): Promise<GetQueueAttributesResult>;
}

export interface DynamoDbCalls {
  batchGetItem(input: BatchGetItemInput): Promise<BatchGetItemOutput>;
  putItem(input: PutItemInput): Promise<unknown>;
  updateItem(input: UpdateItemInput): Promise<unknown>;
  query(input: QueryInput): Promise<QueryOutput>;
  scan(input: ScanInput): Promise<ScanOutput>;
}

export interface SecretsCalls {
  getSecretValue(
    input: GetSecretValueRequest,
  ): Promise<Pick<GetSecretValueResponse, 'SecretString'>>;
}
