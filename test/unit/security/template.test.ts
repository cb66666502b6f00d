import { describe, expect, it } from 'vitest';
import { persons } from '../../fixtures/persons.ts';
import { findSecrets } from '../../support/disclosure.ts';
import { propertiesOf, synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack({ storefront: {} });
const text = JSON.stringify(template.toJSON());

describe('the template, which everybody may read who may see the stack', () => {
  it('holds nothing that looks like a credential, and nobody’s data', () => {
    expect(findSecrets(text)).toEqual([]);
    for (const { email, last_name } of Object.values(persons)) {
      expect(text).not.toContain(email);
      expect(text).not.toContain(last_name);
    }
    // The one address is where alarms go, which the merchant wrote into the settings.
    expect(new Set(text.match(/[\w.+-]+@[\w-]+\.[\w.]+/g))).toEqual(
      new Set(['operator@shop.example']),
    );
  });

  it('gives functions the names of secrets, never their contents', () => {
    const secrets = propertiesOf(template, 'AWS::SecretsManager::Secret');
    expect(secrets.length).toBeGreaterThan(3);
    for (const secret of secrets) expect(secret).not.toHaveProperty('SecretString');
    expect(text).not.toContain('{{resolve:');
    for (const { Environment } of propertiesOf(template, 'AWS::Lambda::Function')) {
      const names = Object.keys(Environment?.Variables ?? {});
      expect(names.filter((name) => /TOKEN|PASSWORD|_KEY|SECRET(?!S_PREFIX)/.test(name))).toEqual(
        [],
      );
    }
  });

  it('keeps everything encrypted where it rests and on its way', () => {
    for (const queue of propertiesOf(template, 'AWS::SQS::Queue')) {
      expect(queue.SqsManagedSseEnabled).toBe(true);
    }
    // Every queue refuses what comes without TLS.
    const policies = propertiesOf(template, 'AWS::SQS::QueuePolicy');
    expect(policies).toHaveLength(propertiesOf(template, 'AWS::SQS::Queue').length);
    for (const { PolicyDocument } of policies) {
      expect(JSON.stringify(PolicyDocument)).toContain('"aws:SecureTransport":"false"');
    }
  });
});
