import { judgeBySuites } from '../part.ts';
import { MOTO, startMoto } from './start-moto.ts';

export const aws = judgeBySuites({
  engine: `${MOTO}: CloudFormation, CloudWatch, DynamoDB, Secrets Manager, SNS, SQS, STS`,
  start: startMoto,
  environment: ({ endpoint }) => ({ MOTO: endpoint }),
  instead: {
    'local/stack/emulators.ts': 'test/foreign/moto/moto-aws.ts',
    'local/secrets-emulator.ts': 'test/foreign/moto/moto-secrets.ts',
  },
  files: [
    'test/integration/dynamodb-token-line.test.ts',
    'test/integration/secrets-emulator.test.ts',
    'test/integration/operate/*.test.ts',
    'test/long/operate/{dead-letters,deployed,secrets-set,trace}.test.ts',
    'test/foreign/moto/deployed.test.ts',
  ],
  differences: {},
  planted: {
    bug: 'a process books time that another has booked',
    file: 'shared/aws/dynamodb-token-line.ts',
    find: "'attribute_not_exists(#b) OR #b < :now'",
    replace: "'attribute_not_exists(#b) OR #b > :now'",
  },
});
