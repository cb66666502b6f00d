import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLACE } from '../../../local/stack/emulators.ts';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { TOKEN_HEADER } from '../../../shared/rewards/balances/receive-points.ts';
import { canTypeInto, runCommand, typeInto } from '../../support/connector-command.ts';
import { type LocalStack, startLocalStack } from '../../support/local-stack.ts';
import { createProject } from '../../support/project.ts';

const SETTINGS = 'local/harness/storefront.config.ts';

let stack: LocalStack;
let folder = '';
beforeAll(async () => {
  folder = createProject('connector-setup');
  stack = await startLocalStack({ settings: SETTINGS, isNew: true });
  const settings = resolve(PACKAGE_FOLDER, SETTINGS);
  writeStateFile(stack, { stage: 'prod', settings }, folder);
});
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

/**
 * In the order in which they are printed: the titles of the steps, and what a step has just done. The kill may
 * come a little later: a run that does not print the latter is killed at the next title.
 */
const KILLED_AT = [
  '1. AWS',
  '2. Settings',
  '3. Secrets',
  'The store secret is stored',
  'The webhook secret is stored',
  'The loyalty secret is stored',
  '4. Scopes',
  '5. Loyalty service',
  '6. Webhook subscriptions',
  '7. Storefront',
  'was created or opened',
  '8. Test webhook',
  '9. Alarms',
  '10. Doctor',
];

interface Run {
  readonly code: number | null;
  readonly output: string;
}

/** What is typed once: a run after the values were stored gets none of them. */
function environment(stored: ReadonlySet<string>): Readonly<Record<string, string>> {
  const { clientId, clientSecret } = stack.store.credentials;
  const { token, key } = stack.loyalty.credentials;
  return {
    ...(!stored.has('The store secret is stored') && {
      CONNECTOR_CLIENT_ID: clientId,
      CONNECTOR_CLIENT_SECRET: clientSecret,
    }),
    ...(!stored.has('The loyalty secret is stored') && {
      CONNECTOR_LOYALTY_TOKEN: token,
      CONNECTOR_LOYALTY_KEY: key,
    }),
  };
}

async function setUp(
  env: Readonly<Record<string, string>>,
  killAt: readonly string[] = [],
): Promise<Run> {
  const { code, stdout, stderr } = await runCommand(['setup', '--yes'], {
    folder,
    env,
    onOutput: (output, child) => {
      if (killAt.some((place) => output.includes(place))) child.kill('SIGKILL');
    },
  });
  return { code, output: stdout + stderr };
}

const secrets = () => {
  const { endpoint, keys } = stack;
  // A copy, because the SDK adds a field to the object.
  const credentials = { ...keys.administrator };
  return new SecretsManagerClient({ endpoint, region: PLACE.region, credentials });
};
const nameOf = (purpose: string) => `${stack.outputs.SecretsPrefix}/example-store/${purpose}`;

async function readSecret(purpose: string): Promise<unknown> {
  const SecretId = nameOf(purpose);
  const { SecretString = '' } = await secrets().send(new GetSecretValueCommand({ SecretId }));
  return JSON.parse(SecretString);
}

async function forgetSecrets(): Promise<void> {
  for (const purpose of ['store', 'webhook', 'loyalty', 'points']) {
    const SecretId = nameOf(purpose);
    await secrets().send(new PutSecretValueCommand({ SecretId, SecretString: 'not set' }));
  }
}

const tokenIn = (output: string) => /Its value.*?([\w-]{43})\r?$/m.exec(output)?.[1];

describe('setup of a new stack', () => {
  it('says which values are missing, and stores nothing, where it cannot ask', async () => {
    const { code, output } = await setUp({});
    expect(output).toMatch(/Not given:\n.*CONNECTOR_CLIENT_ID.*\n.*CONNECTOR_CLIENT_SECRET/);
    expect(output).toContain('CONNECTOR_LOYALTY_KEY');
    expect(code).toBe(1);
  });

  it('stores no value that the store or the loyalty service refuses', async () => {
    const wrong = { ...environment(new Set()), CONNECTOR_CLIENT_SECRET: 'not-this-one' };
    const { code, output } = await setUp(wrong);
    expect(output).toMatch(/Nothing was stored: .* refuses the connector/);
    expect(output).not.toContain('not-this-one');
    expect(code).toBe(1);
    await expect(readSecret('store')).rejects.toThrow(ResourceNotFoundException);
  });

  it('goes on after a kill at every step, and asks for nothing that was stored', async () => {
    const killed = new Set<string>();
    for (const [index, place] of KILLED_AT.entries()) {
      const nextTitle = KILLED_AT.slice(index).find((one) => /^\d/.test(one)) ?? place;
      const { code, output } = await setUp(environment(killed), [place, nextTitle]);
      expect(code, `${place}: ${output}`).toBeNull();
      expect(tokenIn(output)).toBeUndefined();
      killed.add(place);
    }
    const { code, output } = await setUp(environment(killed));
    expect(output).toContain('OK');
    expect(output).toContain('trace order');
    expect(code).toBe(0);
  });

  it('stores the client secret twice', async () => {
    const { clientId, clientSecret } = stack.store.credentials;
    expect(await readSecret('store')).toEqual({ clientId, clientSecret });
    expect(await readSecret('webhook')).toEqual({ current: clientSecret });
  });

  it('changes nothing when it runs once more', async () => {
    const before = stack.store.state().subscriptions;
    const { code, output } = await setUp({});
    expect(output).not.toMatch(/secret is stored|created orders/);
    expect(stack.store.state().subscriptions).toEqual(before);
    expect(code).toBe(0);
  });

  it('leaves a connector that syncs an order and brings its points back', async () => {
    const { loyalty, store, outputs } = stack;
    const { current } = (await readSecret('points')) as { current: string };
    const entered = await fetch(`${loyalty.address}/sandbox/subscriptions`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'connector',
        address: `${outputs.PointsAddress}/example-store`,
        headers: { [TOKEN_HEADER]: current },
      }),
    });
    expect(entered.status).toBe(200);
    const person = { firstName: 'Ada', lastName: 'Sampleson', email: 'ada@example.com' };
    const customer = store.actions.createCustomer(person);
    const order = store.actions.placeOrder({
      customerId: customer.id,
      lines: [{ title: 'Lamp', price: 40, quantity: 1 }],
      payment: 'paid',
    });
    store.actions.fulfilOrder({ orderId: order.id });
    const ownPoints = () =>
      store
        .state()
        .metafields.find(
          ({ ownerGid, key }) => ownerGid.endsWith(`/${customer.id}`) && key === 'points',
        );
    await expect.poll(ownPoints, { timeout: 90_000, interval: 500 }).toBeDefined();
    const { stdout } = await runCommand(['trace', 'order', order.id], { folder });
    expect(stdout).toMatch(/Connector +sent\n[\s\S]*orders\//);
    expect(stack.problems).toEqual([]);
  });

  it.skipIf(!canTypeInto)(
    'asks for four values in a terminal and shows only its own token',
    async () => {
      await forgetSecrets();
      const { clientId, clientSecret } = stack.store.credentials;
      const { token, key } = stack.loyalty.credentials;
      const { code, screen } = await typeInto('setup', folder, {
        "the app's client ID": clientId,
        "the app's client secret": clientSecret,
        "the loyalty service's token": token,
        "the loyalty service's key": key,
        'When the subscription is saved': '',
      });
      expect(code, screen).toBe(0);
      for (const secret of [clientSecret, token, key]) expect(screen).not.toContain(secret);
      expect(await readSecret('points')).toEqual({ current: tokenIn(screen) });
    },
  );
});
