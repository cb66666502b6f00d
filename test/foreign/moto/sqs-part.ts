import { judgeBySuites } from '../part.ts';
import { MOTO, startMoto } from './start-moto.ts';

export const sqs = judgeBySuites({
  engine: `${MOTO}, SQS`,
  start: startMoto,
  environment: ({ endpoint }) => ({ MOTO: endpoint, SQS_GROUP_RULE: 'unless-hidden' }),
  instead: { 'local/stack/emulators.ts': 'test/foreign/moto/moto-sqs.ts' },
  files: [
    'test/integration/sqs-queues.test.ts',
    'test/integration/fifo-queue.test.ts',
    'test/integration/connector/*.test.ts',
    'test/integration/balances/*.test.ts',
    'test/integration/stack/end-to-end.test.ts',
  ],
  differences: {
    // AWS keeps the id after the message was received and deleted ("Using the message deduplication ID").
    'the FIFO queue contract, kept by SQS over HTTP > ignores a repeated deduplication id, even of a deleted message':
      'moto forgets the deduplication id of a deleted message',
  },
  planted: {
    bug: 'all entities of a kind are one group',
    file: 'shared/core/events/message-ids.ts',
    find: 'return ALLOWED_ID.test(readable) ? readable :',
    replace: 'return ALLOWED_ID.test(readable) ? kind :',
  },
});
