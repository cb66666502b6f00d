import { BrokenLaw, type FuzzInput, type FuzzTarget } from './fuzz-target.ts';

/** Seconds of CPU for one input; the slowest large ones need a tenth of it. */
const MOST_CPU_SECONDS = 5;

const BUILT_IN = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Map.prototype,
];
const untouched = BUILT_IN.map((prototype) => Reflect.ownKeys(prototype).length);

/** Runs one input under the laws of all targets; returns the target's result. */
export async function tryInput(target: FuzzTarget, input: FuzzInput): Promise<string> {
  const began = performance.now();
  const word = await target.run(input);
  // The clock is cheap to read. The machine may have been busy with other things.
  if (performance.now() - began > MOST_CPU_SECONDS * 1000) await expectLittleCpu(target, input);
  const polluted = BUILT_IN.some((one, at) => Reflect.ownKeys(one).length !== untouched[at]);
  if (polluted) throw new BrokenLaw('no input changes what all objects inherit');
  return word;
}

async function expectLittleCpu(target: FuzzTarget, input: FuzzInput): Promise<void> {
  const before = process.threadCpuUsage();
  await target.run(input);
  const { user, system } = process.threadCpuUsage(before);
  const seconds = (user + system) / 1e6;
  if (seconds <= MOST_CPU_SECONDS) return;
  throw new BrokenLaw(`an input takes less than ${MOST_CPU_SECONDS} s of CPU: took ${seconds} s`);
}

/** Enough for an input that a person can read, few enough to wait for. */
const MOST_TRIES = 2_000;

/** The smallest input found that fails in the same way. */
export async function shrink(
  input: FuzzInput,
  fails: (input: FuzzInput) => Promise<boolean>,
): Promise<FuzzInput> {
  let smallest = input;
  let tries = 0;
  const take = async (smaller: FuzzInput): Promise<boolean> => {
    tries += 1;
    if (tries > MOST_TRIES || !(await fails(smaller))) return false;
    smallest = smaller;
    return true;
  };
  for (const name of Object.keys(input.parts)) {
    for (;;) {
      const text = smallest.parts[name] ?? '';
      const shorter = text.slice(0, Math.floor(text.length / 2));
      if (text === '') break;
      if (!(await take({ ...smallest, parts: { ...smallest.parts, [name]: shorter } }))) break;
    }
  }
  for (let size = smallest.body.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < smallest.body.length && tries < MOST_TRIES; ) {
      const { body } = smallest;
      const cut = Buffer.concat([body.subarray(0, at), body.subarray(at + size)]);
      if (!(await take({ ...smallest, body: cut }))) at += size;
    }
  }
  return smallest;
}
