import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { help, readArguments } from '../../../local/loyalty-sandbox/arguments.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));
function write(content: string): string {
  const file = join(folder, 'settings.json');
  writeFileSync(file, content);
  return file;
}

const allOptions = [
  '--port',
  '--data',
  '--settings',
  '--seed',
  '--events-to',
  '--events-header',
  '--token',
  '--key',
];

describe('the arguments of the sandbox', () => {
  it('have defaults for all', () => {
    expect(readArguments([])).toEqual({
      kind: 'start',
      options: { port: 4010, seed: 1, settings: { credentials: {} } },
    });
  });

  it('reach the sandbox', () => {
    const args = '--port 0 --seed 7 --data file --events-to http://localhost/a --token t --key k';
    const header = ['--events-header', 'X-Secret: s'];
    expect(readArguments([...args.split(' '), ...header])).toEqual({
      kind: 'start',
      options: {
        port: 0,
        seed: 7,
        dataFile: 'file',
        subscriptions: [
          { name: 'typed', address: 'http://localhost/a', headers: { 'X-Secret': 's' } },
        ],
        settings: { credentials: { token: 't', key: 'k' } },
      },
    });
  });

  it('take settings from a file, under those that were typed', () => {
    const file = write('{"pointsPerUnit":2,"credentials":{"token":"t","key":"k"}}');
    expect(readArguments(['--settings', file, '--key', 'typed'])).toMatchObject({
      options: { settings: { pointsPerUnit: 2, credentials: { token: 't', key: 'typed' } } },
    });
  });

  it('report everything that is wrong with them and with the file at once', () => {
    const file = write('{"pointsPerUnit":-1,"rateLimit":{"answer":"no"},"point":1}');
    const reading = readArguments(['--port', 'x', '--settings', file, '--data', '']);
    const problem = reading.kind === 'wrong' ? reading.problem : '';
    for (const named of ['--port', 'pointsPerUnit', 'rateLimit.answer', 'point is', '--data']) {
      expect(problem).toContain(named);
    }
    expect(problem).toContain(file);
  });

  it.each([
    ['{"a"', 'is not JSON'],
    ['[]', 'must be an object'],
    [undefined, 'cannot be read (ENOENT)'],
  ])('refuse a file of settings that is %j', (content, words) => {
    const file = content === undefined ? join(folder, 'none') : write(content);
    expect(readArguments(['--settings', file])).toMatchObject({
      kind: 'wrong',
      problem: expect.stringContaining(words),
    });
  });

  it('ask for help before anything else', () => {
    expect(readArguments(['--port', 'x', '--help'])).toEqual({ kind: 'help' });
    for (const option of allOptions) expect(help).toContain(option);
  });

  it.each([
    [['--prot', '4010'], '--prot'],
    [['--port'], '--port'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535'],
    [['--port', '1e3'], '--port must be'],
    [['--port', ''], '--port must be'],
    [['--seed', 'x'], '--seed must be'],
    [['--events-to', 'nowhere'], 'http://'],
    [['--events-to', 'http://localhost', '--events-header', 'x'], '--events-header'],
    [['--events-header', 'x: y'], '--events-header'],
    [['--token', 'a:b'], 'credentials.token'],
    [['--key', ''], 'credentials.key'],
    [['--data', ''], '--data'],
    [['extra'], 'extra'],
  ])('are refused when they are %j, in one line that names the fault', (args, named) => {
    const reading = readArguments(args);
    expect(reading).toMatchObject({ kind: 'wrong', problem: expect.stringContaining(named) });
    expect(JSON.stringify(reading)).not.toContain('\\n');
  });
});
