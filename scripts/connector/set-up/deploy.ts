import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFormation,
  paginateDescribeChangeSet,
  type ResourceChange,
} from '@aws-sdk/client-cloudformation';
import { concurrencyText } from '../../../shared/config/concurrency.ts';
import type { Connector } from '../../../shared/config/connector-config.ts';
import { compareVersions, VERSION } from '../../../shared/config/release.ts';
import { type StackOutputs, stackNameOf } from '../../../shared/config/stack-outputs.ts';
import type { AwsSettings } from '../ground/session/deployment.ts';
import { openAws, readStack, readStageSettings } from '../ground/session/find-deployment.ts';
import { fitToAccount } from '../ground/session/fit-to-account.ts';
import type { CommonOptions, Session } from '../ground/session/session.ts';
import { type Document, text } from '../ground/terminal/document.ts';
import { Problem } from '../ground/terminal/exit.ts';
import type { Terminal } from '../ground/terminal/terminal.ts';
import { ASSEMBLY, type CdkRun, runCdk, SYNTH } from './synth.ts';

interface DeployDeps {
  readonly aws: AwsSettings;
  readonly connector: Connector;
  runCdk(words: readonly string[]): Promise<CdkRun>;
  readonly terminal: Pick<Terminal, 'confirm' | 'note'>;
}

export interface DeployOptions extends CommonOptions {
  readonly stage: string;
  readonly rollBack?: boolean;
  /** Logical ids of what holds state and may be replaced or deleted. */
  readonly allowLoss?: readonly string[];
}

/** Reads the settings first, where the stage may be misspelt; then asks AWS, before anything is bundled. */
export async function runDeploy(
  { terminal }: Session,
  { region, profile, ...options }: DeployOptions & CommonOptions,
): Promise<Document> {
  const connector = await readStageSettings(options.stage);
  const aws = await openAws({ ...(region && { region }), ...(profile && { profile }) });
  const [what = '', ...notes] = await deploy(options, {
    ...{ aws, terminal, connector },
    runCdk: (words) => runCdk(words, aws),
  });
  return {
    title: stackNameOf(options.stage, connector.deployment),
    verdict: { kind: 'ok', what },
    blocks: notes.map((note) => text(note)),
  };
}

/** One name: CDK replaces what an interrupted deployment left. */
const CHANGE_SET = 'loyalty-connector-deploy';

/**
 * Fit → check → show → refuse what loses state → ask → deploy. Returns what was done and what comes next, in
 * sentences; throws a `Problem` where nothing was deployed.
 * See docs/decisions/0031-deploy-refuses-what-loses-state-or-starves-the-receiver.md.
 */
