import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type Answers,
  PROJECT_PATHS,
  projectFiles,
} from '../../../scripts/connector/set-up/init.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { readSettingsFile } from '../../../shared/config/settings-file.ts';
import { stackNameOf } from '../../../shared/config/stack-outputs.ts';

const ANSWERS: Answers = {
  name: 'paper-shop',
  shop: 'paper.myshopify.com',
  loyaltyAddress: 'https://points.example.org/v2',
  alarmsEmail: "o'hara@example.org",
  region: 'sa-east-1',
};
const files = projectFiles(ANSWERS, '1.2.3');
const textOf = (file: string) => files.get(file) ?? '';

describe('a new project', () => {
  it('holds the answers and none of the examples', () => {
    const settings = textOf('connector.config.ts');
    expect(settings).toContain("import { defineConnector } from 'loyalty-connector';");
    expect(settings).toContain("domain: 'paper.myshopify.com'");
    expect(settings).toContain("address: 'https://points.example.org/v2'");
    expect(settings).toContain(String.raw`emails: ['o\'hara@example.org']`);
    for (const [file, text] of files) {
      expect(text, file).not.toMatch(
        /example-store|loyalty\.example\.com|us-east-1|my-shop|shared\//,
      );
    }
  });

  it('has exactly the files that are looked for before it is written', () => {
    expect([...files.keys()]).toEqual(PROJECT_PATHS);
  });

  it('keeps answers that contain an example of the templates', () => {
    const settings = projectFiles(
      {
        ...ANSWERS,
        shop: 'my-shop-br.myshopify.com',
        loyaltyAddress: 'https://api.us-east-1.example.org',
      },
      '1.2.3',
    ).get('connector.config.ts');
    expect(settings).toContain("domain: 'my-shop-br.myshopify.com'");
    expect(settings).toContain("address: 'https://api.us-east-1.example.org'");
  });

  it('has no address for alarms where none was given', () => {
    const without = projectFiles({ ...ANSWERS, alarmsEmail: '' }, '1.2.3');
    expect(without.get('connector.config.ts')).toContain('alarms: { emails: [] }');
  });

  it('depends on exactly the version that wrote it, and lets npm run the scripts that this one needs', () => {
    const manifest = JSON.parse(textOf('package.json'));
    expect(manifest).toMatchObject({
      name: 'paper-shop',
      private: true,
      dependencies: { 'loyalty-connector': '1.2.3' },
      scripts: { deploy: 'loyalty-connector deploy --region sa-east-1' },
    });
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Record<string, { readonly dev?: true; readonly hasInstallScript?: true }>;
    };
    const needed = Object.entries(packages)
      .filter(([, { dev, hasInstallScript }]) => hasInstallScript && !dev)
      .map(([place]) => place.split('node_modules/').at(-1));
    expect(Object.keys(manifest.allowScripts)).toEqual(expect.arrayContaining(['node', ...needed]));
    // Without it, npm runs the scripts of others with a warning.
    expect(textOf('.npmrc')).toContain('\nstrict-allow-scripts=true\n');
  });

  it('keeps secrets, builds and installed packages out of the repository', () => {
    expect(textOf('.gitignore').split('\n')).toEqual(
      expect.arrayContaining(['node_modules/', 'cdk.out/', '.connector/']),
    );
  });

  it('deploys by a role that only pushes to main can assume, and stores no key', () => {
    const workflow = parse(textOf('.github/workflows/deploy.yml'));
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const { deploy, check } = workflow.jobs;
    expect(deploy).toMatchObject({
      needs: 'check',
      if: "github.event_name == 'push'",
      environment: 'production',
      permissions: { contents: 'read', 'id-token': 'write' },
    });
    expect(workflow.on.push).toEqual({ branches: ['main'] });
    expect(check.permissions).toBeUndefined();
    const credentials = deploy.steps.find(({ uses = '' }) => uses.startsWith('aws-actions/'));
    expect(credentials.with).toEqual({
      'role-to-assume': expect.stringContaining('{{ vars.AWS_DEPLOY_ROLE }}'),
      'aws-region': 'sa-east-1',
    });
    expect(textOf('.github/workflows/deploy.yml')).not.toContain('secrets.');
  });

  it('has the role for it, which only that environment of one repository can assume', () => {
    const { Resources: made } = parse(textOf('deploy-role.yml'), { logLevel: 'silent' });
    const [trust, ...others] = made.DeployRole.Properties.AssumeRolePolicyDocument.Statement;
    expect(others).toEqual([]);
    expect(trust.Condition.StringEquals).toEqual({
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own way to write it.
      'token.actions.githubusercontent.com:sub': 'repo:${Repository}:environment:${Environment}',
    });
    expect(textOf('README.md')).toContain('--template-file deploy-role.yml');
  });

  it('lets a deployer make the calls of deploy, and no others', () => {
    const { Resources: made } = parse(textOf('deploy-role.yml'), { logLevel: 'silent' });
    const { Statement: statements } = made.DeployPolicy.Properties.PolicyDocument;
    const actions = statements.flatMap(({ Action }: { Action: string | string[] }) => Action);
    // `setup`, which deploys too, also looks at CDK's own stack.
    expect([...new Set(actions)].toSorted()).toEqual(
      ['sts:AssumeRole', ...callsOfDeploy()].toSorted(),
    );
  });

  it.each([
    [{}, 'cdk-hnb659fds-', stackNameOf('prod', { namePrefix: '' })],
    [
      { Qualifier: 'teama', NamePrefix: 'team-a-' },
      'cdk-teama-',
      stackNameOf('prod', { namePrefix: 'team-a-' }),
    ],
  ])('lets a deployer reach the roles and the stack of these settings: %o', (given, role, name) => {
    const text = textOf('deploy-role.yml');
    const { Parameters: takes, Resources: made } = parse(text, { logLevel: 'silent' });
    const values: Readonly<Record<string, string>> = given;
    const { Statement: statements } = made.DeployPolicy.Properties.PolicyDocument;
    const reached = statements.map(({ Resource }: { Resource: string }) =>
      Resource.replaceAll(/\$\{(\w+)\}/g, (_, key) => values[key] ?? takes[key]?.Default),
    );
    expect(reached).toContainEqual(expect.stringMatching(`:role/${role}\\*$`));
    const stacks = reached.map((one: string) => one.split(':stack/')[1]?.split('*')[0]);
    expect(stacks.some((start?: string) => start && name.startsWith(start))).toBe(true);
  });

  it('makes no role without the boundary that an account may demand', () => {
    const { Resources: made } = parse(textOf('deploy-role.yml'), { logLevel: 'silent' });
    const roles = Object.values<{ Type: string; Properties: object }>(made).filter(
      ({ Type }) => Type === 'AWS::IAM::Role',
    );
    expect(roles).toEqual([made.DeployRole]);
    const PermissionsBoundary = ['Bounded', 'PermissionsBoundary', 'AWS::NoValue'];
    expect(made.DeployRole.Properties).toMatchObject({ PermissionsBoundary });
  });
});

