import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  CreateSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceExistsException,
  ResourceNotFoundException,
  type SecretsManager,
} from '@aws-sdk/client-secrets-manager';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSecretsClient } from '../../local/harness/sdk-clients.ts';
import { type SecretsEmulator, startSecretsEmulator } from '../../local/secrets-emulator.ts';
import { WORKER_BUDGET } from '../../shared/aws/aws-client.ts';
import {
  createSecretReader,
  createSecretsManagerSource,
} from '../../shared/services/shop-secrets.ts';
import { CLIENTS } from '../support/both-clients.ts';

const BUDGET = { ...WORKER_BUDGET, connectMs: 5_000 };
let emulator: SecretsEmulator;
let client: SecretsManager;

beforeEach(async () => {
  emulator = await startSecretsEmulator({ secrets: { 'shop/example': '{"password":"one"}' } });
  client = createSecretsClient({ budget: BUDGET, emulator });
});
afterEach(async () => {
  client.destroy();
  await emulator.stop();
});

describe('our own emulator of Secrets Manager, through the real SDK', () => {
  it('gives the current value of a secret, by name and by ARN', async () => {
    await client.send(
      new PutSecretValueCommand({ SecretId: 'shop/example', SecretString: '{"password":"two"}' }),
    );
    const current = await client.send(new GetSecretValueCommand({ SecretId: 'shop/example' }));
    expect(current.SecretString).toBe('{"password":"two"}');
    expect(current.VersionStages).toEqual(['AWSCURRENT']);
    expect(current.CreatedDate).toBeInstanceOf(Date);
    const byArn = await client.send(new GetSecretValueCommand({ SecretId: current.ARN }));
    expect(byArn).toMatchObject({ SecretString: '{"password":"two"}' });
  });

  it('keeps in its file what was stored, over the initial secrets', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'secrets-')), 'kept.json');
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    const secrets = { 'shop/example': '{"password":"one"}', 'shop/other': '{}' };
    const read = async (how: (reader: SecretsManager) => Promise<unknown>) => {
      const kept = await startSecretsEmulator({ secrets, file });
      const reader = createSecretsClient({ budget: BUDGET, emulator: kept });
      const answered = await how(reader);
      reader.destroy();
      await kept.stop();
      return answered;
    };
    const named = { SecretId: 'shop/example' };
    await read((reader) => reader.putSecretValue({ ...named, SecretString: '{"password":"two"}' }));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await read((reader) => reader.getSecretValue(named))).toMatchObject({
      SecretString: '{"password":"two"}',
    });
  });

  it('makes a secret once', async () => {
    const create = new CreateSecretCommand({ Name: 'shop/other', SecretString: '{}' });
    expect((await client.send(create)).Name).toBe('shop/other');
    await expect(client.send(create)).rejects.toBeInstanceOf(ResourceExistsException);
  });

  it('knows nothing of what was never made', async () => {
    await expect(
      client.send(new GetSecretValueCommand({ SecretId: 'shop/missing' })),
    ).rejects.toBeInstanceOf(ResourceNotFoundException);
    await expect(
      client.send(new PutSecretValueCommand({ SecretId: 'shop/missing', SecretString: '{}' })),
    ).rejects.toBeInstanceOf(ResourceNotFoundException);
  });
});

describe.each(CLIENTS)('a secret read through $name', ({ secrets }) => {
  function createReader(name: string) {
    const clock = { now: 0 };
    const reader = createSecretReader({
      name,
      source: createSecretsManagerSource(secrets(BUDGET, emulator.endpoint)),
      parse: ({ password = '' }) => ({ kind: 'parsed', value: password }),
      now: () => clock.now,
    });
    return { reader, clock };
  }

  it('follows a rotation after a failed verification', async () => {
    const { reader, clock } = createReader('shop/example');
    expect(await reader.get()).toBe('one');
    await client.send(
      new PutSecretValueCommand({ SecretId: 'shop/example', SecretString: '{"password":"two"}' }),
    );
    expect(await reader.get()).toBe('one');
    clock.now = 60_000;
    expect(await reader.refresh()).toEqual({ kind: 'renewed', value: 'two' });
    expect(await reader.get()).toBe('two');
  });

  it('rejects where there is none', async () => {
    const reading = createReader('shop/missing').reader.get();
    await expect(reading).rejects.toMatchObject({
      name: 'Error',
      message: expect.stringContaining('shop/missing'),
    });
  });

  // A load run had it: a time-out was taken for a misconfiguration, and orders waited half an hour.
  it('is distinguished from one that cannot be read at the moment', async () => {
    const once = { connectMs: 5_000, attemptMs: 5_000, attempts: 1 };
    // Port 9 discards what it gets, and no process listens on it.
    const source = createSecretsManagerSource(secrets(once, 'http://127.0.0.1:9'));
    await expect(source('shop/example')).rejects.toMatchObject({ name: 'SecretUnreachable' });
  });
});
