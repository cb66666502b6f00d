import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, then the usual places of Chromium and Chrome on Linux and macOS. */
const USUAL_PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/snap/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** It shall ask nobody but the pages under test. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const { CHROMIUM_PATH, REQUIRE_BROWSER } = process.env;

/**
 * The browser of this machine. Without one the tests of pages are skipped, and say so; where they must
 * not be (`REQUIRE_BROWSER=1`), they fail.
 */
export function findBrowser(): string | undefined {
  const path = CHROMIUM_PATH || USUAL_PLACES.find((place) => existsSync(place));
  if (path !== undefined) return path;
  const reason =
    'No browser was found: install Chromium (Debian: apt-get install chromium) or name one in CHROMIUM_PATH.';
  if (REQUIRE_BROWSER === '1') throw new Error(reason);
  console.warn(`${reason} The tests of pages are skipped.`);
  return undefined;
}

/** With a profile of its own, which is gone with it. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: QUIET, timeout: 60_000 });
}
