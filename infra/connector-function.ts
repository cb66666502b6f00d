import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { DataKey } from './data-key.ts';

export interface ConnectorFunctionProps {
  readonly description: string;
  /** The folder of the bundle. */
  readonly bundle: string;
  readonly memoryMb: number;
  readonly timeout: Duration;
  readonly environment: Readonly<Record<string, string>>;
  readonly logRetentionDays: number;
  readonly dataKey: DataKey | undefined;
  readonly reservedConcurrency?: number | undefined;
  /** Its messages may cause more messages to itself, which Lambda would stop as a recursive loop. */
  readonly feedsItself?: boolean | undefined;
}

/** A function with its own log group and its own role, which at first may only write the log. */
export class ConnectorFunction extends Construct {
  readonly lambda: LambdaFunction;
  readonly logs: LogGroup;
  readonly #role: Role;

  constructor(scope: Construct, id: string, props: ConnectorFunctionProps) {
    super(scope, id);
    this.logs = new LogGroup(this, 'Logs', {
      retention: props.logRetentionDays as RetentionDays,
      ...(props.dataKey && { encryptionKey: props.dataKey.key }),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      description: `${id} of ${Stack.of(this).stackName}`,
    });
    if (props.dataKey) this.#role.addToPolicy(props.dataKey.allow());
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [this.logs.logGroupArn]);
    this.lambda = new LambdaFunction(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(props.bundle),
      handler: 'index.handler',
      memorySize: props.memoryMb,
      timeout: props.timeout,
      environment: { ...props.environment },
      role: this.#role,
      logGroup: this.logs,
      loggingFormat: LoggingFormat.JSON,
      // Start and end of every invocation would be three paid log lines that the metrics make
      // superfluous; failures and time-outs are still logged.
      systemLogLevelV2: SystemLogLevel.WARN,
      ...(props.feedsItself && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(props.reservedConcurrency !== undefined && {
        reservedConcurrentExecutions: props.reservedConcurrency,
      }),
    });
  }

  /** Actions by name: the grant methods of CDK allow more than is needed. */
  allow(actions: readonly string[], resources: readonly string[]): void {
    this.#role.addToPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...actions],
        resources: [...resources],
      }),
    );
  }
}
