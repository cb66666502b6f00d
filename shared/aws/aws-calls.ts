// Only types: the SDK itself would be most of a function's bundle.
import type {
  BatchGetItemInput,
  BatchGetItemOutput,
  DescribeTableInput,
  PutItemInput,
  QueryInput,
  QueryOutput,
  ScanInput,
  ScanOutput,
  TableDescription,
  UpdateItemInput,
  UpdateItemOutput,
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
 * The calls to AWS, as a part of the SDK's client of each service: the command line passes the SDK's
 * client, the functions pass a client of `function-clients.ts`.
 */
export interface SqsCalls {
  /** Both reject if SQS returns the checksum of another text. */
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
  updateItem(input: UpdateItemInput): Promise<Pick<UpdateItemOutput, 'Attributes'>>;
  query(input: QueryInput): Promise<QueryOutput>;
  scan(input: ScanInput): Promise<ScanOutput>;
  describeTable(
    input: DescribeTableInput,
  ): Promise<{ readonly Table?: Pick<TableDescription, 'CreationDateTime'> | undefined }>;
}

export interface SecretsCalls {
  getSecretValue(
    input: GetSecretValueRequest,
  ): Promise<Pick<GetSecretValueResponse, 'SecretString'>>;
}
