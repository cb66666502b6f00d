import { describe, expect, it } from 'vitest';
import { help, readArguments } from './arguments.ts';
import { benches } from './benches.ts';

describe('the arguments of npm run bench', () => {
  it('start a whole run when there are none', () => {
    expect(readArguments([])).toEqual({
      kind: 'start',
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
  ])('%j is reported in a sentence before anything is measured', (args, problem) => {
    expect(readArguments(args)).toEqual({ kind: 'wrong', problem });
  });

  it('may ask for help, which names every bench', () => {
    expect(readArguments(['--help'])).toEqual({ kind: 'help' });
    for (const name of Object.keys(benches)) expect(help).toContain(name);
  });
});
