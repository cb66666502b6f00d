import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StackOutputs } from '../../shared/config/stack-outputs.ts';
import { isAlive } from '../sandbox-kit/data-file.ts';
import { PLACE } from './emulators.ts';
import type { RunningStack } from './running-stack.ts';

/** Lets the other commands find the running stack. */
interface StackState {
  readonly pid: number;
  readonly stack: string;
  readonly stage: string;
  /** The file with the settings that it runs with, if it is not the one of the stage. */
  readonly settings?: string | undefined;
  readonly region: string;
  /** The gateway in front of the emulators. */
  readonly endpoint: string;
  /** The operator's key, with the policy of the template. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly outputs: Partial<StackOutputs>;
  /** Of each shop, separated by spaces. */
  readonly storeAddress: string;
  readonly loyaltyAddress: string;
  readonly metricsAddress: string;
}

const FILE = '.connector/stack.json';

type DescribedStack = Pick<RunningStack, 'name' | 'endpoint' | 'outputs' | 'metricsAddress'> & {
  readonly keys: Pick<RunningStack['keys'], 'operator'>;
  readonly shops: readonly Readonly<Record<'store' | 'loyalty', { readonly address: string }>>[];
};

export type WrittenState =
  | { readonly kind: 'written'; readonly remove: () => void }
  /** Another stack runs. Its file stays, so that programs that use it do not switch to this one. */
  | { readonly kind: 'other-runs'; readonly pid: number };

export function writeStateFile(
  stack: DescribedStack,
  { stage, settings }: Pick<StackState, 'stage' | 'settings'>,
  project: string,
): WrittenState {
  const file = join(project, FILE);
  const pid = ownerOf(file);
  if (pid !== undefined && pid !== process.pid && isAlive(pid)) return { kind: 'other-runs', pid };
  const state: StackState = {
    pid: process.pid,
    stack: stack.name,
    stage,
    settings,
    region: PLACE.region,
    endpoint: stack.endpoint,
    credentials: stack.keys.operator,
    outputs: stack.outputs,
    storeAddress: stack.shops.map(({ store }) => store.address).join(' '),
    loyaltyAddress: stack.shops.map(({ loyalty }) => loyalty.address).join(' '),
    metricsAddress: stack.metricsAddress,
  };
  mkdirSync(dirname(file), { recursive: true });
  // Readable only by its owner, because it holds the operator's key.
  writeFileSync(file, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  return { kind: 'written', remove: () => rmSync(file, { force: true }) };
}

/** Undefined when there is no file, or it cannot be read. */
function ownerOf(file: string): number | undefined {
  try {
    const { pid }: Partial<StackState> = JSON.parse(readFileSync(file, 'utf8'));
    return pid;
  } catch {
    return undefined;
  }
}
