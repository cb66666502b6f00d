import { expect, it } from 'vitest';
import { startSecretsEmulator } from '../../../local/secrets-emulator.ts';
import { webhookAddressCheck } from '../../../scripts/connector/ground/checks/read-secret.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { startScriptedServer } from '../../support/scripted-server.ts';

const { shops } = defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
});

it('waits for a receiver that found no secret before this one was stored', async () => {
  const text = JSON.stringify({ current: 'secret-of-this-test' });
  const [path = ''] = shops.map((shop) => shop.path);
  const secrets = await startSecretsEmulator({ secrets: { [`of-test/${path}/webhook`]: text } });
  const receiver = await startScriptedServer();
  const statuses = [503, 503, 401, 200];
  receiver.script = (response) => {
    response.writeHead(statuses[receiver.received.length - 1] ?? 500).end();
  };
  const outputs = { WebhookAddress: receiver.url, SecretsPrefix: 'of-test' };
  const deployment = {
    aws: {
      ...{ endpoint: secrets.endpoint, region: 'us-east-1' },
      credentials: { accessKeyId: 'emulator', secretAccessKey: 'emulator' },
    },
    output: (name: keyof typeof outputs) => outputs[name],
  };
  const found = await webhookAddressCheck({ shops, deployment } as never).look();
  expect(found).toMatchObject([{ verdict: 'pass' }]);
  expect(receiver.received).toHaveLength(statuses.length);
  await Promise.all([secrets.stop(), receiver.stop()]);
});
