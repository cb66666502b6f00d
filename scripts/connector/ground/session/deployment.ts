import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createDynamoDbLedger } from '../../../../shared/aws/dynamodb-ledger.ts';
import type { ReadSettings } from '../../../../shared/aws/ledger-item.ts';
import type { Connector, Shop } from '../../../../shared/config/connector-config.ts';
import { compareVersions, VERSION } from '../../../../shared/config/release.ts';
import type { StackOutput } from '../../../../shared/config/stack-outputs.ts';
import { readControl, type ShopControl } from '../../../../shared/core/calls/shop-pause.ts';
import type { Ledger } from '../../../../shared/core/ledger/ledger.ts';
import { withGoLive } from '../../../../shared/core/mapping/wanted-state.ts';
import { Problem } from '../terminal/exit.ts';
import { line, lineText } from '../terminal/line.ts';

/** Which deployed stack is meant, where; without a name, the one that runs on this machine. */
export interface StackOptions {
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
}

/** The settings of every client of the AWS SDK: `new SQSClient(deployment.aws)`. */
export interface AwsSettings {
  readonly region: string;
  readonly profile?: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly maxAttempts: number;
  readonly requestHandler: {
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly throwOnRequestTimeout: boolean;
    readonly socketTimeout: number;
  };
}

export interface Deployment {
  readonly where: 'aws' | 'local';
  /** `prod`, or the name in `connector.config.<stage>.ts`. */
  readonly stage: string;
  readonly stack: string;
  readonly region: string;
  readonly version: string;
  readonly aws: AwsSettings;
  /** Read one by one: an older deployment may lack one. Throws a `Problem` that names it. */
  output(name: StackOutput): string;
  /** The settings of this stage, from its file in this folder; on this machine those that the stack runs with. */
  readonly connector: Connector;
  /** Where the settings were read, if not in the stage's own file: the copy that "npm start" runs with. */
  readonly settingsFile?: string;
  /** What the user must know before the answer of any command. Asked each time: a console stays open for days. */
  readonly note?: () => Promise<string | undefined>;
  /** The sandboxes of the store, the loyalty service and CloudWatch; only on this machine. */
  readonly sandbox?: SandboxAddresses;
  /** Called when the caller may not read the secrets, so that neither store nor loyalty service can be asked. */
  readonly onSecretsDenied?: () => void;
}

interface SandboxAddresses {
  /** One for all shops, or one for each: see shared/services/shop-loyalty.ts. */
  readonly storeAddress: string;
  readonly loyaltyAddress: string;
  readonly metricsAddress: string;
}

/** A user is waiting: what hangs is reported within half a minute. Throttling is retried more often than in a function. */
export const CLIENT_LIMITS = {
  maxAttempts: 5,
  requestHandler: {
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    // Without it the SDK only warns.
    throwOnRequestTimeout: true,
    socketTimeout: 10_000,
  },
} as const;

export function awsSettings(place: Omit<AwsSettings, keyof typeof CLIENT_LIMITS>): AwsSettings {
  return { ...place, ...CLIENT_LIMITS };
}

export function outputsOf(
  outputs: Readonly<Record<string, string>>,
  place: string,
  next: string,
): Deployment['output'] {
  return (name: StackOutput) => {
    const value = outputs[name];
    if (value) return value;
    throw new Problem(`${place} has no output "${name}", which this command needs.`, next);
  };
}

export type Place = Pick<Deployment, 'where' | 'stack' | 'region' | 'aws'>;

export function deployAgain({
  where,
  stage,
  region,
  aws,
}: Pick<Deployment, 'where' | 'stage' | 'region' | 'aws'>): string {
  if (where === 'local') return 'Stop "npm start" and start it again.';
  return `Deploy again: ${lineText(line('deploy', [], { stage, region, profile: aws.profile }))}`;
}

export const nextCommand = ({ where, stack, region, aws }: Place, command: string): string =>
  lineText(line(command), { where, stack, region, profile: aws.profile });

export const QUEUE_OUTPUTS = {
  orders: { queue: 'OrdersQueueUrl', letters: 'OrdersDeadLetterQueueUrl' },
  products: { queue: 'ProductsQueueUrl', letters: 'ProductsDeadLetterQueueUrl' },
  coupons: { queue: 'CouponsQueueUrl', letters: 'CouponsDeadLetterQueueUrl' },
  balances: { queue: 'BalancesQueueUrl', letters: 'BalancesDeadLetterQueueUrl' },
} as const;

/** The rules that the workers use for a shop, with the moment of go-live. */
export async function rulesOf(
  { domain, rules }: Pick<Shop, 'domain' | 'rules'>,
  ledger: Pick<Ledger, 'readMany' | 'createdAt'>,
  control?: ShopControl,
): Promise<Shop['rules']> {
  const { goLive, takeover } = control ?? (await readControl(ledger, domain));
  return withGoLive(rules, goLive, ledger, takeover);
}

export function versionDifference(
  stack: string,
  command = VERSION,
): { readonly what: string; readonly older: 'stack' | 'command' } | undefined {
  const order = compareVersions(command, stack);
  if (order === 'same') return undefined;
  const what = `the stack has version ${stack}, this command ${command}`;
  return { what, older: order === 'newer' ? 'stack' : 'command' };
}

export function openLedger(
  deployment: Deployment,
  table = deployment.output('LedgerTable'),
): Ledger {
  return createDynamoDbLedger({ client: new DynamoDB(deployment.aws), table });
}

/** The ledger's lists of records, which only commands read. */
export const openLists = ({ aws, output }: Pick<Deployment, 'aws' | 'output'>): ReadSettings => ({
  ...{ client: new DynamoDB(aws), table: output('LedgerTable'), pause, random: Math.random },
});
