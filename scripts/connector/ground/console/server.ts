import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, extname, join } from 'node:path';
import type { Command } from 'commander';
import * as v from 'valibot';
import { listenFault, PACKAGE_FOLDER } from '../../../../shared/config/folders.ts';
import type { Deployment } from '../session/deployment.ts';
import { findLocalStack } from '../session/find-deployment.ts';
import type { Session } from '../session/session.ts';
import { text } from '../terminal/document.ts';
import { EXIT, type ExitCode, Problem } from '../terminal/exit.ts';
import { createGuard, type Refusal } from './guard.ts';
import {
  commandLine,
  offeredCommands,
  type Ran,
  type RunSettings,
  runCommand,
} from './run-command.ts';

type ConsoleSettings = Pick<RunSettings, 'createProgram' | 'deployment' | 'readOnly'>;

export interface ConsoleOptions extends Pick<ConsoleSettings, 'createProgram'> {
  readonly readOnly?: boolean;
  /** Undefined for any free one. */
  readonly port?: number | undefined;
}

export interface RunningConsole {
  readonly address: string;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly text?: string;
  readonly type?: string;
  readonly cookie?: string | undefined;
}

const MOST_BODY_BYTES = 64 * 1024;
const MOST_RUNNING = 20;

/** Everything is of this page alone: no other origin, no inline script, no frame around it. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

/** `note`: about a fault of the console itself. */
export async function openConsole(
  deployment: Deployment,
  { createProgram, readOnly = false, port = 0 }: ConsoleOptions,
  note: (text: string) => void,
): Promise<RunningConsole> {
  const settings = { createProgram, readOnly, deployment };
  const page = await readPage();
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: Error) => {
    const fault = listenFault(error);
    throw fault === undefined ? error : new Problem(fault);
  });
  const { port: own } = server.address() as AddressInfo;
  const guard = createGuard(own);
  const about = aboutConsole(settings);
  /** The commands under way, by the name of their run. */
  const running = new Map<string, { interrupt: AbortController; ended: Promise<void> }>();

  /** Undefined when it has answered by itself. */
  async function answerTo(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<Answer | undefined> {
    const { method, url = '', headers } = request;
    const refusal = guard.refusesHost(headers);
    if (refusal) return REFUSALS[refusal];
    if (method === 'GET') return pageAt(url, headers);
    if (method !== 'POST' || (url !== '/run' && url !== '/stop')) return { status: 404 };
    const refused = guard.refusesRun(headers);
    if (refused) return REFUSALS[refused];
    const body = await readBody(request);
    return url === '/run' ? runLine(body, response) : stopRun(body);
  }

  /** Nothing that a GET answers is about the stack, but for its name; and it changes nothing. */
  function pageAt(url: string, headers: IncomingMessage['headers']): Answer {
    // Appended, so that a whole address in the request line is no path, either.
    const { pathname = '', searchParams } = URL.parse(`http://console.invalid${url}`) ?? {};
    const file = page.get(pathname);
    if (file) return { status: 200, ...file };
    if (pathname !== '/') return { status: 404, text: 'There is no such page.' };
    const session = guard.open(searchParams?.get('token') ?? '');
    if (!session && !guard.hasCookie(headers)) return REFUSALS['no-session'];
    const text = pageHtml(about, session?.key);
    return { status: 200, text, type: 'text/html', cookie: session?.cookie };
  }

  async function runLine(body: unknown, response: ServerResponse): Promise<Answer | undefined> {
    const line = v.safeParse(commandLine, body);
    if (!line.success) return { status: 400, text: 'This is no command.' };
    if (running.size >= MOST_RUNNING) {
      return { status: 429, text: 'Too many commands run already.' };
    }
    const run = randomUUID();
    const interrupt = new AbortController();
    // The stop button, a closed tab and the end of the console are all Ctrl-C.
    response.on('close', () => interrupt.abort()).on('error', () => {});
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
    const send = (said: Ran) => void response.write(`${JSON.stringify(said)}\n`);
    send({ run });
    const ended = runCommand(line.output, { ...settings, signal: interrupt.signal, send });
    running.set(run, { interrupt, ended });
    await ended.finally(() => running.delete(run));
    response.end();
    return undefined;
  }

  /** The command ends in order, and its own request still receives how it ended. */
  function stopRun(body: unknown): Answer {
    const asked = v.safeParse(v.object({ run: v.string() }), body);
    const run = asked.success ? running.get(asked.output.run) : undefined;
    run?.interrupt.abort();
    return { status: run ? 204 : 404 };
  }

  server.on('request', (request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    const served = answerTo(request, response).then((answer) => {
      if (!answer) return;
      const { status, text = '', type = 'text/plain', cookie } = answer;
      if (cookie !== undefined) response.setHeader('set-cookie', cookie);
      response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(text);
    });
    served.catch((error: unknown) => {
      note(`A command of the console failed: ${String(error)}`);
      response.destroy();
    });
  });
  return {
    address: `http://127.0.0.1:${own}/?token=${guard.token}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      const runs = [...running.values()];
      for (const { interrupt } of runs) interrupt.abort();
      await Promise.allSettled(runs.map(({ ended }) => ended));
      // Browsers connect in advance, and an open page asks again and again.
      server.closeAllConnections();
      await closed;
    },
  };
}

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

/** The console of the stack that this process runs; its address is printed with the others. */
export async function openLocalConsole(
  options: ConsoleOptions,
  say: (text: string) => void,
): Promise<RunningConsole | undefined> {
  const deployment = await findLocalStack();
  return deployment && openConsole(deployment, options, say);
}

/** Undefined where it is too large, breaks off or is no JSON. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request) {
      bytes += part.length;
      if (bytes > MOST_BODY_BYTES) return undefined;
      parts.push(part);
    }
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return undefined;
  }
}

const REFUSALS: Readonly<Record<Refusal, Answer>> = {
  'other-host': { status: 421, text: 'This console answers only at the address that it printed.' },
  'other-origin': { status: 403, text: 'Only the page of this console may ask.' },
  'not-json': { status: 415, text: 'Send JSON.' },
  'no-session': {
    status: 403,
    text: 'The address of this console opens it once, in one browser. For another one, run "npx loyalty-connector console" again.',
  },
};

/** By its path: `/page.js`. */
type PageFiles = ReadonlyMap<string, { readonly text: string; readonly type: string }>;

const FOLDER = 'scripts/connector/ground/console/page';
const TYPES = { '/page.js': 'text/javascript', '/page.css': 'text/css' } as const;

/** In the package they are built already: operators need no Preact. */
export async function readPage(): Promise<PageFiles> {
  const isPacked = extname(import.meta.filename) === '.js';
  const built = isPacked ? undefined : await buildPage();
  const read = Object.entries(TYPES).map(async ([path, type]) => {
    const text =
      built?.get(path) ?? (await readFile(join(import.meta.dirname, 'page', path), 'utf8'));
    return [path, { text, type }] as const;
  });
  return new Map(await Promise.all(read));
}

/** Their licence asks for its notice in every copy. */
const NOTICE =
  '/* Contains Preact (c) 2015-present Jason Miller and Preact Signals (c) 2022-present Preact Team, both under ' +
  'the MIT License. */';

async function buildPage(): Promise<ReadonlyMap<string, string>> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: PACKAGE_FOLDER,
    entryPoints: { page: join(PACKAGE_FOLDER, FOLDER, 'page.tsx') },
    outdir: join(PACKAGE_FOLDER, FOLDER),
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    charset: 'utf8',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    banner: { js: NOTICE, css: NOTICE },
    logLevel: 'warning',
  });
  return new Map(outputFiles.map(({ path, text }) => [`/${basename(path)}`, text]));
}

/** `key` is there once, in the answer to the printed address; the page keeps it. */
function pageHtml(about: AboutConsole, key: string | undefined): string {
  const keyLine =
    key === undefined ? '' : `<meta name="console-key" content="${attribute(key)}">\n`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="console" content="${attribute(JSON.stringify(about))}">
${keyLine}<title>${attribute(about.stack)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
<body></body>
</html>
`;
}

const attribute = (text: string) => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

/** What the page knows of its console. Without secrets. */
export type AboutConsole = ReturnType<typeof aboutConsole>;

function aboutConsole({ createProgram, deployment, readOnly }: ConsoleSettings) {
  const { where, stack, region, version, connector, aws } = deployment;
  return {
    ...{ where, stack, region, version, readOnly },
    ...(aws.profile !== undefined && { profile: aws.profile }),
    shops: connector.shops.map(({ domain }) => domain),
    hasStorefront: connector.storefront !== undefined,
    commands: offeredCommands(readOnly),
    /** The commands that take `--yes`: without it they only say what they would do. */
    previewed: previewedCommands(createProgram(), []),
  };
}

function previewedCommands({ commands, options }: Command, path: string[]): readonly string[] {
  const own = options.some(({ long }) => long === '--yes') ? [path.join(' ')] : [];
  return [...own, ...commands.flatMap((one) => previewedCommands(one, [...path, one.name()]))];
}
