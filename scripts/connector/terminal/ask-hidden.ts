import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Problem } from '../problem.ts';

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
