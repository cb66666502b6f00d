import { parseArgs } from 'node:util';
import { readEventAddresses } from './events/event-addresses.ts';
import type { LoyaltySandboxOptions } from './sandbox.ts';
import { type PartialSettings, readSettings } from './settings.ts';

export type Arguments =
  | { readonly kind: 'start'; readonly options: LoyaltySandboxOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string };

export const help = `Starts a loyalty service on this machine, with everything it needs.

npm run sandbox -- [options]

  --port N         port on 127.0.0.1 (default 4010; 0 takes any free one)
  --data FILE      keeps the state in FILE over a restart (default: in memory)
  --seed N         makes another run of what is random (default 1)
  --events-to URL  sends point events there; {topic} in it stands for the topic
  --token TEXT     user name of the API (default sandbox-token)
  --key TEXT       password of the API (default sandbox-key)
  --help           this text
`;

export function readArguments(args: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        port: { type: 'string', default: '4010' },
        data: { type: 'string' },
        seed: { type: 'string', default: '1' },
        'events-to': { type: 'string' },
        token: { type: 'string' },
        key: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
    if (values.help) return { kind: 'help' };
    const { data, 'events-to': eventAddresses, token, key } = values;
    const settings: PartialSettings = {
      credentials: { ...(token !== undefined && { token }), ...(key !== undefined && { key }) },
    };
    const reading = readSettings(settings);
    if (reading.kind === 'faulty') return { kind: 'wrong', problem: reading.faults.join('; ') };
    readEventAddresses(eventAddresses);
    if (data === '') return { kind: 'wrong', problem: '--data needs the name of a file' };
    return {
      kind: 'start',
      options: {
        port: readNumber('--port', values.port, 65_535),
        seed: readNumber('--seed', values.seed, 2 ** 31 - 1),
        settings,
        ...(data !== undefined && { dataFile: data }),
        ...(eventAddresses !== undefined && { eventAddresses }),
      },
    };
  } catch (error) {
    // parseArgs and the readers above throw for what was typed; their first line says what it was.
    const [problem = ''] = error instanceof Error ? error.message.split('\n') : [];
    return { kind: 'wrong', problem };
  }
}

function readNumber(name: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new Error(`${name} must be a whole number from 0 to ${most}`);
}
