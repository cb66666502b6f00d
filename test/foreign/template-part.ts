import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { synthesize } from '../../local/stack/synthesize.ts';
import { installOnce } from '../../local/vendure-engine/install-once.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { PROJECT } from '../support/project.ts';
import { install, type Part } from './part.ts';

/** Undefined stands for the settings of the project. Each makes other resources. */
const SETTINGS = [undefined, 'every-option', 'own-key', 'many-shops', 'shared-account', 'limited'];

const DEPLOY_ROLE = join(PACKAGE_FOLDER, 'scripts/connector/set-up/template/deploy-role.yml');

/** What CloudFormation would deploy, against its resource schemas and its documented rules. */
export const template: Part = {
  engine: 'cfn-lint 1.58.0',
  bug: 'a queue keeps its messages for longer than SQS can',
  async open() {
    const lint = join(await installPython(), 'cfn-lint');
    const folder = mkdtempSync(join(tmpdir(), 'linted-templates-'));
    const files: string[] = [];
    for (const name of SETTINGS) {
      const settings = name && resolve(PACKAGE_FOLDER, `test/fixtures/${name}.config.ts`);
      const target = join(folder, name ?? 'project');
      const { stackName } = await synthesize('prod', target, { project: PROJECT, settings });
      files.push(join(target, `${stackName}.template.json`));
    }
    return {
      async judge(withBug) {
        if (withBug) files.forEach(plantBug);
        const resources = files.flatMap((file) => Object.keys(read(file).Resources));
        const { stdout, stderr } = spawnSync(
          lint,
          ['--format', 'parseable', '--', ...files, DEPLOY_ROLE],
          { encoding: 'utf8' },
        );
        const faults = (stdout + stderr).split('\n').filter((line) => line !== '');
        return { checks: resources.length, faults };
      },
      stop: async () => rmSync(folder, { recursive: true }),
    };
  },
};

/** In an environment of its own; every package must have the hash of the lock file. */
async function installPython(): Promise<string> {
  const wanted = join(PACKAGE_FOLDER, 'tools/python/requirements.txt');
  const folder = await installOnce('python', wanted, (target) => {
    install('python3', '-m', 'venv', target);
    const pip = join(target, 'bin/pip');
    install(pip, 'install', '--quiet', '--require-hashes', '--requirement', wanted);
  });
  return join(folder, 'bin');
}

interface WrittenTemplate {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: object }>;
}

const read = (file: string): WrittenTemplate => JSON.parse(readFileSync(file, 'utf8'));

function plantBug(file: string): void {
  const written = read(file);
  for (const { Type, Properties } of Object.values(written.Resources)) {
    if (Type === 'AWS::SQS::Queue')
      Object.assign(Properties, { MessageRetentionPeriod: 1_209_601 });
  }
  writeFileSync(file, JSON.stringify(written));
}
