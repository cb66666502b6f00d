import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { type Concurrency, concurrencyText } from '../../shared/config/concurrency.ts';
import type { Connector } from '../../shared/config/connector-config.ts';
import { moduleFile } from '../../shared/config/folders.ts';
import { readSettingsFile, settingsFileOf } from '../../shared/config/settings-file.ts';
import { isAlive } from '../sandbox-kit/data-file-lock.ts';
import type { StartOptions } from './start-options.ts';
import { type Assembly, readAssembly } from './template/template.ts';

/** A problem that the user can fix; the message says how. */
export class CannotStart extends Error {}

const stackNameOf = (stage: string): string => `loyalty-connector-${stage}`;

/** The settings of a stage, as the deployed functions read them. */
export async function loadConnector(
  stage: string,
  project: string,
  file = settingsFileOf(stage),
): Promise<Connector> {
  if (!existsSync(resolve(project, file))) {
    throw new CannotStart(`There is no stage ${stage}: ${file} is missing in ${project}.`);
  }
  const read = await readSettingsFile(project, file);
  if (read.kind === 'settings') return read.connector;
  throw new CannotStart(read.faults.join('\n'));
}

interface SynthesisOptions {
  readonly project: string;
  /** Used instead of the settings file of the stage. */
  readonly settings?: string | undefined;
  /** As `deploy` would fit it to a quota. Absent: the defaults. */
  readonly concurrency?: Concurrency | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Runs the program that `cdk deploy` runs, in a process of its own, for this stage only. Skips
 * the validation of the template: it takes most of the time, and `cdk deploy` does it anyway.
 */
export async function synthesize(
  stage: string,
  folder: string,
  { project, settings, concurrency, signal }: SynthesisOptions,
): Promise<Assembly> {
  rmSync(folder, { recursive: true, force: true });
  const compiled = getCompileCacheDir();
  const child = spawn(process.execPath, [moduleFile('infra/app')], {
    cwd: project,
    env: {
      ...process.env,
      ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }),
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({
        stage,
        settings,
        concurrency: concurrency && concurrencyText(concurrency),
      }),
      CDK_VALIDATION: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new CannotStart(`The stack cannot be synthesized.\n${printed.trim()}`);
  return readAssembly(folder, stackNameOf(stage));
}

const NAME = /^assembly-(\d+)$/;

export interface AssemblyFolder {
  readonly path: string;
  remove(): void;
}

/**
 * The folder for the synthesized stack. Functions are started from it as long as this process runs,
 * so each process has its own. Removes the folders that killed processes left behind.
 */
export function openAssemblyFolder(parent: string): AssemblyFolder {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) removeFolder(join(parent, name));
  }
  const path = join(parent, `assembly-${process.pid}`);
  return { path, remove: () => removeFolder(path) };
}

function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

export interface ChosenSettings {
  readonly project: string;
  readonly connector: Connector;
  /** The settings file, if it is not the one of the stage. */
  readonly file: string | undefined;
}

/**
 * The settings of the stage. If those of `prod` have no storefront, it is switched on, so that the user
 * can see its pages; not with `--once`, which ends before anyone could look.
 */
export async function chooseSettings(
  { stage, once }: Pick<StartOptions, 'stage' | 'once'>,
  project: string,
): Promise<ChosenSettings> {
  const connector = await loadConnector(stage, project);
  if (connector.storefront || stage !== 'prod' || once) {
    return { project, connector, file: undefined };
  }
  const file = writeSettingsWithStorefront(project);
  return { project, connector: await loadConnector(stage, project, file), file };
}

/** A file, because functions are bundled with one. */
function writeSettingsWithStorefront(project: string): string {
  const file = '.connector/with-storefront.config.mjs';
  const from = (path: string) => JSON.stringify(path);
  writeFileSync(
    join(project, file),
    `import { withStorefront } from ${from(moduleFile('shared/config/connector-config'))};
import settings from ${from(`../${settingsFileOf('prod')}`)};
export default withStorefront(settings);
`,
  );
  return file;
}
