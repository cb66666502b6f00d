import type { Connector } from '../../../shared/config/connector-config.ts';
import type { StackOutput } from '../../../shared/config/stack-outputs.ts';

/** Given as it is to every client of the AWS SDK: `new SQSClient(deployment.aws)`. */
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

/** A connector that runs somewhere, as its operator meets it. */
export interface Deployment {
  readonly where: 'aws' | 'local';
  /** `prod`, or the name in `connector.config.<stage>.ts`. */
  readonly stage: string;
  readonly stack: string;
  readonly region: string;
  readonly aws: AwsSettings;
  /**
   * What the stack says of itself. Asked for one by one: an older deployment may lack one that another
   * command needs. Throws a `Problem` that names the missing one.
   */
  output(name: StackOutput): string;
  /** The settings of this stage, from its file in this folder. */
  readonly connector: Connector;
  /** Stand-ins of the store, the loyalty service and CloudWatch, on this machine only. */
  readonly sandbox?: SandboxAddresses;
}

interface SandboxAddresses {
  readonly storeAddress: string;
  readonly loyaltyAddress: string;
  readonly metricsAddress: string;
}
