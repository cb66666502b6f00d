import { expect } from 'vitest';
import type { OperatedConnector } from './operated-connector.ts';

/** Wrong words are answered with one line that says what is wrong. */
export async function expectClearMistake(
  connector: Pick<OperatedConnector, 'run'>,
  line: string,
  words: string,
): Promise<void> {
  const { code, stdout, stderr } = await connector.run(line);
  expect(stderr).toContain(words);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stdout).toBe('');
  expect(code).toBe(2);
}
