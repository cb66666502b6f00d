import { createSecretsClient } from '../../../local/harness/sdk-clients.ts';
import type { SecretsEmulator } from '../../../local/secrets-emulator.ts';
import { connectMoto } from './moto-aws.ts';

export * from '../../../local/secrets-emulator.ts';

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
