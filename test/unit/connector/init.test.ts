import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Answers, projectFiles } from '../../../scripts/connector/init/project-files.ts';

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

  it('has no address for alarms where none was given', () => {
    const without = projectFiles({ ...ANSWERS, alarmsEmail: undefined }, '1.2.3');
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
    expect(Object.keys(manifest.allowScripts)).toContain('node');
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
    expect(textOf('README.md')).toContain('repo:OWNER/REPOSITORY:environment:production');
  });
});
