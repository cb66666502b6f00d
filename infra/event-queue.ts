import { RemovalPolicy } from 'aws-cdk-lib';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
} from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type DataKey, QUEUE_KEY_REUSE } from './data-key.ts';
import { MAX_RECEIVES, RETENTION, VISIBILITY } from './timing.ts';

/** The maximum of SQS. Stated, because the default was a quarter of it for many years. */
const MAX_MESSAGE_BYTES = 1_048_576;

export interface EventQueueProps {
  readonly retainData: boolean;
  readonly dataKey: DataKey | undefined;
}

/** A queue of events and its dead-letter queue. */
export class EventQueue extends Construct {
  readonly source: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: EventQueueProps) {
    super(scope, id);
    const common = {
      fifo: true,
      // Groups do not slow each other down: thousands of entities a second instead of three hundred.
      deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
      fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
      ...(props.dataKey
        ? {
            encryption: QueueEncryption.KMS,
            encryptionMasterKey: props.dataKey.key,
            dataKeyReuse: QUEUE_KEY_REUSE,
          }
        : { encryption: QueueEncryption.SQS_MANAGED }),
      enforceSSL: true,
      retentionPeriod: RETENTION,
      maxMessageSizeBytes: MAX_MESSAGE_BYTES,
      // Queues have generated names: what a deleted stack retains must not block the next one. A failed
      // deployment deletes the queues that it has just created.
      removalPolicy: props.retainData
        ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
        : RemovalPolicy.DESTROY,
    };
    this.deadLetters = new Queue(this, 'DeadLetters', common);
    this.source = new Queue(this, 'Source', {
      ...common,
      visibilityTimeout: VISIBILITY,
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_RECEIVES },
    });
  }
}
