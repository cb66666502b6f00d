import { devNull } from 'node:os';
import type { AwsKey } from '../run-secrets.ts';
import type { FunctionDescription } from '../template/stack-description.ts';

export interface Surroundings {
  /** The gateway in front of the emulators. */
  readonly endpoint: string;
  readonly region: string;
  readonly storeAddress: string;
  readonly loyaltyAddress: string;
}

/** Everything a function finds in its environment: what Lambda sets, the template's, and this machine's. */
export function functionEnvironment(
  { name, memoryMb, handler, logGroup, environment }: FunctionDescription,
  folder: string,
  key: AwsKey,
  { endpoint, region, storeAddress, loyaltyAddress }: Surroundings,
): Readonly<Record<string, string>> {
  return {
    TZ: ':UTC',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: handler,
    ...environment,
    AWS_ENDPOINT_URL: endpoint,
    STORE_SANDBOX_ADDRESS: storeAddress,
    LOYALTY_SANDBOX_ADDRESS: loyaltyAddress,
    // The SDK would look into the files of whoever started the stack, and their accounts are real.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
