import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SQSExtensionConfiguration } from '@aws-sdk/client-sqs';
import { findProject } from '../../../../shared/config/folders.ts';
import type { AwsSettings, Deployment } from '../session/deployment.ts';
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
  readonly open: boolean;
}

/** `loyalty-connector console` */
export async function runConsole(session: Session, options: ConsoleOptions): Promise<ExitCode> {
  const signal = session.interruption('Stopping the console.');
  const deployment = await session.findDeployment();
  const running = await openConsole(deployment, options, session.terminal.note);
  const { address } = running;
  session.show({
    title: `The console of ${deployment.stack} is open at this address, in one browser`,
    blocks: [
      { kind: 'code', text: address },
      text(options.readOnly ? 'It changes nothing. Ctrl-C stops it.' : 'Ctrl-C stops it.'),
    ],
    data: { stack: deployment.stack, address },
  });
  if (options.open && process.stdout.isTTY) openInBrowser(running);
  if (!signal.aborted) await once(signal, 'abort');
  await running.stop();
  return EXIT.fine;
}

/** Also of the stack that runs on this machine. */
export async function openConsole(
  deployment: Deployment,
  { createProgram, readOnly = false, port }: Omit<ConsoleOptions, 'open'>,
  note: (text: string) => void,
): Promise<RunningConsole> {
  const page = await readPage();
  const aws = shareConnections(deployment.aws);
  const commands = { createProgram, readOnly, deployment: { ...deployment, aws } };
  const about = aboutConsole(commands);
  const onFault = (error: unknown) => note(`A command of the console failed: ${String(error)}`);
  try {
    return await startConsole({ ...commands, port, page, about, onFault });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Problem(`Port ${port} is in use.`, 'Give another --port, or none.');
  }
}

type HttpSettings = Pick<SQSExtensionConfiguration, 'httpHandler' | 'setHttpHandler'>;

/** Every command has its own AWS clients; all use the connections of the first one, which stay open. */
function shareConnections(aws: AwsSettings): AwsSettings {
  let shared: ReturnType<HttpSettings['httpHandler']> | undefined;
  const extension = {
    configure(settings: HttpSettings) {
      shared ??= settings.httpHandler();
      settings.setHttpHandler(shared);
    },
  };
  return { ...aws, extensions: [...(aws.extensions ?? []), extension] };
}

/** The console of the stack that this process runs; its address is printed with the others. */
export async function openLocalConsole(
  { open, ...options }: ConsoleOptions,
  say: (text: string) => void,
): Promise<RunningConsole | undefined> {
  const deployment = await findLocalStack();
  if (!deployment) return undefined;
  const running = await openConsole(deployment, options, say);
  if (open && process.stdout.isTTY) openInBrowser(running);
  return running;
}

/**
 * Every user of this machine can read the words of a process, and could use the token first. So the browser opens a
 * file of this user, which redirects. It is in the project, because browsers in a sandbox (snap) see neither /tmp nor
 * hidden folders of the home directory. It is removed when the address was used, or with the console.
 * Where no browser can be opened, the address that was printed is enough.
 */
export function openInBrowser(
  { address, used }: Pick<RunningConsole, 'address' | 'used'>,
  platform: string = process.platform,
): void {
  const redirect = writeRedirect(address);
  if (!redirect) return;
  const remove = () => rmSync(redirect.folder, { recursive: true, force: true });
  used.then(remove);
  const page = pathToFileURL(redirect.file).href;
  const [command, ...words] =
    platform === 'darwin'
      ? ['open', page]
      : platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', page]
        : ['xdg-open', page];
  spawn(command ?? '', words, { stdio: 'ignore', detached: true })
    .on('error', remove)
    .unref();
}

/** Undefined where nothing can be written. */
function writeRedirect(
  address: string,
): { readonly folder: string; readonly file: string } | undefined {
  try {
    const parent = join(findProject(), '.connector');
    mkdirSync(parent, { recursive: true });
    // Only this user may open it, also where others may open the parent.
    const folder = mkdtempSync(join(parent, 'console-'));
    const file = join(folder, 'open.html');
    const html = `<!doctype html><meta http-equiv="refresh" content="0;url=${address}">\n`;
    writeFileSync(file, html, { mode: 0o600, flag: 'wx' });
    return { folder, file };
  } catch {
    return undefined;
  }
}
