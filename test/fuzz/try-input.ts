import { BrokenLaw, type FuzzInput, type FuzzTarget } from './fuzz-target.ts';

/** Seconds of CPU for one input: the slowest vast ones take a tenth of it. */
const MOST_CPU_SECONDS = 5;

const BUILT_IN = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Map.prototype,
];
const untouched = BUILT_IN.map((prototype) => Reflect.ownKeys(prototype).length);

/** Runs one input under the laws that hold for all of them; gives the target's word. */
export async function tryInput(target: FuzzTarget, input: FuzzInput): Promise<string> {
  const before = process.threadCpuUsage();
  const word = await target.run(input);
  const { user, system } = process.threadCpuUsage(before);
  const seconds = (user + system) / 1e6;
  if (seconds > MOST_CPU_SECONDS) {
    throw new BrokenLaw(`an input takes less than ${MOST_CPU_SECONDS} s of CPU: took ${seconds} s`);
  }
  const polluted = BUILT_IN.some((one, at) => Reflect.ownKeys(one).length !== untouched[at]);
  if (polluted) throw new BrokenLaw('no input changes what all objects inherit');
  return word;
}
