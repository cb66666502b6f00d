import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { concurrencyText, type FittedConcurrency } from '../../../shared/config/concurrency.ts';
import { compareVersions, VERSION } from '../../../shared/config/release.ts';
import type { StackOutputs } from '../../../shared/config/stack-outputs.ts';
import {
  type FoundStack,
  isSecret,
  judgeChanges,
  type StackAccess,
  stackPolicy,
} from './stack-access.ts';
import { ASSEMBLY, type CdkRun, SYNTH } from './synth.ts';

interface DeployDeps {
  /** How many functions may run at once in the account, or why it cannot be deployed there. */
  fitConcurrency(stack: string): Promise<FittedConcurrency>;
  runCdk(words: readonly string[]): Promise<CdkRun>;
  readonly access: StackAccess;
  /** The folder of `cdk.out`. */
  readonly project: string;
  /** False where there is no terminal to answer. */
  confirm(question: string): Promise<boolean>;
  say(text: string): void;
  /** The command to run next; `setup` goes on by itself. */
  suggest(command: string): void;
}

export interface DeployOptions {
  readonly stage: string;
  /** Deploy without asking. */
  readonly yes: boolean;
  /** The deployed version may be newer. */
  readonly rollBack?: boolean;
  /** Logical ids of what holds state and may be replaced or deleted. */
  readonly allowLoss?: readonly string[];
}

type Deployed = 'deployed' | 'unchanged' | 'declined' | 'refused' | 'failed';

/** One name: CDK replaces what an interrupted deployment left. */
const CHANGE_SET = 'loyalty-connector-deploy';

/**
 * Fit → check → show → refuse what loses state → ask → deploy → print the next command.
 * See docs/decisions/0031-deploy-refuses-what-loses-state-or-starves-the-receiver.md.
 */
