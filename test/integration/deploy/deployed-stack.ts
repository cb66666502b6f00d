import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { awsSettings } from '../../../scripts/connector/ground/session/deployment.ts';
import { Problem } from '../../../scripts/connector/ground/terminal/exit.ts';
import {
  type DeployOptions,
  deploy as deployStack,
} from '../../../scripts/connector/set-up/deploy.ts';
import { defineConnector } from '../../../shared/config/connector-config.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { type ScriptedService, startAwsGateway } from '../../support/aws-gateway.ts';
import { createProject } from '../../support/project.ts';

interface Step {
  readonly says?: string;
  readonly exits?: number;
}

export type Change = readonly [id: string, type: string, action: string, ...more: string[]];

/** What AWS has and answers. */
export interface Account {
  /** Undefined when there is no stack. */
  readonly version?: string;
  readonly status?: string;
  readonly isProtected?: boolean;
  /** Of the prepared change set: id, type, action, replacement, policy action. Undefined means none. */
  readonly changes?: readonly Change[];
  readonly denied?: boolean;
  /** Of concurrent executions. */
  readonly quota?: number;
  /** The output of the stack. */
  readonly concurrency?: string;
}

export const TABLE = 'AWS::DynamoDB::Table';
export const SOME: readonly Change[] = [['Worker', 'AWS::Lambda::Function', 'Modify', 'False']];

const members = (all: readonly string[]) => all.map((one) => `<member>${one}</member>`).join('');

/** Of AWS: what a deployment asks. */
export const startAccount = (account: Account = {}, calls: string[] = []) =>
  startAwsGateway({
    cloudformation: cloudFormation(account, calls),
    lambda: lambda(account),
  });

function cloudFormation(account: Account, calls: string[]): ScriptedService {
  const resourceChange = ([id, type, action, replacement = '', policy = '']: Change) =>
    `<ResourceChange><LogicalResourceId>${id}</LogicalResourceId><ResourceType>${type}</ResourceType><Action>${action}</Action>${replacement && `<Replacement>${replacement}</Replacement>`}${policy && `<PolicyAction>${policy}</PolicyAction>`}</ResourceChange>`;
  const { version, changes } = account;
  const outputs = members([
    `<OutputKey>Concurrency</OutputKey><OutputValue>${account.concurrency ?? '{"orders":10,"products":5,"coupons":5}'}</OutputValue>`,
    `<OutputKey>Version</OutputKey><OutputValue>${version}</OutputValue>`,
  ]);
  /** AWS ends a page where it likes: the first is empty here, and the others have one member each. */
  const pageOf = (all: readonly string[], page: number) => ({
    page: members(all.slice(Math.max(page - 1, 0), page)),
    next: page < all.length ? `<NextToken>${page + 1}</NextToken>` : '',
  });
  const results: Readonly<Record<string, (page: number) => string>> = {
    DescribeStacks: () =>
      `<Stacks>${members([`<StackName>s</StackName><StackStatus>${account.status ?? 'UPDATE_COMPLETE'}</StackStatus><EnableTerminationProtection>${account.isProtected ?? false}</EnableTerminationProtection><Outputs>${outputs}</Outputs>`])}</Stacks>`,
    DescribeChangeSet: (number) => {
      const { page, next } = pageOf((changes ?? []).map(resourceChange), number);
      const status = changes ? 'CREATE_COMPLETE' : 'FAILED';
      return `<Status>${status}</Status><Changes>${page}</Changes>${next}`;
    },
  };
  return ({ text }, response) => {
    const asked = new URLSearchParams(text);
    const action = asked.get('Action') ?? '';
    const policy = asked.get('StackPolicyBody');
    calls.push(policy === null ? action : `${action} ${policy}`);
    response.setHeader('content-type', 'text/xml');
    const fail = (status: number, code: string, message: string) => {
      const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
      response.writeHead(status).end(`<ErrorResponse>${error}</ErrorResponse>`);
    };
    if (account.denied) {
      return fail(403, 'AccessDenied', `not authorized to perform: cloudformation:${action}`);
    }
    if (version === undefined && action === 'DescribeStacks') {
      return fail(400, 'ValidationError', 'Stack with id s does not exist');
    }
    const found = results[action]?.(Number(asked.get('NextToken') ?? 0)) ?? '';
    const result = `<${action}Result>${found}</${action}Result>`;
    response.end(`<${action}Response>${result}</${action}Response>`);
  };
}

