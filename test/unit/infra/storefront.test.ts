import { describe, expect, it } from 'vitest';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const without = synthesizeStack();
const template = synthesizeStack({
  shops: [{ domain: 'one-store.myshopify.com' }, { domain: 'two-store.myshopify.com' }],
  rules: { currency: 'EUR' },
  storefront: {},
});
const functions = propertiesOf(template, 'AWS::Lambda::Function');
const withQueue = functions.filter(({ Environment }) => Environment.Variables.BALANCES_QUEUE_URL);
const receiver = withQueue.find(({ Environment }) => !Environment.Variables.LEDGER_TABLE);
const storefront = withQueue.find(
  ({ Environment: { Variables } }) => Variables.LEDGER_TABLE && !Variables.ORDERS_QUEUE_URL,
);
const outputs = template.toJSON().Outputs;

interface Policy {
  readonly Properties: {
    readonly PolicyDocument: {
      readonly Statement: readonly {
        readonly Action: string | readonly string[];
        readonly Resource: unknown;
      }[];
    };
  };
}

/** `sqs:SendMessage on BalancesQueueSource`, for what the construct's functions may do. */
function grantsOf(prefix: string): readonly string[] {
  const policies = Object.entries(template.findResources('AWS::IAM::Policy')) as [string, Policy][];
  return policies
    .filter(([id]) => id.startsWith(prefix))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .flatMap(({ Action, Resource }) =>
      [Action].flat().flatMap((action) =>
        [Resource].flat().map((resource) => {
          const [id = ''] = /[A-Z][A-Za-z]+(?:one|two)?[a-z]*/.exec(
            JSON.stringify(resource).replaceAll(/Fn::\w+|Ref|Arn|"|\{|\[/g, ''),
          ) ?? [''];
          return `${action} on ${id}`;
        }),
      ),
    )
    .toSorted();
}

describe('the way back into the store', () => {
  it('is not deployed, and costs nothing, where the settings do not want it', () => {
    const plain = JSON.stringify(without.toJSON());
    expect(plain).not.toMatch(/Balances|BALANCES|PointsAddress|Storefront|\/points"/);
  });

  it('has a queue of its own with dead letters, like those of the others', () => {
    const ids = Object.keys(template.findResources('AWS::SQS::Queue'));
    expect(ids.filter((id) => id.startsWith('Balances'))).toHaveLength(2);
    template.resourceCountIs('AWS::SQS::Queue', 8);
    template.resourceCountIs('AWS::Lambda::EventSourceMapping', 4);
    expect(outputs.BalancesQueueUrl.Value.Ref).toMatch(/^BalancesQueueSource/);
    expect(outputs.BalancesDeadLetterQueueUrl.Value.Ref).toMatch(/^BalancesQueueDeadLetters/);
  });

  it('takes events and shoppers at addresses of their own, where token and signature authenticate', () => {
    // A CORS setting of AWS would also open the routes of the app proxy to other origins.
    for (const url of propertiesOf(template, 'AWS::Lambda::Url'))
      expect(url).not.toHaveProperty('Cors');
    expect(propertiesOf(template, 'AWS::Lambda::Url')).toMatchObject([
      { AuthType: 'NONE' },
      { AuthType: 'NONE' },
      { AuthType: 'NONE' },
    ]);
    expect(JSON.stringify(outputs.PointsAddress.Value)).toMatch(/BalancesReceiver/);
    expect(JSON.stringify(outputs.StorefrontAddress.Value)).toMatch(/StorefrontProxy/);
  });

  it('keeps the tokens of each shop in a secret of their own', () => {
    const names = propertiesOf(template, 'AWS::SecretsManager::Secret').map(({ Name }) => Name);
    expect(names.filter((name) => name.endsWith('/points'))).toEqual([
      'loyalty-connector/prod/one-store/points',
      'loyalty-connector/prod/two-store/points',
    ]);
  });

  it('lets the receiver send to its queue and read the tokens, and nothing else', () => {
    expect(grantsOf('BalancesReceiver')).toEqual([
      expect.stringMatching(/^logs:CreateLogStream on BalancesReceiverLogs/),
      expect.stringMatching(/^logs:PutLogEvents on BalancesReceiverLogs/),
      expect.stringMatching(/^secretsmanager:GetSecretValue on Secretsonestorepoints/),
      expect.stringMatching(/^secretsmanager:GetSecretValue on Secretstwostorepoints/),
      expect.stringMatching(/^sqs:SendMessage on BalancesQueueSource/),
    ]);
    expect(Object.keys(receiver?.Environment.Variables).toSorted()).toEqual([
      'BALANCES_QUEUE_URL',
      'METRICS_NAMESPACE',
      'SECRETS_PREFIX',
    ]);
  });

  it('lets the storefront read and write the ledger, hand on a redemption, and nothing else', () => {
    // What names the secret of the store ends where the hash of its id begins.
    const purposes = ['', 'loyalty', 'webhook'];
    expect(grantsOf('Storefront')).toEqual([
      expect.stringMatching(/^dynamodb:BatchGetItem on LedgerTable/),
      expect.stringMatching(/^dynamodb:PutItem on LedgerTable/),
      expect.stringMatching(/^logs:CreateLogStream on StorefrontProxyLogs/),
      expect.stringMatching(/^logs:PutLogEvents on StorefrontProxyLogs/),
      ...['one', 'two'].flatMap((shop) =>
        purposes.map((purpose) =>
          expect.stringMatching(`^secretsmanager:GetSecretValue on Secrets${shop}store${purpose}`),
        ),
      ),
      expect.stringMatching(/^sqs:SendMessage on BalancesQueueSource/),
    ]);
    expect(storefront).toMatchObject({ MemorySize: 512, Timeout: 30 });
  });

  it('lets the nightly repair read the report and feed the queue, which no one does without a storefront', () => {
    const grants = grantsOf('Reconcile').join('\n');
    for (const action of ['SendMessage', 'GetQueueAttributes']) {
      expect(grants).toMatch(`sqs:${action} on BalancesQueueSource`);
    }
    for (const shop of ['one', 'two']) {
      expect(grants).toMatch(`secretsmanager:GetSecretValue on Secrets${shop}storeloyalty`);
    }
    expect(grants).not.toMatch(/points|webhook|ReceiveMessage|UpdateItem/);
    const plain = Object.entries(without.findResources('AWS::IAM::Policy')).filter(([id]) =>
      id.startsWith('Reconcile'),
    );
    expect(JSON.stringify(plain)).not.toContain('Balances');
  });

  it('lets the worker neither feed the other queues nor read the tokens', () => {
    const grants = grantsOf('BalancesSync');
    expect(grants.length).toBeGreaterThan(8);
    expect(grants.filter((grant) => /^sqs:/.test(grant) && !/BalancesQueue/.test(grant))).toEqual(
      [],
    );
    expect(grants.join('\n')).not.toMatch(/points|webhook|Scan|Delete(?!Message)|Query/);
  });

  it('rings for its dead letters, its oldest message, its functions and refused events', () => {
    const names = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(
      ({ AlarmName }) => AlarmName,
    );
    for (const id of [
      'dead-letters-balances',
      'oldest-message-balances',
      'function-errors-receive-points',
      'function-errors-sync-balances',
      'point-events-refused',
      'function-errors-storefront',
      'storefront-refused',
      'storefront-unavailable',
      'redemption-pending',
    ]) {
      expect(names).toContain(`loyalty-connector-prod-${id}`);
    }
  });
});
