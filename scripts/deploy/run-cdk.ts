import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

export interface CdkRun {
  readonly ok: boolean;
  /** The whole output, which was also shown. */
  readonly said: string;
}

/** Starts a program by its name and arguments, never through a shell. */
export async function runCdk(
  words: readonly string[],
  {
    profile,
    region,
  }: { readonly profile?: string | undefined; readonly region?: string | undefined },
): Promise<CdkRun> {
  const { stdout, stderr } = process;
  const child = spawn('cdk', [...words, ...(profile === undefined ? [] : ['--profile', profile])], {
    stdio: ['inherit', 'pipe', 'pipe'],
    env: {
      ...process.env,
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
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { ok: code === 0, said: stripVTControlCharacters(Buffer.concat(said).toString('utf8')) };
}
