import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

interface FoundExpression {
  /** `shared/loyalty/scrub.ts:48` */
  readonly place: string;
  readonly expression: RegExp;
}

/** Every regular expression that stands in the sources below these folders. */
export function findExpressions(folders: readonly string[]): FoundExpression[] {
  const found: FoundExpression[] = [];
  const files = globSync(folders.map((folder) => `${folder}/**/*.{ts,js,mjs}`));
  for (const file of files.filter((name) => !name.endsWith('.gen.ts')).toSorted()) {
    const text = readFileSync(file, 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
        found.push({ place: `${file}:${line + 1}`, expression: toExpression(node.text) });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function toExpression(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

/** A character for each part of an expression that stands for one, in their order. */
export function samplesOf({ source, flags }: RegExp): string[] {
  const samples: string[] = [];
  const atom =
    /\\[pP]\{[^}]*\}|\\u\{?[0-9a-fA-F]{1,6}\}?|\\x[0-9a-f]{2}|\\.|\[(?:\\.|[^\]\\])*\]|[^()?*+{}|^$]/gu;
  const bare = source.replace(/\(\?(?:<?[=!]|:|<\w+>)/g, '(').replace(/\{\d+(?:,\d*)?\}/g, '');
  for (const [text] of bare.matchAll(atom)) {
    const sample = sampleOf(text, flags.replace(/[gy]/g, ''));
    if (sample !== undefined) samples.push(sample);
  }
  return samples;
}

const CANDIDATES = [...'a0 -/.:"\\[]{}()@_,+ZéT\n\u0001', '\u{1f600}'];

function sampleOf(atom: string, flags: string): string | undefined {
  const one = new RegExp(`^(?:${atom})$`, flags);
  return (
    CANDIDATES.find((character) => one.test(character)) ??
    Array.from({ length: 0x250 }, (_, code) => String.fromCodePoint(code)).find((c) => one.test(c))
  );
}
