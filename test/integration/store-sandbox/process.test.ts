import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askAdmin, control } from '../../support/ask-admin.ts';
import { startSandboxProcess } from '../../support/sandbox-process.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

const credentials = {
  clientId: '',
  clientSecret: '',
  previousSecret: '',
  accessToken: 'shpat_sandbox',
};

describe('npm run store', () => {
  it('stops at once, even while a delivery has no answer, another waits for its retry and a call hangs', async () => {
    receiver.answer = ({ headers }) =>
      headers['x-shopify-topic'] === 'orders/create' ? 500 : undefined;
    const { address, kill } = await startSandboxProcess('store', '--webhooks-to', receiver.address);
    await control({ address }, 'POST', 'actions/placeRandomOrder', {});
    await control({ address }, 'POST', 'faults', { kind: 'hang' });
    const hanging = askAdmin({ address, credentials }, '{ shop { name } }').catch(() => 'cut off');
    const journal = async () => (await control({ address }, 'GET', 'journal')).json();
    await expect.poll(journal).toMatchObject({ entries: [{ fault: 'hang' }] });
    expect(await kill('SIGTERM')).toBe(0);
    expect(await hanging).toBe('cut off');
  });
});