function lambda({ quota = 1_000 }: Account): ScriptedService {
  return (_, response) => {
    response.setHeader('content-type', 'application/json');
    const AccountLimit = { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: quota };
    response.end(JSON.stringify({ AccountLimit }));
  };
}

const CONNECTOR = defineConnector({
  shops: [{ domain: 'example-store.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
});
export const TEMPLATE = { Resources: { Table: { Type: TABLE } } };

interface CdkCall {
  readonly step: string;
  readonly words: readonly string[];
}

/** A stand-in for CDK's command line. */
function openCdk(steps: Readonly<Record<string, Step>>) {
  const runs: CdkCall[] = [];
  async function runCdk(words: readonly string[]) {
    const after = (option: string) => words[words.indexOf(option) + 1] ?? '';
    const [command = '', stack = ''] = words;
    const isMethod = command === 'deploy' && words.includes('--method');
    const step = isMethod ? after('--method') : command;
    const { says = '', exits = 0 } = steps[step] ?? {};
    const ok = exits === 0;
    runs.push({ step, words });
    if (ok && words.includes('--outputs-file')) {
      const outputs = { WebhookAddress: 'https://hooks.example', NextCommand: 'npx next' };
      writeFileSync(after('--outputs-file'), JSON.stringify({ [stack]: outputs }));
    }
    return { ok, said: says };
  }
  return { runs, runCdk };
}

/** For the tests of one file: a project of its own for each. */
export function useProject(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = createProject('connector-deploy-test');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  return () => folder;
}

/** Deploys a project of each test against a scripted AWS, with the answer "no" to every question. */
export function useDeploy() {
  const folder = useProject();
  return (...given: DeployGiven) => deployTo(folder(), ...given);
}

type DeployGiven = [
  options: Partial<DeployOptions>,
  account?: Account,
  steps?: Readonly<Record<string, Step>>,
];

async function deployTo(folder: string, ...[options, account = {}, steps = {}]: DeployGiven) {
  const stack = 'loyalty-connector-prod';
  const { runs, runCdk } = openCdk(steps);
  const calls: string[] = [];
  const said: string[] = [];
  mkdirSync(join(folder, 'cdk.out'), { recursive: true });
  writeFileSync(join(folder, 'cdk.out', `${stack}.template.json`), JSON.stringify(TEMPLATE));
  const gateway = await startAccount(account, calls);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const aws = awsSettings({ endpoint: gateway.endpoint, region: 'eu-west-1', credentials });
  try {
    const given = { stage: 'prod', yes: true, ...options };
    const terminal = { confirm: async () => false, note: (text: string) => void said.push(text) };
    const deps = { aws, runCdk, connector: CONNECTOR, terminal };
    const result = await deployStack(given, deps).then(
      (sentences) => {
        said.push(...sentences);
        return 'deployed';
      },
      (error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        said.push(error.message, error.next ?? '');
        return 'not deployed';
      },
    );
    const policies = calls.flatMap((call) => /^SetStackPolicy (.*)/.exec(call)?.[1] ?? []);
    const done = runs.map(({ step }) => step);
    const discarded = calls.includes('DeleteChangeSet');
    return { result, text: said.join('\n'), runs, done, policies, discarded, calls };
  } finally {
    await gateway.stop();
  }
}

/** CDK's steps of an update. */
export const UPDATE = ['synth', 'diff', 'prepare-change-set', 'execute-change-set'];
export const deployed: Account = { version: VERSION, changes: SOME };
