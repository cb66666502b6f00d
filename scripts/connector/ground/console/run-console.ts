import { once } from 'node:events';
import type { Deployment } from '../session/deployment.ts';
import { findLocalStack } from '../session/find-deployment.ts';
import type { Session } from '../session/session.ts';
import { text } from '../terminal/document.ts';
import { EXIT, type ExitCode, Problem } from '../terminal/exit.ts';
import {
  aboutConsole,
  type ConsoleSettings,
  type RunningConsole,
  readPage,
  startConsole,
} from './server.ts';

export interface ConsoleOptions extends Pick<ConsoleSettings, 'createProgram'> {
  readonly readOnly?: boolean;
  readonly port?: number;
}

/** `loyalty-connector console` */
export async function runConsole(session: Session, options: ConsoleOptions): Promise<ExitCode> {
  const signal = session.interruption('Stopping the console.');
  const deployment = await session.findDeployment();
  const { address, stop } = await openConsole(deployment, options, session.terminal.note);
  session.show({
    title: `The console of ${deployment.stack} is open at this address, in one browser`,
    blocks: [
      { kind: 'code', text: address },
      text(options.readOnly ? 'It changes nothing. Ctrl-C stops it.' : 'Ctrl-C stops it.'),
    ],
    data: { stack: deployment.stack, address },
  });
  if (!signal.aborted) await once(signal, 'abort');
  await stop();
  return EXIT.fine;
}

/** Also of the stack that runs on this machine. */
export async function openConsole(
  deployment: Deployment,
  { createProgram, readOnly = false, port }: ConsoleOptions,
  note: (text: string) => void,
): Promise<RunningConsole> {
  const page = await readPage();
  const commands = { createProgram, readOnly, deployment };
  const about = aboutConsole(commands);
  const onFault = (error: unknown) => note(`A command of the console failed: ${String(error)}`);
  try {
    return await startConsole({ ...commands, port, page, about, onFault });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Problem(`Port ${port} is in use.`, 'Give another --port, or none.');
  }
}

/** The console of the stack that this process runs; its address is printed with the others. */
export async function openLocalConsole(
  options: ConsoleOptions,
  say: (text: string) => void,
): Promise<RunningConsole | undefined> {
  const deployment = await findLocalStack();
  return deployment && openConsole(deployment, options, say);
}
