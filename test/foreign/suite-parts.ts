import { join } from 'node:path';
import { type Emulator, PLACE } from '../../local/stack/emulators.ts';
import type { PlantedBug } from '../simulation/mutations/mutation.ts';
import { installDynamoDbLocal, installPython } from './install.ts';
import type { Part } from './part.ts';
import { plantedBugs } from './planted-bugs.ts';
import { runSuites, type Suites } from './run-suites.ts';
import { startEngine } from './start-engine.ts';

const EMULATORS = 'local/stack/emulators.ts';
const MOTO = 'moto 5.2.5';

export const dynamodb = judgeBySuites({
  engine: 'DynamoDB Local 3.1.0',
  planted: plantedBugs.dynamodb,
  start: startDynamoDbLocal,
  environment: ({ endpoint }) => ({ DYNAMODB_LOCAL: endpoint }),
  instead: { [EMULATORS]: 'test/foreign/instead/dynamodb-local.ts' },
  files: [
    'test/integration/dynamodb-ledger.test.ts',
    'test/integration/dynamodb-token-line.test.ts',
    'test/integration/connector/*.test.ts',
    'test/integration/stack/end-to-end.test.ts',
  ],
  differences: {
    // The engine reads the clock of the machine, and the date of a table is the go-live of this test.
    'a stack that is made today > gives no points for an order of yesterday that a tag brings, and 50 for one placed since':
      'its tables are made by its own clock',
  },
});

export const sqs = judgeBySuites({
  engine: `${MOTO}, SQS`,
  planted: plantedBugs.sqs,
  start: startMoto,
  environment: ({ endpoint }) => ({ MOTO: endpoint, SQS_GROUP_RULE: 'unless-hidden' }),
  instead: { [EMULATORS]: 'test/foreign/instead/moto-sqs.ts' },
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
});

export const aws = judgeBySuites({
  engine: `${MOTO}: CloudFormation, CloudWatch, DynamoDB, Secrets Manager, SNS, SQS, STS`,
  planted: plantedBugs.aws,
  start: startMoto,
  environment: ({ endpoint }) => ({ MOTO: endpoint }),
  instead: {
    [EMULATORS]: 'test/foreign/instead/moto-aws.ts',
    'local/secrets-emulator.ts': 'test/foreign/instead/moto-aws.ts',
  },
  files: [
    'test/integration/secrets-emulator.test.ts',
    'test/integration/operate/*.test.ts',
    'test/long/operate/{dead-letters,deployed,secrets-set,trace}.test.ts',
    'test/foreign/moto/deployed.test.ts',
  ],
  differences: {},
});

/** The library is a package of the project, so `npm test` runs these, too. */
export const shopify = judgeBySuites({
  engine: '@shopify/shopify-api 15',
  planted: plantedBugs.shopify,
  start: async () => ({ endpoint: '', stop: async () => {} }),
  environment: () => ({}),
  instead: {},
  files: [
    'test/unit/shopify/signature.test.ts',
    'test/unit/shopify/storefront-requests/{prove-proxy-request,prove-token}.test.ts',
  ],
  differences: {},
});

interface SuitesPart extends Omit<Suites, 'environment'> {
  readonly engine: string;
  start(): Promise<Emulator>;
  environment(engine: Emulator): Readonly<Record<string, string>>;
  readonly planted: PlantedBug;
}

/** Our own suites on an engine of others; the first file must find the planted bug. */
function judgeBySuites({ engine, start, planted, ...suites }: SuitesPart): Part {
  return {
    engine,
    bug: planted.bug,
    async open() {
      const started = await start();
      const here = { ...suites, environment: suites.environment(started) };
      return {
        judge: (withBug) =>
          withBug
            ? runSuites({ ...here, files: here.files.slice(0, 1) }, planted)
            : runSuites(here),
        stop: started.stop,
      };
    },
  };
}

async function startDynamoDbLocal(): Promise<Emulator> {
  const jars = await installDynamoDbLocal();
  const server = 'software.amazon.dynamodb.services.local.main.ServerRunner';
  return startEngine((port) => [
    ...(['java', `-Djava.library.path=${jars}`, '-cp', `${jars}/*`, server] as const),
    ...['-inMemory', '-disableTelemetry', '-port', String(port)],
  ]);
}

async function startMoto(): Promise<Emulator> {
  const python = join(await installPython(), 'python');
  const server = join(import.meta.dirname, 'moto/moto-server.py');
  return startEngine((port) => [python, server, String(port)], { MOTO_ACCOUNT_ID: PLACE.account });
}
