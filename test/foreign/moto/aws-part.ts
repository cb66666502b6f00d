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
    'test/integration/secrets-emulator.test.ts',
    'test/integration/operate/*.test.ts',
    'test/long/operate/{dead-letters,deployed,secrets-set,trace}.test.ts',
    'test/foreign/moto/deployed.test.ts',
  ],
  differences: {},
  planted: {
    bug: 'a secret is read under another name',
    file: 'shared/aws/secrets.ts',
    find: 'getSecretValue({ SecretId: name })',
    replace: 'getSecretValue({ SecretId: name.toUpperCase() })',
  },
});
