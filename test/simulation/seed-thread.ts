import { parentPort, workerData } from 'node:worker_threads';
import { runSeeds, type SeedRange } from './run-seeds.ts';

await runSeeds(workerData as SeedRange, (report) => {
  parentPort?.postMessage(report);
  return true;
});
