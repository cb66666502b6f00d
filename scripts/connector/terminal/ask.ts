import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Problem } from '../exit.ts';

interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks for something that must not stay on the screen. The question goes to standard error; what is
 * typed or pasted is shown nowhere. Throws a `Problem` when the person gives up.
 */
export async function askHidden(
  question: string,
  { input, output }: Streams = { input: process.stdin, output: process.stderr },
): Promise<string> {
  // The line editor writes every key it is given: it gets a place that nobody sees.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  // Only now does the terminal keep what is typed to itself.
  output.write(`${question}: `);
  try {
    const givenUp = new Promise<undefined>((resolve) =>
      lines.once('close', () => resolve(undefined)),
    );
    const answer = await Promise.race([lines.question(''), givenUp]);
    if (answer === undefined) throw new Problem('Nothing was stored: the question was left open.');
    return answer.trim();
  } finally {
    lines.close();
    output.write('\n');
  }
}

/** Asks on standard error, so that a piped result stays clean. Only a typed "yes" counts. */
export async function askYesNo(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and the end of the input both close the lines: that is a no.
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    const answer = await Promise.race([lines.question(`${question} Type "yes": `), closed]);
    return answer.trim() === 'yes';
  } finally {
    lines.close();
  }
}
