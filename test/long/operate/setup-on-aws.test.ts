import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../local/stack/emulators.ts';
import { answerIdentity } from '../../../local/stack/gateway/gateway.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { type ScriptedService, startAwsGateway } from '../../support/aws-gateway.ts';
import { type CommandSettings, runCommand } from '../../support/connector-command.ts';
import { createProject } from '../../support/project.ts';

const STACK = 'loyalty-connector-prod';
let folder = '';
let gateway: Emulator;
let quota = 1_000;
/** The status that CloudFormation reports before the one of a finished deployment. */
let statuses: string[] = [];

/** A stack exists once the stand-in for `cdk` has made it: it leaves a file. */
const isMade = (what: string) => existsSync(join(folder, `${what}.made`));

const cloudFormation: ScriptedService = ({ text }, response) => {
  const fields = new URLSearchParams(text);
  const name = fields.get('StackName') ?? '';
  const action = fields.get('Action');
  response.setHeader('content-type', 'text/xml');
  if (action !== 'DescribeStacks') {
    // A change set without changes has failed.
    const result = action === 'DescribeChangeSet' ? '<Status>FAILED</Status>' : '';
    response.end(
      `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`,
    );
    return;
  }
  const outputs =
    name === 'CDKToolkit'
      ? { BootstrapVersion: '30' }
      : { Version: VERSION, SecretsPrefix: 'loyalty-connector/prod' };
  if (!isMade(name)) {
    response.writeHead(400);
    const code = '<Code>ValidationError</Code>';
    const said = `<Message>Stack with id ${name} does not exist</Message>`;
    response.end(`<ErrorResponse><Error>${code}${said}</Error></ErrorResponse>`);
    return;
  }
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const status = (name === STACK && statuses.shift()) || 'UPDATE_COMPLETE';
  response.end(
    `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${name}</StackName><StackStatus>${status}</StackStatus><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
  );
};

const json = (value: () => unknown): ScriptedService => {
  return (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value()));
  };
};

const ARN = 'arn:aws:iam::123456789012:user/olivia';

beforeAll(async () => {
  folder = createProject('connector-setup-aws');
  const cdk = join(folder, 'node_modules/aws-cdk/bin/cdk');
  mkdirSync(dirname(cdk), { recursive: true });
  writeFileSync(
    cdk,
    `const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
const [word, stack, ...rest] = process.argv.slice(2);
appendFileSync('calls', word + ' ' + stack + '\\n');
if (word === 'synth') {
  mkdirSync('cdk.out', { recursive: true });
  writeFileSync('cdk.out/${STACK}.template.json', '{"Resources":{}}');
}
if (word === 'bootstrap') writeFileSync('CDKToolkit.made', '');
if (word === 'deploy') {
  writeFileSync('${STACK}.made', '');
  const outputs = { WebhookAddress: 'https://hooks.example', NextCommand: 'next' };
  writeFileSync(rest[rest.indexOf('--outputs-file') + 1], JSON.stringify({ [stack]: outputs }));
}
`,
  );
  gateway = await startAwsGateway({
    cloudformation: cloudFormation,
    sts: (_, response) => response.end(answerIdentity({ arn: ARN, userId: 'AIDA' }).body),
    lambda: json(() => ({
      AccountLimit: { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: quota },
    })),
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

const calls = () =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').split('\n') : [];

async function setUp(words: string, settings: Partial<CommandSettings> = {}) {
  const env = {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL: gateway.endpoint,
    AWS_ACCESS_KEY_ID: 'olivia',
    AWS_SECRET_ACCESS_KEY: 'secret-of-olivia',
  };
  const run = await runCommand(['setup', ...words.split(' ').filter(Boolean)], {
    folder,
    env,
    ...settings,
  });
  return { code: run.code, output: run.stdout + run.stderr };
}

/** Writes settings that are no longer the example's. */
function writeSettings(): void {
  const module = JSON.stringify(join(PACKAGE_FOLDER, 'shared/config/connector-config.ts'));
  const shops = [{ domain: 'lamps-and-more.myshopify.com' }];
  const loyalty = { address: 'https://api.loyalty-of-lamps.io' };
  const text = `import { defineConnector } from ${module};
export default defineConnector(${JSON.stringify({ shops, loyalty })});`;
  writeFileSync(join(folder, 'connector.config.ts'), text);
}

describe('setup in an empty account', () => {
  it('is not that of this machine where a region is named', async () => {
    const file = join(folder, '.connector/stack.json');
    mkdirSync(dirname(file));
    writeFileSync(file, '{}');
    expect((await setUp('--yes')).output).toContain('stack.json was not written by');
    expect((await setUp('--yes --region eu-west-1')).output).toContain('account 123456789012');
    rmSync(file);
  });

  it("names the account, and every setting that is still the example's, before it changes anything", async () => {
    const { code, output } = await setUp('--yes');
    expect(output).toContain(`${STACK} in eu-west-1, account 123456789012, as`);
    expect(output).toContain("shops[0].domain is still the example's");
    expect(output).toContain("loyalty.address is still the example's");
    expect(calls()).toEqual([]);
    expect(code).toBe(1);
    writeSettings();
  });

  it('changes nothing without consent, and does not wait where there is no terminal', async () => {
    const { code, output } = await setUp('');
    expect(output).toContain('cdk bootstrap aws://123456789012/eu-west-1');
    expect(calls()).toEqual([]);
    expect(code).toBe(1);
  });

  it('stops at a quota that leaves the receiver no room, with the request to make', async () => {
    writeFileSync(join(folder, 'CDKToolkit.made'), '');
    quota = 5;
    const { code, output } = await setUp('--yes');
    expect(output).toContain('request-service-quota-increase');
    expect(calls()).toEqual([]);
    expect(code).toBe(1);
    quota = 1_000;
    rmSync(join(folder, 'CDKToolkit.made'));
  });

  it('prepares the account once and deploys, also when it is killed at each of these steps', async () => {
    for (const place of ['3. CDK bootstrap', '4. Deploy']) {
      const { code } = await setUp('--yes', {
        onOutput: (output, child) => {
          if (output.includes(place)) child.kill('SIGKILL');
        },
      });
      expect(code, place).toBeNull();
    }
    const { output } = await setUp('--yes');
    expect(output).toContain('CDKToolkit has version 30');
    expect(output).toContain(`${STACK} is deployed, in version ${VERSION}`);
    expect(calls().filter((call) => call.startsWith('bootstrap'))).toHaveLength(1);
    expect(calls()).toContain(`deploy ${STACK}`);
  });

  it("leaves the deployment of a construct to the user's own app", async () => {
    writeFileSync(join(folder, 'Paper.made'), '');
    const before = calls();
    const { output } = await setUp('--yes --stack Paper');
    expect(output).toMatch(/1\. AWS account\n.*Paper in eu-west-1/s);
    expect(output).toContain('3. Secrets');
    expect(calls()).toEqual(before);
  });

  it('waits for a deployment that goes on after its command was stopped', async () => {
    statuses = ['UPDATE_COMPLETE', 'UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE'];
    const { output } = await setUp('--yes');
    expect(statuses).toEqual([]);
    expect(output).toContain(`${STACK} is deployed`);
  });
});
