import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { loadConnector } from '../../../local/stack/choose-settings.ts';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { openConsole } from '../../../scripts/connector/ground/console/server.ts';
import {
  awsSettings,
  type Deployment,
  outputsOf,
} from '../../../scripts/connector/ground/session/deployment.ts';
import { VERSION } from '../../../shared/config/release.ts';
import { PROJECT } from '../../support/project.ts';
import { answering, startScriptedServer } from '../../support/scripted-server.ts';

const CREDENTIALS = {
  accessKeyId: 'access-key-of-this-test-4b1c',
  secretAccessKey: 'secret-access-key-of-this-test-9d2e',
};

/** AWS refuses everything at once: what a command asked can be counted, and nothing is tried again. */
const DENIED = answering(400, JSON.stringify({ __type: 'AccessDeniedException', message: 'no' }), {
  'content-type': 'application/x-amz-json-1.0',
});

type Headers = Readonly<Record<string, string | undefined>>;

interface Asked {
  readonly method?: string;
  /** As it stands in the request line. */
  readonly path?: string;
  /** Beside `Host` and `Content-Length`. */
  readonly headers?: Headers;
  readonly body?: string | Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface RunAnswer extends Answer {
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  /** Of the command; undefined when none was run. */
  readonly code: unknown;
}

export type ConsoleOnTheWire = Awaited<ReturnType<typeof openConsoleOnTheWire>>;

interface WireSettings {
  readonly readOnly?: boolean;
  /** By default one whose AWS refuses everything. */
  readonly deployment?: Deployment;
}

/** A console without a browser, for requests that no browser would make. */
export async function openConsoleOnTheWire({ readOnly = false, deployment }: WireSettings = {}) {
  const aws = await startScriptedServer();
  aws.script = DENIED;
  const region = 'us-east-1';
  const outputs = new Proxy<Record<string, string>>(
    {},
    { get: (_, name) => (String(name).endsWith('Url') ? `${aws.url}/0/${String(name)}` : 'any') },
  );
  const problems: string[] = [];
  const console_ = await openConsole(
    deployment ?? {
      ...{ where: 'local', stage: 'prod', stack: 'loyalty-connector-prod', region },
      version: VERSION,
      aws: awsSettings({ region, endpoint: aws.url, credentials: CREDENTIALS }),
      output: outputsOf(outputs, 'The stack of this test', 'It must have it.'),
      connector: await loadConnector('prod', PROJECT),
      sandbox: { storeAddress: aws.url, loyaltyAddress: aws.url, metricsAddress: aws.url },
    },
    { createProgram, readOnly },
    (text) => problems.push(text),
  );
  const { host, port, origin, pathname, search, searchParams } = new URL(console_.address);
  const secrets = [...Object.values(CREDENTIALS), searchParams.get('token') ?? ''];

  /** Every answer must be guarded, and tell no secret. */
  function checked(answer: Answer): Answer {
    const { headers, text } = answer;
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers['cache-control']).toContain('no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers.server ?? headers['x-powered-by']).toBeUndefined();
    const all = `${JSON.stringify(headers)}\n${text}`;
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
    return answer;
  }

  function send({ method = 'GET', path = '/', headers, body = '' }: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          ...{ host: '127.0.0.1', port, method, path, setHost: false, agent: false },
          headers: definedOf({ host, 'content-length': `${Buffer.byteLength(body)}`, ...headers }),
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (part: string) => {
            text += part;
          });
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });
  }
  const ask = async (asked: Asked) => checked(await send(asked));

  /** The session of the first visitor, as their browser keeps it. */
  async function open() {
    const { headers, text } = await ask({ path: `${pathname}${search}` });
    const [cookie = ''] = headers['set-cookie']?.[0]?.split(';') ?? [];
    const [, key = ''] = /name="console-key" content="([^"]+)"/.exec(text) ?? [];
    secrets.push(key, cookie.split('=')[1] ?? '');
    const own = {
      ...{ cookie, 'x-console-key': key, origin, 'content-type': 'application/json' },
      'sec-fetch-site': 'same-origin',
    };
    return { cookie, key, own };
  }
  const session = await open();

  /** A command that is under way. */
  async function begin(body: unknown) {
    const begun = Promise.withResolvers<string>();
    const ended = Promise.withResolvers<void>();
    let text = '';
    const headers = { ...session.own, host };
    const asked = request(
      { host: '127.0.0.1', port, method: 'POST', path: '/run', headers, agent: false },
      (response) => {
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          if (text.includes('\n')) begun.resolve(JSON.parse(text.split('\n')[0] ?? '').run);
        });
        response.on('error', () => {});
        response.on('close', ended.resolve);
      },
    );
    asked.on('error', ended.resolve);
    asked.end(JSON.stringify(body));
    const run = await begun.promise;
    return {
      ...{ run, ended: ended.promise, text: () => text },
      /** As by a closed tab. */
      leave: () => asked.destroy(),
      stop: () =>
        ask({ method: 'POST', path: '/stop', headers: session.own, body: JSON.stringify({ run }) }),
    };
  }

  return {
    ...{ aws, problems, begin, address: console_.address, host, port: Number(port), origin, ask },
    ...session,
    /** A request to run a command, by default as the page makes it. */
    async run(body: unknown, headers: Headers = {}): Promise<RunAnswer> {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const sent = { ...session.own, ...headers };
      const answer = await ask({ method: 'POST', path: '/run', headers: sent, body: text });
      const isStream = answer.status === 200;
      const lines = isStream
        ? answer.text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [];
      return { ...answer, lines, code: lines.find(({ code }) => code !== undefined)?.code };
    },
    /** Any bytes; resolves with what came back until the connection ended, or until it was silent. */
    raw: (bytes: string, silentMs = 5_000) =>
      new Promise<string>((resolve) => {
        let text = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
        socket.setEncoding('utf8').setTimeout(silentMs, () => socket.destroy());
        socket.on('data', (part: string) => {
          text += part;
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(text));
      }),
    async stop(): Promise<void> {
      await console_.stop();
      await aws.stop();
    },
  };
}

const definedOf = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
