import { Command } from 'commander';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type CommandLine,
  type ConsoleEvent,
  offeredCommands,
  type RunSettings,
  runCommand,
  wordsOf,
} from '../../../scripts/connector/console/run-command.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import type { Deployment } from '../../../scripts/connector/deployment/deployment.ts';
import { describeNewerSettings } from '../../../scripts/connector/deployment/find-deployment.ts';
import { type Action, runAction } from '../../../scripts/connector/run-action.ts';

interface Circumstances extends Partial<Omit<RunSettings, 'createProgram' | 'send'>> {
  /** Instead of what `pause` does. */
  readonly pause?: Action<object>;
}

async function run(
  line: CommandLine,
  { pause, deployment = {} as Deployment, ...given }: Circumstances = {},
) {
  const events: ConsoleEvent[] = [];
  await runCommand(line, {
    createProgram() {
      if (!pause) return createProgram();
      const program = new Command();
      program.command('pause').action(runAction(pause));
      return program;
    },
    ...{ deployment, readOnly: false, signal: new AbortController().signal },
    ...given,
    send: (event) => events.push(event),
  });
  return events;
}

const PAUSE = { command: 'pause', operands: [], options: {} };

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
    expect(await run(line, { readOnly: true })).toContainEqual({ kind: 'end', code: 2 });
  });
});

it('reports the mistakes of a line', async () => {
  const events = await run({ command: 'status', operands: [], options: { colour: 'red' } });
  expect(events).toEqual([
    { kind: 'problem', message: expect.stringContaining('unknown option') },
    { kind: 'end', code: 2 },
  ]);
});

it('says in every answer what changed since the console was started', async () => {
  const answerAfter = (started: Date) =>
    run(PAUSE, {
      deployment: { note: async () => describeNewerSettings('prod', started) } as Deployment,
      async pause(session) {
        await session.findDeployment();
        return 0;
      },
    });
  expect(await answerAfter(new Date(0))).toContainEqual({
    ...{ kind: 'note', text: expect.stringContaining('connector.config.ts has changed since') },
  });
  expect(await answerAfter(new Date())).toEqual([{ kind: 'end', code: 0 }]);
});

it.each([
  ['an error', new Error('refused'), 'Error: refused'],
  ['something else', 'refused', 'refused'],
])(
  'answers with what went wrong, also where this process is searched for bugs: %s',
  async (_, thrown, message) => {
    vi.stubEnv('DEBUG', '1');
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => {
      vi.unstubAllEnvs();
      printed.mockRestore();
    });
    expect(await run(PAUSE, { pause: () => Promise.reject(thrown) })).toEqual([
      { kind: 'problem', message },
      { kind: 'end', code: 1 },
    ]);
  },
);

it('begins no change after it was stopped', async () => {
  const stop = new AbortController();
  const events = await run(PAUSE, {
    signal: stop.signal,
    async pause(session) {
      stop.abort();
      await session.beginChange({} as Deployment);
      return 0;
    },
  });
  expect(events).toEqual([
    { kind: 'problem', message: 'Stopped. Nothing was changed.' },
    { kind: 'end', code: 130 },
  ]);
});
