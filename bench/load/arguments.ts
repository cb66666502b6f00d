import { readCommandLine, readNumber, type Wanted } from '../../local/sandbox-kit/command-line.ts';

export interface LoadOptions {
  /** Of the part with kills, without the others. */
  readonly minutes: number;
  /** Webhooks per second of both shops together; the flash sale has ten times as many. */
  readonly rate: number;
  readonly burstSeconds: number;
  /** The maximum number of orders. */
  readonly orders: number;
  readonly seed: number;
  readonly jsonFile: string | undefined;
}

const USUAL = { minutes: 5, rate: 20, burstSeconds: 60 };
const QUICK = { minutes: 0.5, rate: 8, burstSeconds: 15 };

export const help = `Runs the whole connector with two shops on this machine under load, throttles one of them, kills each process,
and reports whether anything was lost or earned twice, and whether the other shop was slowed.

npm run load -- [options]

  --minutes N   minutes of load with kills (default ${USUAL.minutes}), between minutes without and a flash sale
  --rate N      webhooks per second of both shops, ten times as many in the sale (default ${USUAL.rate})
  --orders N    places at most N orders (default: no limit)
  --seed N      seed for what happens in the store (default 1)
  --quick       ${QUICK.minutes * 60} s of kills at ${QUICK.rate}/s and ${QUICK.burstSeconds} s of the other parts, for a first impression
  --json FILE   also writes the report to FILE
  --help        shows this text

The exit code is 0 if nothing was lost, earned twice or slowed, and 1 otherwise.
`;

export function readArguments(args: readonly string[]): Wanted<LoadOptions> {
  return readCommandLine(
    args,
    {
      minutes: { type: 'string' },
      rate: { type: 'string' },
      orders: { type: 'string' },
      seed: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'string' },
    },
    (values) => {
      const usual = values.quick ? QUICK : USUAL;
      return {
        minutes:
          readNumber('--minutes', values.minutes, { least: 0.1, most: 1_440 }) ?? usual.minutes,
        rate: readNumber('--rate', values.rate, { least: 1, most: 1_000 }) ?? usual.rate,
        burstSeconds: usual.burstSeconds,
        orders:
          readNumber('--orders', values.orders, { least: 1, most: 1e7 }) ??
          Number.POSITIVE_INFINITY,
        seed:
          readNumber('--seed', values.seed, { least: 0, most: 2 ** 31 - 1, isWhole: true }) ?? 1,
        jsonFile: values.json,
      };
    },
  );
}