export async function deploy(options: DeployOptions, deps: DeployDeps): Promise<readonly string[]> {
  const stack = stackNameOf(options.stage, deps.connector.deployment);
  const folder = mkdtempSync(join(tmpdir(), 'connector-deploy-'));
  const access = openStackAccess(stack, deps.aws);
  const step: Step = { ...deps, stack, folder, options, access, say: deps.terminal.note };
  try {
    step.say(`Asking AWS about ${stack}`);
    const found = await access.find();
    judgeVersion(found?.version, step);
    await synthesize(step);
    if (!found) await access.freeFailed();
    await cdk(['diff', stack, '--method', 'template'], step);
    const isChanged = await (found ? update(step) : create(step));
    if (!isChanged) return [`${stack} is already deployed like this: nothing to change.`];
    const outputs = readFileSync(join(folder, 'outputs.json'), 'utf8');
    const { WebhookAddress, NextCommand }: StackOutputs = JSON.parse(outputs)[stack];
    return [
      `Deployed. Webhooks go to ${WebhookAddress}/<path of the shop>`,
      ...(found?.version === undefined ? [] : goingBack(found.version)),
      `Next: ${NextCommand}`,
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Step extends DeployDeps {
  readonly stack: string;
  /** For files that CDK's command line reads or writes. */
  readonly folder: string;
  readonly options: DeployOptions;
  readonly access: StackAccess;
  say(text: string): void;
}

/** Synthesized once: the changes that were shown and confirmed are deployed. */
async function synthesize({ stack, options, say, ...deps }: Step): Promise<void> {
  const fitted = await fitToAccount(deps.aws, stack, deps.connector);
  if (fitted.kind === 'refused') {
    const [what = '', ...ways] = fitted.why;
    throw new Problem(what, ways.join('\n'));
  }
  say(`Fitted to the quota of Lambda: ${fitted.summary}`);
  const context = { stage: options.stage, concurrency: concurrencyText(fitted.concurrency) };
  const chosen = Object.entries(context).flatMap(([key, one]) => ['--context', `${key}=${one}`]);
  const { ok } = await deps.runCdk([...SYNTH, ...chosen]);
  if (!ok) throw new Problem('Nothing was deployed: the output above says what is wrong.');
}

/** A new stack has nothing to lose. */
async function create(step: Step): Promise<true> {
  const { stack, access } = step;
  await requireConsent(`Deploy ${stack}?`, step);
  await cdk(['deploy', stack, ...UNASKED, ...outputsFile(step)], step);
  await access.setPolicy(stackPolicy());
  return true;
}

/** CloudFormation itself says what a change set would replace, before it is carried out. False: nothing changes. */
async function update(step: Step): Promise<boolean> {
  const { stack, options, access, say } = step;
  const named = ['--change-set-name', CHANGE_SET];
  await cdk(['deploy', stack, '--method', 'prepare-change-set', ...named, ...UNASKED], step);
  const changes = await access.changes(CHANGE_SET);
  if (!changes) {
    await access.discard(CHANGE_SET);
    await access.setPolicy(stackPolicy());
    return false;
  }
  const { lines, losses } = judgeChanges(changes);
  if (lines.length > 0) say(`This deployment replaces or deletes:\n  ${lines.join('\n  ')}`);
  try {
    const { allowLoss = [] } = options;
    const refused = losses.filter((id) => !allowLoss.includes(id));
    if (refused.length > 0) throw tooMuchLost(refused);
    await requireConsent(`Deploy these changes to ${stack}?`, step);
  } catch (error) {
    await access.discard(CHANGE_SET);
    throw error;
  }
  await access.setPolicy(stackPolicy(losses));
  try {
    const execute = ['deploy', stack, '--method', 'execute-change-set', ...named];
    await cdk([...execute, ...UNASKED, ...outputsFile(step)], step);
    return true;
  } finally {
    if (losses.length > 0) await access.setPolicy(stackPolicy());
  }
}

const UNASKED = ['--require-approval', 'never'];

const outputsFile = ({ folder }: Step) => ['--outputs-file', join(folder, 'outputs.json')];

const tooMuchLost = (ids: readonly string[]): Problem =>
  new Problem(
    `Nothing was deployed: resources that hold state would be lost. Undo what changes them in the settings.`,
    `To lose it on purpose, name each: ${ids.map((id) => `--allow-loss ${id}`).join(' ')}`,
  );

async function requireConsent(question: string, { options, terminal }: Step): Promise<void> {
  if (options.yes || (await terminal.confirm(question))) return;
  throw new Problem('Nothing was deployed.', 'To deploy without being asked: --yes.');
}

async function cdk(words: readonly string[], step: Step): Promise<void> {
  const { ok, said } = await step.runCdk([...words, '--app', ASSEMBLY]);
  if (ok) return;
  const advice = KNOWN.find(({ when }) => when.test(said))?.advice;
  throw new Problem(`cdk ${words[0]} failed.`, advice ?? 'Its output above says why.');
}

/** Whether this version may follow the deployed one; undefined when nothing whole is deployed. */
function judgeVersion(deployed: string | undefined, { options, say }: Step): void {
  const order = deployed === undefined ? 'same' : compareVersions(VERSION, deployed);
  if (order === 'newer') {
    say(
      `Version ${deployed} is deployed, and this is ${VERSION}: an upgrade. CHANGELOG.md says what changes.`,
    );
  }
  if (order !== 'older') return;
  say(`Version ${deployed} is deployed, and this is ${VERSION}: a rollback. No data is deleted. What ${deployed} wrote in a
newer form is not read by ${VERSION}: such orders, customers and codes wait until ${deployed} is deployed again,
and become dead letters (newer-release) after the retry window. What only ${deployed} can do ends.`);
  if (!options.rollBack) {
    throw new Problem('Nothing was deployed.', 'To go back on purpose: --roll-back.');
  }
}

function goingBack(before: string): readonly string[] {
  if (compareVersions(VERSION, before) !== 'newer') return [];
  return [
    `To go back: npm install --save-exact loyalty-connector@${before}, then npx loyalty-connector deploy --roll-back`,
  ];
}

/** Advice for the most common failures. Missing credentials are noticed before, when AWS is asked for the stack. */
const KNOWN: readonly { readonly when: RegExp; readonly advice: string }[] = [
  {
    when: /cdk-bootstrap|(?:is|been|not) bootstrapped|bootstrap stack version/i,
    advice: `This account and region are not prepared for CDK yet. Once per account and region:
  npx cdk bootstrap
(with the same --profile, and the region in AWS_REGION)`,
  },
  {
    when: /denied by stack policy/i,
    advice: `The stack's policy refuses to replace or delete resources that hold state. Deploy with this command, which
names them; allow what may be lost with --allow-loss ID.`,
  },
  {
    when: /ROLLBACK_COMPLETE|ROLLBACK_IN_PROGRESS/,
    advice: `AWS has rolled everything back. The first line above with CREATE_FAILED or
UPDATE_FAILED says why; fix that and deploy again.`,
  },
];

export type StackAccess = ReturnType<typeof openStackAccess>;

/** Its first change set was not carried out, or failed: CDK makes such a stack anew. */
const NEVER_MADE: ReadonlySet<string> = new Set([
  'REVIEW_IN_PROGRESS',
  'CREATE_FAILED',
  'ROLLBACK_COMPLETE',
  'ROLLBACK_FAILED',
]);

/** What a deployment asks AWS besides CDK's command line, with the credentials of the caller. */
export function openStackAccess(stack: string, aws: AwsSettings) {
  const cloudFormation = new CloudFormation(aws);

  return {
    /** Undefined when there is no such stack; its version is, too, where it is not whole. */
    async find(): Promise<{ readonly version: string | undefined } | undefined> {
      const found = await readStack(aws, stack);
      if (!found || NEVER_MADE.has(found.status)) return undefined;
      return { version: found.outputs.Version };
    },

    /** Lets CDK delete what a failed first deployment left: it is protected from deletion before it is made. */
    async freeFailed(): Promise<void> {
      const found = await readStack(aws, stack);
      if (!found?.isProtected || !NEVER_MADE.has(found.status)) return;
      const unprotected = { StackName: stack, EnableTerminationProtection: false };
      await cloudFormation.updateTerminationProtection(unprotected);
    },

    /** Undefined when the change set changes nothing. */
    async changes(changeSet: string): Promise<readonly ResourceChange[] | undefined> {
      const found: ResourceChange[] = [];
      const asked = { StackName: stack, ChangeSetName: changeSet };
      const pages = paginateDescribeChangeSet({ client: cloudFormation }, asked);
      for await (const { Changes: changes = [], Status: status } of pages) {
        // CDK has reported every other failure.
        if (status === 'FAILED') return undefined;
        found.push(...changes.flatMap(({ ResourceChange: one }) => one ?? []));
      }
      return found;
    },

    async discard(changeSet: string): Promise<void> {
      await cloudFormation.deleteChangeSet({ StackName: stack, ChangeSetName: changeSet });
    },

    async setPolicy(policy: string): Promise<void> {
      await cloudFormation.setStackPolicy({ StackName: stack, StackPolicyBody: policy });
    },
  };
}

interface Judgement {
  readonly lines: readonly string[];
  /** Logical ids of what holds state and would be lost to the connector. */
  readonly losses: readonly string[];
}

export function judgeChanges(changes: readonly ResourceChange[]): Judgement {
  const leaving = changes.filter(({ Action: action, Replacement: replacement = 'False' }) => {
    return action === 'Remove' || action === 'Dynamic' || replacement !== 'False';
  });
  return {
    lines: leaving.map(describe),
    losses: leaving.filter(isLoss).map(({ LogicalResourceId: id = '' }) => id),
  };
}

const isKept = ({ PolicyAction: policy }: ResourceChange): boolean =>
  policy === 'Retain' || policy === 'ReplaceAndRetain';

/** Also if it is kept: out of the stack it would stand idle. */
const isLoss = ({ ResourceType: type = '' }: ResourceChange): boolean => STATE.includes(type);

function describe(change: ResourceChange): string {
  const { LogicalResourceId: id, ResourceType: type } = change;
  const after = isKept(change) ? '; the old one is kept, out of the stack' : '';
  const holds = isLoss(change) ? ': HOLDS STATE' : '';
  // `Conditional`: known only while it is carried out.
  const what =
    change.Action === 'Remove'
      ? `${isKept(change) ? 'leaves the stack and is kept' : 'is DELETED'}`
      : `${change.Replacement === 'True' ? 'is' : 'may be'} REPLACED${after}`;
  return `${id} (${type}) ${what}${holds}`;
}

/** Resources that hold what no deployment can make again. */
const STATE = ['AWS::DynamoDB::Table', 'AWS::SQS::Queue', 'AWS::KMS::Key'];

/** CloudFormation refuses to replace or delete what holds state. `except`: logical ids that one deployment may give up. */
export function stackPolicy(except: readonly string[] = []): string {
  const named = except.map((id) => `LogicalResourceId/${id}`);
  const deny = (actions: readonly string[], types: readonly string[]) => ({
    Effect: 'Deny',
    Principal: '*',
    Action: actions,
    ...(named.length > 0 ? { NotResource: named } : { Resource: '*' }),
    Condition: { StringEquals: { ResourceType: types } },
  });
  return JSON.stringify({
    Statement: [
      { Effect: 'Allow', Principal: '*', Action: 'Update:*', Resource: '*' },
      deny(['Update:Replace', 'Update:Delete'], STATE),
    ],
  });
}
