import { text } from 'node:stream/consumers';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  REFUSED_SECRET_MAX_AGE_MS,
  readSecretFields,
  SECRET_MAX_AGE_MS,
} from '../../../shared/aws/secrets.ts';
import {
  REFUSED_PAUSE_MS,
  type SecretPurpose,
  secretName,
} from '../../../shared/services/shop-secrets.ts';
import { findShop } from '../arguments.ts';
import { type Deployment, nextCommand } from '../deployment/deployment.ts';
import { BadArguments, EXIT, type ExitCode, Problem } from '../exit.ts';
import { wokenTexts } from '../retry-now/retry-now.ts';
import { readWaiting, wake } from '../retry-now/waiting-messages.ts';
import type { Session } from '../session.ts';
import { askHidden } from '../terminal/ask.ts';
import { readSecret, storeSecret } from './read-secret.ts';
import {
  type Change,
  faultIn,
  fieldsOf,
  nextSecret,
  parsePurpose,
  type SecretFields,
} from './secret-values.ts';
import { type Tried, tryCredentials } from './try-credentials.ts';

export interface SetSecretOptions {
  readonly shop?: string;
  readonly rotate?: boolean;
  readonly finish?: boolean;
  readonly olderApp?: boolean;
  readonly untried?: boolean;
  readonly yes?: boolean;
}

/** Ask → check → try → store → wake what waited for it → print what happens next. */
export async function setSecret(
  { terminal, json, findDeployment, beginChange }: Session,
  options: SetSecretOptions,
  purposeText = '',
): Promise<ExitCode> {
  const purpose = parsePurpose(purposeText);
  const change = changeOf(purpose, options);
  const deployment = await findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  const { domain, path } = shop;
  const name = secretName(deployment.output('SecretsPrefix'), path, purpose);
  const client = new SecretsManagerClient(deployment.aws);
  const stored = await readSecret(client, name, purpose);
  if (stored.kind === 'missing') {
    throw new Problem(
      `${deployment.stack} has no secrets for ${domain} (${name}).`,
      'Deploy the settings that name the shop (npm run deploy), then run the command again.',
    );
  }

  const given = change === 'finish' ? {} : await obtain(purpose, domain, options);
  const isTried = purpose !== 'webhook' && !options.untried;
  if (isTried) refuseUnusable(await tryCredentials(deployment, shop, purpose, given));
  const next = nextSecret(purpose, change, stored, given);
  if (next.kind === 'refused') throw new Problem(next.why, next.next);
  if (next.kind === 'confirm' && !options.yes && !(await terminal.confirm(next.why))) {
    throw new Problem(`${next.why}\nNothing was changed.`, 'To store it anyway: --yes.');
  }
  const { overlap } = next;
  const recorded = await beginChange(deployment);
  await storeSecret(client, name, next.fields);
  recorded.count({ stored: 1 });

  const inUseWithinSeconds = SECRET_MAX_AGE_MS / 1000;
  // Before the rest, which may fail: the secret is stored.
  if (!json) {
    if (isTried) terminal.line(`${SERVICES[purpose]} accepts the credentials.`);
    terminal.line(
      `The ${purpose} secret of ${domain} is stored in ${deployment.stack} (${deployment.region}).`,
    );
    terminal.line(
      `Functions that are running use it within ${inUseWithinSeconds / 60} minutes, and within ${REFUSED_SECRET_MAX_AGE_MS / 60_000} minute where the older one is refused.`,
    );
  }
  const woken = purpose === 'webhook' ? [] : await wakeRefused(deployment, domain);
  recorded.count({ stored: 1, woken: woken.length });
  if (json) {
    terminal.json({
      ...{ stored: name, shop: domain, purpose, overlap, inUseWithinSeconds },
      ...(purpose !== 'webhook' && { tried: isTried, woken: woken.length }),
    });
    return EXIT.fine;
  }
  if (woken.length > 0) wokenTexts(woken, `in ${WAKE_SECONDS} seconds`).forEach(terminal.line);
  const doNext = (command: string) => nextCommand(deployment, command);
  for (const line of adviceAfter(change, overlap, domain, doNext)) terminal.line(line);
  return EXIT.fine;
}

const SERVICES = { loyalty: 'The loyalty service', store: 'The store' } as const;

/** Refused credentials that are stored stop a shop: nothing is stored without an answer. */
function refuseUnusable(tried: Tried): void {
  switch (tried.kind) {
    case 'accepted':
      return;
    case 'refused':
      throw new Problem(
        `Nothing was stored: ${tried.why}.`,
        'Check what you entered. To store it all the same: --untried.',
      );
    case 'unanswered':
      throw new Problem(
        `Nothing was stored: ${tried.why}, so the credentials could not be tried.`,
        'Repeat the command later, or store them without a try: --untried.',
      );
  }
}

/** A worker reads refused credentials again after this pause. */
const WAKE_SECONDS = REFUSED_PAUSE_MS / 1000 + 1;

async function wakeRefused(deployment: Deployment, shop: string) {
  const waiting = await readWaiting(deployment, [shop], new Date());
  const refused = waiting.filter(({ waitsFor }) => waitsFor === 'misconfigured');
  return (await wake(deployment, refused, WAKE_SECONDS)).woken;
}

function changeOf(purpose: SecretPurpose, options: SetSecretOptions): Change {
  const { rotate, finish, olderApp, untried } = options;
  if (rotate && finish) throw new BadArguments('give --rotate or --finish, not both.');
  if ((rotate || finish) && purpose !== 'webhook') {
    throw new BadArguments(
      '--rotate and --finish are for the webhook secret: other secrets need no overlap.',
    );
  }
  if (olderApp && purpose !== 'store')
    throw new BadArguments('--older-app is for the store secret.');
  if (untried && purpose === 'webhook') {
    throw new BadArguments('--untried is for the loyalty and the store secret.');
  }
  if (finish) return 'finish';
  return rotate ? 'rotate' : 'replace';
}

/** Asks the user, or reads JSON from a pipe. */
async function obtain(
  purpose: SecretPurpose,
  shop: string,
  { olderApp = false }: SetSecretOptions,
): Promise<SecretFields> {
  const fields = process.stdin.isTTY ? await ask() : readSecretFields(await text(process.stdin));
  const example = fieldsOf(purpose, olderApp).map(({ field }) => `"${field}": "…"`);
  if (!fields) throw new Problem(`Standard input must be JSON: {${example.join(', ')}}`);
  const fault = faultIn(purpose, fields);
  if (fault !== undefined) throw new Problem(`Nothing was stored: ${fault}.`);
  return fields as SecretFields;

  async function ask(): Promise<SecretFields> {
    const answers: Record<string, string> = {};
    for (const { field, question } of fieldsOf(purpose, olderApp)) {
      answers[field] = await askHidden(`${shop}: ${question} (not shown)`);
    }
    return answers;
  }
}

function adviceAfter(
  change: Change,
  overlap: boolean,
  shop: string,
  doNext: (command: string) => string,
): readonly string[] {
  if (overlap) {
    return [
      'From then on both secrets are accepted. When "status" has reported no webhook with the older one for an hour,',
      `end the rotation: ${doNext(`secrets set webhook --finish --shop ${shop}`)}`,
    ];
  }
  if (change === 'finish') return ['The older secret is no longer accepted.'];
  return [`Next, check it: ${doNext('doctor')}`];
}
