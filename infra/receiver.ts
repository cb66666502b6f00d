import { Construct } from 'constructs';
import type { Deployment } from '../shared/config/deployment-settings.ts';
import { ConnectorFunction, type ConnectorFunctionProps } from './connector-function.ts';
import { Endpoint } from './endpoint.ts';
import type { EventQueue } from './event-queue.ts';
import type { ShopSecrets } from './shop-secrets.ts';
import { RECEIVER_TIMEOUT } from './timing.ts';

export interface ReceiverProps
  extends Pick<
    ConnectorFunctionProps,
    'bundle' | 'environment' | 'logRetentionDays' | 'reservedConcurrency' | 'dataKey'
  > {
  readonly queues: readonly EventQueue[];
  readonly secrets: ShopSecrets;
  readonly endpoint: Deployment['endpoint'];
}

/** The receiver mostly waits for the network: more memory would cost more than it saves. */
const MEMORY_MB = 256;

/** The function that receives webhooks, and its address. */
export class Receiver extends Construct {
  readonly function: ConnectorFunction;
  readonly endpoint: Endpoint;

  constructor(scope: Construct, id: string, props: ReceiverProps) {
    super(scope, id);
    const { queues, secrets } = props;
    this.function = new ConnectorFunction(this, 'Receiver', {
      ...props,
      description: 'Verifies webhooks and puts them on their queue',
      memoryMb: MEMORY_MB,
      timeout: RECEIVER_TIMEOUT,
    });
    this.function.allow(
      ['sqs:SendMessage'],
      queues.map(({ source }) => source.queueArn),
    );
    this.function.allow(['secretsmanager:GetSecretValue'], secrets.arnsOf('webhook'));
    this.endpoint = new Endpoint(this, 'Endpoint', {
      receiver: this.function.lambda,
      settings: props.endpoint,
      logRetentionDays: props.logRetentionDays,
      dataKey: props.dataKey,
    });
  }
}
