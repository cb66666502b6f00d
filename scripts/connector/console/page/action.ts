import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Line } from './run.ts';

/** A command that changes something, for a person to agree to. */
export interface Action {
  readonly title: string;
  /** Complete, with `--yes` where the command asks. */
  readonly line: Line;
  /** A command that changes nothing and says what the action would do, such as the same without `--yes`. */
  readonly preview?: Line;
  /** What to know before. */
  readonly children?: ComponentChildren;
  /** After it ended, so that the view asks again. */
  readonly onEnd?: () => void;
}

/** The one that is open in the dialog. */
export const action = signal<Action | undefined>(undefined);

export function openAction(wanted: Action): void {
  action.value = wanted;
}