export async function deploy(options: DeployOptions, deps: DeployDeps): Promise<Deployed> {
  const stack = `loyalty-connector-${options.stage}`;
  const folder = mkdtempSync(join(tmpdir(), 'connector-deploy-'));
  const step: Step = { stack, folder, options, deps };
  try {
    deps.say(`Asking AWS about ${stack}`);
    const found = await deps.access.find();
    const version = judgeVersion(found?.version, options.rollBack === true);
    if (version.text !== undefined) deps.say(version.text);
    if (version.kind === 'refused') return 'refused';
    const made = await synthesize(step);
    if (made !== 'done') return made;

    if (!found) await deps.access.freeFailed();
    const adopted = await adoptSecrets(found, step);
    if (adopted !== 'done') return adopted;
    const shown = await cdk(['diff', stack, '--method', 'template'], step);
    if (!shown) return 'failed';
    const done = found ? await update(step) : await create(step);
    if (done !== 'deployed') return done;
    const { WebhookAddress, NextCommand } = readOutputs(step);
    deps.say(`Deployed. Webhooks go to ${WebhookAddress}/<path of the shop>`);
    const back = found?.version === undefined ? undefined : goingBack(found.version);
    if (back !== undefined) deps.say(back);
    deps.suggest(NextCommand);
    return 'deployed';
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Step {
  readonly stack: string;
  /** For files that CDK's command line reads or writes. */
  readonly folder: string;
  readonly options: DeployOptions;
  readonly deps: DeployDeps;
}

/** Synthesized once: the changes that were shown and confirmed are deployed. */
async function synthesize({ stack, options, deps }: Step): Promise<'done' | 'refused' | 'failed'> {
  const fitted = await deps.fitConcurrency(stack);
  if (fitted.kind === 'refused') {
    deps.say(fitted.why.join('\n'));
    return 'refused';
  }
  deps.say(`Fitted to the quota of Lambda: ${fitted.summary}`);
  const context = { stage: options.stage, concurrency: concurrencyText(fitted.concurrency) };
  const chosen = Object.entries(context).flatMap(([name, value]) => [
    ...['--context', `${name}=${value}`],
  ]);
  // The faults of the settings are already printed.
  return (await deps.runCdk([...SYNTH, ...chosen])).ok ? 'done' : 'failed';
}

async function adoptSecrets(
  found: FoundStack | undefined,
  step: Step,
): Promise<'done' | 'declined' | 'failed'> {
  const { stack, folder, deps } = step;
  const template = join(deps.project, ASSEMBLY, `${stack}.template.json`);
  const adoptable = await findAdoptable(template, found !== undefined, deps.access);
  const arns = Object.values(adoptable).map(({ Id }) => Id);
  if (arns.length === 0) return 'done';
  deps.say(`These secrets were kept from an earlier deployment:\n  ${arns.join('\n  ')}`);
  if (!(await agreed(`Adopt them into ${stack}, with their values?`, step))) return 'declined';
  const mapping = join(folder, 'adopt.json');
  writeFileSync(mapping, JSON.stringify(adoptable));
  // --force: the other changes come afterwards.
  const imported = await cdk(['import', stack, '--resource-mapping', mapping, '--force'], step);
  return imported ? 'done' : 'failed';
}

/** A new stack has nothing to lose. */
async function create(step: Step): Promise<Deployed> {
  const { stack, deps } = step;
  if (!(await agreed(`Deploy ${stack}?`, step))) return 'declined';
  if (!(await cdk(['deploy', stack, ...UNASKED, ...outputsFile(step)], step))) return 'failed';
  await deps.access.setPolicy(stackPolicy());
  return 'deployed';
}

/** CloudFormation itself says what a change set would replace, before it is carried out. */
async function update(step: Step): Promise<Deployed> {
  const { stack, options, deps } = step;
  const { access, say } = deps;
  const named = ['--change-set-name', CHANGE_SET];
  const prepare = ['deploy', stack, '--method', 'prepare-change-set', ...named, ...UNASKED];
  if (!(await cdk(prepare, step))) return 'failed';
  const changes = await access.changes(CHANGE_SET);
  if (!changes) {
    await access.discard(CHANGE_SET);
    await access.setPolicy(stackPolicy());
    say(`${stack} is already deployed as it is described here.`);
    return 'unchanged';
  }
  const { lines, losses } = judgeChanges(changes);
  if (lines.length > 0) say(`This deployment replaces or deletes:\n  ${lines.join('\n  ')}`);
  const { allowLoss = [] } = options;
  const refused = losses.filter((id) => !allowLoss.includes(id));
  if (refused.length > 0) {
    await access.discard(CHANGE_SET);
    say(lossAdvice(refused));
    return 'refused';
  }
  if (!(await agreed(`Deploy these changes to ${stack}?`, step))) {
    await access.discard(CHANGE_SET);
    return 'declined';
  }
  await access.setPolicy(stackPolicy(losses));
  try {
    const execute = ['deploy', stack, '--method', 'execute-change-set', ...named];
    return (await cdk([...execute, ...UNASKED, ...outputsFile(step)], step))
      ? 'deployed'
      : 'failed';
  } finally {
    if (losses.length > 0) await access.setPolicy(stackPolicy());
  }
}

const UNASKED = ['--require-approval', 'never'];
const outputsFile = ({ folder }: Step) => ['--outputs-file', join(folder, 'outputs.json')];

function lossAdvice(ids: readonly string[]): string {
  return `Nothing was deployed: what holds state would be lost to the connector. Undo what changes it in the
settings. A shop that is to go must stay in the settings until a version that retains secrets is deployed.
To lose it on purpose, name each: ${ids.map((id) => `--allow-loss ${id}`).join(' ')}`;
}

async function agreed(question: string, { options, deps }: Step): Promise<boolean> {
  if (options.yes || (await deps.confirm(question))) return true;
  deps.say('Nothing was deployed. To deploy without a question: --yes.');
  return false;
}

async function cdk(words: readonly string[], { deps }: Step): Promise<boolean> {
  const { ok, said } = await deps.runCdk([...words, '--app', ASSEMBLY]);
  const explanation = ok ? undefined : explainFailure(said);
  if (explanation !== undefined) deps.say(`\n${explanation}`);
  return ok;
}

function readOutputs({ folder, stack }: Step): StackOutputs {
  return JSON.parse(readFileSync(join(folder, 'outputs.json'), 'utf8'))[stack];
}

interface VersionVerdict {
  readonly kind: 'fine' | 'refused';
  readonly text?: string;
}

/** Whether this version may follow the deployed one; undefined when nothing whole is deployed. */
function judgeVersion(
  deployed: string | undefined,
  rollBack: boolean,
  own = VERSION,
): VersionVerdict {
  const order = deployed === undefined ? 'same' : compareVersions(own, deployed);
  switch (order) {
    case 'same':
      return { kind: 'fine' };
    case 'newer':
      return {
        kind: 'fine',
        text: `Version ${deployed} is deployed, and this is ${own}: an upgrade. CHANGELOG.md says what changes.`,
      };
    case 'older': {
      const text = `Version ${deployed} is deployed, and this is ${own}: a rollback. No data is deleted. What ${deployed} wrote in a
newer form is not read by ${own}: such orders, customers and codes wait until ${deployed} is deployed again,
and become dead letters (newer-release) after the retry window. What only ${deployed} can do ends.`;
      return rollBack
        ? { kind: 'fine', text }
        : {
            kind: 'refused',
            text: `${text}\nNothing was deployed. To go back on purpose: --roll-back.`,
          };
    }
  }
}

/** How to return to the version that was deployed before this newer one. */
function goingBack(before: string, own = VERSION): string | undefined {
  if (compareVersions(own, before) !== 'newer') return undefined;
  return `To go back: npm install --save-exact loyalty-connector@${before}, then npx loyalty-connector deploy --roll-back`;
}

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties?: { readonly Name?: unknown } }>
  >;
}

