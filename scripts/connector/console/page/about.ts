import type { AboutConsole } from '../server.ts';

/** The console that serves this page. */
export const about = JSON.parse(contentOf('console') ?? '{}') as AboutConsole;

const KEY = 'console-key';

/** Comes once, with the printed address; this port's own storage keeps it for a reload and for other tabs. */
export function sessionKey(): string {
  const given = contentOf(KEY);
  if (given !== undefined) {
    localStorage.setItem(KEY, given);
    // The address without its token, which opens nothing any more.
    history.replaceState(null, '', `/${location.hash}`);
  }
  return localStorage.getItem(KEY) ?? '';
}

function contentOf(name: string): string | undefined {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
}

/** Whether this console may run it: not with `--read-only`, if it changes something. */
export function isOffered(command: string): boolean {
  return Object.hasOwn(about.commands, command);
}
