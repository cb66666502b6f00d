import type { Statement } from '../iam/policy.ts';
import type { Properties } from './template.ts';

/** The resources of a template that run here, with every reference resolved. */
export interface StackDescription {
  readonly queues: readonly QueueDescription[];
  readonly tables: readonly TableDescription[];
  readonly secrets: readonly SecretDescription[];
  readonly functions: readonly FunctionDescription[];
  /** Public addresses, by the output that holds the address. */
  readonly webs: Readonly<Record<string, WebDescription>>;
  readonly eventSources: readonly EventSourceDescription[];
  readonly schedules: readonly ScheduleDescription[];
  readonly roles: readonly RoleDescription[];
  /** Who else may invoke a function. */
  readonly permissions: readonly PermissionDescription[];
  readonly queuePolicies: readonly QueuePolicyDescription[];
  readonly outputs: Readonly<Record<string, string>>;
}

/** Something whose contents are encrypted with a key of the account. */
export interface Encrypted {
  readonly arn: string;
  readonly keyArn?: string | undefined;
}

export interface QueueDescription extends Encrypted {
  readonly name: string;
  readonly url: string;
  /** As CreateQueue takes them. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface TableDescription extends Encrypted {
  readonly name: string;
  readonly partitionKey: string;
  /** As CreateTable takes it. */
  readonly creation: Properties;
}

export interface SecretDescription extends Encrypted {
  readonly name: string;
}

export interface FunctionDescription {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly roleArn: string;
  /** The name of the uploaded file in the asset manifest. */
  readonly assetKey: string;
  /** `index.handler` */
  readonly handler: string;
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly logGroup: string;
  readonly reservedConcurrency: number | undefined;
}

/** A public address. */
export type WebDescription =
  | { readonly kind: 'function-url'; readonly target: FunctionReference }
  | {
      readonly kind: 'http-api';
      readonly target: FunctionReference;
      readonly apiId: string;
      /** `POST /{shop}`: any other request gets 404. */
      readonly route: string;
    };

export interface EventSourceDescription {
  readonly queueArn: string;
  readonly target: FunctionReference;
  readonly batchSize: number;
  readonly maximumConcurrency: number | undefined;
  readonly reportsItemFailures: boolean;
}

export interface ScheduleDescription {
  readonly name: string;
  readonly arn: string;
  /** `rate(1 hour)` */
  readonly expression: string;
  readonly target: FunctionReference;
  readonly input: unknown;
}

/** A role of a function, or a managed policy as a role that has only this policy. */
export interface RoleDescription {
  readonly name: string;
  readonly arn: string;
  readonly statements: readonly Statement[];
}

export interface PermissionDescription {
  readonly logicalId: string;
  readonly action: string;
  readonly target: FunctionReference;
  readonly principal: string;
  readonly sourceArn: string | undefined;
  readonly conditions: Properties;
}

export interface QueuePolicyDescription {
  readonly queueUrls: readonly string[];
  readonly statements: readonly Statement[];
}

/** A name or an ARN: templates use both. */
export type FunctionReference = string;

export function isFunction(
  { name, arn }: Pick<FunctionDescription, 'name' | 'arn'>,
  reference: FunctionReference,
): boolean {
  return reference === name || reference === arn;
}

/** Policies refer to roles by name, functions by ARN. */
export function roleNameOf({ roleArn }: Pick<FunctionDescription, 'roleArn'>): string {
  return roleArn.split('/').at(-1) ?? '';
}
