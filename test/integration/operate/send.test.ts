import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useOperatedConnector } from '../../support/operated-connector.ts';

const connector = useOperatedConnector();

describe('loyalty-connector send', () => {
  it('sends a sample that passes every part and leaves nothing in the loyalty service', async () => {
    const { code, stdout } = await connector.run('send');
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('200 accepted');
    expect(stdout).toMatch(/npx loyalty-connector trace product \d+/);
    const { stdout: json } = await connector.run('send --json');
    const { entity } = JSON.parse(json).data;
    await connector.work();
    const { stdout: traced } = await connector.run(`trace product ${entity.id}`);
    expect(traced).toContain('products/delete');
    expect(await connector.queues.deadLetters()).toEqual([]);
    expect(connector.loyalty.journal.entries()).toEqual([]);
  });

  it('sends a file byte for byte, signed so that the receiver takes it', async () => {
    const body = '{ "id": 820982911946154508 ,"é":1}\n';
    await writeFile(join(connector.folder, 'body.json'), body);
    const { code, stdout } = await connector.run(
      'send --file body.json --topic orders/updated --json',
    );
    // It is taken, but no worker can read an order in it.
    expect(code, stdout).toBe(1);
    expect(JSON.parse(stdout).verdict.what).toContain('makes it a dead letter');
    expect(JSON.parse(stdout).data).toMatchObject({
      bytes: Buffer.byteLength(body),
      entity: { kind: 'order', id: '820982911946154508' },
      answer: { kind: 'answered', status: 200 },
    });
  });

  it('promises no second dead letter for the same bytes, also after the first was dropped', async () => {
    await writeFile(join(connector.folder, 'unread.json'), '{"id":820982911946154509,"a":1}');
    const send = async () => {
      const { stdout } = await connector.run(
        'send --file unread.json --topic orders/updated --json',
      );
      await connector.work();
      return JSON.parse(stdout).verdict.what as string;
    };
    const letters = async () => {
      const { stdout } = await connector.run('dead-letters list --id 820982911946154509 --json');
      return JSON.parse(stdout).data.matching;
    };
    expect(await send()).toContain('makes it a dead letter');
    expect(await letters()).toBe(1);
    await connector.run('dead-letters drop --id 820982911946154509 --because test --yes');
    expect(await send()).toContain('were a dead letter before: the worker skips them');
    expect(await letters()).toBe(0);
  });

  it('ends with 1 and says what a refusal means', async () => {
    const right = String(await connector.secret('webhook'));
    // The receiver knows the former secret for some minutes.
    await connector.keepSecret('webhook', '{"current":"another-secret-5b1d71"}');
    const refused = await connector.run('send');
    await connector.keepSecret('webhook', right);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('the secret, the address or the shop');
    expect(refused.stdout).toContain('npx loyalty-connector doctor');
  });
});
