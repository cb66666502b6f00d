import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type DeployOptions,
  deploy as deployStack,
} from '../../scripts/connector/deploy/deploy.ts';
import { openStackAccess } from '../../scripts/connector/deploy/stack-access.ts';
import { awsSettings } from '../../scripts/connector/deployment/deployment.ts';
import { fitToAccount } from '../../scripts/connector/deployment/fit-to-account.ts';
import { defineConnector } from '../../shared/config/connector-config.ts';
import { VERSION } from '../../shared/config/release.ts';
import { type ScriptedService, startAwsGateway } from '../support/aws-gateway.ts';
import { runCommand } from '../support/connector-command.ts';
import { createProject } from '../support/project.ts';

let folder: string;
beforeEach(() => {
  folder = createProject('connector-deploy-test');
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Step {
  readonly says?: string;
  readonly exits?: number;
}

type Change = readonly [id: string, type: string, action: string, ...more: string[]];

/** What AWS has and answers. */
interface Account {
  /** Undefined: there is no stack. */
  readonly version?: string;
  readonly status?: string;
  readonly isProtected?: boolean;
  readonly resources?: readonly string[];
  /** Of the prepared change set: id, type, action, replacement, policy action. Undefined: none. */
  readonly changes?: readonly Change[];
  /** Names of secrets. */
  readonly secrets?: readonly string[];
  readonly denied?: boolean;
  /** Of concurrent executions. */
  readonly quota?: number;
  /** The output of the stack. */
  readonly concurrency?: string;
}

const TABLE = 'AWS::DynamoDB::Table';
const SECRET = 'AWS::SecretsManager::Secret';
const SOME: readonly Change[] = [['Worker', 'AWS::Lambda::Function', 'Modify', 'False']];

const members = (all: readonly string[]) => all.map((one) => `<member>${one}</member>`).join('');

function cloudFormation(account: Account, calls: string[]): ScriptedService {
  const resourceChange = ([id, type, action, replacement = '', policy = '']: Change) =>
    `<ResourceChange><LogicalResourceId>${id}</LogicalResourceId><ResourceType>${type}</ResourceType><Action>${action}</Action>${replacement && `<Replacement>${replacement}</Replacement>`}${policy && `<PolicyAction>${policy}</PolicyAction>`}</ResourceChange>`;
  const fault = (code: string, message: string) =>
    `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
  const { version, changes, resources = [] } = account;
  const outputs = members([
    `<OutputKey>Concurrency</OutputKey><OutputValue>${account.concurrency ?? '{"orders":10,"products":5,"coupons":5}'}</OutputValue>`,
    ...(version === '0.1.0'
      ? []
      : [`<OutputKey>Version</OutputKey><OutputValue>${version}</OutputValue>`]),
  ]);
  const results: Readonly<Record<string, string>> = {
    DescribeStacks: `<Stacks>${members([`<StackName>s</StackName><StackStatus>${account.status ?? 'UPDATE_COMPLETE'}</StackStatus><EnableTerminationProtection>${account.isProtected ?? false}</EnableTerminationProtection><Outputs>${outputs}</Outputs>`])}</Stacks>`,
    ListStackResources: `<StackResourceSummaries>${members(resources.map((id) => `<LogicalResourceId>${id}</LogicalResourceId>`))}</StackResourceSummaries>`,
    DescribeChangeSet: `<Status>${changes ? 'CREATE_COMPLETE' : 'FAILED'}</Status><Changes>${members((changes ?? []).map(resourceChange))}</Changes>`,
  };
  return ({ text }, response) => {
    const asked = new URLSearchParams(text);
    const action = asked.get('Action') ?? '';
    const policy = asked.get('StackPolicyBody');
    calls.push(policy === null ? action : `${action} ${policy}`);
    response.setHeader('content-type', 'text/xml');
    if (account.denied) {
      response.writeHead(403);
      response.end(fault('AccessDenied', `not authorized to perform: cloudformation:${action}`));
      return;
    }
    if (version === undefined && action === 'DescribeStacks') {
      response.writeHead(400);
      response.end(fault('ValidationError', 'Stack with id s does not exist'));
      return;
    }
    const result = results[action] ?? '';
    response.end(
      `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`,
    );
  };
}

function secretsManager({ secrets = [] }: Account): ScriptedService {
  return ({ text }, response) => {
    const { SecretId } = JSON.parse(text);
    const found = secrets.includes(SecretId);
    response.writeHead(found ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    const missing = { __type: 'ResourceNotFoundException', message: 'no such secret' };
    const arn = `arn:aws:secretsmanager:eu-west-1:123456789012:secret:${SecretId}-abcdef`;
    response.end(JSON.stringify(found ? { ARN: arn, Name: SecretId } : missing));
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
const NAME = 'loyalty-connector/prod/example-store/webhook';
const TEMPLATE = {
  Resources: { Table: { Type: TABLE }, Hook: { Type: SECRET, Properties: { Name: NAME } } },
};

interface CdkCall {
  readonly step: string;
  readonly words: readonly string[];
  readonly mapping?: object;
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
    runs.push({
      ...{ step, words },
      ...(step === 'import' && {
        mapping: JSON.parse(readFileSync(after('--resource-mapping'), 'utf8')),
      }),
    });
    if (ok && words.includes('--outputs-file')) {
      const outputs = { WebhookAddress: 'https://hooks.example', NextCommand: 'npx next' };
      writeFileSync(after('--outputs-file'), JSON.stringify({ [stack]: outputs }));
    }
    return { ok, said: says };
  }
  return { runs, runCdk };
}

/** Deploys against a scripted AWS, with the answer "no" to every question. */
async function deploy(
  options: Partial<DeployOptions>,
  account: Account = {},
  steps: Readonly<Record<string, Step>> = {},
) {
  const stack = 'loyalty-connector-prod';
  const { runs, runCdk } = openCdk(steps);
  const calls: string[] = [];
  const said: string[] = [];
  mkdirSync(join(folder, 'cdk.out'), { recursive: true });
  writeFileSync(join(folder, 'cdk.out', `${stack}.template.json`), JSON.stringify(TEMPLATE));
  const gateway = await startAwsGateway({
    cloudformation: cloudFormation(account, calls),
    secretsmanager: secretsManager(account),
    lambda: lambda(account),
  });
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const aws = awsSettings({ endpoint: gateway.endpoint, region: 'eu-west-1', credentials });
  try {
    const result = await deployStack(
      { stage: 'prod', yes: true, ...options },
      {
        fitConcurrency: (name) => fitToAccount(aws, name, CONNECTOR),
        runCdk,
        access: openStackAccess(stack, aws),
        project: folder,
        confirm: async () => false,
        say: (text) => said.push(text),
        suggest: (command) => said.push(`Next: ${command}`),
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

/** It leaves with the upgrade from 0.1.0. */
const ALARMS_KEY = 'LogicalResourceId/AlarmsKey3C2381B3';
const UPDATE = ['synth', 'diff', 'prepare-change-set', 'execute-change-set'];
const deployed: Account = { version: VERSION, resources: ['Table', 'Hook'], changes: SOME };

describe('loyalty-connector deploy', () => {
  it('makes a stack, protects what holds state, and says what to type next', async () => {
    const { result, text, runs, done, policies } = await deploy({});
    expect(done).toEqual(['synth', 'diff', 'deploy']);
    expect(runs[0]?.words).toContain('stage=prod');
    for (const { words } of runs.slice(1)) {
      expect(words[1]).toBe('loyalty-connector-prod');
      expect(words.join(' ')).toContain('--app cdk.out');
    }
    expect(policies).toHaveLength(1);
    expect(JSON.parse(policies[0] ?? '').Statement[1]).toMatchObject({
      Effect: 'Deny',
      Action: ['Update:Replace', 'Update:Delete'],
      NotResource: [ALARMS_KEY],
      Condition: { StringEquals: { ResourceType: expect.arrayContaining([TABLE]) } },
    });
    expect(text).toContain('https://hooks.example/<path of the shop>');
    expect(text).toContain('Next: npx next');
    expect(result).toBe('deployed');
  });

  it('makes a stack anew whose first deployment failed', async () => {
    const failed = { ...deployed, status: 'ROLLBACK_COMPLETE' };
    const { done, calls } = await deploy({}, { ...failed, isProtected: true });
    expect(done).toEqual(['synth', 'diff', 'deploy']);
    // CDK protects `prod` before it is made, and could not delete what is left.
    expect(calls).toContain('UpdateTerminationProtection');
  });

  it('carries out exactly the change set that was judged', async () => {
    const { result, done, runs, policies } = await deploy({}, deployed);
    expect(done).toEqual(UPDATE);
    const names = runs.slice(2).map(({ words }) => words[words.indexOf('--change-set-name') + 1]);
    expect(new Set(names).size).toBe(1);
    expect(policies).toHaveLength(1);
    expect(result).toBe('deployed');
  });

  it('deploys nothing without consent, and leaves no change set behind', async () => {
    const { result, text, done, discarded } = await deploy({ yes: false }, deployed);
    expect(done).toEqual(UPDATE.slice(0, 3));
    expect(text).toContain('Nothing was deployed');
    expect(discarded).toBe(true);
    expect(result).toBe('declined');
  });

  it('asks and deploys nothing when nothing has changed', async () => {
    const { changes: _, ...same } = deployed;
    const { result, text, done, discarded } = await deploy({ yes: false }, same);
    expect(done).toEqual(UPDATE.slice(0, 3));
    expect(text).toContain('already deployed');
    expect(discarded).toBe(true);
    expect(result).toBe('unchanged');
  });

  it('stops at faulty settings, whose faults were reported already', async () => {
    const fault = 'connector.config.ts: loyalty.address must begin with https://';
    const steps = { synth: { says: fault, exits: 1 } };
    const { result, text, done } = await deploy({}, deployed, steps);
    expect(done).toEqual(['synth']);
    expect(text).not.toContain('Sign in');
    expect(result).toBe('failed');
  });

  it('stops where the stack cannot be read: it may hold a newer version', async () => {
    await expect(deploy({}, { denied: true })).rejects.toThrow('cloudformation:DescribeStacks');
  });

  it.each([
    ['Unable to resolve AWS account to use. It must be either configured', 'Sign in'],
    ['The security token included in the request is expired', 'have expired'],
    [
      'SSM parameter /cdk-bootstrap/hnb659fds/version not found. Has the environment been bootstrapped?',
      'npx cdk bootstrap',
    ],
    ['Action denied by stack policy: Statement [#1] does not allow', '--allow-loss'],
    ['a secret with this name is already scheduled for deletion', 'restore-secret'],
    ['UPDATE_ROLLBACK_COMPLETE', 'rolled everything back'],
  ])('says what to do about: %s', async (says, advice) => {
    const { result, text } = await deploy({}, deployed, {
      'execute-change-set': { says, exits: 1 },
    });
    expect(text).toContain(advice);
    expect(result).toBe('failed');
  });

  it('runs CDK of the project in the region, and ends with its failure', async () => {
    const cdk = join(folder, 'node_modules/aws-cdk/bin/cdk');
    mkdirSync(dirname(cdk), { recursive: true });
    writeFileSync(cdk, 'console.log(process.argv[2], process.env.AWS_REGION); process.exit(1);');
    const gateway = await startAwsGateway({
      cloudformation: cloudFormation({}, []),
      lambda: lambda({}),
    });
    const { code, stdout, stderr } = await runCommand(['deploy', '--region', 'sa-east-1'], {
      folder,
      env: {
        ...{ AWS_ENDPOINT_URL: gateway.endpoint, AWS_REGION: 'eu-west-1' },
        ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
      },
    });
    await gateway.stop();
    expect(stdout).toContain('synth sa-east-1');
    expect(stderr).toContain('Fitted to the quota');
    expect(code).toBe(1);
    const refused = await runCommand(['deploy'], { folder, env: { AWS_REGION: 'eu-west-1' } });
    // Without credentials it bundles nothing: CDK is not even started.
    const without = expect.stringContaining('No AWS credentials were found.');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: without });
    const mistake = await runCommand(['deploy', '--stagee', 'dev'], { folder });
    expect(mistake).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean') });
  });
});

describe('synth', () => {
  it('says what it wrote, and which command comes next', async () => {
    const cdk = join(folder, 'node_modules/aws-cdk/bin/cdk');
    mkdirSync(dirname(cdk), { recursive: true });
    writeFileSync(cdk, '');
    mkdirSync(join(folder, 'cdk.out'));
    const write = (file: string, content: object) =>
      writeFileSync(join(folder, 'cdk.out', file), JSON.stringify(content));
    const templateFile = 'loyalty-connector-dev.template.json';
    write('manifest.json', {
      artifacts: { 'loyalty-connector-dev': { properties: { templateFile } }, Tree: {} },
    });
    write(templateFile, {
      Resources: { ...TEMPLATE.Resources, F: { Type: 'AWS::Lambda::Function' } },
    });
    const { code, stderr } = await runCommand(['synth', '--stage', 'dev'], { folder });
    const [, written, next] = stderr.trim().split('\n');
    expect(written).toMatch(
      /^ {2}loyalty-connector-dev: 3 resources, 1 functions, in \/.*\/cdk\.out\/l/,
    );
    expect(next).toContain('Nothing was deployed. Next: npx loyalty-connector deploy --stage dev,');
    expect(code).toBe(0);
  });
});

describe('the quota of concurrent executions', () => {
  const concurrencyIn = ({ runs }: Awaited<ReturnType<typeof deploy>>) =>
    runs[0]?.words.find((word) => word.startsWith('concurrency='));

  it('decides how many workers there are, before anything is synthesized', async () => {
    const small = await deploy({}, { quota: 10 });
    expect(concurrencyIn(small)).toBe('concurrency={"orders":2,"products":2,"coupons":2}');
    expect(small.text).toContain('at most 2 workers for orders');
  });

  it("has this stack's own reservation added back, so that a second deployment chooses the same", async () => {
    const chosen = '{"orders":10,"products":5,"coupons":5,"receiver":50}';
    const first = await deploy({}, { quota: 160 });
    expect(concurrencyIn(first)).toBe(`concurrency=${chosen}`);
    const second = await deploy({}, { ...deployed, quota: 110, concurrency: chosen });
    expect(concurrencyIn(second)).toBe(`concurrency=${chosen}`);
  });

  it('without room for the receiver refuses, with the request to make', async () => {
    const refused = await deploy({}, { quota: 9 });
    expect(refused).toMatchObject({ result: 'refused', done: [] });
    const request = '--quota-code L-B99A9384 --desired-value 1000 --region eu-west-1';
    expect(refused.text).toContain(request);
  });
});

describe('what holds state', () => {
  const losing = (...changes: Change[]): Account => ({ ...deployed, changes });
  const replaced: Change = ['Table', TABLE, 'Modify', 'True', 'ReplaceAndRetain'];

  it.each([
    ['replaced', replaced],
    ['perhaps replaced', ['Table', TABLE, 'Modify', 'Conditional']],
    ['deleted', ['Queue', 'AWS::SQS::Queue', 'Remove', '', 'Delete']],
    ['left behind', ['Queue', 'AWS::SQS::Queue', 'Remove', '', 'Retain']],
    ['deleted with its shop', ['Hook', SECRET, 'Remove', '', 'Delete']],
  ] as const)('is never %s without its name being given', async (_, change) => {
    const refused = await deploy({}, losing(change));
    expect(refused.done).toEqual(UPDATE.slice(0, 3));
    expect(refused).toMatchObject({ result: 'refused', discarded: true, policies: [] });
    expect(refused.text).toContain(`--allow-loss ${change[0]}`);
  });

  it('goes when its name is given; the policy lets it go once', async () => {
    const words = { allowLoss: ['Table'] };
    const { result, text, done, policies } = await deploy(words, losing(replaced));
    expect(done).toEqual(UPDATE);
    expect(text).toContain('Table (AWS::DynamoDB::Table) is REPLACED');
    const [during, after] = policies.map((policy) => JSON.parse(policy).Statement[1]);
    expect(during).toMatchObject({ NotResource: [ALARMS_KEY, 'LogicalResourceId/Table'] });
    expect(after).toMatchObject({ NotResource: [ALARMS_KEY] });
    expect(result).toBe('deployed');
  });

  it('is protected again also after a deployment that failed', async () => {
    const words = { allowLoss: ['Table'] };
    const steps = { 'execute-change-set': { exits: 1 } };
    const { result, policies } = await deploy(words, losing(replaced), steps);
    expect(JSON.parse(policies.at(-1) ?? '').Statement[1]).toMatchObject({
      NotResource: [ALARMS_KEY],
    });
    expect(result).toBe('failed');
  });

  it('may leave with its shop where it is a secret, which is kept', async () => {
    const { result, text } = await deploy({}, losing(['Hook', SECRET, 'Remove', '', 'Retain']));
    expect(text).toContain('leaves the stack and is kept');
    expect(result).toBe('deployed');
  });

  it('is shown beside everything else that is replaced', async () => {
    const url: Change = ['Url', 'AWS::Lambda::Url', 'Modify', 'True'];
    const { result, text } = await deploy({}, losing(url, ...SOME));
    expect(text).toContain('Url (AWS::Lambda::Url) is REPLACED');
    expect(text).not.toContain('Worker (');
    expect(result).toBe('deployed');
  });
});

describe('a kept secret', () => {
  const mapping = {
    Hook: { Id: expect.stringContaining(`secret:${NAME}`) },
  };

  it('is adopted with its value by a stack that is made again', async () => {
    const { result, done, runs } = await deploy({}, { secrets: [NAME] });
    expect(done).toEqual(['synth', 'import', 'diff', 'deploy']);
    expect(runs[1]?.mapping).toEqual(mapping);
    expect(result).toBe('deployed');
  });

  it('is adopted when its shop returns, and not touched while it is in the stack', async () => {
    const back = { ...deployed, resources: ['Table'], secrets: [NAME] };
    expect((await deploy({}, back)).done).toEqual(['synth', 'import', ...UPDATE.slice(1)]);
    const there = { ...deployed, secrets: [NAME] };
    expect((await deploy({}, there)).done).toEqual(UPDATE);
  });

  it('is not adopted without consent', async () => {
    const { result, done, text } = await deploy({ yes: false }, { secrets: [NAME] });
    expect(done).toEqual(['synth']);
    expect(text).toContain(NAME);
    expect(result).toBe('declined');
  });
});

describe('another version', () => {
  it('that is older is upgraded, with the way back', async () => {
    const upgraded = await deploy({}, { ...deployed, version: '0.1.9' });
    expect(upgraded.text).toContain('an upgrade');
    expect(upgraded.text).toContain('npm install --save-exact loyalty-connector@0.1.9');
    const key: Change = ['AlarmsKey3C2381B3', 'AWS::KMS::Key', 'Remove', '', 'Delete'];
    const first = await deploy({}, { ...deployed, version: '0.1.0', changes: [key, ...SOME] });
    expect(first.result).toBe('deployed');
    expect(first.text).toContain('no safe way back to 0.1.0');
  });

  it('that is newer is rolled back only on purpose, and says what waits', async () => {
    const newer = { ...deployed, version: '99.0.0' };
    const refused = await deploy({}, newer);
    expect(refused).toMatchObject({ result: 'refused', done: [] });
    expect(refused.text).toContain('wait until 99.0.0 is deployed again');
    expect(refused.text).toContain('--roll-back');
    const back = await deploy({ rollBack: true }, newer);
    expect(back).toMatchObject({ result: 'deployed', done: UPDATE });
  });
});
