import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';

/** A run of tests that has started a process, as `run-folder.ts` is used by vitest. */
const RUN = `
  import { spawn, spawnSync } from 'node:child_process';
  import createRunFolder from './test/support/run-folder.ts';
  const end = createRunFolder();
  const idle = ['--eval', 'setInterval(() => {}, 1000)'];
  const { pid } = spawn(process.execPath, idle, { stdio: 'ignore', detached: true });
  console.log(JSON.stringify({ pid, folder: process.env.TEST_RUN_FOLDER }));
  process.stdin.resume().once('end', async () => { await end(); process.exit(); });
`;

it.each(['ends', 'is killed'])(
  'a run of tests that %s leaves no process and no folder',
  async (how) => {
    const run = spawn(process.execPath, ['--input-type=module', '--eval', RUN]);
    onTestFinished(() => void run.kill('SIGKILL'));
    const [told] = await once(run.stdout, 'data');
    const { pid, folder } = JSON.parse(String(told));
    expect(isRunning(pid)).toBe(true);
    if (how === 'ends') run.stdin.end();
    else run.kill('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(() => existsSync(folder)).toBe(false);
  },
);

/** One that has ended may stay in the list until its parent has asked for its exit code. */
function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'stat='], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout);
}
