import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { runCommand } from '../../support/connector-command.ts';
import { PROJECT } from '../../support/project.ts';
import { startAccount, TEMPLATE, useProject } from './deployed-stack.ts';

const project = useProject();

/** CDK's command line of the project. */
function writeCdk(script: string): void {
  const cdk = join(project(), 'node_modules/aws-cdk/bin/cdk');
  mkdirSync(dirname(cdk), { recursive: true });
  writeFileSync(cdk, script);
}

describe('the command line', () => {
  it('deploy runs CDK of the project in the region, and ends with its failure', async () => {
    const folder = project();
    writeCdk('console.log(process.argv[2], process.env.AWS_REGION); process.exit(1);');
    const gateway = await startAccount();
    const { code, stdout, stderr } = await runCommand(['deploy', '--region', 'sa-east-1'], {
      folder,
      env: {
        ...{ AWS_ENDPOINT_URL: gateway.endpoint, AWS_REGION: 'eu-west-1' },
        ...{ AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' },
      },
    });
    await gateway.stop();
    expect(stderr).toContain('synth sa-east-1');
    expect(stdout).toBe('');
    expect(stderr).toContain('Fitted to the quota');
    expect(code).toBe(1);
    const refused = await runCommand(['deploy'], { folder, env: { AWS_REGION: 'eu-west-1' } });
    // Without credentials it bundles nothing: CDK is not even started.
    const without = expect.stringContaining('No AWS credentials were found.');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: without });
    const mistake = await runCommand(['deploy', '--stagee', 'dev'], { folder });
    expect(mistake).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean') });
  });

  it('synth says what it wrote, and which command comes next', async () => {
    const folder = project();
    writeCdk('console.log("said by CDK");');
    mkdirSync(join(folder, 'cdk.out'));
    const write = (file: string, content: object) =>
      writeFileSync(join(folder, 'cdk.out', file), JSON.stringify(content));
    const templateFile = 'loyalty-connector-dev.template.json';
    const artifact = { properties: { templateFile } };
    write('manifest.json', { artifacts: { 'loyalty-connector-dev': artifact, Tree: {} } });
    const F = { Type: 'AWS::Lambda::Function' };
    write(templateFile, { Resources: { ...TEMPLATE.Resources, F } });
    const settings = readFileSync(join(PROJECT, 'connector.config.ts'), 'utf8')
      .replace('../../../shared', join(PACKAGE_FOLDER, 'shared'))
      .replace('https://loyalty.example.com', 'http://localhost:4032');
    writeFileSync(join(folder, 'connector.config.dev.ts'), settings);
    const { code, stdout } = await runCommand(['synth', '--stage', 'dev'], { folder });
    expect(stdout).toMatch(/^The templates are in \/.*\/cdk\.out$/m);
    expect(stdout).toContain('Nothing was deployed.');
    expect(stdout).toContain('Before you deploy');
    expect(stdout).toContain("connector.config.dev.ts: shops[0].domain is still the example's");
    expect(stdout).not.toMatch(/FAIL|loyalty-connector deploy/);
    expect(code).toBe(0);
    const own = settings.replace('example-store', 'own-store');
    writeFileSync(join(folder, 'connector.config.dev.ts'), own);
    const ready = await runCommand(['synth', '--stage', 'dev'], { folder });
    expect(ready.stdout).toContain('connector.config.dev.ts: loyalty.address is not https');
    expect(ready.stdout).toContain('npx loyalty-connector deploy --stage dev');
    const json = await runCommand(['synth', '--stage', 'dev', '--json'], { folder });
    expect(JSON.parse(json.stdout)).toMatchObject({ title: 'Templates' });
    expect(json.stderr).toContain('said by CDK');
  });
});
