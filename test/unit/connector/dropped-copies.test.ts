import { access, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { COPY_DAYS, fileFor } from '../../../scripts/connector/ground/session/dropped-copies.ts';
import { setHost } from '../../../scripts/connector/ground/session/run-action.ts';
import { Problem } from '../../../scripts/connector/ground/terminal/exit.ts';
import { createTerminal } from '../../../scripts/connector/ground/terminal/terminal.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dropped-'));
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const DAY_MS = 86_400_000;
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

/** A copy that was written so long ago. */
async function keep(daysAgo: number, name?: string): Promise<string> {
  const at = new Date(Date.now() - daysAgo * DAY_MS);
  const copy = fileFor('loyalty-connector-prod', at);
  const path = name === undefined ? copy : join(dirname(copy), name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '{"body":"…"}\n');
  await utimes(path, at, at);
  return path;
}

it('any command in the folder deletes the copies of dropped dead letters that are 30 days old, and no others', async () => {
  const [old, recent] = [await keep(COPY_DAYS + 1), await keep(COPY_DAYS - 1)];
  // What cannot be deleted, and what is no copy.
  const held = await keep(COPY_DAYS + 1, 'held.jsonl/inside.txt');
  const others = await keep(COPY_DAYS + 1, 'notes.txt');
  await utimes(dirname(held), new Date(0), new Date(0));
  const program = createProgram();
  const end = vi.fn();
  const problems: unknown[] = [];
  setHost(program, {
    createTerminal: () => createTerminal({ quiet: true }),
    findDeployment: () => Promise.reject(new Problem('there is none')),
    onInterruption() {},
    reportProblem: (problem) => void problems.push(problem),
    end,
  });
  await program.parseAsync(['status'], { from: 'user' });
  expect(end).toHaveBeenCalled();
  expect(problems).toEqual([expect.objectContaining({ message: 'there is none' })]);
  expect(await exists(old)).toBe(false);
  for (const path of [recent, held, others]) expect(await exists(path)).toBe(true);
});
