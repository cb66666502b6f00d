import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runningNote } from '../../shared/config/folders.ts';
import { digestOfSettings } from '../../shared/config/settings-file.ts';
import type { StackOutputs } from '../../shared/config/stack-outputs.ts';
import { PLACE } from './emulators.ts';
import type { RunningStack } from './running-stack.ts';
import { isAlive } from './synthesize.ts';

const FILE = '.connector/stack.json';

type DescribedStack = Pick<RunningStack, 'name' | 'endpoint' | 'outputs' | 'metricsAddress'> & {
  readonly keys: Pick<RunningStack['keys'], 'operator'>;
  readonly shops: readonly Readonly<Record<'store' | 'loyalty', { readonly address: string }>>[];
};

export type WrittenState =
  | { readonly kind: 'written'; readonly remove: () => void }
  /** Another stack runs. Its file stays, so that programs that use it do not switch to this one. */
  | { readonly kind: 'other-runs'; readonly pid: number };

/** Lets the other commands find the running stack. */
export function writeStateFile(
  stack: DescribedStack,
  /** `settings`: the file with those that it runs with, if it is not the one of the stage. */
  { stage, settings }: { readonly stage: string; readonly settings?: string | undefined },
  project: string,
): WrittenState {
  const file = join(project, FILE);
  const pid = ownerOf(file);
  if (pid !== undefined && pid !== process.pid && isAlive(pid)) return { kind: 'other-runs', pid };
  const outputs: Partial<StackOutputs> = stack.outputs;
  const state = {
    pid: process.pid,
    stack: stack.name,
    stage,
    settings,
    settingsDigest: digestOfSettings(project, stage),
    region: PLACE.region,
    endpoint: stack.endpoint,
    /** The operator's key, with the policy of the template. */
    credentials: stack.keys.operator,
    outputs,
    /** Of each shop, separated by spaces. */
    storeAddress: stack.shops.map(({ store }) => store.address).join(' '),
    loyaltyAddress: stack.shops.map(({ loyalty }) => loyalty.address).join(' '),
    metricsAddress: stack.metricsAddress,
  };
  mkdirSync(dirname(file), { recursive: true });
  // Readable only by its owner, because it holds the operator's key.
  writeFileSync(file, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  const removeNote = writeNote(project);
  return {
    kind: 'written',
    remove: () => {
      rmSync(file, { force: true });
      removeNote();
    },
  };
}

/** Without it, a command in another folder only cannot say where the stack runs. */
function writeNote(project: string): () => void {
  const note = runningNote(process.pid);
  const remove = () => rmSync(note, { force: true });
  try {
    // An ended process may have had the same number. Never through a link that somebody else put there.
    remove();
    writeFileSync(note, project, { mode: 0o600, flag: 'wx' });
    return remove;
  } catch {
    return () => {};
  }
}

/** Undefined when there is no file, or it cannot be read. */
function ownerOf(file: string): number | undefined {
  try {
    const { pid }: { pid?: number } = JSON.parse(readFileSync(file, 'utf8'));
    return pid;
  } catch {
    return undefined;
  }
}
