import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../local/loyalty-sandbox/arguments.ts';
import { defaultSettings, readSettings } from '../../../local/loyalty-sandbox/settings.ts';

describe('the settings of the sandbox', () => {
  it('have defaults, part by part', () => {
    expect(readSettings(defaultSettings)).toEqual({ kind: 'read', settings: defaultSettings });
    expect(readSettings({ credentials: { key: 'k' }, rateLimit: { perSecond: 5 } })).toEqual({
      kind: 'read',
      settings: {
        ...defaultSettings,
        credentials: { token: 'sandbox-token', key: 'k' },
        rateLimit: { perSecond: 5, answer: 'http-429' },
      },
    });
  });

  it('are refused with all their faults at once, by name', () => {
    expect(
      readSettings({
        credentials: { token: 'a:b', key: '', secret: 'x' },
        badCredentialStatus: 200,
        pointsPerUnit: -1,
        error13: 'sometimes',
        rateLimit: 'off',
        uniqueEmail: 'yes',
      }),
    ).toEqual({
      kind: 'faulty',
      faults: [
        'credentials.token must not be empty or contain a colon',
        'credentials.key must not be empty',
        'credentials.secret is not a setting',
        'badCredentialStatus must be a whole number from 400 to 599',
        'pointsPerUnit must be a number from 0 to 100',
        'error13 must be both-flags or cancel-completed or return-completed or never',
        'rateLimit must be an object',
        'uniqueEmail must be true or false',
      ],
    });
  });
});

describe('the arguments of the sandbox', () => {
  it('reach it', () => {
    const args = '--port 0 --seed 7 --data file --events-to http://localhost/a --token t --key k';
    const header = ['--events-header', 'X-Secret: s'];
    expect(readArguments([...args.split(' '), ...header])).toEqual({
      kind: 'start',
      options: {
        ...{ port: 0, seed: 7, dataFile: 'file' },
        subscriptions: [
          { name: 'typed', address: 'http://localhost/a', headers: { 'X-Secret': 's' } },
        ],
        settings: { credentials: { token: 't', key: 'k' } },
      },
    });
  });

  it.each([
    [['--prot', '4010'], '--prot'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535'],
    [['--port', '1e3'], '--port must be'],
    [['--seed', 'x'], '--seed must be'],
    [['--events-to', 'nowhere'], 'http://'],
    [['--events-header', 'x: y'], '--events-header'],
    [['--token', 'a:b'], 'credentials.token'],
    [['--settings', 'no-such-file'], 'cannot be read (ENOENT)'],
    [['extra'], 'extra'],
  ])('are refused when they are %j, in one line that names the fault', (args, named) => {
    const reading = readArguments(args);
    expect(reading).toMatchObject({ kind: 'wrong', problem: expect.stringContaining(named) });
    expect(JSON.stringify(reading)).not.toContain('\\n');
  });
});
