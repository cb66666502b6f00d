import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { COMMAND_KINDS } from '../../../scripts/connector/command-kinds.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { COMMAND_LINES } from '../../support/command-lines.ts';

function leavesOf(command: Command, path = ''): readonly string[] {
  return command.commands.flatMap((child) => {
    const name = `${path} ${child.name()}`.trim();
    const own = child.commands.length === 0 || child.name() === 'reconcile' ? [name] : [];
    return [...own, ...leavesOf(child, name)];
  });
}

it('every command has a kind', () => {
  expect(leavesOf(createProgram()).toSorted()).toEqual(Object.keys(COMMAND_KINDS).toSorted());
});

it('every command for a running stack is tried with the policy that it needs (test/long/operate/operator-policies.test.ts)', () => {
  const kinds = Object.entries(COMMAND_KINDS);
  const forStacks = kinds.filter(([, kind]) => kind !== 'own').map(([name]) => name);
  expect(Object.keys(COMMAND_LINES).toSorted()).toEqual(forStacks.toSorted());
});
