import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import { runningNote } from '../../../shared/config/folders.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { runCommand } from '../../support/connector-command.ts';
import { createProject } from '../../support/project.ts';
import {
  answering,
  type ScriptedServer,
  startScriptedServer,
} from '../../support/scripted-server.ts';

const STACK = 'loyalty-connector-prod';

let folder: string;
let aws: ScriptedServer;

beforeAll(async () => {
  folder = createProject('command-line');
  aws = await startScriptedServer();
});
afterAll(async () => {
  await aws.stop();
  await rm(folder, { recursive: true, force: true });
});

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  runCommand(line === '' ? [] : line.split(' '), { folder, env });

describe('the command line', { timeout: 120_000 }, () => {
  it('explains itself, in words that fit a screen, without colours in a pipe', async () => {
    for (const line of ['', '--help', 'dead-letters --help', 'help dead-letters replay']) {
      const { code, stdout, stderr } = await run(line, { FORCE_COLOR: '0' });
      expect({ code, stderr }, line).toEqual({ code: 0, stderr: '' });
      expect(stdout, line).toContain('Usage: loyalty-connector');
      expect(stdout).not.toContain('\u001b');
      for (const text of stdout.split('\n')) expect(text.length, text).toBeLessThanOrEqual(100);
    }
    expect((await run('-v')).stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/);
    const { code, stderr } = await run('dead-letters');
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: loyalty-connector dead-letters');
  });

  it.each([
    ['statsu --shop x', /unknown command 'statsu'\. Did you mean status\?/],
    ['--unheard-of', /unknown option '--unheard-of'/],
    ['help stats', /unknown command 'stats'\. Did you mean status\?/],
    ['help dead-letters shw', /dead-letters: unknown command 'shw'\. Did you mean show\?/],
    ['replay', /unknown command 'replay'\. Did you mean dead-letters replay\?/],
    ['list', /Did you mean dead-letters list or redemptions list\?/],
    ['dead-letters lisd', /unknown command 'lisd'\. Did you mean list\?/],
    ['dead-letters burn', /unknown command 'burn'/],
    ['dead-letters list extra', /too many arguments/],
    ['dead-letters list --stak x', /unknown option '--stak'\. Did you mean --stack\?/],
    ['dead-letters list --stack', /--stack <name> needs a value/],
    ['dead-letters list --kind orders', /--kind cannot be "orders"\. Did you mean order\? Help/],
    ['dead-letters list --reason rejectd', /Did you mean rejected\?/],
    ['start --store shopfy', /Did you mean shopify\?/],
    ['start --store magento', /Allowed choices are shopify, vendure\. Help/],
    ['dead-letters list --since yesterday', /Give a duration such as 90m/],
    ['dead-letters show', /<id> is missing: its id, or what it is about/],
    ['dead-letters replay --limit many', /Give a whole number from 1/],
    ['dead-letters drop --kind order', /--because <reason> is missing: /],
    ['dead-letters drop --because test', /choose the dead letters/],
    ['dead-letters drop --id 1 --because <why>', /Give a reason/],
  ])('answers "%s" with one clear line and exit code 2', async (line, clear) => {
    const { code, stdout, stderr } = await run(line);
    expect(stderr).toMatch(clear);
    expect(stderr.match(/\n/g)).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('says how to start when nothing runs here', async () => {
    const { code, stdout, stderr } = await run('dead-letters list', { TMPDIR: folder });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('No connector runs on this machine.');
    expect(stderr).toContain('npm start');
  });

  it('says where one runs, if that is another folder', async () => {
    const other = createProject('another folder');
    vi.stubEnv('TMPDIR', folder);
    const addresses = { endpoint: aws.url, metricsAddress: aws.url, shops: [] };
    const keys = { operator: { accessKeyId: 'a', secretAccessKey: 'b' } };
    const stack = { name: STACK, ...addresses, keys, outputs: {} };
    const written = writeStateFile(stack, { stage: 'prod' }, other);
    // Linux gives no process a number above 2^22.
    await writeFile(runningNote(2 ** 30), 'left by a dead process');
    const { code, stderr } = await run('dead-letters list', { TMPDIR: folder });
    expect(stderr).toContain(`No connector runs in ${folder}, but on this machine one runs in:`);
    expect(stderr).toContain(`cd '${other}'\n`);
    expect(code).toBe(1);
    if (written.kind === 'written') written.remove();
    const after = await run('dead-letters list', { TMPDIR: folder });
    expect(after.stderr).toContain('No connector runs on this machine.');
    vi.unstubAllEnvs();
    await rm(other, { recursive: true, force: true });
  });

  it('does not believe a description that a dead process left behind', async () => {
    const own = await mkdtemp(join(tmpdir(), 'left-behind-'));
    await mkdir(join(own, '.connector'));
    const texts = { stack: STACK, stage: 'prod', region: 'us-east-1', endpoint: aws.url };
    const addresses = { storeAddress: '', loyaltyAddress: '', metricsAddress: '' };
    const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
    // Linux gives no process a number above 2^22.
    const stack = { pid: 2 ** 30, ...texts, ...addresses, credentials, outputs: {} };
    await writeFile(join(own, '.connector', 'stack.json'), JSON.stringify(stack));
    const { code, stderr } = await runCommand(['dead-letters', 'list'], { folder: own });
    expect(code).toBe(1);
    expect(stderr).toContain('is no longer running');
    await rm(own, { recursive: true, force: true });
  });
});

const errorXml = (code: string, message: string) =>
  `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`;

const fails = (status: number, code: string, message: string) =>
  answering(status, errorXml(code, message), { 'content-type': 'text/xml' });

const output = (key: string, value: string) =>
  `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`;
const PREFIX = (stage: string) =>
  output('SecretsPrefix', `loyalty-connector/${stage}`) + output('Version', VERSION);

const described = (outputs: string) =>
  answering(
    200,
    `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>${STACK}</StackName><CreationTime>2026-10-01T00:00:00Z</CreationTime><StackStatus>UPDATE_COMPLETE</StackStatus><Outputs>${outputs}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    { 'content-type': 'text/xml' },
  );

describe('what AWS answers', { timeout: 120_000 }, () => {
  const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
  const list = (env: Readonly<Record<string, string>> = {}) =>
    run(`dead-letters list --stack ${STACK} --region eu-west-1`, {
      ...credentials,
      AWS_ENDPOINT_URL: aws.url,
      ...env,
    });

  it.each([
    [
      fails(400, 'ValidationError', `Stack with id ${STACK} does not exist`),
      `There is no stack ${STACK} in eu-west-1.`,
      '--region',
    ],
    [described(PREFIX('prod')), 'has no output "OrdersDeadLetterQueueUrl"', 'npm run deploy'],
    [described(''), 'has no output "SecretsPrefix"', 'npm run deploy'],
  ])('is told in plain words, with what to do next (%#)', async (script, said, next) => {
    aws.script = script;
    const { code, stdout, stderr } = await list();
    expect(stderr).toContain(said);
    expect(stderr).toContain(next);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('is asked again when it throttles, and reported when that does not help', async () => {
    aws.script = fails(400, 'Throttling', 'Rate exceeded');
    aws.received.length = 0;
    const { code, stderr } = await list();
    expect(aws.received.length).toBeGreaterThan(1);
    expect(stderr).toContain('AWS throttled the requests of this account');
    expect(code).toBe(1);
  });

  it('is missed without a network, credentials or a region', async () => {
    const unreachable = await list({ AWS_ENDPOINT_URL: 'http://127.0.0.1:1' });
    expect(unreachable.stderr).toContain('AWS_ENDPOINT_URL is set to http://127.0.0.1');
    const nobody = await list({ AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' });
    expect(nobody.stderr).toContain('No AWS credentials were found');
    const nowhere = await run(`dead-letters list --stack ${STACK}`, credentials);
    expect(nowhere.stderr).toContain('No AWS region is set.');
    for (const { code } of [unreachable, nobody, nowhere]) expect(code).toBe(1);
  });

  it('is shown by name when it is unknown, and with its place when asked', async () => {
    aws.script = fails(400, 'SomethingNew', 'It is new');
    const { code, stderr } = await list();
    expect(stderr).toContain('AWS answered SomethingNew: It is new');
    expect(code).toBe(1);
    const { stderr: verbose } = await list({ DEBUG: '1' });
    expect(verbose).toMatch(/^\s+at /m);
  });

  it('does not stand in for settings that are not there', async () => {
    aws.script = described(PREFIX('nowhere'));
    const { code, stderr } = await list();
    expect(stderr).toContain('There is no stage "nowhere"');
    expect(code).toBe(1);
  });
});
