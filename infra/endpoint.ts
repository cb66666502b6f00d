import { CfnOutput, Fn, Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi as Api,
  ApiMapping,
  DomainName,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { FunctionUrlAuthType, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Deployment } from '../shared/config/connector-settings.ts';
import { ConnectorFunction, type ConnectorFunctionProps } from './connector-function.ts';
import { ConnectorLog, type EventQueue, type KeptData, RECEIVER_TIMEOUT } from './storage.ts';

/** A public address, without the slash that AWS puts at its end. The function authenticates its callers. */
export function addFunctionUrl(lambda: IFunction): string {
  const { url } = lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
  return `https://${Fn.select(2, Fn.split('/', url))}`;
}

interface HttpApiProps {
  readonly receiver: IFunction;
  readonly kept: KeptData;
  readonly settings: Extract<Deployment['endpoint'], { kind: 'http-api' }>;
}

/** An address with throttling and, optionally, a domain of the merchant. */
class HttpApi extends Construct {
  /** Without a slash at its end. */
  readonly address: string;
  readonly api: Api;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    const { throttle, domain } = props.settings;
    const api = new Api(this, 'Api', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      // With its own domain, that is the only address.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    this.api = api;
    const [route] = api.addRoutes({
      path: '/{shop}',
      methods: [HttpMethod.POST],
      integration: new HttpLambdaIntegration('Receiver', props.receiver),
    });
    if (route) {
      Validations.of(route).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason:
          'A store cannot authenticate to AWS. It signs every body, and the receiver refuses what is ' +
          'not signed with the secret of the shop whose address was called.',
      });
    }
    // Throttled requests never reach the receiver, so only this log shows them. It does not contain the
    // sender's IP address: the signature alone decides who may send.
    const accessLog = new ConnectorLog(this, 'AccessLog', props.kept);
    const stage = new HttpStage(this, 'Stage', {
      httpApi: api,
      // Any other name would become a part of the path that the receiver sees.
      stageName: '$default',
      autoDeploy: true,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: AccessLogFormat.custom(ACCESS_LOG_FORMAT),
      },
      ...(throttle && {
        throttle: { rateLimit: throttle.ratePerSecond, burstLimit: throttle.burst },
      }),
    });
    this.address = domain ? this.#ownDomain(api, stage, domain) : api.apiEndpoint;
  }

  #ownDomain(
    api: Api,
    stage: HttpStage,
    { name, certificateArn }: { readonly name: string; readonly certificateArn: string },
  ): string {
    const domainName = new DomainName(this, 'Domain', {
      domainName: name,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      securityPolicy: SecurityPolicy.TLS_1_2,
    });
    new ApiMapping(this, 'Mapping', { api, stage, domainName });
    new CfnOutput(this, 'DomainTarget', {
      value: domainName.regionalDomainName,
      description: `Make ${name} a CNAME (or an alias) of this name`,
    }).overrideLogicalId('DomainTarget');
    return `https://${name}`;
  }
}

const ACCESS_LOG_FORMAT = JSON.stringify({
  requestId: '$context.requestId',
  at: '$context.requestTime',
  route: '$context.routeKey',
  status: '$context.status',
  error: '$context.error.message',
  latencyMs: '$context.responseLatency',
});

interface ReceiverProps
  extends KeptData,
    Pick<ConnectorFunctionProps, 'bundle' | 'environment' | 'reservedConcurrency'> {
  readonly queues: readonly EventQueue[];
  readonly secretsPrefix: string;
  readonly endpoint: Deployment['endpoint'];
}

/** The receiver mostly waits for the network: more memory would cost more than it saves. */
const MEMORY_MB = 256;

/**
 * The function that receives webhooks, and its public address. Both kinds hand it the same event (payload format 2.0)
 * and let any caller in: the signature over the body is the authentication.
 * See docs/decisions/0031-deploy-refuses-what-loses-state-or-starves-the-receiver.md.
 */
export class Receiver extends Construct {
  readonly function: ConnectorFunction;
  /** Without a slash at its end. */
  readonly address: string;
  /** Undefined where the function's own URL takes the webhooks. */
  readonly api: Api | undefined;

  constructor(scope: Construct, id: string, props: ReceiverProps) {
    super(scope, id);
    const { queues } = props;
    this.function = new ConnectorFunction(this, 'Receiver', {
      ...props,
      description: 'Verifies webhooks and puts them on their queue',
      memoryMb: MEMORY_MB,
      timeout: RECEIVER_TIMEOUT,
    });
    this.function.allow(
      ['sqs:SendMessage'],
      queues.map(({ source }) => source.queueArn),
    );
    this.function.allowSecrets(props.secretsPrefix, 'webhook');
    const { endpoint: settings } = props;
    const { lambda } = this.function;
    const place = new Construct(this, 'Endpoint');
    const front =
      settings.kind === 'http-api'
        ? new HttpApi(place, 'HttpApi', { receiver: lambda, settings, kept: props })
        : undefined;
    this.api = front?.api;
    this.address = front?.address ?? addFunctionUrl(lambda);
  }
}
