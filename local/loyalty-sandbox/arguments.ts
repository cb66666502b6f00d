import { readFileSync } from 'node:fs';
import { readCommandLine, readWholeNumber, type Wanted } from '../sandbox-kit/command-line.ts';
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
      port: { type: 'string', default: '4010' },
      data: { type: 'string' },
      settings: { type: 'string' },
      seed: { type: 'string', default: '1' },
      'events-to': { type: 'string' },
      'events-header': { type: 'string' },
      token: { type: 'string' },
      key: { type: 'string' },
    },
    (values, problems) => {
      const { data, 'events-to': address, 'events-header': header, token, key } = values;
      const port = readWholeNumber('--port', values.port, 65_535, problems);
      const seed = readWholeNumber('--seed', values.seed, 2 ** 31 - 1, problems);
      const fromFile = values.settings === undefined ? {} : readFile(values.settings, problems);
      const credentials = {
        ...(token !== undefined && { token }),
        ...(key !== undefined && { key }),
      };
      const typed = readSettings({ credentials });
      if (typed.kind === 'faulty') problems.push(...typed.faults);
      const [, name, value] = /^([\w-]+): *(\S.*)$/.exec(header ?? '') ?? [];
      if (header !== undefined && !(address && name && value)) {
        problems.push('--events-header needs --events-to and a text like "name: value"');
      }
      const headers = name && value ? { headers: { [name]: value } } : {};
      const subscriptions = address === undefined ? [] : [{ name: 'typed', address, ...headers }];
      try {
        checkSubscriptions(subscriptions);
      } catch (error) {
        problems.push((error as Error).message);
      }
      if (data === '') problems.push('--data needs the name of a file');
      return {
        port,
        seed,
        settings: { ...fromFile, credentials: { ...fromFile.credentials, ...credentials } },
        ...(data !== undefined && { dataFile: data }),
        ...(address !== undefined && { subscriptions }),
      };
    },
  );
}

function readFile(path: string, problems: string[]): PartialSettings {
  try {
    const settings: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const reading = readSettings(settings);
    if (reading.kind === 'read') return settings as PartialSettings;
    problems.push(...reading.faults.map((fault) => `${path}: ${fault}`));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    problems.push(`--settings ${path} ${code ? `cannot be read (${code})` : 'is not JSON'}`);
  }
  return {};
}
