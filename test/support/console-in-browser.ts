import { resolve } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterEach } from 'vitest';
import { loadConnector } from '../../local/stack/choose-settings.ts';
import { PLACE } from '../../local/stack/emulators.ts';
import type { StackOptions } from '../../local/stack/start-parts.ts';
import { createProgram } from '../../scripts/connector/create-program.ts';
import type { RunningConsole } from '../../scripts/connector/ground/console/server.ts';
import { openConsole } from '../../scripts/connector/ground/console/server.ts';
import {
  awsSettings,
  type Deployment,
  outputsOf,
} from '../../scripts/connector/ground/session/deployment.ts';
import { PACKAGE_FOLDER } from '../../shared/config/folders.ts';
import { VERSION } from '../../shared/config/release.ts';
import type { LocalStack } from './local-stack.ts';
import { PROJECT } from './project.ts';
import { SETTINGS, type ShopInBrowser, useShopInBrowser } from './shop-in-browser.ts';

/** The deployment that commands find for this stack, with the operator's key. */
export async function deploymentOf(stack: LocalStack): Promise<Deployment> {
  const { region } = PLACE;
  const credentials = stack.keys.operator;
  return {
    ...{ where: 'local', stage: 'prod', stack: stack.name, region, version: VERSION },
    aws: awsSettings({ region, endpoint: stack.endpoint, credentials }),
    output: outputsOf({ ...stack.outputs }, 'The stack of this test', 'It must have it.'),
    connector: await loadConnector('prod', PROJECT, resolve(PACKAGE_FOLDER, SETTINGS)),
    sandbox: {
      storeAddress: stack.shops.map(({ store }) => store.address).join(' '),
      loyaltyAddress: stack.shops.map(({ loyalty }) => loyalty.address).join(' '),
      metricsAddress: stack.metricsAddress,
      shopAddress: stack.shopAddress,
    },
  };
}

interface ConsoleVisit {
  readonly page: Page;
  /** Errors of scripts and violations of the content security policy. */
  readonly problems: string[];
}

export interface ConsoleInBrowser {
  readonly stack: LocalStack;
  readonly browser: Browser;
  /** A new browser window on a console of its own. */
  visit(options?: VisitOptions): Promise<ConsoleVisit>;
  /** A console without a visitor. */
  open(readOnly?: boolean, deployment?: Deployment): Promise<RunningConsole>;
}

interface VisitOptions {
  readonly readOnly?: boolean;
  readonly width?: 1280 | 390;
  readonly colours?: 'light' | 'dark';
  /** Instead of that of the stack. */
  readonly deployment?: Deployment;
  /** Behind the address: `#/dead-letters/list`. */
  readonly at?: string;
}

/**
 * For the tests of one `describe`: a local stack with a storefront, and a browser. After each test the windows close,
 * and must have had no problem.
 */
export function useConsoleInBrowser(
  started: (world: ConsoleInBrowser) => Promise<unknown>,
  options: Pick<StackOptions, 'storeSettings'> = {},
): void {
  const consoles: RunningConsole[] = [];
  const visits: (ConsoleVisit & { readonly context: BrowserContext })[] = [];

  const begin = async (world: ShopInBrowser) => {
    const own = await deploymentOf(world.stack);
    const open: ConsoleInBrowser['open'] = async (readOnly = false, deployment = own) => {
      const opened = await openConsole(deployment, { createProgram, readOnly }, (text) => {
        throw new Error(text);
      });
      consoles.push(opened);
      return opened;
    };
    await started({
      ...world,
      open,
      async visit(options = {}) {
        const { width = 1280, colours = 'light', at = '' } = options;
        const { address } = await open(options.readOnly, options.deployment);
        const context = await world.browser.newContext({
          viewport: { width, height: width === 390 ? 844 : 900 },
          colorScheme: colours,
          locale: 'en-GB',
          permissions: ['clipboard-read', 'clipboard-write'],
        });
        context.setDefaultTimeout(90_000);
        const page = await context.newPage();
        const problems: string[] = [];
        page.on('pageerror', (error) => problems.push(String(error)));
        page.on('console', (line) => {
          if (line.type() === 'error') problems.push(line.text());
        });
        visits.push({ page, problems, context });
        await page.goto(`${address}${at}`);
        return { page, problems };
      },
    });
  };
  // Hooks after a test run in reverse order: first the windows close.
  afterEach(async () => {
    for (const one of consoles.splice(0)) await one.stop();
  });
  useShopInBrowser(visits, begin, options);
}

/** With `DOCS_PICTURES=1`: `docs/NAME.png`, of the whole page, or of what a telephone shows of it. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.DOCS_PICTURES !== '1') return;
  const fullPage = (page.viewportSize()?.width ?? 0) > 390;
  await page.screenshot({ path: `docs/${name}.png`, fullPage });
}
