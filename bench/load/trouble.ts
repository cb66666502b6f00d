import type { LoadedStack } from './loaded-stack.ts';

/** Something that goes wrong at a moment of a phase. */
export interface Trouble {
  /** Part of the phase that is over then, from 0 to 1. */
  readonly at: number;
  readonly what: string;
  happen(stack: LoadedStack): Promise<void>;
}

const killFunction = (name: string): Omit<Trouble, 'at'> => ({
  what: `kill -9 of every process of ${name}`,
  async happen(stack) {
    for (const process of await stack.processes()) if (process.name === name) kill(process.pid);
  },
});

const killAws: Omit<Trouble, 'at'> = {
  what: 'kill -9 of queues and table, started again from their data',
  happen: (stack) => stack.killAndRestartAws(),
};

const killStack: Omit<Trouble, 'at'> = {
  what: 'kill -9 of the stack with its functions, store and loyalty service, started again from its data',
  happen: (stack) => stack.killAndRestartStack(),
};

const loyaltyIs = (is: 'well' | 'slow' | 'down'): Omit<Trouble, 'at'> => ({
  what: `the loyalty service is ${is}`,
  happen: (stack) => stack.setLoyalty(is),
});

/** Every process of the run dies once, at even distances. */
export function killsOfEach(functions: readonly string[]): readonly Trouble[] {
  const kills = [...functions.map(killFunction), killAws, killStack];
  return kills.map((one, index) => ({ ...one, at: (index + 1) / (kills.length + 1) }));
}

/** The service slow, then down, then back; and those that are busiest die once more. */
export const saleTroubles: readonly Trouble[] = [
  { at: 0.05, ...loyaltyIs('slow') },
  { at: 0.2, ...killFunction('receive-webhook') },
  { at: 0.3, ...killFunction('sync-orders') },
  { at: 0.4, ...loyaltyIs('down') },
  { at: 0.6, ...killAws },
  { at: 0.8, ...loyaltyIs('well') },
  { at: 0.9, ...killFunction('sync-orders') },
  { at: 1, ...killStack },
];

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
