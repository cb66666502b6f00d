import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/* A process of its own beside a run of tests. Its input ends with the run, even if that was killed. */

const [, , folder = ''] = process.argv;
const mark = `TEST_RUN_FOLDER=${folder}`;
/** It ends with the run by itself; killed while the run waits for its answer, it would delay the end by a minute. */
const WORKER = /vitest\/dist\/workers\//;

process.stdin.resume().once('close', () => {
  for (const pid of markedProcesses()) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
  rmSync(folder, { recursive: true, force: true });
});

/** The flag e adds the environment of each process, on Linux and on macOS. */
function markedProcesses(): readonly number[] {
  const listed = execFileSync('ps', ['axeww', '-o', 'pid=,command='], {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return listed.split('\n').flatMap((line) => {
    const [, pid] = /^ *(\d+) /.exec(line) ?? [];
    return pid && line.includes(mark) && !WORKER.test(line) ? [Number(pid)] : [];
  });
}
