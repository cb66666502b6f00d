import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Connector, Shop } from '../../../shared/config/connector-config.ts';
import { type SecretPurpose, secretName } from '../../../shared/services/shop-secrets.ts';
import { type AwsSettings, type Deployment, nextCommand } from '../deployment/deployment.ts';
import { Problem } from '../exit.ts';
import { readSecret, storeSecret } from '../secrets/read-secret.ts';
import { faultIn, type SecretFields } from '../secrets/set-secret.ts';
import type { CommonOptions, Session } from '../session.ts';
import { askHidden, askLine, type Terminal } from '../terminal/terminal.ts';
import { wrap } from '../terminal/text.ts';

/**
 * One step of the set-up. What is done already is read from the deps (AWS, the store, the loyalty service),
 * so a run that was stopped anywhere can be repeated.
 *
 *   look ──done, left──▶ next step
 *    │ open
 *    ▼
 *   act ──▶ look again: that is the verification
 */
export interface Step {
  readonly title: string;
  /** Reads the deps and changes nothing. */
  look(): Promise<Found>;
  /** Does what is open. Returns what it found where `look` cannot see it. */
  act?(): Promise<Found | undefined>;
}

export type Found =
  | { readonly kind: 'done'; readonly what: string }
  /** `act` does it. */
  | { readonly kind: 'open'; readonly what: string }
  /** For a person, later: the set-up goes on without it. */
  | Left
  /** The set-up cannot go on. */
  | { readonly kind: 'blocked'; readonly what: string; readonly next: string };

export interface Left {
  readonly kind: 'left';
  readonly what: string;
  readonly next: string;
}

export const done = (what: string): Found => ({ kind: 'done', what });
export const open = (what: string): Found => ({ kind: 'open', what });
export const left = (what: string, next: string): Found => ({ kind: 'left', what, next });
export const blocked = (what: string, next: string): Found => ({ kind: 'blocked', what, next });

/** Runs the step and returns what is left to do of it. Throws a `Problem` where the set-up must stop. */
export async function runStep(
  step: Step,
  number: number,
  terminal: Pick<Terminal, 'line' | 'style' | 'width'>,
): Promise<Left | undefined> {
  terminal.line(`${number}. ${terminal.style('bold', step.title)}`);
  let found = await step.look();
  if (found.kind === 'open' && step.act) {
    say(terminal, found.what);
    found = (await step.act()) ?? (await step.look());
  }
  switch (found.kind) {
    case 'done':
      say(terminal, `${terminal.style('green', 'done')}: ${found.what}`);
      return undefined;
    case 'left':
      say(terminal, `${terminal.style('yellow', 'left')}: ${found.what}`);
      // Not wrapped: a command that is broken over two lines cannot be copied.
      for (const line of found.next.split('\n')) terminal.line(`${INDENT}${line}`);
      return found;
    case 'open':
      throw new Problem(
        `This was done, but does not show: ${found.what}`,
        'Run the command again: it goes on from here.',
      );
    case 'blocked':
      throw new Problem(
        found.what,
        `${found.next}\nThen run the command again: it goes on from here.`,
      );
  }
}

const INDENT = '   ';

/** Indented and broken at spaces. */
export function say(terminal: Pick<Terminal, 'line' | 'width'>, text: string): void {
  for (const line of text.split('\n')) {
    for (const part of wrap(line, terminal.width - INDENT.length)) {
      terminal.line(`${INDENT}${part}`);
    }
  }
}

export interface SetupOptions extends CommonOptions {
  readonly stage?: string;
  readonly shop?: string;
  readonly olderApp?: boolean;
  readonly yes?: boolean;
}

/** What the steps share. */
export interface SetupDeps {
  readonly where: Deployment['where'];
  readonly stage: string;
  readonly stack: string;
  /** False on this machine, and for a construct in an app of the user's own, which deploys it. */
  readonly isDeployedHere: boolean;
  readonly aws: AwsSettings;
  readonly options: SetupOptions;
  readonly session: Session;
  readonly terminal: Terminal;
  /** The settings of the stage; throws a `Problem` that names their faults. */
  connector(): Promise<Connector>;
  /** Throws a `Problem` while the stack is not deployed. */
  deployment(): Promise<Deployment>;
  /** True with --yes; false where there is no terminal to answer. */
  agrees(question: string): Promise<boolean>;
}

/** A value that only the user has. */
export interface WantedValue {
  readonly question: string;
  /** The environment variable that is read instead of asking. */
  readonly variable: string;
  /** By default a secret, which is not shown while it is typed. */
  readonly shown?: boolean;
}

/** From the environment, or asked for. Never waits where there is no terminal to answer. */
export async function obtainValue({ question, variable, shown }: WantedValue): Promise<string> {
  const given = process.env[variable]?.trim();
  if (given) return given;
  if (!process.stdin.isTTY) {
    throw new Problem(
      `Not given: ${question}.`,
      `Set it in the environment variable ${variable}, or run the command in a terminal, which asks for it.`,
    );
  }
  return shown ? ((await askLine(question)) ?? '') : askHidden(`${question} (not shown)`);
}

/** Where the user does something on another page. False where there is no terminal to answer. */
export async function waitForUser(done: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  return (await askLine(`${done} Press Enter`)) !== undefined;
}

/** What the steps of one shop share. */
export interface ShopSetup {
  readonly deps: SetupDeps;
  readonly deployment: Deployment;
  readonly shop: Shop;
  /** False: the titles name the shop. */
  readonly isOnly: boolean;
}

export function titleOf({ shop, isOnly }: ShopSetup, title: string): string {
  return isOnly ? title : `${title} of ${shop.domain}`;
}

/** Undefined when it was never set. */
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
  { deps, deployment, shop }: ShopSetup,
  purpose: SecretPurpose,
  fields: SecretFields,
): Promise<void> {
  await deps.session.beginChange(deployment);
  const name = secretName(deployment.output('SecretsPrefix'), shop.path, purpose);
  await storeSecret(new SecretsManagerClient(deployment.aws), name, fields);
  say(deps.terminal, `The ${purpose} secret is stored.`);
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
  { deps, isOnly }: ShopSetup,
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
    say(deps.terminal, `${problem} Once more:`);
  }
}

export const doNextOf =
  ({ deployment }: ShopSetup) =>
  (command: string) =>
    nextCommand(deployment, command);
