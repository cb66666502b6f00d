import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { secretName } from '../../../shared/services/secret-forms.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { readSecret } from '../secrets/read-secret.ts';
import type { AppSecrets } from './judge-app-secrets.ts';
import type { ClockReading } from './judge-clock.ts';

/** The secrets to be compared with each other; they leave this process in no form. */
export async function readAppSecrets(
  client: SecretsManagerClient,
  { connector, output }: Deployment,
): Promise<readonly AppSecrets[]> {
  const prefix = output('SecretsPrefix');
  return Promise.all(
    connector.shops.map(async ({ domain, path }) => {
      const fields = async (purpose: 'webhook' | 'store') => {
        const read = await readSecret(client, secretName(prefix, path, purpose), purpose);
        return read.kind === 'there' ? read.fields : {};
      };
      const { current, previous } = await fields('webhook');
      const { clientSecret } = await fields('store');
      return {
        shop: domain,
        webhook: [current, previous].filter((secret) => typeof secret === 'string'),
        clientSecret: typeof clientSecret === 'string' ? clientSecret : undefined,
      };
    }),
  );
}

const PATIENCE_MS = 10_000;

/** What time it is elsewhere: any answer tells it, whatever else it says. */
export async function readClocks({
  connector,
  output,
  sandbox,
}: Deployment): Promise<readonly ClockReading[]> {
  const [shop] = connector.shops;
  const places = {
    AWS: output('WebhookAddress'),
    'the loyalty service': sandbox?.loyaltyAddress ?? connector.loyalty.address,
    'the store': sandbox?.storeAddress ?? `https://${shop?.domain}`,
  };
  return Promise.all(
    Object.entries(places).map(async ([whose, address]) => {
      const date = await askDate(address);
      return { whose, date, at: Date.now() };
    }),
  );
}

async function askDate(address: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await fetch(address, { method: 'HEAD', redirect: 'manual', signal });
    return answer.headers.get('date') ?? undefined;
  } catch {
    // Who cannot be reached is told by the checks that need them.
    return undefined;
  }
}
