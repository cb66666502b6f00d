import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SecretDescription } from './template/stack-description.ts';
import { UnknownInTemplate } from './template/template.ts';

/** The secrets of one run: random, and stored only with `--data`, in the same folder. */
export interface RunSecrets {
  /** May do everything: for the stack itself and for tests. */
  readonly administrator: AwsKey;
  /** May do what the policy of the template allows. */
  readonly operator: AwsKey;
  readonly readOnlyOperator: AwsKey;
  readonly webhook: { readonly current: string; readonly previous: string };
  readonly loyalty: { readonly token: string; readonly key: string };
  readonly storeAccessToken: string;
  /** Proves the loyalty service as the sender of point events. */
  readonly pointsToken: string;
}

export interface AwsKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export function openRunSecrets(dataFolder: string | undefined): RunSecrets {
  if (dataFolder === undefined) return makeSecrets();
  const file = join(dataFolder, 'secrets.json');
  // A file of an older release may lack some secrets.
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const secrets: RunSecrets = { ...makeSecrets(), ...kept };
  // Renamed into place, because the next start could not read a half-written file.
  writeFileSync(`${file}.new`, JSON.stringify(secrets), { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return secrets;
}

function makeSecrets(): RunSecrets {
  return {
    administrator: makeKey(),
    operator: makeKey(),
    readOnlyOperator: makeKey(),
    webhook: { current: random(), previous: random() },
    loyalty: { token: random(), key: random() },
    storeAccessToken: `shpat_${random()}`,
    pointsToken: randomBytes(32).toString('base64url'),
  };
}

/** In the format of a real AWS key, because tools check it. */
export function makeKey(): AwsKey {
  const id = randomBytes(10).toString('hex').toUpperCase().slice(0, 16);
  return { accessKeyId: `AKIA${id}`, secretAccessKey: randomBytes(30).toString('base64url') };
}

const random = (): string => randomBytes(16).toString('hex');

/**
 * The text of each secret in the template. Their names are `<prefix>/<shop>/<purpose>`. Of a new stack they
 * are random, as a deployment creates them.
 */
export function fillSecrets(
  descriptions: readonly SecretDescription[],
  secrets: RunSecrets,
  isNew: boolean,
): Readonly<Record<string, string>> {
  if (isNew) return Object.fromEntries(descriptions.map(({ name }) => [name, random()]));
  const texts: Readonly<Record<string, unknown>> = {
    webhook: secrets.webhook,
    loyalty: secrets.loyalty,
    store: { accessToken: secrets.storeAccessToken },
    points: { shared: { current: secrets.pointsToken } },
  };
  return Object.fromEntries(
    descriptions.map(({ name }) => {
      const purpose = name.split('/').at(-1) ?? '';
      if (!Object.hasOwn(texts, purpose)) throw new UnknownInTemplate(`a secret for ${purpose}`);
      return [name, JSON.stringify(texts[purpose])];
    }),
  );
}