/** Secrets that an earlier stack left behind: in the form of CDK's resource mapping, by logical id. */
type Adoptable = Readonly<Record<string, { readonly Id: string }>>;

/**
 * Finds the secrets of the template that exist already and are not in the stack: those of a stack that was
 * deleted, or of a shop that was removed and is back. To create them would fail on their names; imported,
 * they keep their values.
 */
async function findAdoptable(
  templateFile: string,
  isDeployed: boolean,
  access: Pick<StackAccess, 'resourceIds' | 'secretArn'>,
): Promise<Adoptable> {
  const { Resources }: Template = JSON.parse(readFileSync(templateFile, 'utf8'));
  const known = isDeployed ? await access.resourceIds() : new Set();
  const found: Record<string, { readonly Id: string }> = {};
  for (const [id, { Type, Properties }] of Object.entries(Resources)) {
    const name = Properties?.Name;
    if (!isSecret(Type) || known.has(id) || typeof name !== 'string') continue;
    const arn = await access.secretArn(name);
    if (arn !== undefined) found[id] = { Id: arn };
  }
  return found;
}

/** Advice for the most common failures. */
const KNOWN: readonly { readonly when: RegExp; readonly advice: string }[] = [
  {
    when: /cdk-bootstrap|(?:is|been|not) bootstrapped|bootstrap stack version/i,
    advice: `This account and region are not prepared for CDK yet. Once per account and region:
  npx cdk bootstrap
(with the same --profile, and the region in AWS_REGION)`,
  },
  {
    when: /expired/i,
    advice: 'Your AWS credentials have expired. Sign in again (aws sso login), then deploy again.',
  },
  {
    when: /credentials|Unable to resolve AWS account|security token.*invalid/i,
    advice:
      'No valid AWS credentials were found. Sign in (aws configure, or aws sso login) or give --profile NAME.',
  },
  {
    when: /scheduled for deletion/i,
    advice: `A secret with this name was deleted and still has its recovery window. Restore it
(aws secretsmanager restore-secret --secret-id NAME), then deploy again: it is adopted with its value.`,
  },
  {
    when: /secret.*already exists|already exists.*secret/i,
    advice: `Secrets with these names belong to another stack. Give this stage or this shop's path
another name, or remove them from that stack first: there they are kept when the shop leaves its settings.`,
  },
  {
    when: /denied by stack policy/i,
    advice: `The stack's policy refuses to replace or delete what holds state. Deploy with this command, which
says what that is, and lets you name what may go: --allow-loss ID.`,
  },
  {
    when: /ROLLBACK_COMPLETE|ROLLBACK_IN_PROGRESS/,
    advice: `AWS has rolled everything back. The first line above with CREATE_FAILED or
UPDATE_FAILED says why; fix that and deploy again.`,
  },
];

function explainFailure(said: string): string | undefined {
  return KNOWN.find(({ when }) => when.test(said))?.advice;
}
