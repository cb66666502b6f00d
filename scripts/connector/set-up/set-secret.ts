import { text as readAll } from 'node:stream/consumers';
import type { Shop } from '../../../shared/config/connector-config.ts';
import { changeControl, woken as tryAgain } from '../../../shared/core/calls/shop-pause.ts';
import type { AskedField } from '../../../shared/core/platform/platform.ts';
import {
  faultText,
  REFUSED_PAUSE_MS,
  REFUSED_SECRET_MAX_AGE_MS,
  readSecretFields,
  SECRET_MAX_AGE_MS,
  SECRET_PURPOSES,
  type SecretPurpose,
  STALE_SECRET_MAX_AGE_MS,
  secretName,
} from '../../../shared/services/shop-secrets.ts';
import {
  type OverlapChange,
  overlapChangeOf,
  overlapEnd,
  parseFields,
  readSecret,
  storeSecret,
} from '../ground/checks/read-secret.ts';
import { readWaiting, wake, wokenTexts } from '../ground/checks/waiting-messages.ts';
import { findShop } from '../ground/session/arguments.ts';
import { type Deployment, openLedger } from '../ground/session/deployment.ts';
import { commandsOf, openShopServices, type PlatformShop } from '../ground/session/services.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import { type Document, STATUS, text } from '../ground/terminal/document.ts';
import { BadArguments, Problem } from '../ground/terminal/exit.ts';
import { line } from '../ground/terminal/line.ts';
import { askHidden } from '../ground/terminal/terminal.ts';
import { utcText } from '../ground/terminal/text.ts';

export interface SetSecretOptions extends CommonOptions {
  readonly rotate?: boolean;
  readonly leaked?: boolean;
  readonly olderApp?: boolean;
  readonly untried?: boolean;
}

/** Ask → check → try → store → wake what waited for it. */
export async function setSecret(
  { terminal, findDeployment, beginChange }: Session,
  options: SetSecretOptions,
  purposeText = '',
): Promise<Document> {
  const purpose = parsePurpose(purposeText);
  const change = changeOf(purpose, options);
  const deployment = await findDeployment();
  const shop = findShop(deployment.connector, options.shop);
  if (options.olderApp && !commandsOf(shop).olderSecret) {
    throw new BadArguments(`--older-app is for an app, and ${shop.domain} has none.`);
  }
  const { domain, path } = shop;
  const name = secretName(deployment.output('SecretsPrefix'), path, purpose);
  const stored = await readSecret(deployment, shop, purpose);

  const given = await obtain(purpose, shop, options);
  const tried = options.untried ? undefined : await triedWith(deployment, shop, purpose, given);
  const refused = tried && (await tryCredentials(deployment, shop, tried.as, tried.fields));
  if (refused) {
    // Refused credentials that are stored stop a shop: nothing is stored without an answer.
    const next =
      'Check what you entered, or repeat the command later. To store it untried: --untried.';
    throw new Problem(`Nothing was stored: ${refused}.`, next);
  }
  const kept = stored.kind === 'there' ? stored.fields : {};
  const until = overlapEnd(new Date());
  const { fields, risk } = nextSecret(change, kept, given, until);
  const { previousUntil } = fields;
  if (risk && !options.yes && !(await terminal.confirm(risk))) {
    throw new Problem(`${risk}\nNothing was changed.`, 'To store it anyway: --yes.');
  }
  const recorded = await beginChange(deployment);
  await storeSecret(deployment, shop, purpose, fields);
  recorded.count({ stored: 1 });
  const place = `${deployment.stack} (${deployment.region})`;
  // Before the rest, which may fail.
  terminal.note(`The ${purpose} secret of ${domain} is stored in ${place}.`);
  const woken = purpose === 'webhook' ? [] : await wakeRefused(deployment, domain);
  recorded.count({ stored: 1, woken: woken.length });
  // That of the store holds it, too: the store refuses the older one once it is revoked.
  const both = tried && purpose === 'webhook' && given.current !== tried.stored.clientSecret;
  const store = line('secrets set', ['store'], { shop: domain });
  const whose = purpose === 'webhook' ? 'it as the secret of its app' : 'the credentials';
  return {
    title: `The ${purpose} secret of ${domain}`,
    ...(tried && { verdict: { kind: 'ok', what: `${SERVICES[tried.as]} accepts ${whose}.` } }),
    ...(!tried &&
      purpose !== 'webhook' && {
        verdict: { kind: 'unknown', what: `Untried: ${SERVICES[purpose]} may refuse ${whose}.` },
      }),
    blocks: [
      ...(purpose === 'webhook' && !tried ? [UNPROVEN] : []),
      change === 'leaked' ? OLDER : IN_USE[purpose === 'webhook' ? 'signs' : 'opens'],
      ...(previousUntil === undefined
        ? []
        : [`The older secret is accepted until ${utcText(previousUntil)} UTC. ${endOlder(shop)}`]),
      ...(change === 'leaked' ? [LEAKED] : []),
      ...wokenTexts(woken, `in ${WAKE_SECONDS} seconds`),
    ].map((words) => text(words)),
    next: [
      ...(both ? [{ label: 'Enter it as the client secret of the store, too', line: store }] : []),
      STATUS,
    ],
    data: {
      ...{ stored: name, shop: domain, purpose, overlap: previousUntil !== undefined },
      ...(previousUntil !== undefined && { until: previousUntil }),
      ...{ tried: tried !== undefined, woken: woken.length },
    },
  };
}

