import { describe, expect, it } from 'vitest';
import {
  type ConsoleEvent,
  offeredCommands,
  runCommand,
  wordsOf,
} from '../../../scripts/connector/console/run-command.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import type { Deployment } from '../../../scripts/connector/deployment/deployment.ts';

async function run(line: Parameters<typeof runCommand>[0], readOnly = false) {
  const events: ConsoleEvent[] = [];
  await runCommand(line, {
    createProgram,
    deployment: {} as Deployment,
    readOnly,
    signal: new AbortController().signal,
    send: (event) => events.push(event),
  });
  return events;
}

describe('the words of a command', () => {
  it('never let a value or an operand become an option', () => {
    const options = { because: '--yes', id: ['1', '--2'], yes: true, force: false };
    expect(wordsOf({ command: 'dead-letters drop', operands: ['--yes'], options })).toEqual([
      ...['dead-letters', 'drop', '--because=--yes', '--id=1', '--id=--2', '--yes'],
      ...['--', '--yes'],
    ]);
  });
});

describe('the offered commands', () => {
  it('change nothing in a console that only reads', () => {
    expect(Object.values(offeredCommands(true))).not.toContain('changes');
    expect(offeredCommands(true)).toHaveProperty(['dead-letters list'], 'asks');
    expect(offeredCommands(true)).not.toHaveProperty(['dead-letters replay']);
    expect(offeredCommands(false)).toHaveProperty(['dead-letters replay'], 'changes');
  });

  it.each(['secrets set', 'deploy', 'console', 'start', 'app write', 'constructor', '__proto__'])(
    'do not hold %s',
    async (command) => {
      expect(await run({ command, operands: [], options: {} })).toEqual([
        { kind: 'problem', message: `This console does not offer "${command}".` },
        { kind: 'end', code: 2 },
      ]);
    },
  );

  it.each(['stack', 'profile', 'region', 'watch', 'help'])('keep --%s', async (option) => {
    const [problem] = await run({ command: 'status', operands: [], options: { [option]: 'x' } });
    expect(problem).toMatchObject({ kind: 'problem' });
  });

  it('refuse a change where the console only reads', async () => {
    const line = { command: 'dead-letters drop', operands: [], options: { yes: true } };
    expect(await run(line, true)).toContainEqual({ kind: 'end', code: 2 });
  });
});

it('reports the mistakes of a line', async () => {
  const events = await run({ command: 'status', operands: [], options: { colour: 'red' } });
  expect(events).toEqual([
    { kind: 'problem', message: expect.stringContaining('unknown option') },
    { kind: 'end', code: 2 },
  ]);
});
