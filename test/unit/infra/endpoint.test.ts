import { describe, expect, it } from 'vitest';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const byUrl = synthesizeStack();
const byApi = synthesizeStack({
  deployment: {
    endpoint: { kind: 'http-api', throttle: { ratePerSecond: 50, burst: 100 } },
  },
});
const domain = {
  name: 'hooks.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/sample',
};
const byDomain = synthesizeStack({ deployment: { endpoint: { kind: 'http-api', domain } } });

const addressOf = (template: typeof byUrl) => template.toJSON().Outputs.WebhookAddress.Value;

/** Who may call the receiver. */
const permissionsOf = (template: typeof byUrl) =>
  propertiesOf(template, 'AWS::Lambda::Permission').filter(({ FunctionName: name }) =>
    JSON.stringify(name).includes('ReceiveWebhook'),
  );

describe('the function URL', () => {
  it('lets everybody call, because the signature is what authenticates', () => {
    expect(propertiesOf(byUrl, 'AWS::Lambda::Url')).toMatchObject([{ AuthType: 'NONE' }]);
    byUrl.resourceCountIs('AWS::ApiGatewayV2::Api', 0);
  });

  it('has both permissions, the second one only by way of the address', () => {
    const permissions = permissionsOf(byUrl);
    expect(permissions).toHaveLength(2);
    expect(permissions).toContainEqual(
      expect.objectContaining({ Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' }),
    );
    expect(permissions).toContainEqual(
      expect.objectContaining({ Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true }),
    );
  });

  it('is output without its slash, so that a shop’s part can follow', () => {
    expect(JSON.stringify(addressOf(byUrl))).toMatch(/Fn::Select.*Fn::Split.*FunctionUrl/);
  });
});

describe('the HTTP API', () => {
  it('hands over the same events as the function URL, under the same paths', () => {
    expect(propertiesOf(byApi, 'AWS::ApiGatewayV2::Integration')).toMatchObject([
      { IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' },
    ]);
    // Any other stage would stand in front of the shop's part of the path.
    expect(propertiesOf(byApi, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
      { StageName: '$default', AutoDeploy: true },
    ]);
    expect(propertiesOf(byApi, 'AWS::ApiGatewayV2::Route')).toMatchObject([
      { RouteKey: 'POST /{shop}', AuthorizationType: 'NONE' },
    ]);
  });

  it('is the only way in', () => {
    byApi.resourceCountIs('AWS::Lambda::Url', 0);
    const permissions = permissionsOf(byApi);
    expect(permissions).toMatchObject([{ Principal: 'apigateway.amazonaws.com' }]);
    expect(JSON.stringify(permissions[0]?.SourceArn)).toContain('execute-api');
  });

  it('throttles as the settings say', () => {
    expect(propertiesOf(byApi, 'AWS::ApiGatewayV2::Stage')).toMatchObject([
      { DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 } },
    ]);
    expect(
      propertiesOf(byDomain, 'AWS::ApiGatewayV2::Stage')[0]?.DefaultRouteSettings,
    ).toBeUndefined();
  });

  it('logs what it did with a request, and nothing about who sent it', () => {
    const [stage] = propertiesOf(byApi, 'AWS::ApiGatewayV2::Stage');
    const format: string = stage?.AccessLogSettings.Format;
    expect(format).toContain('$context.status');
    expect(format).not.toMatch(/sourceIp|userAgent|identity/);
  });

  it('answers under the merchant’s domain only, by TLS 1.2 or newer', () => {
    expect(propertiesOf(byDomain, 'AWS::ApiGatewayV2::DomainName')).toMatchObject([
      {
        DomainName: domain.name,
        DomainNameConfigurations: [
          { CertificateArn: domain.certificateArn, SecurityPolicy: 'TLS_1_2' },
        ],
      },
    ]);
    expect(propertiesOf(byDomain, 'AWS::ApiGatewayV2::Api')).toMatchObject([
      { DisableExecuteApiEndpoint: true },
    ]);
    expect(
      propertiesOf(byDomain, 'AWS::ApiGatewayV2::ApiMapping')[0]?.ApiMappingKey,
    ).toBeUndefined();
    expect(addressOf(byDomain)).toBe('https://hooks.example.com');
    expect(byDomain.toJSON().Outputs.DomainTarget).toBeDefined();
  });
});

const withStorefront = synthesizeStack({
  shops: [{ domain: 'one-store.myshopify.com' }, { domain: 'two-store.myshopify.com' }],
  rules: { currency: 'EUR' },
  storefront: {},
});
const functions = propertiesOf(withStorefront, 'AWS::Lambda::Function');
const withQueue = functions.filter(({ Environment }) => Environment.Variables.BALANCES_QUEUE_URL);
const receiver = withQueue.find(({ Environment }) => !Environment.Variables.LEDGER_TABLE);
const storefront = withQueue.find(
  ({ Environment: { Variables } }) => Variables.LEDGER_TABLE && !Variables.ORDERS_QUEUE_URL,
);
const outputs = withStorefront.toJSON().Outputs;

describe('the way back into the store', () => {
  it('is not deployed, and costs nothing, where the settings do not want it', () => {
    const plain = JSON.stringify(byUrl.toJSON());
    expect(plain).not.toMatch(/Balances|BALANCES|PointsAddress|Storefront|\/points"/);
  });

  it('has a queue of its own with dead letters, like those of the others', () => {
    const ids = Object.keys(withStorefront.findResources('AWS::SQS::Queue'));
    expect(ids.filter((id) => id.startsWith('Balances'))).toHaveLength(2);
    withStorefront.resourceCountIs('AWS::SQS::Queue', 8);
    withStorefront.resourceCountIs('AWS::Lambda::EventSourceMapping', 4);
    expect(outputs.BalancesQueueUrl.Value.Ref).toMatch(/^BalancesQueueSource/);
    expect(outputs.BalancesDeadLetterQueueUrl.Value.Ref).toMatch(/^BalancesQueueDeadLetters/);
  });

  it('takes events and shoppers at addresses of their own, where token and signature authenticate', () => {
    // A CORS setting of AWS would also open the routes of the app proxy to other origins.
    for (const url of propertiesOf(withStorefront, 'AWS::Lambda::Url'))
      expect(url).not.toHaveProperty('Cors');
    expect(propertiesOf(withStorefront, 'AWS::Lambda::Url')).toMatchObject([
      { AuthType: 'NONE' },
      { AuthType: 'NONE' },
      { AuthType: 'NONE' },
    ]);
    expect(JSON.stringify(outputs.PointsAddress.Value)).toMatch(/BalancesReceiver/);
    expect(JSON.stringify(outputs.StorefrontAddress.Value)).toMatch(/StorefrontProxy/);
  });

  it('gives the receiver no more variables than it needs, and the storefront time and memory', () => {
    expect(Object.keys(receiver?.Environment.Variables).toSorted()).toEqual([
      'BALANCES_QUEUE_URL',
      'METRICS_NAMESPACE',
      'SECRETS_PREFIX',
    ]);
    expect(storefront).toMatchObject({ MemorySize: 512, Timeout: 30 });
  });
});
