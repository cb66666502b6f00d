import { Fn } from 'aws-cdk-lib';
import type { HttpApi as Api } from 'aws-cdk-lib/aws-apigatewayv2';
import { FunctionUrlAuthType, type IFunction, type IFunctionUrl } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Deployment } from '../shared/config/deployment-settings.ts';
import { HttpApi } from './http-api.ts';

export interface EndpointProps {
  readonly receiver: IFunction;
  readonly settings: Deployment['endpoint'];
  readonly logRetentionDays: number;
}

/**
 * Where webhooks arrive. Both kinds hand the receiver the same event (payload format 2.0) and let
 * everybody in: the signature over the body is the authentication.
 */
export class Endpoint extends Construct {
  /** Without a slash at its end. */
  readonly address: string;
  /** Undefined where the function's own URL takes the webhooks. */
  readonly api: Api | undefined;

  constructor(scope: Construct, id: string, { settings, ...props }: EndpointProps) {
    super(scope, id);
    const front =
      settings.kind === 'http-api'
        ? new HttpApi(this, 'HttpApi', { ...props, settings })
        : undefined;
    this.api = front?.api;
    this.address = front?.address ?? functionUrl(props.receiver);
  }
}

function functionUrl(receiver: IFunction): string {
  return addressOf(receiver.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }));
}

/** Without the slash at its end: https://host/ */
export function addressOf({ url }: IFunctionUrl): string {
  return `https://${Fn.select(2, Fn.split('/', url))}`;
}
