import { describe, expect, it } from 'vitest';
import { help, readArguments } from '../../../local/loyalty-sandbox/arguments.ts';

describe('the arguments of the sandbox', () => {
  it('have defaults for all', () => {
    expect(readArguments([])).toEqual({
      kind: 'start',
      options: { port: 4010, seed: 1, settings: { credentials: {} } },
    });
  });

  it('reach the sandbox', () => {
    const args =
      '--port 0 --seed 7 --data file --events-to http://localhost/{topic} --token t --key k';
    expect(readArguments(args.split(' '))).toEqual({
      kind: 'start',
      options: {
        port: 0,
        seed: 7,
        dataFile: 'file',
        eventAddresses: 'http://localhost/{topic}',
        settings: { credentials: { token: 't', key: 'k' } },
      },
    });
  });

  it('ask for help before anything else', () => {
    expect(readArguments(['--port', 'x', '--help'])).toEqual({ kind: 'help' });
    for (const option of ['--port', '--data', '--seed', '--events-to', '--token', '--key']) {
      expect(help).toContain(option);
    }
  });

  it.each([
    [['--prot', '4010'], '--prot'],
    [['--port'], '--port'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535'],
    [['--port', '1e3'], '--port must be'],
    [['--port', ''], '--port must be'],
    [['--seed', 'x'], '--seed must be'],
    [['--events-to', 'nowhere'], 'http://'],
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
