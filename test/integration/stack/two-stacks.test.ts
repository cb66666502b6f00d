import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeStateFile } from '../../../local/stack/state-file.ts';
import { openAssemblyFolder } from '../../../local/stack/synthesize.ts';

let folder = '';
let other: ReturnType<typeof spawn>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'connector-two-stacks-'));
  other = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
});

afterEach(async () => {
  await endOther();
  rmSync(folder, { recursive: true });
});

async function endOther(): Promise<void> {
  if (other.exitCode !== null || other.signalCode !== null) return;
  other.kill('SIGKILL');
  await once(other, 'exit');
}

describe('a stack that starts beside another', () => {
  it('uses its own assembly folder, and removes only folders of ended processes', async () => {
    const running = join(folder, `assembly-${other.pid}`);
    mkdirSync(running);
    const own = openAssemblyFolder(folder);
    expect(own.path).not.toBe(running);
    expect(existsSync(running)).toBe(true);

    await endOther();
    openAssemblyFolder(folder);
    expect(existsSync(running)).toBe(false);
    mkdirSync(own.path);
    own.remove();
    expect(existsSync(own.path)).toBe(false);
  });

  it('keeps the state file of the other stack until that stack has ended', async () => {
    const file = join(folder, '.connector/stack.json');
    mkdirSync(join(folder, '.connector'));
    const theirs = JSON.stringify({ pid: other.pid });
    writeFileSync(file, theirs);
    const stack = {
      name: 'loyalty-connector-prod',
      endpoint: 'http://127.0.0.1:1',
      metricsAddress: 'http://127.0.0.1:2',
      keys: { operator: { accessKeyId: 'id', secretAccessKey: 'key' } },
      outputs: {},
      shops: [
        { store: { address: 'http://127.0.0.1:3' }, loyalty: { address: 'http://127.0.0.1:4' } },
      ],
    };
    expect(writeStateFile(stack, { stage: 'prod' }, folder)).toEqual({
      kind: 'other-runs',
      pid: other.pid,
    });
    expect(readFileSync(file, 'utf8')).toBe(theirs);

    await endOther();
    const written = writeStateFile(stack, { stage: 'prod' }, folder);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid });
    if (written.kind === 'written') written.remove();
    expect(existsSync(file)).toBe(false);
  });
});
