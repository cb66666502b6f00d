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

  it('gives the receiver no more variables than it needs, and the storefront time and memory', () => {
    expect(Object.keys(receiver?.Environment.Variables).toSorted()).toEqual([
      'BALANCES_QUEUE_URL',
      'METRICS_NAMESPACE',
      'SECRETS_PREFIX',
    ]);
    expect(storefront).toMatchObject({ MemorySize: 512, Timeout: 30 });
  });
});
