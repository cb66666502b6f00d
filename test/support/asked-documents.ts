import { Readable } from 'node:stream';
import { CommanderError } from 'commander';
import { createProgram } from '../../scripts/connector/create-program.ts';
import { wordsOf } from '../../scripts/connector/ground/console/run-command.ts';
import { findDeployment } from '../../scripts/connector/ground/session/find-deployment.ts';
import { setHost } from '../../scripts/connector/ground/session/run-action.ts';
import type {
  Document,
  Field,
  Suggestion,
} from '../../scripts/connector/ground/terminal/document.ts';
import type { Line } from '../../scripts/connector/ground/terminal/line.ts';
import { createTerminal } from '../../scripts/connector/ground/terminal/terminal.ts';

/** How a command answered. */
export interface Asked {
  readonly line: Line;
  /** Undefined where it did not end. */
  readonly code: number | undefined;
  /** Each that it has shown; the last one is its answer. */
  readonly documents: readonly Document[];
  readonly problem?: { readonly message: string; readonly next?: string | undefined };
}

/** Runs a command in this process, as the console does. `input`: what it reads where it asks for a secret. */
export async function ask(line: Line, input = ''): Promise<Asked> {
  const documents: Document[] = [];
  let code: number | undefined;
  let problem: Asked['problem'];
  const program = createProgram();
  setHost(program, {
    createTerminal: () => createTerminal({ quiet: true }),
    showDocument: (document) => documents.push(document),
    findDeployment,
    onInterruption: () => {},
    onClosedOutput: () => {},
    reportProblem(reported) {
      problem = reported;
    },
    end(ended) {
      code = ended;
    },
  });
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  try {
    const words = wordsOf({ ...line, operands: [...line.operands], options: given(line) });
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    code = 2;
    problem = error;
  }
  return { line, code, documents, ...(problem && { problem }) };
}

function given({ options }: Line): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => {
      if (value === undefined || value === false) return [];
      return [[name, Array.isArray(value) ? [...value] : (value as string)]];
    }),
  );
}

/** Every command that a document names: what it suggests and what its cells open. */
export function suggestedIn(value: unknown): readonly Suggestion[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(suggestedIn);
  const { data: _, ...parts } = value as Partial<Document & Suggestion>;
  const own = 'line' in value ? [filledIn(value as Suggestion)] : [];
  const opened =
    'opens' in value ? [{ label: '', line: (value as { readonly opens: Line }).opens }] : [];
  return [...own, ...opened, ...Object.values(parts).flatMap(suggestedIn)];
}

/** As a person fills it in. */
function filledIn(suggestion: Suggestion): Suggestion {
  const { asks = [], line } = suggestion;
  const options = asks.map((field) => [field.name, enteredIn(field)]);
  return {
    ...suggestion,
    line: { ...line, options: { ...line.options, ...Object.fromEntries(options) } },
  };
}

function enteredIn({ value, of, type }: Field): string | undefined {
  if (value !== undefined) return value === '' ? undefined : value;
  if (of) return Object.keys(of)[0];
  return type === 'date' ? '2020-01-01' : 'a reason of a test';
}

/** What a person reads; not the code blocks, which are another's words. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  const {
    kind,
    data: _,
    line: __,
    opens: ___,
    key: ____,
    at: _____,
    ...parts
  } = value as Record<string, unknown>;
  if (kind === 'code' || kind === 'form') return [];
  return Object.values(parts).flatMap(textsIn);
}
