import { createServer } from 'node:http';
import { vi } from 'vitest';
import { createSecretsClient } from '../../../local/harness/sdk-clients.ts';
import type { SecretsEmulator } from '../../../local/secrets-emulator.ts';
import { type Emulator, insert, isStatement, listen } from '../../../local/stack/emulators.ts';
import { forwardRequest } from '../../support/forward-request.ts';

export * from '../../../local/secrets-emulator.ts';
export * from '../../../local/stack/emulators.ts';

export { connectMoto as startDynamoDb, connectMoto as startSqs };

const moto = process.env.MOTO ?? '';
let isEmpty: Promise<unknown> | undefined;

/** One account of AWS for all that a test file starts, empty at first, on the clock of the test. */
async function connectMoto(): Promise<Emulator> {
  isEmpty ??= fetch(`${moto}/moto-api/reset`, { method: 'POST' });
  await isEmpty;
  return listen(
    createServer((request, response) => {
      // moto 5.2 reads an `INSERT` only without parameters.
      if (isStatement(request)) return void insert(moto, request, response);
      const clock = vi.isFakeTimers() ? { 'x-test-clock': String(Date.now()) } : {};
      forwardRequest(request, response, moto, clock);
    }),
  );
}

export async function startSecretsEmulator({
  secrets = {},
}: {
  readonly secrets?: Readonly<Record<string, string>>;
} = {}): Promise<SecretsEmulator> {
  const emulator = await connectMoto();
  const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 1 };
  const client = createSecretsClient({ budget, emulator });
  for (const [Name, SecretString] of Object.entries(secrets)) {
    await client.createSecret({ Name, SecretString });
  }
  return {
    ...emulator,
    async stop() {
      for (const SecretId of Object.keys(secrets)) {
        await client.deleteSecret({ SecretId, ForceDeleteWithoutRecovery: true });
      }
      client.destroy();
      await emulator.stop();
    },
  };
}
