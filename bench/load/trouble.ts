import type { LoadedStack } from './loaded-stack.ts';

/** A fault at a certain time of a phase. */
export interface Trouble {
  /** The elapsed part of the phase, from 0 to 1. */
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

/** Kills every process of the run once, at even intervals. */
export function killsOfEach(functions: readonly string[]): readonly Trouble[] {
  const kills = [...functions.map(killFunction), killAws, killStack];
  return kills.map((one, index) => ({ ...one, at: (index + 1) / (kills.length + 1) }));
}

/** The service is slow, then down, then back; the busiest processes are killed again. */
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
    // The process has already ended.
  }
}
