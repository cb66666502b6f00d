import { Problem } from '../exit.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrap } from '../terminal/text.ts';

/**
 * One step of the set-up. What is done already is read from the world (AWS, the store, the loyalty service),
 * so a run that was stopped anywhere can be repeated.
 *
 *   look ──done, left──▶ next step
 *    │ open
 *    ▼
 *   act ──▶ look again: that is the verification
 */
export interface Step {
  readonly title: string;
  /** Reads the world and changes nothing. */
  look(): Promise<Found>;
  /** Does what is open. Returns what it found where `look` cannot see it. */
  act?(): Promise<Found | undefined>;
}

export type Found =
  | { readonly kind: 'done'; readonly what: string }
  /** `act` does it. */
  | { readonly kind: 'open'; readonly what: string }
  /** For a person, later: the set-up goes on without it. */
  | Left
  /** The set-up cannot go on. */
  | { readonly kind: 'blocked'; readonly what: string; readonly next: string };

export interface Left {
  readonly kind: 'left';
  readonly what: string;
  readonly next: string;
}

export const done = (what: string): Found => ({ kind: 'done', what });
export const open = (what: string): Found => ({ kind: 'open', what });
export const left = (what: string, next: string): Found => ({ kind: 'left', what, next });
export const blocked = (what: string, next: string): Found => ({ kind: 'blocked', what, next });

/** Runs the step and returns what is left to do of it. Throws a `Problem` where the set-up must stop. */
export async function runStep(
  step: Step,
  number: number,
  terminal: Pick<Terminal, 'line' | 'style' | 'width'>,
): Promise<Left | undefined> {
  terminal.line(`${number}. ${terminal.style('bold', step.title)}`);
  let found = await step.look();
  if (found.kind === 'open' && step.act) {
    say(terminal, found.what);
    found = (await step.act()) ?? (await step.look());
  }
  switch (found.kind) {
    case 'done':
      say(terminal, `${terminal.style('green', 'done')}: ${found.what}`);
      return undefined;
    case 'left':
      say(terminal, `${terminal.style('yellow', 'left')}: ${found.what}`);
      // Not wrapped: a command that is broken over two lines cannot be copied.
      for (const line of found.next.split('\n')) terminal.line(`${INDENT}${line}`);
      return found;
    case 'open':
      throw new Problem(
        `This was done, but does not show: ${found.what}`,
        'Run the command again: it goes on from here.',
      );
    case 'blocked':
      throw new Problem(
        found.what,
        `${found.next}\nThen run the command again: it goes on from here.`,
      );
  }
}

const INDENT = '   ';

/** Indented and broken at spaces. */
export function say(terminal: Pick<Terminal, 'line' | 'width'>, text: string): void {
  for (const line of text.split('\n')) {
    for (const part of wrap(line, terminal.width - INDENT.length)) {
      terminal.line(`${INDENT}${part}`);
    }
  }
}
