import { createInterface } from 'node:readline/promises';

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
