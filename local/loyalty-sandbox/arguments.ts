import { readFileSync } from 'node:fs';
import {
  PORT,
  readCommandLine,
  readNumber,
  SEED,
  type Wanted,
} from '../sandbox-kit/command-line.ts';
import { checkSubscriptions } from './events/subscriptions.ts';
import type { LoyaltySandboxOptions } from './sandbox.ts';
import { type PartialSettings, readSettings } from './settings.ts';

export const help = `Starts a loyalty service on this machine. It needs nothing else.

npm run sandbox -- [options]

  --port N         port on 127.0.0.1 (default 4010; 0 uses any free port)
  --data FILE      keeps the data in FILE (default: in memory)
  --settings FILE  a JSON object with any of the settings, as {"pointsPerUnit": 2}
  --seed N         seed for everything random (default 1)
  --events-to URL  sends point events to URL
  --events-header  a header to send with them, as "name: value"
  --token TEXT     user name of the API (default sandbox-token)
  --key TEXT       password of the API (default sandbox-key)
  --help           shows this text

docs/loyalty-sandbox.md lists the settings and explains the rest.
`;

export function readArguments(args: readonly string[]): Wanted<LoyaltySandboxOptions> {
  return readCommandLine(
    args,
    {
      port: { type: 'string' },
      data: { type: 'string' },
      settings: { type: 'string' },
      seed: { type: 'string' },
      'events-to': { type: 'string' },
      'events-header': { type: 'string' },
      token: { type: 'string' },
      key: { type: 'string' },
    },
    (values) => {
      const { data, 'events-to': address, 'events-header': header, token, key } = values;
      if (data === '') throw new Error('--data needs the name of a file');
      const fromFile = values.settings === undefined ? {} : readFile(values.settings);
      const credentials = {
        ...fromFile.credentials,
        ...(token !== undefined && { token }),
        ...(key !== undefined && { key }),
      };
      const settings = { ...fromFile, credentials };
      const reading = readSettings(settings);
      if (reading.kind === 'faulty') throw new Error(reading.faults.join('; '));
      const [, name, value] = /^([\w-]+): *(\S.*)$/.exec(header ?? '') ?? [];
      if (header !== undefined && !(address && name && value)) {
        throw new Error('--events-header needs --events-to and a text like "name: value"');
      }
      const headers = name && value ? { headers: { [name]: value } } : {};
      const subscriptions = address === undefined ? [] : [{ name: 'typed', address, ...headers }];
      checkSubscriptions(subscriptions);
      return {
        port: readNumber('--port', values.port, PORT) ?? 4010,
        seed: readNumber('--seed', values.seed, SEED) ?? 1,
        settings,
        ...(data !== undefined && { dataFile: data }),
        ...(address !== undefined && { subscriptions }),
      };
    },
  );
}

function readFile(path: string): PartialSettings {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`--settings ${path} ${code ? `cannot be read (${code})` : 'is not JSON'}`);
  }
}
