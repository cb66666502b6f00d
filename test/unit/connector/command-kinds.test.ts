import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { COMMANDS } from '../../support/command-kinds.ts';

function leavesOf(command: Command, path = ''): readonly string[] {
  return command.commands.flatMap((child) => {
    const name = `${path} ${child.name()}`.trim();
    return child.commands.length === 0 ? [name] : leavesOf(child, name);
  });
}

it('every command is tried with the policy that it needs (test/long/operate/operator-policies.test.ts)', () => {
  expect(leavesOf(createProgram()).toSorted()).toEqual(Object.keys(COMMANDS).toSorted());
});
