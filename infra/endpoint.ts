import { CfnOutput, Fn, RemovalPolicy } from 'aws-cdk-lib';
import {
  DomainName,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from '../shared/config/deployment-settings.ts';
import type { ConnectorFunction } from './connector-function.ts';

export interface EndpointProps {
  readonly receiver: ConnectorFunction;
  readonly settings: Deployment['endpoint'];
  readonly logRetentionDays: number;
}

type HttpApiSettings = Extract<Deployment['endpoint'], { kind: 'http-api' }>;

/**
 * Where webhooks arrive. Both kinds hand the receiver the same event (payload format 2.0) and let
 * everybody in: the signature over the body is the authentication.
 */
export class Endpoint extends Construct {
  /** Without a slash at its end. */
  readonly address: string;

  constructor(scope: Construct, id: string, props: EndpointProps) {
    super(scope, id);
    const { settings } = props;
    this.address =
      settings.kind === 'function-url' ? this.#functionUrl(props) : this.#httpApi(settings, props);
  }

  #functionUrl({ receiver }: EndpointProps): string {
    const { url } = receiver.lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    // https://host/
    return `https://${Fn.select(2, Fn.split('/', url))}`;
  }

  #httpApi({ throttle, domain }: HttpApiSettings, props: EndpointProps): string {
    const named =
      domain &&
      new DomainName(this, 'Domain', {
        domainName: domain.name,
        certificate: Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      });
    const api = new HttpApi(this, 'Api', {
      createDefaultStage: false,
      // With a domain of its own the API has one way in.
      disableExecuteApiEndpoint: domain !== undefined,
    });
    api.addRoutes({
      path: '/{shop}',
      methods: [HttpMethod.POST],
      integration: new HttpLambdaIntegration('Receiver', props.receiver.lambda),
    });
    const accessLog = new LogGroup(this, 'AccessLog', {
      retention: props.logRetentionDays as RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // Any other stage's name would become a part of the path that the receiver sees.
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      accessLogSettings: { destination: new LogGroupLogDestination(accessLog) },
      ...(throttle && {
        throttle: { rateLimit: throttle.ratePerSecond, burstLimit: throttle.burst },
      }),
      ...(named && { domainMapping: { domainName: named } }),
    });
    if (!named) return api.apiEndpoint;
    new CfnOutput(this, 'DomainTarget', {
      value: named.regionalDomainName,
      description: `Make ${named.name} a CNAME (or an alias) of this name`,
    }).overrideLogicalId('DomainTarget');
    return `https://${named.name}`;
  }
}
