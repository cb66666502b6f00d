import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { findProject, moduleFile } from '../../../shared/config/folders.ts';
import { Problem } from '../exit.ts';
import type { CommonOptions } from '../session.ts';

export const ASSEMBLY = 'cdk.out';

/** A shell starts the app, so its words are quoted. Not the first one: CDK would remove that quote. */
const APP = `exec ${JSON.stringify(process.execPath)} ${JSON.stringify(moduleFile('infra/app'))}`;

/** Makes every stage of the project, without a file that says how: the app comes with the connector. */
export const SYNTH = ['synth', '--quiet', '--app', APP, '--output', ASSEMBLY] as const;

export interface CdkRun {
  readonly ok: boolean;
  /** The whole output, which was also shown. */
  readonly said: string;
}

/** Starts CDK's command line in the project, never through a shell. */
export async function runCdk(
  words: readonly string[],
  { profile, region }: Pick<CommonOptions, 'profile' | 'region'>,
): Promise<CdkRun> {
  const { stdout, stderr } = process;
  const project = findProject();
  // The project may have its own version of CDK's command line.
  const { resolve } = createRequire(import.meta.url);
  const cdk = resolve('aws-cdk/bin/cdk', { paths: [project, import.meta.dirname] });
  const options = profile === undefined ? [] : ['--profile', profile];
  const child = spawn(process.execPath, [cdk, ...words, '--no-notices', ...options], {
    cwd: project,
    stdio: ['inherit', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      // cdk has no option for the region; it reads these. A pipe is no reason to lose the colours.
      ...(region !== undefined && { AWS_REGION: region, AWS_DEFAULT_REGION: region }),
      ...(stderr.isTTY && { FORCE_COLOR: '1' }),
    },
  });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    said.push(chunk);
    stdout.write(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.push(chunk);
    stderr.write(chunk);
  });
  const code = await new Promise<number | null>((end, fail) => {
    child.once('error', fail);
    child.once('close', end);
  });
  return { ok: code === 0, said: stripVTControlCharacters(Buffer.concat(said).toString('utf8')) };
}

interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { readonly properties?: { readonly templateFile?: string } }>
  >;
}

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
}

/** What `synth` wrote into this folder, and the command that comes next, in sentences. */
export function describeAssembly(folder: string): string {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
  const { artifacts }: Manifest = read('manifest.json');
  const written = Object.entries(artifacts).flatMap(([stack, { properties }]) => {
    const file = properties?.templateFile;
    return file === undefined ? [] : [{ stack, file, template: read(file) as Template }];
  });
  const lines = written.map(({ stack, file, template }) => {
    const types = Object.values(template.Resources).map(({ Type }) => Type);
    const functions = types.filter((type) => type === 'AWS::Lambda::Function').length;
    return `  ${stack}: ${types.length} resources, ${functions} functions, in ${join(folder, file)}`;
  });
  const stage = written[0]?.stack.replace(/^loyalty-connector-/, '') ?? 'prod';
  const option = stage === 'prod' ? '' : ` --stage ${stage}`;
  return [
    'The settings are valid. Written:',
    ...lines,
    `Nothing was deployed. Next: npx loyalty-connector deploy${option}, which shows what would change on AWS and asks.`,
  ].join('\n');
}

/** The path of our code in Lambda, and in the bundles on this machine: a function has some files. */
const PLACE = /(?:file:\/\/)?[^\s()]*\/([\w-]+\.js):(\d+):(\d+)/g;

/** By the name of the file: `index.js`. */
type SourceMaps = ReadonlyMap<string, SourceMap>;

/** Replaces every position in a bundle by the position in the source. */
export function explainStack(stack: string, maps: SourceMaps): string {
  const explain = (place: string, file: string, line: string, column: string) => {
    const origin = maps.get(file)?.findOrigin(Number(line), Number(column));
    if (!origin || !('fileName' in origin) || origin.fileName === undefined) return place;
    return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
  };
  // Logs carry a stack in JSON, with its ends of lines escaped.
  return stack.replaceAll('\\n', '\n').replace(PLACE, explain);
}

/** The maps that `synth` or `deploy` wrote beside the bundles of a stage. */
export function readSourceMaps(bundles: string, service: string): SourceMaps {
  const folder = join(bundles, 'source-maps', service);
  if (existsSync(folder)) {
    const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const files = readdirSync(folder);
    return new Map(files.map((file) => [file.replace(/\.map$/, ''), new SourceMap(read(file))]));
  }
  throw new Problem(
    `${folder} does not exist.`,
    'Is this the name of a function, as the logs call it: sync-orders?',
  );
}
