import { devNull } from 'node:os';
import { type Endpoints, LEDGER } from '../endpoints/endpoints.ts';

/** The whole environment of a measured process, the same for every variant. */
export function environmentOf({
  aws,
  loyalty,
}: Pick<Endpoints, 'aws' | 'loyalty'>): Readonly<Record<string, string>> {
  const queue = (name: string) => `${aws}/000000000000/${name}.fifo`;
  return {
    TZ: ':UTC',
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_NAME: 'bench',
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'AKIABENCH',
    AWS_SECRET_ACCESS_KEY: 'bench',
    AWS_SESSION_TOKEN: 'x'.repeat(800),
    AWS_ENDPOINT_URL: aws,
    LOYALTY_SANDBOX_ADDRESS: loyalty,
    ORDERS_QUEUE_URL: queue('orders'),
    PRODUCTS_QUEUE_URL: queue('products'),
    COUPONS_QUEUE_URL: queue('coupons'),
    BALANCES_QUEUE_URL: queue('balances'),
    SOURCE_QUEUE_URL: queue('orders'),
    DEAD_LETTER_QUEUE_URL: queue('orders-dead'),
    LEDGER_TABLE: LEDGER,
    IDEMPOTENCY_TABLE: 'idempotency',
    SECRETS_PREFIX: 'loyalty-connector/bench',
    METRICS_NAMESPACE: 'LoyaltyConnector/bench',
    // The SDK must not find the user's own AWS credentials.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
