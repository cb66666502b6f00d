import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readEventAddresses } from './events/event-addresses.ts';
import type { LoyaltySandboxOptions } from './sandbox.ts';
import { type PartialSettings, readSettings } from './settings.ts';

export type Arguments =
  | { readonly kind: 'start'; readonly options: LoyaltySandboxOptions }
  | { readonly kind: 'help' }
  /** In one line, everything. */
  | { readonly kind: 'wrong'; readonly problem: string };

export const help = `Starts a loyalty service on this machine, with everything it needs.

npm run sandbox -- [options]

  --port N         port on 127.0.0.1 (default 4010; 0 takes any free one)
  --data FILE      keeps the state in FILE over a restart (default: in memory)
  --settings FILE  a JSON object with any of the settings, as {"pointsPerUnit": 2}
  --seed N         makes another run of what is random (default 1)
  --events-to URL  sends point events there; {topic} in it stands for the topic
  --token TEXT     user name of the API (default sandbox-token)
  --key TEXT       password of the API (default sandbox-key)
  --help           this text

docs/loyalty-sandbox.md lists the settings and tells the rest.
`;

export function readArguments(args: readonly string[]): Arguments {
  const parsing = attempt(() =>
    parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '4010' },
        data: { type: 'string' },
        settings: { type: 'string' },
        seed: { type: 'string', default: '1' },
        'events-to': { type: 'string' },
        token: { type: 'string' },
        key: { type: 'string' },
        help: { type: 'boolean' },
      },
    }),
  );
  if (parsing.kind === 'failed') return { kind: 'wrong', problem: parsing.problem };
  const { values } = parsing.result;
  if (values.help) return { kind: 'help' };
  const { data, 'events-to': eventAddresses, token, key } = values;
  const problems: string[] = [];
  const port = readNumber('--port', values.port, 65_535, problems);
  const seed = readNumber('--seed', values.seed, 2 ** 31 - 1, problems);
  const fromFile = values.settings === undefined ? {} : readFile(values.settings, problems);
  const credentials = { ...(token !== undefined && { token }), ...(key !== undefined && { key }) };
  const typed = readSettings({ credentials });
  if (typed.kind === 'faulty') problems.push(...typed.faults);
  const addresses = attempt(() => readEventAddresses(eventAddresses));
  if (addresses.kind === 'failed') problems.push(addresses.problem);
  if (data === '') problems.push('--data needs the name of a file');
  if (problems.length > 0) return { kind: 'wrong', problem: problems.join('; ') };
  return {
    kind: 'start',
    options: {
      port,
      seed,
      settings: { ...fromFile, credentials: { ...fromFile.credentials, ...credentials } },
      ...(data !== undefined && { dataFile: data }),
      ...(eventAddresses !== undefined && { eventAddresses }),
    },
  };
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

function readNumber(name: string, text: string, most: number, problems: string[]): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  problems.push(`${name} must be a whole number from 0 to ${most}`);
  return 0;
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
