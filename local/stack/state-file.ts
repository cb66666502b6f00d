import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StackOutputs } from '../../shared/config/stack-outputs.ts';
import { PLACE } from './emulators.ts';
import type { RunningStack } from './running-stack.ts';
import { PROJECT } from './synthesize.ts';

/** How other programs of the project find the stack that runs. */
interface StackState {
  readonly pid: number;
  readonly stack: string;
  readonly stage: string;
  readonly region: string;
  /** The gateway in front of all emulators. */
  readonly endpoint: string;
  /** The operator's own, who may do everything. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly outputs: Partial<StackOutputs>;
  readonly storeAddress: string;
  readonly loyaltyAddress: string;
  readonly metricsAddress: string;
}

const FILE = join(PROJECT, '.connector/stack.json');

/** Gives what takes it away again. */
export function writeStateFile(stack: RunningStack, stage: string): () => void {
  const state: StackState = {
    pid: process.pid,
    stack: stack.name,
    stage,
    region: PLACE.region,
    endpoint: stack.endpoint,
    credentials: stack.operator,
    outputs: stack.outputs,
    storeAddress: stack.store.address,
    loyaltyAddress: stack.loyalty.address,
    metricsAddress: stack.metricsAddress,
  };
  mkdirSync(dirname(FILE), { recursive: true });
  // For whoever started it: the file holds what opens everything here.
  writeFileSync(FILE, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  return () => rmSync(FILE, { force: true });
}
