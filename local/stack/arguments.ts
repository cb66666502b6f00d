import { parseArgs } from 'node:util';
import { FIRST_PORT, portsFrom } from './ports.ts';

export interface StartOptions {
  readonly stage: string;
  readonly port: number;
  readonly dataFolder: string | undefined;
  readonly demo: boolean;
  readonly once: boolean;
}

export type Arguments =
  | { readonly kind: 'start'; readonly options: StartOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problem: string };

const named = Object.keys(portsFrom(FIRST_PORT)).join(', ');

export const help = `Runs the whole connector on this machine: the stack as it would be deployed, a store and a
loyalty service. Plays a short day in the store, compares both sides, and stays up.

npm start -- [options]

  --once        ends after the comparison: 0 when both sides agree, 1 otherwise
  --no-demo     plays nothing, only starts
  --data DIR    keeps everything in DIR, and goes on where it was (default: in memory)
  --stage NAME  takes connector.config.NAME.ts (default prod: connector.config.ts)
  --port N      first of six ports on 127.0.0.1 (default ${FIRST_PORT}; 0 takes any free ones), in this
                order: ${named}
  --help        this text
`;

const MOST = 65_535 - 5;

export function readArguments(args: readonly string[]): Arguments {
  try {
    const { values } = parseArgs({
      args: [...args],
      allowNegative: true,
      options: {
        once: { type: 'boolean', default: false },
        demo: { type: 'boolean', default: true },
        data: { type: 'string' },
        stage: { type: 'string', default: 'prod' },
        port: { type: 'string', default: String(FIRST_PORT) },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return { kind: 'help' };
    const { data, stage, once, demo } = values;
    const port = Number(values.port);
    if (!/^\d+$/.test(values.port) || port > MOST) {
      return wrong(`--port must be a whole number from 0 to ${MOST}`);
    }
    if (data === '') return wrong('--data needs the name of a folder');
    if (!/^[a-z][a-z0-9-]{0,19}$/.test(stage)) return wrong('--stage must be the name of a stage');
    if (once && !demo) return wrong('--once and --no-demo leave nothing to do');
    return { kind: 'start', options: { stage, port, dataFolder: data, demo, once } };
  } catch (error) {
    // parseArgs throws for what was typed; its first line says what it was.
    const [problem = ''] = error instanceof Error ? error.message.split('\n') : [];
    return wrong(problem.replace(/\.$/, ''));
  }
}

const wrong = (problem: string): Arguments => ({ kind: 'wrong', problem });
