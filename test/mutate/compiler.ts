import { join } from 'node:path';
import ts from 'typescript';
import type { Change } from './instrument.ts';

/** The source with one change made in its text. */
export function applyChange(
  source: string,
  { location, replacement, mutatorName }: Change,
): string {
  const lines = source.split('\n');
  const offset = ({ line, column }: Change['location']['start']) =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, column);
  // What stands for a block or for the statements of a case is no expression.
  const isStatement = mutatorName === 'BlockStatement' || /^(?:case |default:)/.test(replacement);
  const text = isStatement ? replacement : `(${replacement})`;
  return source.slice(0, offset(location.start)) + text + source.slice(offset(location.end));
}

/** Says whether the compiler accepts a file with another text. What is only unused does not count. */
export function openCompiler(project: string): (file: string, text: string) => boolean {
  const config = ts.readConfigFile(join(project, 'tsconfig.json'), ts.sys.readFile).config;
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, project);
  const unused = { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true };
  let changed = { file: '', text: '' };
  let version = 0;
  const service = ts.createLanguageService({
    ...ts.sys,
    getCompilationSettings: () => ({ ...options, ...unused }),
    getScriptFileNames: () => [changed.file],
    getScriptVersion: (file) => (file === changed.file ? String(version) : '0'),
    getScriptSnapshot(file) {
      const text = file === changed.file ? changed.text : ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => project,
    useCaseSensitiveFileNames: () => true,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return (file, text) => {
    version += 1;
    changed = { file, text };
    return (
      service.getSyntacticDiagnostics(file).length + service.getSemanticDiagnostics(file).length ===
      0
    );
  };
}
