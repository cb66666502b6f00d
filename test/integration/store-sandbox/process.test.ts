import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSandboxProcess } from '../../support/sandbox-process.ts';
import { askAdmin, control } from './ask-admin.ts';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts';

let folder: string;
let receiver: WebhookReceiver;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'store-sandbox-'));
  receiver = await startReceiver();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await receiver.stop();
});

const credentials = {
  clientId: '',
  clientSecret: '',
  previousSecret: '',
  accessToken: 'shpat_sandbox',
};

describe('a killed store', () => {
  it('has everything again after a restart, and sends what it had not yet sent', async () => {
    const file = join(folder, 'killed.jsonl');
    const args = ['--data', file, '--webhooks-to', receiver.address];
    receiver.answer = () => undefined;
    const first = await startSandboxProcess('store', ...args);
    const placed = await control(first, 'POST', 'actions/placeRandomOrder', {});
    const { result } = (await placed.json()) as { result: { id: string; number: number } };
    await control(first, 'POST', 'actions/createDiscount', { codes: ['KEPT'], percentage: 5 });
    await first.kill('SIGKILL');

    receiver.answer = () => 200;
    receiver.received.length = 0;
    const second = await startSandboxProcess('store', ...args);
    const { data } = await askAdmin(
      { address: second.address, credentials },
      '{ orders(first: 5) { nodes { id } } codeDiscountNodeByCode(code: "KEPT") { id } productsCount { count } }',
    );
    expect(data.orders.nodes).toEqual([{ id: `gid://shopify/Order/${result.id}` }]);
    expect(data.codeDiscountNodeByCode).not.toBeNull();
    expect(data.productsCount.count).toBe(5);
    await expect
      .poll(() => receiver.topics())
      .toEqual(expect.arrayContaining(['orders/create', 'discounts/create']));
    const next = await control(second, 'POST', 'actions/placeRandomOrder', {});
    const { result: later } = (await next.json()) as { result: { id: string; number: number } };
    expect(later.number).toBe(result.number + 1);
    expect(later.id).not.toBe(result.id);
    expect(await second.kill('SIGTERM')).toBe(0);
  });
});

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