/** Credentials are tried as they are; of an app, the secret that signs webhooks opens the store, too. */
async function triedWith(
  deployment: Deployment,
  shop: Shop,
  purpose: SecretPurpose,
  given: SecretFields,
) {
  if (purpose !== 'webhook') return { as: purpose, fields: given, stored: given };
  const store = await readSecret(deployment, shop, 'store');
  const stored = store.kind === 'there' ? (store.fields as SecretFields) : {};
  if (stored.clientSecret === undefined) return undefined;
  const fields = { ...stored, clientSecret: given.current ?? '' };
  return { as: 'store', fields, stored } as const;
}

const MINUTES = SECRET_MAX_AGE_MS / 60_000;
const WITHIN = `within ${REFUSED_SECRET_MAX_AGE_MS / 1_000} seconds`;

/** Who is refused reads the secret again; who is not goes on with the one that is known. */
const IN_USE = {
  signs: `Webhooks that are signed with it are accepted ${WITHIN}.`,
  opens: `Running functions use it within ${REFUSED_PAUSE_MS / 1_000} seconds where the older one is refused, otherwise within ${MINUTES} minutes.`,
};

const OLDER = `${IN_USE.signs} Those that are signed with the older one are accepted for at most ${MINUTES} more minutes, or ${STALE_SECRET_MAX_AGE_MS / 60_000} while Secrets Manager does not answer.`;

/** Shopify signs with the older secret until it is revoked ("Rotate or revoke client credentials"). */
const endOlder = (shop: PlatformShop) =>
  `Before that, ${commandsOf(shop).sender === undefined ? "revoke it in the app's settings" : 'give the new one to the plugin'}: webhooks signed with it afterwards are refused.`;

const LEAKED =
  'Webhooks that the store still signs with it are refused, too; reconcile finds what the store does not send again. For the other steps see docs/runbook.md, "A secret has leaked".';

const UNPROVEN =
  'The next webhook shows whether the store signs with it: change something in the store, then run "status".';

const SERVICES = { loyalty: 'The loyalty service', store: 'The store' } as const;

/** A worker reads refused credentials again after this pause. */
const WAKE_SECONDS = REFUSED_PAUSE_MS / 1000 + 1;

async function wakeRefused(deployment: Deployment, shop: string) {
  // Without a message that waits, too: a shopper may have been refused.
  await changeControl(openLedger(deployment), shop, (control) => tryAgain(control, new Date()));
  const waiting = await readWaiting(deployment, [shop], new Date());
  const refused = waiting.filter(({ waitsFor }) => waitsFor === 'misconfigured');
  return (await wake(deployment, refused, WAKE_SECONDS)).woken;
}