describe('the settings of a Vendure shop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendure-settings-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [, sample = ''] =
    /```ts\n( *import \{ defineConnector \}.+?)```/s.exec(
      readFileSync('vendure-plugin/README.md', 'utf8'),
    ) ?? [];
  const made = (shop: string) => projectFiles({ ...ANSWERS, shop }, '1.2.3');
  const settingsOf = (shop: string) => made(shop).get('connector.config.ts');

  it.each([
    ['project', 'shop.example.com', settingsOf('https://shop.example.com/admin-api')],
    ['local', 'localhost', settingsOf('http://localhost:3000/admin-api')],
    ['readme', 'shop.example.com', sample],
  ])(
    "are complete in a new project and in the plugin's README: %s",
    async (name, domain, text = '') => {
      const config = JSON.stringify(join(PACKAGE_FOLDER, 'shared/config/connector-config.ts'));
      writeFileSync(join(folder, `${name}.ts`), text.replace("'loyalty-connector'", config));
      expect(await readSettingsFile(folder, `${name}.ts`)).toMatchObject({
        connector: { shops: [{ domain, platform: 'vendure', vendure: { currency: 'EUR' } }] },
      });
    },
  );

  it('come with a page that names no app', () => {
    const page = made('https://shop.example.com/admin-api').get('README.md');
    expect(page).toContain('the store shop.example.com and');
    expect(page).toContain('npm start -- --store vendure    # runs');
    expect(made('http://localhost:3000/admin-api').get('README.md')).toContain(
      'npm start -- --new --data .connector/data    # runs everything on this machine, with a loyalty',
    );
    expect(page).not.toContain('shopify');
  });
});

/** The actions of AWS that the code of `deploy` calls itself, without CDK's command line. */
function callsOfDeploy(): readonly string[] {
  const code = [
    ...['deploy', 'synth'].map((one) => `set-up/${one}`),
    ...['find-deployment', 'fit-to-account'].map((one) => `ground/session/${one}`),
  ].map((file) => readFileSync(`scripts/connector/${file}.ts`, 'utf8'));
  const services: Readonly<Record<string, RegExp>> = {
    cloudformation: /(?:cloudFormation\s*\.|\bpaginate)(\w+)\(/g,
    lambda: /LambdaClient\(\w*\)\.send\(new (\w+)Command\(/g,
  };
  const calls = Object.entries(services).flatMap(([service, call]) =>
    [...code.join('\n').matchAll(call)].map(
      ([, name = '']) => `${service}:${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    ),
  );
  return [...new Set(calls)];
}
