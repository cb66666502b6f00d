import { devNull } from 'node:os';
import { toItem } from '../shared/aws/ledger-item.ts';
import { controlKey, type ShopControl } from '../shared/core/calls/shop-pause.ts';
import { rememberedForm } from '../shared/core/ledger/ledger.ts';
import { type Endpoints, LEDGER, startEndpoints } from './endpoints/endpoints.ts';
import { createOrderWriter, type WriteOrder } from './traffic/orders.ts';
import { SHOP } from './traffic/visits.ts';
import { type Bundles, buildVariants } from './variants/build-variants.ts';

/** The whole environment of a measured process, the same for every variant. */
function environmentOf({
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
    WORKERS: '10',
    SECRETS_PREFIX: 'loyalty-connector/bench',
    METRICS_NAMESPACE: 'LoyaltyConnector/bench',
    // The SDK must not find the user's own AWS credentials.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}

/** The same endpoints, environment and orders for all variants. */
export interface Lab {
  readonly endpoints: Endpoints;
  readonly bundles: Bundles;
  readonly environment: Readonly<Record<string, string>>;
  /** The same with TLS to AWS. */
  readonly tlsEnvironment: Readonly<Record<string, string>>;
  readonly writeOrder: WriteOrder;
  /** A new id each time, because the tables keep earlier orders. */
  nextOrderId(): number;
  close(): Promise<void>;
}

/** What the first run of reconcile records of a shop: from then on no cold start asks when the ledger was made. */
const CONTROL = toItem(
  controlKey(SHOP),
  rememberedForm<ShopControl>('control', 1).entry({ operator: {}, ended: {}, goLive: 0 }),
  1,
  'bench',
);

export async function openLab(): Promise<Lab> {
  const bundles = await buildVariants();
  const endpoints = await startEndpoints();
  await endpoints.put(CONTROL);
  const { awsTls: aws, certificate } = endpoints;
  const authority = bundles.keep('authority.pem', certificate);
  let lastOrderId = 6_000_000_000_000;
  return {
    endpoints,
    bundles,
    environment: environmentOf(endpoints),
    tlsEnvironment: {
      ...environmentOf({ ...endpoints, aws }),
      NODE_EXTRA_CA_CERTS: authority,
    },
    writeOrder: await createOrderWriter(),
    nextOrderId() {
      lastOrderId += 1;
      return lastOrderId;
    },
    async close() {
      await endpoints.stop();
      bundles.remove();
    },
  };
}
