import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { closestTo } from './closest.ts';
import { type Connector, isConnector, SettingsError } from './connector-config.ts';
import { SETTINGS_FILE } from './folders.ts';

/** The settings file of a stage: `connector.config.ts` for `prod`, else `connector.config.<stage>.ts`. */
export function settingsFileOf(stage: string): string {
  return stage === 'prod' ? 'connector.config.ts' : `connector.config.${stage}.ts`;
}

/** Of what the file of the stage says now, to see later whether it was changed. Undefined where there is none. */
export function digestOfSettings(folder: string, stage: string): string | undefined {
  const file = resolve(folder, settingsFileOf(stage));
  return existsSync(file)
    ? createHash('sha256').update(readFileSync(file)).digest('base64')
    : undefined;
}

export interface StageFile {
  readonly name: string;
  /** `connector.config.ts`, or `connector.config.<name>.ts` for every stage but `prod`. */
  readonly file: string;
}

/** Every stage that has a file in the folder; `prod` comes first. */
export function stagesIn(folder: string): readonly StageFile[] {
  return readdirSync(folder)
    .flatMap((file) => {
      const match = SETTINGS_FILE.exec(file);
      return match ? [{ file, name: match[1] ?? 'prod' }] : [];
    })
    .sort(
      (a, b) =>
        Number(b.name === 'prod') - Number(a.name === 'prod') || a.name.localeCompare(b.name),
    );
}

/** What is wrong with a stage that has no file there, and what was probably meant. */
export function unknownStage(folder: string, stage: string): readonly [what: string, next: string] {
  const known = stagesIn(folder).map(({ name }) => name);
  const meant = closestTo(stage, known);
  const lacks = `${settingsFileOf(stage)} is not in ${folder}`;
  const init = 'npx loyalty-connector init FOLDER';
  const where = `Run the command in the folder of your project, or write a new one: ${init}`;
  // The default stage is not named: it may not have been asked for.
  if (known.length === 0) return [lacks, where];
  return [
    `There is no stage "${stage}": ${lacks}`,
    `Stages: ${known.join(', ')}.${meant ? ` Did you mean ${meant}?` : ''}`,
  ];
}

export type ReadSettings =
  | { readonly kind: 'settings'; readonly connector: Connector }
  /** Sentences for the author of the file; each names the file. */
  | { readonly kind: 'faulty'; readonly faults: readonly string[] };

export async function readSettingsFile(folder: string, file: string): Promise<ReadSettings> {
  try {
    const { default: connector } = await import(pathToFileURL(resolve(folder, file)).href);
    if (isConnector(connector)) return { kind: 'settings', connector };
    return faulty(`${file} must end in: export default defineConnector({ … })`);
  } catch (error) {
    if (error instanceof SettingsError) {
      const source = readFileSync(resolve(folder, file), 'utf8');
      const placed = error.faults.map((fault) => ({
        ...fault,
        place: placeOf(fault.path, source),
      }));
      const inOrder = placed.sort((one, other) => lineOf(one.place) - lineOf(other.place));
      return faulty(
        ...inOrder.map(({ path, problem, place }) => `${file}${place}: ${path} ${problem}`),
      );
    }
    const [at = `${file} could not be read`, token] = placeIn(error, folder);
    const [name = file] = /^[^:]+(?=:)/.exec(at) ?? [];
    return faulty(`${at}: ${whyUnread(error, token, resolve(folder, name))}`);
  }
}

/** Node's parser of TypeScript speaks to who knows its grammar. `token`: what stands where it stopped, unless that is the end. */
function whyUnread(error: unknown, token: string | undefined, path: string): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, code }: NodeJS.ErrnoException = error;
  const [, lacking] = /^Cannot find package '(.+?)'/.exec(message) ?? [];
  if (lacking) return `the package "${lacking}" is not installed. Run "npm install".`;
  const [, module = ''] = LACKS_MODULE.exec(message) ?? [];
  if (module) {
    const folder = dirname(module);
    const meant = existsSync(folder) && closestTo(basename(module), readdirSync(folder));
    return `there is no file ${relative(dirname(path), module)}${meant ? `; did you mean ${meant}?` : ''}`;
  }
  if (name !== 'SyntaxError') return `${name}: ${message}`;
  if (code !== 'ERR_INVALID_TYPESCRIPT_SYNTAX') return message.replace(' in strip-only mode', '');
  const unknown = 'a comma, quote or bracket is missing or extra, on this line or the one above';
  const why = whatIsOpen(readFileSync(path, 'utf8')) ?? unknown;
  return token ? `unexpected "${token}": ${why}` : `it ends too early: ${why}`;
}

const LACKS_MODULE = /^Cannot find module '(.+?)' imported from (.+)$/;

