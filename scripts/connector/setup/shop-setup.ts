import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { type SecretPurpose, secretName } from '../../../shared/services/shop-secrets.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { Problem } from '../exit.ts';
import { readSecret, storeSecret } from '../secrets/read-secret.ts';
import { faultIn, type SecretFields } from '../secrets/secret-values.ts';
import { say } from './step.ts';
import { obtainValue, type WantedValue, type World } from './world.ts';

/** What the steps of one shop share. */
export interface ShopSetup {
  readonly world: World;
  readonly deployment: Deployment;
  readonly shop: Shop;
  /** False: the titles name the shop. */
  readonly isOnly: boolean;
}

export function titleOf({ shop, isOnly }: ShopSetup, title: string): string {
  return isOnly ? title : `${title} of ${shop.domain}`;
}

/** Undefined: it was never set. */
export async function storedFields(
  { deployment, shop }: ShopSetup,
  purpose: SecretPurpose,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const name = secretName(deployment.output('SecretsPrefix'), shop.path, purpose);
  const read = await readSecret(new SecretsManagerClient(deployment.aws), name, purpose);
  if (read.kind === 'missing') {
    throw new Problem(
      `${deployment.stack} has no secrets for ${shop.domain} (${name}).`,
      'Deploy the settings that name the shop, then run the command again.',
    );
  }
  return read.kind === 'there' ? read.fields : undefined;
}

export async function keepFields(
  { world, deployment, shop }: ShopSetup,
  purpose: SecretPurpose,
  fields: SecretFields,
): Promise<void> {
  await world.session.beginChange(deployment);
  const name = secretName(deployment.output('SecretsPrefix'), shop.path, purpose);
  await storeSecret(new SecretsManagerClient(deployment.aws), name, fields);
  say(world.terminal, `The ${purpose} secret is stored.`);
}

const MOST_TRIES = 3;

interface TriedSecret {
  readonly purpose: SecretPurpose;
  readonly wanted: Readonly<Record<string, WantedValue>>;
  /** Fields that need not be asked for. */
  readonly known?: SecretFields;
  /** Why the service refuses them; undefined when it accepts them. */
  tryOut(fields: SecretFields): Promise<string | undefined>;
}

/**
 * Asks for the values of a secret and tries them before they are stored. In a terminal the user has three
 * tries; otherwise the same values would come again.
 */
export async function obtainTried(
  { world, isOnly }: ShopSetup,
  { purpose, wanted, known = {}, tryOut }: TriedSecret,
): Promise<SecretFields> {
  // The variables name no shop.
  if (!isOnly && !process.stdin.isTTY) {
    throw new Problem('Values without a terminal are for one shop.', 'Name it: --shop DOMAIN.');
  }
  for (let tries = 1; ; tries += 1) {
    const fields: Record<string, string> = { ...known };
    for (const [field, value] of Object.entries(wanted)) fields[field] = await obtainValue(value);
    const refused = faultIn(purpose, fields) ?? (await tryOut(fields));
    if (refused === undefined) return fields;
    const problem = `Nothing was stored: ${refused}.`;
    if (!process.stdin.isTTY || tries === MOST_TRIES) {
      throw new Problem(problem, 'Correct the value, then run the command again.');
    }
    say(world.terminal, `${problem} Once more:`);
  }
}

export const doNextOf =
  ({ deployment }: ShopSetup) =>
  (command: string) =>
    nextCommand(deployment, command);