function changeOf(purpose: SecretPurpose, options: SetSecretOptions): Change {
  const { olderApp } = options;
  const change = overlapChangeOf(options) ?? 'replace';
  if (change !== 'replace' && purpose !== 'webhook') {
    throw new BadArguments(
      '--rotate and --leaked are for the webhook secret: other secrets are replaced at once.',
    );
  }
  if (olderApp && purpose !== 'store')
    throw new BadArguments('--older-app is for the store secret.');
  return change;
}

/** Asks the user, or reads a pipe: JSON, or a secret of one field as it is. */
async function obtain(
  purpose: SecretPurpose,
  shop: Shop,
  { olderApp = false }: SetSecretOptions,
): Promise<SecretFields> {
  const wanted = fieldsOf(purpose, shop, olderApp);
  const fields = process.stdin.isTTY
    ? await askFields(wanted, ({ question }) =>
        askHidden(`${shop.domain}: ${question} (not shown)`),
      )
    : readPiped((await readAll(process.stdin)).trim());
  const example = wanted.map(({ field }) => `"${field}": "…"`).join(', ');
  if (!fields) throw new Problem(`Nothing was stored: pipe in {${example}}, or use a terminal.`);
  const fault = faultIn(purpose, fields, shop);
  if (fault !== undefined) throw new Problem(`Nothing was stored: ${fault}.`);
  return fields as SecretFields;

  function readPiped(piped: string) {
    const [only, ...others] = wanted;
    const isBare = only && others.length === 0 && piped !== '' && !piped.startsWith('{');
    return isBare ? { [only.field]: piped } : readSecretFields(piped);
  }
}

export type SecretFields = Readonly<Record<string, string>>;

const LOYALTY: readonly AskedField[] = [
  { field: 'token', question: "the loyalty service's token", variable: 'CONNECTOR_LOYALTY_TOKEN' },
  { field: 'key', question: "the loyalty service's key", variable: 'CONNECTOR_LOYALTY_KEY' },
];

/** The fields to ask for, named as in the place where the user finds them. */
export function fieldsOf(
  purpose: SecretPurpose,
  shop: PlatformShop,
  olderApp = false,
): readonly AskedField[] {
  if (purpose === 'loyalty') return LOYALTY;
  const { secrets, olderSecret } = commandsOf(shop);
  return (purpose === 'store' && olderApp && olderSecret) || secrets[purpose];
}

/** One after the other, until nothing more is needed. */
export async function askFields(
  wanted: readonly AskedField[],
  ask: (field: AskedField) => Promise<string>,
): Promise<SecretFields> {
  const answers: Record<string, string> = {};
  for (const one of wanted) {
    const answer = await ask(one);
    if (answer === '' && one.isEnough) continue;
    answers[one.field] = answer;
    if (one.isEnough) break;
  }
  return answers;
}

/** What is not given in this environment, without what is not needed beside what is. */
export function missingIn(
  wanted: readonly AskedField[],
  given: Readonly<Record<string, string | undefined>>,
): readonly AskedField[] {
  const isGiven = ({ variable }: AskedField) => Boolean(given[variable]?.trim());
  const missing = wanted.filter((one) => !isGiven(one));
  const isEnough = wanted.some((one) => one.isEnough && isGiven(one));
  return isEnough || missing.every((one) => one.isEnough) ? [] : missing;
}

function parsePurpose(text: string): SecretPurpose {
  const purpose = SECRET_PURPOSES.find((one) => one === text);
  if (purpose) return purpose;
  throw new BadArguments(`give the purpose: ${SECRET_PURPOSES.join(', ')}, not "${text}".`);
}

