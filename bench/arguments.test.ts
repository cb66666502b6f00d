import { describe, expect, it } from 'vitest';
import { help, readArguments } from './arguments.ts';

describe('what is typed after npm run bench --', () => {
  it('is a whole run when it is nothing', () => {
    expect(readArguments([])).toEqual({
      kind: 'run',
      options: { only: undefined, quick: false, jsonFile: undefined, writeDocs: false },
    });
  });

  it.each([
    [['--only', 'nothing'], 'There is no bench "nothing"'],
    [['--only', 'toString'], 'There is no bench "toString"'],
    [['--only'], "Option '--only <value>' argument missing"],
    [['--fast'], "Unknown option '--fast'"],
    [['receiver'], "Unexpected argument 'receiver'"],
    [['--write-docs', '--quick'], '--write-docs is for whole runs: leave out --only and --quick'],
    [['--json', 'no/such/folder/f.json'], 'There is no folder for no/such/folder/f.json'],
  ])('%j is told in a sentence before anything is measured', (args, problem) => {
    expect(readArguments(args)).toEqual({ kind: 'wrong', problem });
  });

  it('may ask for help, which names every bench', () => {
    expect(readArguments(['--help'])).toEqual({ kind: 'help' });
    expect(help).toContain('receiver, worker, calls, storm, cost, backfill, replay, simulate');
  });
});
