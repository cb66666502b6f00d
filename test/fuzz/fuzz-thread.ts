import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import type { FuzzInput } from './fuzz-target.ts';
import type { FuzzFailure, FuzzOrder, FuzzReport } from './run-fuzz.ts';
import { fuzzTargets } from './targets.ts';
import { shrink, tryInput } from './try-input.ts';

const { target: name, seed, inputs, untilMs, progress } = workerData as FuzzOrder;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Allowance for caches and compiled code between the two measurements. */
const MOST_GROWTH_BYTES = 32 * 1024 * 1024;

const target = await fuzzTargets[name].create();
const done = new Int32Array(progress);
const words: Record<string, number> = {};

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Input `n` of a run is the first input of the run with the seed `seed + n`: one number replays it. */
function inputAt(n: number): FuzzInput {
  return target.make(seededRandom(seed + n));
}

async function run(): Promise<FuzzReport> {
  let heapAfterWarmUp = 0;
  let n = 0;
  for (; n < inputs && Date.now() < untilMs; n += 1) {
    Atomics.store(done, 0, n);
    if (n === Math.floor(inputs / 4)) heapAfterWarmUp = heapBytes();
    const input = inputAt(n);
    try {
      const word = await tryInput(target, input);
      words[word] = (words[word] ?? 0) + 1;
    } catch (error) {
      return { inputs: n + 1, words, failure: await describe(n, input, error) };
    }
  }
  const grown = heapAfterWarmUp === 0 ? 0 : heapBytes() - heapAfterWarmUp;
  if (grown > MOST_GROWTH_BYTES) {
    const why = `memory stays as it is: ${grown} bytes more after ${n} inputs`;
    return { inputs: n, words, failure: { seed, why } };
  }
  return { inputs: n, words };
}

async function describe(n: number, input: FuzzInput, error: unknown): Promise<FuzzFailure> {
  const fails = (smaller: FuzzInput) =>
    tryInput(target, smaller).then(
      () => false,
      (other: unknown) => nameOf(other) === nameOf(error),
    );
  const { body, parts } = await shrink(input, fails);
  return { seed: seed + n, why: wordsOf(error), parts, body: Buffer.from(body).toString('latin1') };
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : typeof error);

const wordsOf = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

parentPort?.postMessage(await run());
