import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'playwright-core';
import { seededRandom } from '../../local/sandbox-kit/seeded-random.ts';
import { LASTING } from './lasting.ts';

/**
 * `UNEVEN=7`: the browser's requests arrive late and are answered late, each by a time of its own that follows from
 * this seed, and each page arrives in two pieces. `SLOW_CPU=6`: the pages' scripts need six times as long. Tests of pages must pass with both.
 */
const { UNEVEN, SLOW_CPU } = process.env;
const MOST_MS = 750;

const random = seededRandom(Number(UNEVEN));

export const beLate = async (): Promise<void> => {
  if (UNEVEN !== undefined) await delay(MOST_MS * random());
};

/** The arguments for a browser behind a proxy that is late, also for the servers of this machine. */
export async function unevenProxy(): Promise<readonly string[]> {
  if (UNEVEN === undefined) return [];
  const server = createServer(LASTING, async (request, response) => {
    await beLate();
    const { url = '', method, headers } = request;
    const passed = ask(url, { method, headers }, async (answer) => {
      await beLate();
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      if (!answer.headers['content-type']?.startsWith('text/html')) {
        answer.pipe(response);
        return;
      }
      const html = await text(answer).catch(() => '');
      const tags = [...html.matchAll(/</g)];
      const cut = tags[Math.floor(random() * tags.length)]?.index ?? 0;
      response.write(html.slice(0, cut));
      await beLate();
      response.end(html.slice(cut));
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  server.unref();
  const { port } = server.address() as AddressInfo;
  return [`--proxy-server=http://127.0.0.1:${port}`, '--proxy-bypass-list=<-loopback>'];
}

export function slowDown(browser: Browser): Browser {
  if (SLOW_CPU === undefined) return browser;
  const rate = Number(SLOW_CPU);
  const open: Browser['newContext'] = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context: BrowserContext = await open(options);
    context.on('page', async (page) => {
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate });
    });
    return context;
  };
  return browser;
}
