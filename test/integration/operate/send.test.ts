import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samples } from '../../../scripts/connector/send/samples.ts';
import { expectClearMistake } from '../../support/clear-mistake.ts';
import { SHOP, useOperatedConnector } from '../../support/operated-connector.ts';
import {
  answering,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server.ts';

const connector = useOperatedConnector();
let elsewhere: ScriptedServer;

beforeAll(async () => {
  elsewhere = await startScriptedServer();
});

afterAll(async () => {
  await elsewhere.stop();
});

describe('loyalty-connector send', () => {
  it('has no sample that the receiver or a worker would not understand', async () => {
    for (const { topic } of samples) {
      const { code, stdout } = await connector.run(`send --sample ${topic} --json`);
      expect(code, stdout).toBe(0);
    }
    await connector.work();
    expect(await connector.queues.deadLetters()).toEqual([]);
    // Of all of them only the product reached the loyalty service: orders are marked as tests.
    expect(connector.loyalty.journal.entries().map(({ operation }) => operation)).toEqual([
      'updateProduct',
    ]);
  });

  it('books a sample order only when it is asked to', async () => {
    connector.loyalty.journal.clear();
    const { code, stdout } = await connector.run('send --sample orders/fulfilled --real');
    expect(code).toBe(0);
    expect(stdout).toContain('200 accepted');
    expect(stdout).toMatch(/Next: npx loyalty-connector trace order \d+/);
    await connector.work();
    const sent = connector.loyalty.journal.entries().map(({ operation }) => operation);
    expect(sent).toEqual(['sendOrder']);
  });

  it('sends a file byte for byte, and the same delivery twice when asked to', async () => {
    const body = '{ "id": 820982911946154508 ,"é":1}\n';
    await writeFile(join(connector.folder, 'body.json'), body);
    elsewhere.script = answering(200, 'taken');
    const { code, stdout } = await connector.run(
      `send --file body.json --topic orders/updated --webhook-id w-1 --duplicate --to ${elsewhere.url}/shop`,
    );
    expect(code).toBe(0);
    expect(stdout.match(/200 taken/g)).toHaveLength(2);
    const received = elsewhere.received.splice(0);
    expect(received.map((request) => request.body)).toEqual([body, body]);
    expect(received.map(({ headers }) => headers['x-shopify-webhook-id'])).toEqual(['w-1', 'w-1']);
    expect(received[0]?.headers).toMatchObject({
      'x-shopify-topic': 'orders/updated',
      'x-shopify-shop-domain': SHOP,
    });
  });

  it('does not put an invented product into a program elsewhere without --yes', async () => {
    const line = `send --sample products/update --to ${elsewhere.url}/shop`;
    const refused = await connector.run(line);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('would keep this invented product. Nothing was sent.');
    expect(elsewhere.received).toHaveLength(0);
    expect((await connector.run(`${line} --yes`)).code).toBe(0);
    expect(elsewhere.received.splice(0)).toHaveLength(1);
  });

  it('ends with 1 and says what an answer means when it is none that the store takes', async () => {
    elsewhere.script = answering(401, 'the signature does not fit this address');
    const refused = await connector.run(`send --sample orders/create --to ${elsewhere.url}/shop`);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('the secret, the address or the shop does not fit');
    const nobody = await connector.run('send --sample orders/create --to http://127.0.0.1:9/shop');
    expect(nobody.code).toBe(1);
    expect(nobody.stdout).toContain('no answer: ');
  });

  it.each([
    ['send', 'give --sample TOPIC or --file PATH'],
    ['send --sample orders/create --file x', 'one of the two'],
    ['send --sample orders/lost', 'there is no sample "orders/lost"; choose one of orders/create'],
    ['send --file body.json', 'a file needs --topic'],
    ['send --sample orders/create --to http://example.com/x', '--to must begin with https://'],
    ['send --sample orders/create --to https://x.example --ask-secret', 'give --shop as a domain'],
    ['send --sample orders/create --secret abc', "unknown option '--secret'"],
  ])('answers "%s" with one clear line', (line, words) =>
    expectClearMistake(connector, line, words),
  );
});
