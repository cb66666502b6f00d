import { parentPort, workerData } from 'node:worker_threads';
import { runSeed, type SeedSettings } from './run-seeds.ts';

// Faults are errors by the thousand, and a failing seed is run again where stacks are kept.
Error.stackTraceLimit = 0;

parentPort?.on('message', async (seed: number) => {
  parentPort?.postMessage(await runSeed(seed, workerData as SeedSettings));
});
