import type { Terminal } from '../terminal/terminal.ts';
import { printable, wrap } from '../terminal/text.ts';
import { settingsText } from './settings-text.ts';
import type { FoundSettings, TriedStep } from './step.ts';
import type { Undone } from './undo.ts';

const LABEL_WIDTH = 12;
const LEAST_ROOM = 40;

export function printConclusion(
  terminal: Terminal,
  { name, tries, answered, means, settings }: TriedStep,
): void {
  terminal.line(terminal.style('bold', name));
  printRow(terminal, 'tried', tries);
  for (const answer of answered) printRow(terminal, 'answered', answer);
  printRow(terminal, 'means', means);
  for (const setting of settingLines(settings ?? {})) printRow(terminal, 'setting', setting);
  terminal.line();
}

function printRow(terminal: Terminal, label: string, text: string): void {
  const room = Math.max(terminal.width - LABEL_WIDTH - 2, LEAST_ROOM);
  for (const [index, line] of wrap(printable(text), room).entries()) {
    terminal.line(`  ${(index === 0 ? label : '').padEnd(LABEL_WIDTH)}${line}`);
  }
}

/** `loyalty.assumptions.ordersAreReplaced: true` */
function settingLines(settings: object, path = ''): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? settingLines(value, `${path}${name}.`)
      : [`${path}${name}: ${settingsText(value)}`],
  );
}

const STATES = {
  undone: 'undone',
  'never-made': 'was not made',
  'shows-later': 'taken, and shows up to 24 hours later. Look then',
  failed: 'NOT UNDONE',
} as const satisfies Record<Undone['kind'], string>;

export function printUndone(terminal: Terminal, undone: readonly Undone[]): void {
  terminal.line(terminal.style('bold', 'undone'));
  for (const { what, kind, answered, byHand } of undone) {
    const rest = byHand === undefined ? '' : ` (${answered}). ${byHand}`;
    printRow(terminal, '', `${what}: ${STATES[kind]}${rest}`);
  }
  terminal.line();
}

export function printSettings(
  terminal: Terminal,
  settings: FoundSettings,
  isComplete: boolean,
): void {
  if (!isComplete) terminal.line('Not all steps were tried.');
  terminal.line(
    Object.keys(settings).length === 0
      ? 'No setting follows.'
      : `The settings that follow, for connector.config.ts:\n\n${settingsText(settings)}`,
  );
}
