import { installDynamoDbLocal } from '../install.ts';
import { judgeBySuites } from '../part.ts';
import { startEngine } from '../start-engine.ts';

const SERVER = 'software.amazon.dynamodb.services.local.main.ServerRunner';

export const dynamodb = judgeBySuites({
  engine: 'DynamoDB Local 3.1.0',
  start() {
    const jars = installDynamoDbLocal();
    const java = ['java', `-Djava.library.path=${jars}`, '-cp', `${jars}/*`] as const;
    return startEngine((port) => [
      ...java,
      SERVER,
      '-inMemory',
      '-disableTelemetry',
      '-port',
      String(port),
    ]);
  },
  environment: ({ endpoint }) => ({ DYNAMODB_LOCAL: endpoint }),
  instead: { 'local/stack/emulators.ts': 'test/foreign/dynamodb/dynamodb-local.ts' },
  files: [
    'test/integration/dynamodb-ledger.test.ts',
    'test/integration/dynamodb-token-line.test.ts',
    'test/integration/two-releases.test.ts',
    'test/integration/connector/*.test.ts',
    'test/integration/stack/end-to-end.test.ts',
  ],
  differences: {
    // The engine reads the clock of the machine, and the date of a table is the go-live of this test.
    'a stack that is made today > gives no points for an order of yesterday that a tag brings, and 50 for one placed since':
      'its tables are made by its own clock',
  },
  planted: {
    bug: 'a write ignores the revision that was read',
    file: 'shared/aws/dynamodb-ledger.ts',
    find: '          ...conditionOn(readRevision),\n',
    replace: '',
  },
});
