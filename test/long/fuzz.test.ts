import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc, { type GeneratorValue } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenLaw, type FuzzInput, type FuzzTarget } from '../fuzz/fuzz-target.ts';
import { fuzzTargets } from '../fuzz/targets.ts';

/** `npm run fuzz` sets more inputs and another seed each time; here they are always the same. */
const { FUZZ_INPUTS = '2000', FUZZ_SEED } = process.env;
const INPUTS = Number(FUZZ_INPUTS);
const SEED = Number(FUZZ_SEED ?? (process.env.FUZZ_INPUTS ? Date.now() % 1e9 : 20_261_115));

/** Seconds of CPU for one input; the slowest large ones need a tenth of it. */
const MOST_CPU_SECONDS = 5;
/** Allowance for caches and compiled code between the two measurements. */
const MOST_GROWTH_BYTES = 32 * 1024 * 1024;

const BUILT_IN = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Map.prototype,
];
const untouched = BUILT_IN.map((prototype) => Reflect.ownKeys(prototype).length);

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Runs one input under the laws of all targets; returns the target's result. */
async function tryInput(target: FuzzTarget, input: FuzzInput): Promise<string> {
  const before = process.threadCpuUsage();
  const result = await target.run(input);
  const { user, system } = process.threadCpuUsage(before);
  const seconds = (user + system) / 1e6;
  if (seconds > MOST_CPU_SECONDS) {
    throw new BrokenLaw(`an input takes less than ${MOST_CPU_SECONDS} s of CPU: took ${seconds} s`);
  }
  const polluted = BUILT_IN.some((one, at) => Reflect.ownKeys(one).length !== untouched[at]);
  if (polluted) throw new BrokenLaw('no input changes what all objects inherit');
  return result;
}

const fraction = () => fc.noBias(fc.nat(2 ** 31 - 1));

/** What fast-check draws and shrinks, as a number from 0 to 1. */
const randomOf = (draw: GeneratorValue) => () => draw(fraction) / 2 ** 31;

const shown = (value: unknown) => JSON.stringify(value).slice(0, 2_000);

describe('whatever anybody sends', () => {
  it.each(Object.entries(fuzzTargets))(
    '%s neither breaks nor hangs, grows, pollutes or loses',
    async (_, { create, reaches }) => {
      const target = await create();
      const results = new Set<string>();
      let tried = 0;
      let warm = 0;
      const law = fc.asyncProperty(fc.gen(), async (draw) => {
        tried += 1;
        if (tried === Math.floor(INPUTS / 4)) warm = heapBytes();
        const input = target.make(randomOf(draw));
        try {
          results.add(await tryInput(target, input));
        } catch (cause) {
          const body = Buffer.from(input.body).toString('latin1');
          throw new Error(`${cause}: ${shown(input.parts)} with the body ${shown(body)}`, {
            cause,
          });
        }
      });
      await fc.assert(law, { numRuns: INPUTS, seed: SEED, includeErrorInReport: true });
      expect(heapBytes() - warm).toBeLessThan(MOST_GROWTH_BYTES);
      // Otherwise no input got past the first check.
      expect([...results]).toEqual(expect.arrayContaining([...reaches]));
    },
    // A run of a hundred thousand inputs takes half an hour.
    Math.max(300_000, INPUTS * 40),
  );
});
