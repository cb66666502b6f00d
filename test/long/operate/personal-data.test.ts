import { createHmac } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { orderAt, withId } from '../../fixtures/order-life.ts';
import { personalFields, persons } from '../../fixtures/persons.ts';
import { SECRETS, SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import { orderEvent } from '../../support/parked-letters.ts';

/* Personal data on the operator's side, from the promise alone: the files and the words of the commands. */

const connector = useOperatedConnector();

/** An order that the service refuses, and that a person drops. Gives its id. */
async function dropOrder(id: number): Promise<string> {
  connector.loyalty.faults.add({ operation: 'sendOrder', kind: 'business-error', code: 30 });
  const at = new Date().toISOString();
  const dates = { created_at: at, processed_at: at, updated_at: at };
  const payload = orderAt(0, { fulfilledAfterDays: 2 }, { ...withId(id), ...dates });
  await connector.send(orderEvent(id, payload, at));
  await connector.work();
  connector.loyalty.faults.clear();
  await drop(String(id));
  return String(id);
}

const drop = async (id: string) => {
  const { code } = await connector.run(`dead-letters drop --id ${id} --because test --yes`);
  expect(code).toBe(0);
};

/** The files in the operator's folder that hold this order. The queues there are those of the emulated AWS. */
async function filesWith(id: string): Promise<readonly string[]> {
  const names = await readdir(connector.folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((one) => one.isFile() && one.parentPath !== join(connector.folder, 'queues'))
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return files.filter((_, index) => texts[index]?.includes(id));
}

it('no body of what was dropped is left on the machine', async () => {
  const note = join(connector.folder, 'note.txt');
  await writeFile(note, '8811001');
  expect(await filesWith('8811001')).toEqual([note]);
  await rm(note);
  expect(await filesWith(await dropOrder(8_811_001))).toEqual([]);
});

it('`status` names the number of a customer who asked for their data, and nothing else of them', async () => {
  const { first_name, last_name, email, phone } = persons.quillane;
  connector.confidential.addPersonal({ customer: { first_name, last_name, email, phone } });
  const { id } = personalFields(persons.quillane).customer;
  const body = JSON.stringify({
    ...{ shop_id: 954889, shop_domain: SHOP, orders_requested: [] },
    ...{ customer: { id, email, phone }, data_request: { id: 9999 } },
  });
  const sha = createHmac('sha256', SECRETS.webhook.current).update(body).digest('base64');
  const { status } = await fetch(`${connector.outputs.WebhookAddress}/example-store`, {
    ...{ method: 'POST', body },
    headers: {
      ...{ 'content-type': 'application/json', 'x-shopify-hmac-sha256': sha },
      ...{ 'x-shopify-topic': 'customers/data_request', 'x-shopify-shop-domain': SHOP },
      ...{ 'x-shopify-webhook-id': 'data-request-1', 'x-shopify-api-version': '2026-10' },
    },
  });
  expect(status).toBe(200);
  await connector.work();
  const { stdout } = await connector.run('status');
  expect(stdout).toContain('9999');
  expect(stdout).toContain(String(id));
});
