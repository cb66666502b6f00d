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
      const checked = attempt(() => checkSubscriptions(subscriptions));
      if (checked.kind === 'failed') problems.push(checked.problem);
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
  const reading = attempt(() => readFileSync(path, 'utf8'));
  if (reading.kind === 'failed') {
    problems.push(`--settings ${path} cannot be read (${reading.code})`);
    return {};
  }
  const parsing = attempt<unknown>(() => JSON.parse(reading.result));
  if (parsing.kind === 'failed') {
    problems.push(`--settings ${path} is not JSON`);
    return {};
  }
  const settings = readSettings(parsing.result);
  if (settings.kind === 'read') return parsing.result as PartialSettings;
  problems.push(...settings.faults.map((fault) => `${path}: ${fault}`));
  return {};
}

type Attempt<T> =
  | { readonly kind: 'worked'; readonly result: T }
  | { readonly kind: 'failed'; readonly problem: string; readonly code: string };

/** For functions that throw at what a person typed: the first line says what it was. */
function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { kind: 'worked', result: work() };
  } catch (error) {
    const [problem = ''] = error instanceof Error ? error.message.split('\n') : [];
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { kind: 'failed', problem, code };
  }
}
