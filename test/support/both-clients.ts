import {
  createDynamoDbClient,
  createSecretsClient,
  createSqsClient,
} from '../../local/harness/sdk-clients.ts';
import {
  type CallBudget,
  createDynamoDbCalls,
  createSecretsCalls,
  createSqsCalls,
  type DynamoDbCalls,
  type JsonServiceSettings,
  type SecretsCalls,
  type SqsCalls,
} from '../../shared/aws/aws-client.ts';

interface ClientMaker {
  /** The caller of AWS. */
  readonly name: string;
  sqs(budget: CallBudget, endpoint: string): SqsCalls;
  dynamoDb(budget: CallBudget, endpoint: string): DynamoDbCalls;
  secrets(budget: CallBudget, endpoint: string): SecretsCalls;
}

/** The clients of the functions, for an emulator instead of AWS. */
export function ownSettings(budget: CallBudget, endpoint: string): JsonServiceSettings {
  return {
    budget,
    region: 'us-east-1',
    endpointOf: () => endpoint,
    credentials: () => ({ accessKeyId: 'emulator', secretAccessKey: 'emulator' }),
  };
}

/** The two clients of AWS: the same laws hold for both. */
export const CLIENTS: readonly ClientMaker[] = [
  {
    name: "the SDK's client",
    sqs: (budget, endpoint) => createSqsClient({ budget, emulator: { endpoint } }),
    dynamoDb: (budget, endpoint) => createDynamoDbClient({ budget, emulator: { endpoint } }),
    secrets: (budget, endpoint) => createSecretsClient({ budget, emulator: { endpoint } }),
  },
  {
    name: "the functions' own client",
    sqs: (budget, endpoint) => createSqsCalls(ownSettings(budget, endpoint)),
    dynamoDb: (budget, endpoint) => createDynamoDbCalls(ownSettings(budget, endpoint)),
    secrets: (budget, endpoint) => createSecretsCalls(ownSettings(budget, endpoint)),
  },
];
