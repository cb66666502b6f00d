import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Problem } from '../exit.ts';

interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks for a secret. The question goes to standard error, and the terminal does not show what is typed or
 * pasted. Throws a `Problem` when the user cancels.
 */
export async function askHidden(
  question: string,
  { input, output }: Streams = { input: process.stdin, output: process.stderr },
): Promise<string> {
  // The line editor echoes every key, so its output is discarded.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  // Only from here on the terminal does not echo what is typed.
  output.write(`${question}: `);
  try {
    const givenUp = new Promise<undefined>((resolve) =>
      lines.once('close', () => resolve(undefined)),
    );
    const answer = await Promise.race([lines.question(''), givenUp]);
    if (answer === undefined) throw new Problem('Nothing was stored: the input was cancelled.');
    return answer.trim();
  } finally {
    lines.close();
    output.write('\n');
  }
}

/** Asks on standard error, so that a piped result stays clean. Undefined when the user cancels. */
export async function askLine(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and the end of the input close the interface.
    const closed = new Promise<undefined>((resolve) =>
      lines.once('close', () => resolve(undefined)),
    );
    const answer = await Promise.race([lines.question(`${question}: `), closed]);
    return answer?.trim();
  } finally {
    lines.close();
  }
}

/** False where there is no terminal to answer. Only a typed "yes" counts. */
export async function askYesNo(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  return (await askLine(`${question} Type "yes"`)) === 'yes';
}
