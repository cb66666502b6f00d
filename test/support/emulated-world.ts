import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import type { SecretsManager } from '@aws-sdk/client-secrets-manager';
import type { SQS } from '@aws-sdk/client-sqs';
import { expect, vi } from 'vitest';
import { type CapturedOutput, captureOutput } from '../../local/harness/captured-output.ts';
import {
  createDynamoDbClient,
  createSecretsClient,
  createSqsClient,
} from '../../local/harness/sdk-clients.ts';
import type { Catalog } from '../../local/loyalty-sandbox/catalog.ts';
import { type LoyaltySandbox, startLoyaltySandbox } from '../../local/loyalty-sandbox/sandbox.ts';
import type { PartialSettings } from '../../local/loyalty-sandbox/settings.ts';
import { startSecretsEmulator } from '../../local/secrets-emulator.ts';
import { type Emulator, startDynamoDb, startSqs } from '../../local/stack/emulators.ts';
import { persons } from '../fixtures/persons.ts';
import { type Confidential, createConfidential } from './disclosure.ts';
import { readMetricLine } from './watched-metrics.ts';

/** Everything around the functions, and all their output. */
export interface EmulatedWorld {
  readonly sqs: SQS;
  readonly dynamoDb: DynamoDB;
  readonly secrets: SecretsManager;
  readonly emulators: Readonly<Record<'sqs' | 'dynamoDb' | 'secrets', Emulator>>;
  readonly loyalty: LoyaltySandbox;
  readonly output: CapturedOutput;
  readonly confidential: Confidential;
}

/** The start of every test. The fixtures' orders were placed four days before. */
export const START = Date.parse('2026-10-09T12:00:00.000Z');

export const LOYALTY_CREDENTIALS = { token: 'loyalty-token-5b1d70', key: 'loyalty-key-93f2c8' };
const AWS_SECRET = 'aws-secret-of-this-test';

/** `service`: how the loyalty sandbox behaves; `catalog`: its rewards, where the usual ones do not suit. */
export async function startWorld(
  service: PartialSettings = {},
  catalog?: Catalog,
): Promise<EmulatedWorld> {
  const emulators = {
    sqs: await startSqs(),
    dynamoDb: await startDynamoDb(),
    secrets: await startSecretsEmulator(),
  };
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'emulator',
    AWS_SECRET_ACCESS_KEY: AWS_SECRET,
    AWS_ENDPOINT_URL_SQS: emulators.sqs.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: emulators.dynamoDb.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: emulators.secrets.endpoint,
  });
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 2 };
  vi.useFakeTimers({ toFake: ['Date'], now: START });
  return {
    emulators,
    sqs: createSqsClient({ budget, emulator: emulators.sqs }),
    dynamoDb: createDynamoDbClient({ budget, emulator: emulators.dynamoDb }),
    secrets: createSecretsClient({ budget, emulator: emulators.secrets }),
    loyalty: await startLoyaltySandbox({
      settings: { ...service, credentials: LOYALTY_CREDENTIALS },
      ...(catalog && { catalog }),
    }),
    output: captureOutput(),
    confidential: gatherConfidential(),
  };
}

export async function stopWorld({ emulators, loyalty, output }: EmulatedWorld): Promise<void> {
  output.stop();
  vi.useRealTimers();
  await Promise.all([loyalty, ...Object.values(emulators)].map((part) => part.stop()));
}

function gatherConfidential(): Confidential {
  const confidential = createConfidential();
  for (const { id: _, ...person } of Object.values(persons)) {
    confidential.addPersonal({ customer: person });
  }
  const { token, key } = LOYALTY_CREDENTIALS;
  const header = Buffer.from(`${token}:${key}`).toString('base64');
  for (const secret of [token, key, header, AWS_SECRET]) confidential.addSecret(secret);
  return confidential;
}

/** The sandbox may refuse a call, but must have no internal error. */
export function expectSoundSandbox({ loyalty }: EmulatedWorld): void {
  const broken = loyalty.journal
    .entries()
    .filter(({ fault, status = 0 }) => fault === 'crash' || (!fault && status >= 500));
  expect(broken, 'calls on which the sandbox broke').toEqual([]);
}

/** The output holds no personal data and no secret, and CloudWatch accepts every line. */
export function expectDiscreetOutput({ output, confidential }: EmulatedWorld): void {
  expect(confidential.texts.size).toBeGreaterThan(20);
  expect(confidential.disclosedIn(output.pieces), 'told in the output').toEqual([]);
  const lines = output.lines();
  expect(lines.length, 'lines of JSON').toBe(output.pieces.length);
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) if ('_aws' in line) readMetricLine(line);
}
