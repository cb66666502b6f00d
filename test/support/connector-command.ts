import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../scripts/connector/launch.mjs', import.meta.url));

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command line as a person would, in this folder, and waits for its end. */
export function runCommand(
  args: readonly string[],
  {
    folder,
    input = '',
    env = {},
  }: { folder: string; input?: string; env?: Readonly<Record<string, string>> },
): Promise<CommandRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      cwd: folder,
      // Nothing of this machine: neither its AWS configuration nor what a test set for itself.
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        AWS_EC2_METADATA_DISABLED: 'true',
        ...env,
      },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    // A command that does not read its input may be gone before it is written.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
