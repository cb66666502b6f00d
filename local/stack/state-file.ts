import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StackOutputs } from '../../shared/config/stack-outputs.ts';
import { isAlive } from '../sandbox-kit/is-alive.ts';
import { PLACE } from './emulators.ts';
import type { RunningStack } from './running-stack.ts';

/** How other programs of the project find the stack that runs. */
interface StackState {
  readonly pid: number;
  readonly stack: string;
  readonly stage: string;
  /** The file that stands for the stage's own, if one does. */
  readonly settings?: string | undefined;
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

/** Of the folder that it was started in, which is the project's own with `npm start`. */
const FILE = '.connector/stack.json';

type DescribedStack = Pick<
  RunningStack,
  'name' | 'endpoint' | 'operator' | 'outputs' | 'metricsAddress'
> &
  Readonly<Record<'store' | 'loyalty', { readonly address: string }>>;

export type WrittenState =
  | { readonly kind: 'written'; readonly remove: () => void }
  /** Another stack runs, and keeps its file: what finds it now must not find something else then. */
  | { readonly kind: 'other-runs'; readonly pid: number };

export function writeStateFile(
  stack: DescribedStack,
  { stage, settings }: Pick<StackState, 'stage' | 'settings'>,
  folder = process.cwd(),
): WrittenState {
  const file = join(folder, FILE);
  const pid = ownerOf(file);
  if (pid !== undefined && pid !== process.pid && isAlive(pid)) return { kind: 'other-runs', pid };
  const state: StackState = {
    pid: process.pid,
    stack: stack.name,
    stage,
    settings,
    region: PLACE.region,
    endpoint: stack.endpoint,
    credentials: stack.operator,
    outputs: stack.outputs,
    storeAddress: stack.store.address,
    loyaltyAddress: stack.loyalty.address,
    metricsAddress: stack.metricsAddress,
  };
  mkdirSync(dirname(file), { recursive: true });
  // For whoever started it: the file holds what opens everything here.
  writeFileSync(file, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  return { kind: 'written', remove: () => rmSync(file, { force: true }) };
}

/** Undefined: there is none, or it is not whole. */
function ownerOf(file: string): number | undefined {
  try {
    const { pid }: Partial<StackState> = JSON.parse(readFileSync(file, 'utf8'));
    return pid;
  } catch {
    return undefined;
  }
}
