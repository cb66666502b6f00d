import { describe, expect, it } from 'vitest';
import { createShopSecrets } from '../../../shared/services/shop-secrets.ts';
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
const secrets = propertiesOf(template, 'AWS::SecretsManager::Secret');

describe('the secrets', () => {
  it('are one per shop and purpose, under the names by which the functions ask for them', () => {
    const names = ['one', 'second'].flatMap((path) =>
      ['loyalty', 'points', 'store', 'webhook'].map(
        (purpose) => `loyalty-connector/dev/${path}/${purpose}`,
      ),
    );
    expect(secrets.map(({ Name }) => Name).toSorted()).toEqual(names);
    for (const { Properties } of Object.values(template.findResources('AWS::Lambda::Function'))) {
      expect(Properties.Environment.Variables.SECRETS_PREFIX).toBe('loyalty-connector/dev');
    }
  });

  it('hold nothing that the template knows: AWS makes up a text when it creates them', () => {
    for (const secret of secrets) {
      expect(secret.SecretString).toBeUndefined();
      expect(secret.GenerateSecretString).toEqual({});
    }
    expect(JSON.stringify(template.toJSON())).not.toContain('{{resolve:');
    for (const { Environment } of propertiesOf(template, 'AWS::Lambda::Function')) {
      const names = Object.keys(Environment.Variables);
      const secretNames = /TOKEN|PASSWORD|_KEY|SECRET(?!S_PREFIX)/;
      expect(names.filter((name) => secretNames.test(name))).toEqual([]);
    }
  });

  it('are refused until a person sets them', async () => {
    // What GenerateSecretString makes without any options: 32 characters of any kind.
    const SecretString = '{3x"&,Yp)]k7:v|1}q#T0^L~w9/Zr@e8';
    const secrets = { getSecretValue: async () => ({ SecretString }) };
    const telemetry = { count: () => {}, log: () => {} };
    const readers = createShopSecrets(secrets, 'loyalty-connector/dev', telemetry);
    await expect(readers.webhook('one').get()).rejects.toThrow(
      new Error('secret loyalty-connector/dev/one/webhook is not a JSON object'),
    );
    expect(await readers.loyalty('one').get()).toBe('unusable');
    expect(await readers.store('one').get()).toBe('unusable');
  });
});

describe('the template', () => {
  it('asks every address that gets alarms for its consent', () => {
    expect(propertiesOf(template, 'AWS::SNS::Subscription')).toMatchObject([
      { Protocol: 'email', Endpoint: alarmed },
    ]);
  });
});
