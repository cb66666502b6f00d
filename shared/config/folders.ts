import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';

/** Where the connector's own files are: the clone, or `dist` of the installed package. */
export const PACKAGE_FOLDER = resolve(import.meta.dirname, '../..');

/** The file of one of our modules: TypeScript in the clone, JavaScript in the package. */
export function moduleFile(path: string): string {
  return join(PACKAGE_FOLDER, `${path}${extname(import.meta.filename)}`);
}

/** `connector.config.ts` or `connector.config.<stage>.ts`; the group is the stage. */
export const SETTINGS_FILE = /^connector\.config(?:\.(.+))?\.ts$/;

/**
 * The folder of the merchant's settings, `cdk.out` and `.connector`: the nearest one with settings,
 * from the current folder upwards. The clone is such a folder too.
 */
export function findProject(current = process.cwd()): string {
  for (let folder = resolve(current); ; folder = dirname(folder)) {
    if (hasSettings(folder)) return folder;
    if (folder === dirname(folder)) return resolve(current);
  }
}

/** Holds the folder in which the stack of this process runs, for commands that are run in another one. */
export const runningNote = (pid: number) => join(tmpdir(), `loyalty-connector-${pid}.running`);

/** Why nothing can listen at a port, and who does; undefined for another error. */
export function listenFault(error: Error): string | undefined {
  const { code, port } = error as { readonly code?: unknown; readonly port?: unknown };
  if (code === 'EACCES' && port !== undefined) {
    return `This user may not listen on port ${port}. Give a --port above 1023.`;
  }
  if (code !== 'EADDRINUSE') return undefined;
  const said = (program: string, ...asked: string[]) =>
    spawnSync(program, asked, { encoding: 'utf8' }).stdout?.split('\n')[0] ?? '';
  const pid = said('lsof', '-nPt', `-iTCP:${port}`, '-sTCP:LISTEN');
  // The program and what it runs. Later arguments may be secrets.
  const line = said('ps', '-o', 'args=', '-p', pid).split(' ').slice(0, 2).join(' ').slice(0, 80);
  const holder = pid && ` by process ${pid} (${line})`;
  return `Port ${port} is in use${holder}. Stop that process, or give another --port.`;
}

function hasSettings(folder: string): boolean {
  try {
    return readdirSync(folder).some((file) => SETTINGS_FILE.test(file));
  } catch {
    // A folder above may not be readable.
    return false;
  }
}
