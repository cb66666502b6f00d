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
import {
  FunctionUrlAuthType,
  type IFunction,
  type Function as LambdaFunction,
} from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Deployment } from '../shared/config/connector-settings.ts';
import { ConnectorFunction, type ConnectorFunctionProps } from './connector-function.ts';
import { ConnectorLog, type EventQueue, type KeptData, RECEIVER_TIMEOUT } from './storage.ts';

/** A public address, without the slash that AWS puts at its end. The function authenticates its callers. */
export function addFunctionUrl(lambda: IFunction): string {
  const { url } = lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
  return `https://${Fn.select(2, Fn.split('/', url))}`;
}

/** An address with throttling and, optionally, a domain of the merchant. */
function addHttpApi(
  scope: Construct,
  receiver: IFunction,
  kept: KeptData,
  { throttle, domain }: Extract<Deployment['endpoint'], { kind: 'http-api' }>,
) {
  const api = new Api(scope, 'Api', {
    apiName: Stack.of(scope).stackName,
    createDefaultStage: false,
    // With its own domain, that is the only address.
    disableExecuteApiEndpoint: domain !== undefined,
  });
  const [route] = api.addRoutes({
    path: '/{shop}',
    methods: [HttpMethod.POST],
    integration: new HttpLambdaIntegration('Receiver', receiver),
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
  const accessLog = new ConnectorLog(scope, 'AccessLog', kept);
  const stage = new HttpStage(scope, 'Stage', {
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
  if (!domain) return { api, address: api.apiEndpoint };
  const { name, certificateArn } = domain;
  const domainName = new DomainName(scope, 'Domain', {
    domainName: name,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new ApiMapping(scope, 'Mapping', { api, stage, domainName });
  new CfnOutput(scope, 'DomainTarget', {
    value: domainName.regionalDomainName,
    description: `Make ${name} a CNAME (or an alias) of this name`,
  }).overrideLogicalId('DomainTarget');
  return { api, address: `https://${name}` };
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

interface PublicFunction {
  readonly lambda: LambdaFunction;
  /** Without a slash at its end. */
  readonly address: string;
  /** Undefined where the function's own URL takes the webhooks. */
  readonly api?: Api;
}

/** The receiver mostly waits for the network: more memory would cost more than it saves. */
const MEMORY_MB = 256;

/**
 * The function that receives webhooks, and its public address. Both kinds hand it the same event (payload format 2.0)
 * and let any caller in: the signature over the body is the authentication.
 * See docs/decisions/0031-deploy-refuses-what-loses-state-or-starves-the-receiver.md.
 */
export function addReceiver(scope: Construct, props: ReceiverProps): PublicFunction {
  const place = new Construct(scope, 'ReceiveWebhook');
  const { queues, endpoint } = props;
  const receiver = new ConnectorFunction(place, 'Receiver', {
    ...props,
    description: 'Verifies webhooks and puts them on their queue',
    memoryMb: MEMORY_MB,
    timeout: RECEIVER_TIMEOUT,
  });
  receiver.allow(
    ['sqs:SendMessage'],
    queues.map(({ source }) => source.queueArn),
  );
  receiver.allowSecrets(props.secretsPrefix, 'webhook');
  const { lambda } = receiver;
  if (endpoint.kind !== 'http-api') return { lambda, address: addFunctionUrl(lambda) };
  const front = new Construct(new Construct(place, 'Endpoint'), 'HttpApi');
  return { lambda, ...addHttpApi(front, lambda, props, endpoint) };
}
