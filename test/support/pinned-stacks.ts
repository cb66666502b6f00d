import type { ConnectorSettings } from '../../shared/config/connector-config.ts';

/** What holds data, has an address that others know, or waits for a person's confirmation. */
const PINNED = new Set([
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::DynamoDB::Table',
  'AWS::KMS::Key',
  // A function URL's address belongs to its function.
  'AWS::Lambda::Function',
  'AWS::Lambda::Url',
  'AWS::Logs::LogGroup',
  'AWS::SecretsManager::Secret',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
]);

/** Fixed here: the ids of secrets and subscriptions contain what the settings name. */
export const LEAST: ConnectorSettings = {
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
  alarms: { emails: ['operator@shop.example'] },
};

export const PINNED_STACKS: Readonly<Record<string, ConnectorSettings>> = {
  default: LEAST,
  'with storefront, two shops': {
    ...LEAST,
    shops: [{ domain: 'one-store.myshopify.com' }, { domain: 'two-store.myshopify.com' }],
    rules: { currency: 'EUR' },
    storefront: {},
  },
  'behind an HTTP API with a domain': {
    ...LEAST,
    deployment: {
      endpoint: {
        kind: 'http-api',
        domain: {
          name: 'hooks.example.com',
          certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/sample',
        },
      },
    },
  },
};

/** Gone since 0.1.0: neither holds anything. The topic works without a key, and the dashboard is an option. */
export const GONE = new Set(['AlarmsKey3C2381B3', 'Dashboard']);

interface Resource {
  readonly Type: string;
  readonly Properties?: { readonly Name?: unknown };
}

/** `AWS::SecretsManager::Secret loyalty-connector/prod/shop/webhook` by logical id. */
export function pinnedResources(
  resources: Readonly<Record<string, Resource>>,
): Record<string, string> {
  const pinned = Object.entries(resources).filter(([, { Type }]) => PINNED.has(Type));
  return Object.fromEntries(
    pinned.map(([id, { Type, Properties }]) => {
      const name = Properties?.Name;
      return [id, typeof name === 'string' ? `${Type} ${name}` : Type];
    }),
  );
}
