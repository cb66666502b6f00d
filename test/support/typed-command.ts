import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../scripts/connector/launch.mjs', import.meta.url));
const SCRIPT = '/usr/bin/script';

/** The `script` of util-linux gives a command a terminal; that of other systems has other options. */
export const canTypeInto = process.platform === 'linux' && existsSync(SCRIPT);

/** Runs a command in a terminal and types each answer once its question stands on the screen. */
export function typeInto(
  line: string,
  folder: string,
  answers: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const waiting = Object.entries(answers);
  return new Promise((resolve, reject) => {
    const command = [process.execPath, LAUNCHER, ...line.split(' ')].join(' ');
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm', SHELL: '/bin/sh' },
    });
    let screen = '';
    let looked = 0;
    child.stdout.setEncoding('utf8').on('data', (text) => {
      screen += text;
      const [question, answer] = waiting[0] ?? [];
      if (question === undefined || !screen.slice(looked).includes(question)) return;
      waiting.shift();
      looked = screen.length;
      child.stdin.write(`${answer}\r`);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, screen }));
  });
}
