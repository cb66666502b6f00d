import { describe, expect, it } from 'vitest';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const alarmed = 'owner@shop.example';
const template = synthesizeStack(
  {
    shops: [{ domain: 'one.myshopify.com' }, { domain: 'two.myshopify.com', path: 'second' }],
    rules: { currency: 'EUR' },
    alarms: { emails: [alarmed] },
    storefront: {},
  },
  'dev',
);

describe('the secrets', () => {
  it('are not in the template, which knows only where their names begin', () => {
    expect(propertiesOf(template, 'AWS::SecretsManager::Secret')).toEqual([]);
    expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:');
    for (const { Environment } of propertiesOf(template, 'AWS::Lambda::Function')) {
      expect(Environment.Variables.SECRETS_PREFIX).toBe('loyalty-connector/dev');
      const names = Object.keys(Environment.Variables);
      const secretNames = /TOKEN|PASSWORD|_KEY|SECRET(?!S_PREFIX)/;
      expect(names.filter((name) => secretNames.test(name))).toEqual([]);
    }
  });
});

describe('the template', () => {
  it('asks every address that gets alarms for its consent', () => {
    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: alarmed },
    ]);
  });
});