/** Before the message, Node shows the file and the line, and marks the mistake unless it is the end of the file. */
const SHOWN_LINE = /^((?:file:\/)?\/.*:\d+)\n(?:(?:.+\n)*?(.+)\n( *)\^)?/;
/** A frame in a file; those of Node begin with `node:`. */
const FRAME = /^ +at (?:[^(]*\()?((?:file:\/)?\/.*):(\d+:\d+)\)?$/;

/** `connector.config.ts:4:6`: file, line and, if it is known, column. Nothing if the error has no place. */
function placeIn(error: unknown, folder: string): readonly [at?: string, token?: string] {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, shown, text = '', indent] = SHOWN_LINE.exec(stack) ?? [];
  if (shown !== undefined) {
    if (indent === undefined) return [nameIn(folder, shown)];
    const [token = ''] = /^[\w$]+|^./.exec(text.slice(indent.length)) ?? [];
    return [`${nameIn(folder, shown)}:${indent.length + 1}`, token];
  }
  const [, , importer] = LACKS_MODULE.exec(error instanceof Error ? error.message : '') ?? [];
  if (importer) return [nameIn(folder, importer)];
  const frames = stack.split('\n').flatMap((line) => {
    const [, path, position] = FRAME.exec(line) ?? [];
    return path === undefined ? [] : [{ path, position }];
  });
  // Its true place, also in a file that the settings import; what a package throws is for its caller.
  const frame = frames.find(({ path }) => !isForeign(path)) ?? frames[0];
  return frame ? [`${nameIn(folder, frame.path)}:${frame.position}`] : [];
}

/** Comments match without the group. */
const TOKENS =
  /\/\/.*|\/\*[\s\S]*?\*\/|(\/\*[\s\S]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|[\w$]+|[^\s\w])/g;

/**
 * The bracket that a wrong one or the end of the file finds open, or the quote without its end. One that was closed by a
 * line further to the left has most likely got the end of another: then it is the open one.
 */
function whatIsOpen(source: string): string | undefined {
  const open: { readonly token: string; readonly line: number; readonly indent: number }[] = [];
  let [closedByOther]: typeof open = [];
  for (const { index, 1: token = '' } of source.matchAll(TOKENS)) {
    const line = lineOf(positionIn(source, index));
    const begins = source.lastIndexOf('\n', index) + 1;
    const indent = source.slice(begins).search(/\S/);
    if (/^(?:[{[('"`]$|\/\*)/.test(token)) open.push({ token: token.slice(0, 2), line, indent });
    const closes = { '}': '{', ']': '[', ')': '(' }[token];
    const last = open.at(-1);
    if (/^['"`]$/.test(token) || (closes && last?.token !== closes)) break;
    if (!closes) continue;
    if (last && index === begins + indent && indent < last.indent) closedByOther ??= last;
    open.pop();
  }
  const found = closedByOther ?? open.at(-1);
  return found && `the ${found.token} of line ${found.line} is still open`;
}

/** `:5:12`: where a setting is written, or else what holds it; empty where no literal in the file does. */
function placeOf(path: string, source: string): string {
  const wanted = `${path.replaceAll('[', '.').replaceAll(']', '')}.`;
  const from = source.search(/(?<=defineConnector\(\s*)\{/);
  /** Of each open bracket, the path and the member that is read now. */
  const open: { readonly path: string; readonly isList: boolean; member: string | undefined }[] =
    [];
  let [best, before] = [
    { at: from, length: 0 },
    { token: '', at: from },
  ];
  for (const { index, 1: token } of from < 0 ? [] : source.slice(from).matchAll(TOKENS)) {
    if (token === undefined) continue;
    const [inner, at] = [open.at(-1), from + index];
    const isKey = token === ':' && inner?.member === undefined;
    if (inner && isKey) inner.member = before.token.replace(/^['"]|['"]$/g, '');
    const isMember = isKey || (inner?.isList && /^[[,]$/.test(before.token));
    const found = `${inner?.path}${inner?.member}.`;
    if (isMember && wanted.startsWith(found) && found.length > best.length) {
      best = { at: isKey ? before.at : at, length: found.length };
    }
    if (/^[{[(]$/.test(token)) {
      // What is in parentheses is no setting.
      const inside = inner ? `${found}${token === '(' ? '(' : ''}` : '';
      const isList = token === '[';
      open.push({ path: inside, isList, member: isList ? '0' : undefined });
    } else if (/^[}\])]$/.test(token)) {
      open.pop();
      if (open.length === 0) break;
    } else if (inner && token === ',') {
      inner.member = inner.isList ? String(Number(inner.member) + 1) : undefined;
    }
    before = { token, at };
  }
  return best.length === 0 ? '' : positionIn(source, best.at);
}

function positionIn(source: string, at: number): string {
  const lines = source.slice(0, at).split('\n');
  return `:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
}

const lineOf = (place: string): number => Number(place.split(':')[1] ?? 0);

const isForeign = (path: string): boolean =>
  path.includes('/node_modules/') || dirname(pathOf(path)) === import.meta.dirname;

const pathOf = (path: string): string => (path.startsWith('file:') ? fileURLToPath(path) : path);

const nameIn = (folder: string, path: string): string => relative(folder, pathOf(path));

function faulty(...faults: readonly string[]): ReadSettings {
  return { kind: 'faulty', faults };
}
