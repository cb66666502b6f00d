import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startLoyaltySandbox } from '../../../local/loyalty-sandbox/sandbox.ts';
import {
  defaultServerSettings,
  readServerSettings,
} from '../../../local/loyalty-sandbox/server-settings.ts';
import { defaultSettings, readSettings } from '../../../local/loyalty-sandbox/settings.ts';

describe('readSettings', () => {
  it('gives the defaults for nothing', () => {
    expect(readSettings()).toEqual({ kind: 'read', settings: defaultSettings });
    expect(readSettings({ pointsPerUnit: undefined })).toMatchObject({ kind: 'read' });
  });

  it('accepts its own defaults', () => {
    expect(readSettings(defaultSettings)).toEqual({ kind: 'read', settings: defaultSettings });
  });

  it('fills nested settings part by part', () => {
    expect(readSettings({ credentials: { key: 'k' }, rateLimit: { perSecond: 5 } })).toEqual({
      kind: 'read',
      settings: {
        ...defaultSettings,
        credentials: { token: 'sandbox-token', key: 'k' },
        rateLimit: { perSecond: 5, answer: 'http-429' },
      },
    });
  });

  it('reports all faults at once, by name', () => {
    expect(
      readSettings({
        credentials: { token: 'a:b', key: '', secret: 'x' },
        badCredentialStatus: 200,
        pointsPerUnit: -1,
        cashbackPerPoint: 0,
        error13: 'sometimes',
        rateLimit: 'off',
        uniqueEmail: 'yes',
        pointPerUnit: 1,
      }),
    ).toEqual({
      kind: 'faulty',
      faults: [
        'credentials.token must not be empty or contain a colon',
        'credentials.key must not be empty',
        'credentials.secret is not a setting',
        'badCredentialStatus must be a whole number from 400 to 599',
        'pointsPerUnit must be a number from 0 to 100',
        'cashbackPerPoint must be a number from 0.0001 to 100',
        'error13 must be both-flags or cancel-completed or return-completed or never',
        'rateLimit must be an object',
        'uniqueEmail must be true or false',
        'pointPerUnit is not a setting',
      ],
    });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        expect(['read', 'faulty']).toContain(readSettings(input).kind);
      }),
    );
  });
});

describe('the settings of the server', () => {
  it('accepts its own defaults, and fills in what is missing', () => {
    const defaults = { kind: 'read', settings: defaultServerSettings };
    expect(readServerSettings()).toEqual(defaults);
    expect(readServerSettings({ ...defaultServerSettings, eventsKept: undefined })).toEqual(
      defaults,
    );
  });

  it('are refused with all their faults at once, before anything is started', async () => {
    const wrong = { journalLimit: -1, eventAttempts: 0, eventTimeoutMs: Number.NaN, journal: 1 };
    await expect(startLoyaltySandbox({ serverSettings: wrong })).rejects.toThrow(
      /journalLimit must be .*; eventAttempts must be .*; eventTimeoutMs must be .*; journal is not/,
    );
  });

  it('never throw', () => {
    fc.assert(
      fc.property(fc.anything(), (input) => {
        expect(['read', 'faulty']).toContain(readServerSettings(input).kind);
      }),
    );
  });
});
