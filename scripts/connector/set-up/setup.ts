import { setTimeout as sleep } from 'node:timers/promises';
import { SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { VERSION } from '../../../shared/config/release.ts';
import { stackNameOf } from '../../../shared/config/stack-outputs.ts';
import type { AskedField } from '../../../shared/core/platform/platform.ts';
import type { SecretPurpose } from '../../../shared/services/shop-secrets.ts';
import {
  absentAddresses,
  alarmsCheck,
  CONFIRM,
  readAlarmSubscriptions,
} from '../ground/checks/aws.ts';
import { type Finding, fail, findingsBlock, info, pass, shopDeps } from '../ground/checks/check.ts';
import {
  readCredentials,
  readSecret,
  secretsCheck,
  storeSecret,
} from '../ground/checks/read-secret.ts';
import { settingsCheck } from '../ground/checks/settings.ts';
import {
  type ChecksByPlatform,
  obtainValue,
  type PlatformChecks,
  runStep,
  type SetupDeps,
  type SetupOptions,
  type ShopSetup,
  type Step,
  waitForUser,
} from '../ground/checks/step.ts';
import { shopsOf } from '../ground/session/arguments.ts';
import type { Deployment } from '../ground/session/deployment.ts';
import {
  findLocalStack,
  openAws,
  readStack,
  readStageSettings,
  stageOfStack,
} from '../ground/session/find-deployment.ts';
import { readCaller } from '../ground/session/read-caller.ts';
import type { Session } from '../ground/session/session.ts';
import { type Document, text } from '../ground/terminal/document.ts';
import { BadArguments, Problem } from '../ground/terminal/exit.ts';
import { deploy } from './deploy.ts';
import {
  askFields,
  faultIn,
  fieldsOf,
  missingIn,
  type SecretFields,
  tryCredentials,
} from './set-secret.ts';
import { runCdk } from './synth.ts';

export type Examine = (
  session: Pick<Session, 'findDeployment'>,
  options: SetupOptions,
) => Promise<Document>;

/** Every step in turn → doctor → what is left, and the first order. Later steps need what earlier ones have made. */
export async function runSetup(
  session: Session,
  options: SetupOptions,
  { checksOf, examine }: Pick<ChecksByPlatform, 'checksOf'> & { readonly examine: Examine },
): Promise<Document> {
  const { deps, deployed, isDeployedHere } = await openDeps(session, options);
  const left: Finding[] = [];
  let number = 0;
  const run = async (steps: Iterable<Step>) => {
    for (const step of steps) {
      number += 1;
      left.push(...(await runStep(step, number, session)));
    }
  };
  await run([accountStep(deps), settingsStep(deps)]);
  if (isDeployedHere) await run([bootstrapStep(deps), deployStep(deps)]);
  const deployment = await deployed();
  const shops = shopsOf(deployment.connector, options.shop);
  const isOnly = shops.length === 1;
  for (const shop of shops)
    await run(shopSteps({ deps, deployment, shop, isOnly }, checksOf(shop)));
  await run([alarmsStep(deps, deployment)]);
  const found = await examine({ findDeployment: async () => deployment }, options);
  const blocks = [
    ...found.blocks,
    findingsBlock([{ name: '', findings: left }], { title: 'Still to do' }),
    text(found.verdict?.kind === 'ok' && firstOrder(deployment)),
  ];
  return { ...found, title: `${number + 1}. Doctor: ${found.title}`, blocks };
}

function firstOrder({ connector }: Deployment): string {
  const act = connector.shops[0]?.rules.completeWhen === 'paid' ? 'pay' : 'fulfil';
  return `Next, place an order in the store and ${act} it: then it is sent. "trace order" with its number shows the outcome.`;
}

async function openDeps(session: Session, options: SetupOptions) {
  const { stage: named, ...common } = options;
  if (named !== undefined && common.stack !== undefined) {
    throw new BadArguments('give --stage or --stack, not both.');
  }
  const given = common.stack ?? (process.env.CONNECTOR_STACK || undefined);
  // An account or a region is never meant for this machine.
  const isOnAws = (named ?? given ?? common.region ?? common.profile) !== undefined;
  const local = isOnAws ? undefined : await findLocalStack();
  const isNamed = named === undefined && given !== undefined;
  const stack = local?.stack ?? (isNamed ? given : await ownStackOf(named ?? 'prod'));
  /** Throws a `Problem` while the stack is not deployed. */
  const deployed = () => session.findDeployment(local ? undefined : stack);
  const ownStage = stageOfStack(stack);
  const stage = local?.stage ?? ownStage ?? (await deployed()).stage;
  const { terminal } = session;
  const deps: SetupDeps = {
    ...{ stage, stack, options, session, terminal },
    where: local ? 'local' : 'aws',
    aws: local?.aws ?? (await openAws(common)),
    connector: async () => local?.connector ?? readStageSettings(stage),
    agrees: async (question) => options.yes === true || terminal.confirm(question),
  };
  // A construct in an app of the user's own is deployed by that app.
  return { deps, deployed, isDeployedHere: !local && ownStage !== undefined };
}

const ownStackOf = async (stage: string): Promise<string> =>
  stackNameOf(stage, (await readStageSettings(stage)).deployment);

const accountOf = (arn: string): string => arn.split(':')[4] ?? '';

const accountStep = ({ aws, stack, where }: SetupDeps): Step => ({
  title: where === 'aws' ? 'AWS account' : 'AWS on this machine',
  async look() {
    const { arn } = await readCaller(aws);
    return [pass(`${stack} in ${aws.region}, account ${accountOf(arn)}, as ${arn}`)];
  },
});

const settingsStep = (deps: SetupDeps): Step => ({
  title: 'Settings',
  look: async () => settingsCheck({ ...deps, connector: await deps.connector() }).look(),
});

/** The stack that `cdk bootstrap` makes; its name is CDK's default. */
const BOOTSTRAP_STACK = 'CDKToolkit';

/** What CDK's assets need ("Bootstrap template version history"). */
const LEAST_VERSION = 6;

function bootstrapStep({ aws, agrees, connector }: SetupDeps): Step {
  return {
    title: 'CDK bootstrap',
    async look() {
      const { bootstrapQualifier: own } = (await connector()).deployment;
      // The stack of an own one may have any name: the deployment says what is missing.
      if (own !== undefined) return [pass(`yours, with the qualifier ${own}`)];
      const found = await readStack(aws, BOOTSTRAP_STACK);
      const version = Number(found?.outputs.BootstrapVersion ?? 0);
      return [
        version >= LEAST_VERSION
          ? pass(`${BOOTSTRAP_STACK} has version ${version}`)
          : fail(`${aws.region} is not prepared for CDK: its bucket and roles are missing`),
      ];
    },
    async fix() {
      const { arn } = await readCaller(aws);
      const place = `aws://${accountOf(arn)}/${aws.region}`;
      const command = `cdk bootstrap ${place}`;
      if (!(await agrees(`Run ${command}?`))) {
        return [fail('the account is not prepared for CDK', `Agree, or run: npx ${command}`)];
      }
      const { ok } = await runCdk(['bootstrap', place], aws);
      return ok ? [] : [fail('cdk bootstrap failed', 'Its output above says why.')];
    },
  };
}

const POLL_MS = 5_000;

/** A deployment goes on at AWS when the command that started it is stopped. */
async function waitWhileChanging({ terminal, stack, aws }: SetupDeps) {
  const progress = terminal.progress(`Waiting for ${stack}:`);
  for (let polls = 0; ; polls += 1) {
    const found = await readStack(aws, stack);
    const status = found?.status ?? '';
    if (!status.endsWith('_IN_PROGRESS') || status === 'REVIEW_IN_PROGRESS') return found;
    progress.report(polls, status);
    await sleep(POLL_MS);
  }
}

/** Only a comparison of the templates says whether the stack is as described here: `deploy` makes it. */
function deployStep(deps: SetupDeps): Step {
  const { stage, stack, aws, options, terminal } = deps;
  let isDeployed = false;
  return {
    title: 'Deploy',
    async look() {
      if (isDeployed) return [pass(`${stack} is deployed, in version ${VERSION}`)];
      const found = await waitWhileChanging(deps);
      if (!found) return [fail(`${stack} does not exist yet`)];
      const { status, outputs } = found;
      return [fail(`${stack} is ${status}, in version ${outputs.Version ?? 'unknown'}`)];
    },
    async fix() {
      await deploy(
        { stage, yes: options.yes === true },
        { aws, terminal, connector: await deps.connector(), runCdk: (words) => runCdk(words, aws) },
      );
      isDeployed = true;
      return [];
    },
  };
}

export function alarmsStep({ session }: SetupDeps, deployment: Deployment): Step {
  const { emails } = deployment.connector.alarms;
  return {
    title: 'Alarms',
    look: alarmsCheck(deployment).look,
    fixesWarnings: true,
    async fix() {
      const found = await readAlarmSubscriptions(deployment);
      const addresses = absentAddresses(emails, found);
      for (const address of addresses) await subscribe(address);
      if (found.length + addresses.length > 0) await waitForUser(CONFIRM);
      return addresses.map((one) => info(`${one} is subscribed`));
    },
  };

  async function subscribe(Endpoint: string): Promise<void> {
    await session.beginChange(deployment);
    const TopicArn = deployment.output('AlarmTopic');
    const subscription = new SubscribeCommand({ TopicArn, Protocol: 'email', Endpoint });
    await new SNSClient(deployment.aws).send(subscription);
  }
}

/** Each needs what those before it have made. */
export function* shopSteps(setup: ShopSetup, platform: PlatformChecks): Generator<Step> {
  const { deployment, shop, isOnly } = setup;
  const titled = (title: string) => (isOnly ? title : `${title} of ${shop.domain}`);
  yield { ...secretsCheckOf(setup, platform), title: titled('Secrets') };
  for (const step of platform.steps(setup, shopDeps(deployment, [shop]))) {
    yield { ...step, title: titled(step.title) };
  }
}

function secretsCheckOf(setup: ShopSetup, { guide }: PlatformChecks): Pick<Step, 'look' | 'fix'> {
  const { deps, deployment, shop, isOnly } = setup;
  const only = { ...deployment, connector: { ...deployment.connector, shops: [shop] } };
  return {
    look: () => secretsCheck(only, readCredentials(only, deps.options)).look(),
    async fix(found) {
      const lacking = found.flatMap(({ lacks = [] }) => lacks);
      const [store, webhook] = [await stored('store'), await stored('webhook')];
      const fields = fieldsOf('store', shop, deps.options.olderApp);
      // One that opens the store and signs its webhooks is asked for once and stored twice.
      const isShared = fields.some(({ field }) => field === 'clientSecret');
      const signing = isShared ? webhook?.current : undefined;
      const known: SecretFields = typeof signing === 'string' ? { clientSecret: signing } : {};
      const signs = store ? 'clientSecret' in store : isShared;
      const wanted = {
        store: store ? [] : fields.filter(({ field }) => !(field in known)),
        webhook: webhook || signs ? [] : fieldsOf('webhook', shop),
        loyalty: lacking.includes('loyalty secret') ? fieldsOf('loyalty', shop) : [],
      };
      requireGiven(Object.values(wanted));
      // First, because the webhook secret follows from it: a run that ends here asks for nothing again.
      const opens = store ?? (await obtainStore(wanted.store, known));
      if (!webhook) {
        const asked = signs
          ? { current: `${opens.clientSecret}` }
          : await askFields(wanted.webhook, (one) => obtainValue(one));
        await keep('webhook', asked);
      }
      if (wanted.loyalty.length > 0) {
        deps.terminal.note('Token and key are in the panel of the loyalty service, menu API Keys.');
        await keep('loyalty', await obtainTried('loyalty', wanted.loyalty));
      }
      return [];
    },
  };

  /** Without a terminal: all that is missing, at once. */
  function requireGiven(wanted: readonly (readonly AskedField[])[]): void {
    if (process.stdin.isTTY) return;
    const missing = wanted.flatMap((fields) => missingIn(fields, process.env));
    if (missing.length === 0) return;
    const lines = missing.map(({ variable, question }) => `  ${variable}: ${question}`);
    throw new Problem(
      ['Not given:', ...lines].join('\n'),
      'Set these environment variables, or run the command in a terminal, which asks.',
    );
  }

  async function obtainStore(
    wanted: readonly AskedField[],
    known: SecretFields,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (deps.where === 'aws' && guide) deps.terminal.note(guide(setup));
    if (known.clientSecret !== undefined) {
      deps.terminal.note('Using the stored webhook secret as the client secret of the app.');
    }
    const fields = await obtainTried('store', wanted, known);
    await keep('store', fields);
    return fields;
  }

  /** Undefined when it was never set. */
  async function stored(purpose: SecretPurpose) {
    const read = await readSecret(deployment, shop, purpose);
    return read.kind === 'there' ? read.fields : undefined;
  }

  async function keep(purpose: SecretPurpose, fields: SecretFields): Promise<void> {
    await deps.session.beginChange(deployment);
    await storeSecret(deployment, shop, purpose, fields);
    deps.terminal.note(`The ${purpose} secret is stored.`);
  }

  async function obtainTried(
    purpose: 'store' | 'loyalty',
    wanted: readonly AskedField[],
    known: SecretFields = {},
  ): Promise<SecretFields> {
    // The variables name no shop.
    if (!isOnly && !process.stdin.isTTY) {
      throw new Problem('Without a terminal, values are for one shop.', 'Name it: --shop DOMAIN.');
    }
    const fields = { ...known, ...(await askFields(wanted, (one) => obtainValue(one))) };
    const refused =
      faultIn(purpose, fields, shop) ?? (await tryCredentials(deployment, shop, purpose, fields));
    if (refused === undefined) return fields;
    throw new Problem(
      `Nothing was stored: ${refused}.`,
      'Correct the value, then run the command again.',
    );
  }
}
