import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../local/stack/emulators.ts';
import { type ScriptedService, startAwsGateway } from '../support/aws-gateway.ts';
import { runCommand } from '../support/connector-command.ts';
import { createProject } from '../support/project.ts';

let folder: string;
let quota = 1_000;
/** The output of a stack that is deployed already. */
let deployed: string | undefined;
let aws: Emulator;

const lambda: ScriptedService = (_, response) => {
  response.setHeader('content-type', 'application/json');
  const AccountLimit = { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: quota };
  response.end(JSON.stringify({ AccountLimit }));
};
const cloudformation: ScriptedService = (_, response) => {
  response.setHeader('content-type', 'text/xml');
  if (deployed === undefined) response.writeHead(400);
  response.end(
    deployed === undefined
      ? '<ErrorResponse><Error><Code>ValidationError</Code><Message>no such stack</Message></Error></ErrorResponse>'
      : `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><Outputs><member><OutputKey>Concurrency</OutputKey><OutputValue>${deployed}</OutputValue></member></Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
};

beforeAll(async () => {
  aws = await startAwsGateway({ lambda, cloudformation });
});
afterAll(() => aws.stop());
beforeEach(() => {
  folder = createProject('connector-deploy-test');
  copyFileSync(join(folder, 'connector.config.ts'), join(folder, 'connector.config.dev.ts'));
  quota = 1_000;
  deployed = undefined;
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Step {
  readonly says?: string;
  readonly exits?: number;
}

/** Runs the command in a project with a stand-in for `cdk`, and returns what that one was asked to do. */
async function deploy(words: readonly string[], steps: Readonly<Record<string, Step>> = {}) {
  const calls = join(folder, 'calls.jsonl');
  writeFileSync(calls, '');
  const cdk = join(folder, 'node_modules/aws-cdk/bin/cdk');
  mkdirSync(dirname(cdk), { recursive: true });
  writeFileSync(
    cdk,
    `const { appendFileSync, writeFileSync } = require('node:fs');
const words = process.argv.slice(2);
const region = process.env.AWS_REGION;
appendFileSync(${JSON.stringify(calls)}, JSON.stringify({ words, region }) + '\\n');
const { says, exits = 0 } = (${JSON.stringify(steps)})[words[0]] ?? {};
if (says) console.error(says);
const at = words.indexOf('--outputs-file');
if (exits === 0 && at > 0) {
  const outputs = { WebhookAddress: 'https://hooks.example', NextCommand: 'npx loyalty-connector next' };
  writeFileSync(words[at + 1], JSON.stringify({ [words[1]]: outputs }));
}
process.exitCode = exits;
`,
  );
  const profile = join(folder, 'aws-config');
  writeFileSync(profile, '[profile shop]\naws_access_key_id = a\naws_secret_access_key = b\n');
  const { code, stdout, stderr } = await runCommand(['deploy', ...words], {
    folder,
    env: {
      AWS_REGION: 'eu-west-1',
      AWS_ENDPOINT_URL: aws.endpoint,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      AWS_CONFIG_FILE: profile,
    },
  });
  const asked: { words: string[]; region: string }[] = readFileSync(calls, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return {
    status: code,
    text: stdout + stderr,
    asked,
    commands: asked.map((call) => call.words[0]),
  };
}

describe('loyalty-connector deploy', async () => {
  it('checks, shows, deploys what was shown, and says what to type next', async () => {
    const { status, text, asked, commands } = await deploy(['--yes', '--stage', 'dev']);
    expect(commands).toEqual(['synth', 'diff', 'deploy']);
    expect(asked[0]?.words).toContain('stage=dev');
    for (const { words } of asked.slice(1)) {
      expect(words[1]).toBe('loyalty-connector-dev');
      expect(words.join(' ')).toContain('--app cdk.out');
    }
    expect(text).toContain('https://hooks.example/<path of the shop>');
    expect(text).toContain('Next: npx loyalty-connector next');
    expect(status).toBe(0);
  });

  it('deploys nothing without consent', async () => {
    const { status, text, commands } = await deploy([]);
    expect(commands).toEqual(['synth', 'diff']);
    expect(text).toContain('Nothing was deployed');
    expect(status).toBe(1);
  });

  it('asks and deploys nothing when nothing has changed', async () => {
    const { status, text, commands } = await deploy([], {
      diff: { says: '\n✨  Number of stacks with differences: \u001b[1m0\u001b[22m' },
    });
    expect(commands).toEqual(['synth', 'diff']);
    expect(text).toContain('already deployed');
    expect(status).toBe(0);
  });

  it('stops at faulty settings, whose faults were reported already', async () => {
    const fault =
      'connector.config.ts: loyalty.address must begin with https:// and a public domain name, and hold neither credentials nor a query';
    const { status, text, commands } = await deploy(['--yes'], {
      synth: { says: fault, exits: 1 },
    });
    expect(commands).toEqual(['synth']);
    expect(text).toContain(fault);
    expect(text).not.toContain('Sign in');
    expect(status).toBe(1);
  });

  it('passes profile and region on to every step', async () => {
    const { asked } = await deploy(['--yes', '--profile', 'shop', '--region', 'sa-east-1']);
    expect(asked).toHaveLength(3);
    for (const { words, region } of asked) {
      expect(words.slice(-2)).toEqual(['--profile', 'shop']);
      expect(region).toBe('sa-east-1');
    }
  });

  it.each([
    [
      'Unable to resolve AWS account to use. It must be either configured when you define your CDK Stack',
      'Sign in',
    ],
    ['The security token included in the request is expired', 'have expired'],
    [
      'SSM parameter /cdk-bootstrap/hnb659fds/version not found. Has the environment been bootstrapped?',
      'npx cdk bootstrap',
    ],
    ['UPDATE_ROLLBACK_COMPLETE', 'rolled everything back'],
  ])('says what to do about: %s', async (says, advice) => {
    const { status, text } = await deploy(['--yes'], { deploy: { says, exits: 1 } });
    expect(text).toContain(advice);
    expect(status).toBe(1);
  });

  it('fits the workers to the quota before anything is synthesized', async () => {
    quota = 10;
    const { asked, text } = await deploy(['--yes']);
    expect(asked[0]?.words).toContain('concurrency={"orders":2,"products":2,"coupons":2}');
    expect(text).toContain('at most 2 workers for orders');
  });

  it("adds this stack's own reservation back, so that a second deployment chooses the same", async () => {
    const chosen = '{"orders":10,"products":5,"coupons":5,"receiver":50}';
    quota = 160;
    const first = await deploy(['--yes']);
    expect(first.asked[0]?.words).toContain(`concurrency=${chosen}`);
    [quota, deployed] = [110, chosen];
    const second = await deploy(['--yes']);
    expect(second.asked[0]?.words).toContain(`concurrency=${chosen}`);
  });

  it('refuses an account without room for the receiver, with the request to make', async () => {
    quota = 9;
    const { status, text, commands } = await deploy(['--yes']);
    expect([status, commands]).toEqual([1, []]);
    expect(text).toContain('--quota-code L-B99A9384 --desired-value 1000 --region eu-west-1');
  });

  it('explains itself, and a mistake on the command line', async () => {
    expect(await deploy(['--help'])).toMatchObject({ status: 0, commands: [] });
    const mistake = await deploy(['--stagee', 'dev']);
    expect(mistake).toMatchObject({ status: 2, commands: [] });
    expect(mistake.text).toContain('Did you mean --stage?');
  });
});
