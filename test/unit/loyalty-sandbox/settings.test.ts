import { describe, expect, it } from 'vitest';
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
        'rateLimit must be an object',
        'pointsPerUnit must be a number from 0 to 100',
        'error13 must be both-flags or cancel-completed or return-completed or never',
        'uniqueEmail must be true or false',
      ],
    });
  });
});