/** What is wrong with the fields, without their values; undefined when nothing is. */
export function faultIn(
  purpose: SecretPurpose,
  fields: Readonly<Record<string, unknown>>,
  shop: PlatformShop,
): string | undefined {
  const both = [...fieldsOf(purpose, shop), ...fieldsOf(purpose, shop, true)];
  const all = both.map(({ field }) => field);
  const unknown = Object.keys(fields).filter((name) => !all.includes(name));
  // A misspelt field would be stored and never read.
  if (unknown.length > 0) {
    const known = [...new Set(all)].join(', ');
    return `${unknown.join(', ')} is not a field of a ${purpose} secret (${known})`;
  }
  const parsed = parseFields(fields, purpose, shop);
  if (parsed.kind === 'fault') return faultText(parsed);
  // In the header that contains both, a colon ends the token.
  if (purpose === 'loyalty' && `${fields.token}`.includes(':'))
    return 'token must not contain a colon';
  // A person chose the password of an administrator.
  const [torn] = Object.entries(fields).filter(
    ([name, value]) => name !== 'password' && !/^[\x21-\x7e]+$/.test(`${value}`),
  );
  return torn && `${torn[0]} contains a space, a line break or an invalid character`;
}

/**
 * `replace`: the stored value; an older webhook secret stays accepted until its end. `rotate`: the current webhook secret
 * stays accepted beside the new one, until its end. `leaked`: only the given one is accepted from now on.
 */
type Change = 'replace' | OverlapChange;

const REPLACES =
  'There is already a webhook secret, and webhooks signed with it would be refused. --rotate accepts both for a while; --leaked is for a secret that others know.';

/** At most two are accepted. */
const drops = (until: string) =>
  `A rotation is already running, until ${utcText(until)} UTC: webhooks signed with the oldest of the three secrets would be refused. If the newest was mistyped, leave --rotate out: it is replaced, and the older one stays.`;

/**
 * What to store; `risk`: webhooks signed with a secret that is in use would be refused, which the user must confirm.
 * Throws a `Problem` where the change makes no sense.
 */
function nextSecret(
  change: Change,
  stored: Readonly<Record<string, unknown>>,
  given: SecretFields,
  until: string,
): { readonly fields: SecretFields; readonly risk?: string | false | undefined } {
  const { current, previous, previousUntil = until } = stored as SecretFields;
  const older = previous !== undefined && previous !== given.current && { previous, previousUntil };
  const isSame = current === given.current;
  switch (change) {
    case 'leaked':
      // Of two, the newest is given to say that the older one has leaked.
      if (given.current === previous || (isSame && !previous)) throw alreadyStored();
      return { fields: given };
    case 'replace':
      return { fields: { ...given, ...older }, risk: current !== undefined && !isSame && REPLACES };
    case 'rotate':
      if (current === undefined) {
        const next = 'Run the same command without --rotate.';
        throw new Problem('There is no webhook secret to rotate yet.', next);
      }
      if (isSame) throw alreadyStored();
      return {
        fields: { ...given, previous: current, previousUntil: until },
        risk: older && drops(previousUntil),
      };
  }
}

const alreadyStored = (): Problem =>
  new Problem(
    'This secret is already stored; nothing was changed.',
    'Create a new client secret in the app first, then enter that one.',
  );

/**
 * Asks the service that the credentials are for, with a request that changes nothing. Returns why they cannot be used,
 * a sentence without its full stop that holds no secret; undefined when they are accepted.
 */
export async function tryCredentials(
  deployment: Deployment,
  shop: Shop,
  purpose: Exclude<SecretPurpose, 'webhook'>,
  fields: SecretFields,
): Promise<string | undefined> {
  const services = openShopServices(deployment);
  if (purpose === 'loyalty') {
    const { token = '', key = '' } = fields;
    const client = services.loyalty(shop, { token, key });
    const result = await client.listRewardConfigurations({ PageSize: 1 });
    if (result.kind === 'success' || result.kind === 'warning') return undefined;
    const does = result.class === 'misconfigured' ? 'refuses them' : 'gave no usable answer';
    return `the loyalty service ${does} (${result.message.replace(/\.$/, '')})`;
  }
  const parsed = parseFields(fields, 'store', shop);
  if (parsed.kind === 'fault') return faultText(parsed);
  const found = await services.asked(shop, fields).look();
  const fault = found.find(({ verdict }) => verdict !== 'pass');
  return fault && `${fault.what}. ${fault.fix}`.replace(/\.$/, '');
}
