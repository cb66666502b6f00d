import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

/** Runs the command in a project with a stand-in for `cdk`, and returns what that one was asked to do. */
function deploy(words: readonly string[], steps: Readonly<Record<string, Step>> = {}) {
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
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [resolve('scripts/connector/launch.mjs'), 'deploy', ...words],
    {
      cwd: folder,
      encoding: 'utf8',
      input: '',
      env: { PATH: process.env.PATH, AWS_REGION: 'eu-west-1' },
    },
  );
  const asked: { words: string[]; region: string }[] = readFileSync(calls, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  return { status, text: stdout + stderr, asked, commands: asked.map((call) => call.words[0]) };
}

describe('loyalty-connector deploy', () => {
  it('checks, shows, deploys what was shown, and says what to type next', () => {
    const { status, text, asked, commands } = deploy(['--yes', '--stage', 'dev']);
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

  it('deploys nothing without consent', () => {
    const { status, text, commands } = deploy([]);
    expect(commands).toEqual(['synth', 'diff']);
    expect(text).toContain('Nothing was deployed');
    expect(status).toBe(1);
  });

  it('asks and deploys nothing when nothing has changed', () => {
    const { status, text, commands } = deploy([], {
      diff: { says: '\n✨  Number of stacks with differences: \u001b[1m0\u001b[22m' },
    });
    expect(commands).toEqual(['synth', 'diff']);
    expect(text).toContain('already deployed');
    expect(status).toBe(0);
  });

  it('stops at faulty settings, whose faults were reported already', () => {
    const fault =
      'connector.config.ts: loyalty.address must begin with https:// and a public domain name, and hold neither credentials nor a query';
    const { status, text, commands } = deploy(['--yes'], { synth: { says: fault, exits: 1 } });
    expect(commands).toEqual(['synth']);
    expect(text).toContain(fault);
    expect(text).not.toContain('Sign in');
    expect(status).toBe(1);
  });

  it('passes profile and region on to every step', () => {
    const { asked } = deploy(['--yes', '--profile', 'shop', '--region', 'sa-east-1']);
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
    [
      "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution below its minimum value of [10].",
      'reservedReceiverConcurrency',
    ],
    ['UPDATE_ROLLBACK_COMPLETE', 'rolled everything back'],
  ])('says what to do about: %s', (says, advice) => {
    const { status, text } = deploy(['--yes'], { deploy: { says, exits: 1 } });
    expect(text).toContain(advice);
    expect(status).toBe(1);
  });

  it('explains itself, and a mistake on the command line', () => {
    expect(deploy(['--help'])).toMatchObject({ status: 0, commands: [] });
    const mistake = deploy(['--stagee', 'dev']);
    expect(mistake).toMatchObject({ status: 2, commands: [] });
    expect(mistake.text).toContain('Did you mean --stage?');
  });
});
