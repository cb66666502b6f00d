import { readCommandLine, readWholeNumber, type Wanted } from '../sandbox-kit/run-command.ts';

/** Consecutive ports from the first. */
export interface Ports {
  readonly webhooks: number;
  readonly gateway: number;
  readonly store: number;
  readonly loyalty: number;
  readonly metrics: number;
  /** The demo shop, if the stack has a storefront. */
  readonly shop: number;
}

const FIRST_PORT = 4030;

/** 0: any free ports. */
export function portsFrom(first: number): Ports {
  const nth = (n: number) => (first === 0 ? 0 : first + n);
  return {
    webhooks: nth(0),
    gateway: nth(1),
    store: nth(2),
    loyalty: nth(3),
    metrics: nth(4),
    shop: nth(5),
  };
}

export interface StartOptions {
  readonly stage: string;
  readonly port: number;
  readonly dataFolder: string | undefined;
  readonly demo: boolean;
  readonly once: boolean;
}

const named = Object.keys(portsFrom(FIRST_PORT)).join(', ');

export const help = `Runs the whole connector on this machine: the stack as it would be deployed, a store and a
loyalty service. Plays a short day in the store, compares store and loyalty service, and keeps running.

npm start -- [options]

  --once        ends after the comparison: exit code 0 if both agree, 1 otherwise
  --no-demo     starts without playing the day
  --data DIR    keeps all data in DIR and continues from there (default: in memory)
  --stage NAME  uses connector.config.NAME.ts (default prod: connector.config.ts)
  --port N      first of six ports on 127.0.0.1 (default ${FIRST_PORT}; 0 uses any free ports), in this
                order: ${named}
  --help        shows this text
`;

const HIGHEST_FIRST_PORT = 65_535 - 5;

export function readArguments(args: readonly string[]): Wanted<StartOptions> {
  return readCommandLine(
    args,
    {
      once: { type: 'boolean', default: false },
      demo: { type: 'boolean', default: true },
      data: { type: 'string' },
      stage: { type: 'string', default: 'prod' },
      port: { type: 'string', default: String(FIRST_PORT) },
    },
    (values, problems) => {
      const { data, stage, once, demo } = values;
      const port = readWholeNumber('--port', values.port, HIGHEST_FIRST_PORT, problems);
      if (data === '') problems.push('--data needs the name of a folder');
      if (!/^[a-z][a-z0-9-]{0,19}$/.test(stage)) {
        problems.push('--stage must be the name of a stage');
      }
      if (once && !demo) problems.push('--once and --no-demo leave nothing to do');
      return { stage, port, dataFolder: data, demo, once };
    },
  );
}
