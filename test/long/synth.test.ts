import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** A project of its own: what is broken here breaks nothing for the tests beside it. */
const folder = mkdtempSync(join(tmpdir(), 'connector-synth-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  for (const part of ['app', 'infra', 'shared', 'functions', 'cdk.json', 'package.json']) {
    cpSync(part, join(folder, part), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  write('connector.config.ts', SHOP);
  write('connector.config.dev.ts', DEV);
});

const SHOP = `{
  shops: [{ domain: 'one.myshopify.com' }],
  loyalty: { address: 'https://loyalty.example.com' },
  alarms: { emails: ['owner@shop.example'] },
}`;

const DEV = `{
  shops: [{ domain: 'two.myshopify.com' }, { domain: 'three.myshopify.com', path: 'third' }],
  rules: { currency: 'EUR' },
  loyalty: { address: 'https://loyalty.example.com' },
  alarms: { emails: ['owner@shop.example'] },
  deployment: {
    endpoint: {
      kind: 'http-api',
      domain: {
        name: 'hooks.example.com',
        certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/sample',
      },
    },
    retainData: false,
  },
}`;

function write(file: string, settings: string): void {
  const code = `import { defineConnector } from './shared/config/connector-config.ts';\n`;
  writeFileSync(join(folder, file), `${code}export default defineConnector(${settings});\n`);
}

/** Without an account, credentials or a region: none of them is needed. */
function cdk(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('cdk', words, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' },
  });
  return { status, stdout, stderr };
}

describe('cdk synth', { timeout: 300_000 }, () => {
  it('makes a stack per stage, finds nothing to warn of, and needs no account', () => {
    const { status, stdout, stderr } = cdk('synth', '--quiet');
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).not.toMatch(/warn|error/i);
    for (const stage of ['prod', 'dev']) {
      const file = join(folder, `cdk.out/loyalty-connector-${stage}.template.json`);
      const { Resources } = JSON.parse(readFileSync(file, 'utf8'));
      expect(Object.keys(Resources).length).toBeGreaterThan(40);
    }
  });

  it('stops at wrong settings with every fault in plain words and no stack trace', () => {
    write(
      'connector.config.dev.ts',
      "{ shops: [{ domain: 'x.example' }], loyalty: {}, colour: 1 }",
    );
    const { status, stdout, stderr } = cdk('synth', '--quiet');
    write('connector.config.dev.ts', DEV);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'connector.config.dev.ts:2:44: shops[0].domain must end in .myshopify.com, in lower case and without https://',
      'connector.config.dev.ts:2:68: loyalty.address is missing',
      'connector.config.dev.ts:2:81: colour is not a setting',
    ]);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('stops at what the security checks find, unless it is acknowledged with a reason', () => {
    const file = join(folder, 'infra/storage.ts');
    const code = readFileSync(file, 'utf8');
    writeFileSync(file, code.replace('AwsSolutions-IAM5', 'AwsSolutions-IAM0'));
    // The built-in check of the template needs long to start, and the first test has it.
    const { status, stderr } = cdk(
      'synth',
      '--quiet',
      '--context',
      'stage=prod',
      '--no-validation',
    );
    writeFileSync(file, code);
    expect(status).toBe(1);
    expect(stderr).toContain('AwsSolutions-IAM5');
  });
});
