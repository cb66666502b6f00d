import ts from 'typescript';

export interface Mutant {
  readonly id: number;
  readonly file: string;
  readonly line: number;
  /** The code, and what stands in its place. */
  readonly change: string;
}

/** Asked wherever a mutant may be: whether this one is planted now. */
export const ASK = '__planted';

const { SyntaxKind: Kind } = ts;
const SWAPPED: Partial<Record<ts.SyntaxKind, string>> = {
  [Kind.LessThanToken]: '<=',
  [Kind.LessThanEqualsToken]: '<',
  [Kind.GreaterThanToken]: '>=',
  [Kind.GreaterThanEqualsToken]: '>',
  [Kind.EqualsEqualsEqualsToken]: '!==',
  [Kind.ExclamationEqualsEqualsToken]: '===',
  [Kind.PlusToken]: '-',
  [Kind.MinusToken]: '+',
  [Kind.AsteriskToken]: '/',
  [Kind.SlashToken]: '*',
};
const JOINS = [Kind.AmpersandAmpersandToken, Kind.BarBarToken, Kind.QuestionQuestionToken];
const SWAPPED_METHODS: Readonly<Record<string, string>> = {
  ...{ some: 'every', every: 'some', min: 'max', max: 'min' },
  ...{ ceil: 'floor', floor: 'ceil' },
};
/** Without the call, what it was called on. */
const DROPPED_METHODS = new Set(
  'filter slice trim toLowerCase toUpperCase toSorted toReversed sort reverse'.split(' '),
);

/**
 * The code with each of its mutants in it, asleep: one build serves all of them. Texts for people, log lines and the
 * messages of errors have none.
 */
export function plant(
  file: string,
  code: string,
  firstId: number,
): { readonly code: string; readonly mutants: readonly Mutant[] } {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];

  function ask(node: ts.Node, change: string): string {
    const id = firstId + mutants.length;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    mutants.push({ id, file, line: line + 1, change: change.replace(/\s+/g, ' ') });
    return `globalThis.${ASK}(${id})`;
  }

  function render(node: ts.Node): string {
    if (isSilent(node)) return node.getText(source);
    let text = '';
    let at = node.getStart(source);
    ts.forEachChild(node, (child) => {
      const start = child.getStart(source);
      if (start < at) return;
      text += code.slice(at, start) + render(child);
      at = child.end;
    });
    text += code.slice(at, node.end);
    return ts.isSourceFile(node) ? text : wrap(node, text);
  }

  function wrap(node: ts.Node, text: string): string {
    const own = node.getText(source);
    const { parent } = node;
    // In braces: an `else` that follows is not its own.
    if (ts.isExpressionStatement(node)) return `{if (!${ask(node, `${own} → dropped`)}) {${text}}}`;
    if (isValue(node)) {
      const changed = replacements(node, source);
      if (changed.length > 0) {
        const choices = changed.map((to) => `${ask(node, `${own} → ${to}`)} ? (${to}) : `);
        text = `(${choices.join('')}(${text}))`;
      }
    }
    if (ts.isCaseClause(parent) && parent.expression === node)
      return `${ask(node, `case ${own} → dropped`)} ? Symbol() : ${text}`;
    if (ts.isArrayLiteralExpression(parent) && isValue(parent) && !ts.isOmittedExpression(node)) {
      const element = ts.isSpreadElement(node) ? text.replace(/^\.\.\./, '') : `[${text}]`;
      return `...(${ask(node, `element ${own} → dropped`)} ? [] : ${element})`;
    }
    if (ts.isObjectLiteralExpression(parent) && isValue(parent)) {
      if (ts.isSpreadAssignment(node))
        return `...(${ask(node, `${own} → dropped`)} ? {} : ${text.replace(/^\.\.\./, '')})`;
      if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node))
        return `...(${ask(node, `property ${own} → dropped`)} ? {} : {${text}})`;
    }
    return text;
  }

  return { code: render(source), mutants };
}

/** What is not code, or speaks to people only. */
function isSilent(node: ts.Node): boolean {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
    return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isThrowStatement(node) || ts.isTaggedTemplateExpression(node)) return true;
  const called = ts.isCallExpression(node) ? node.expression : undefined;
  return (
    called !== undefined && ts.isPropertyAccessExpression(called) && called.name.text === 'log'
  );
}

/** Whether another value may stand in its place: not where something is assigned to it. */
function isValue(node: ts.Node): boolean {
  const { parent } = node;
  if (!ts.isExpression(node)) return false;
  if (ts.isBinaryExpression(parent) && parent.left === node)
    return parent.operatorToken.kind !== Kind.EqualsToken;
  if (ts.isForOfStatement(parent)) return parent.initializer !== node;
  return !(ts.isPropertyAssignment(parent) && parent.name === node);
}

const isCondition = (node: ts.Node): boolean =>
  (ts.isIfStatement(node.parent) && node.parent.expression === node) ||
  (ts.isConditionalExpression(node.parent) && node.parent.condition === node);

const isText = (node: ts.Node): boolean =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** Where a value is handed on, and is no part of a longer expression. */
const isResult = (node: ts.Node): boolean =>
  ts.isReturnStatement(node.parent) ||
  (ts.isArrowFunction(node.parent) && node.parent.body === node) ||
  (ts.isPropertyAssignment(node.parent) && node.parent.initializer === node) ||
  (ts.isConditionalExpression(node.parent) && node.parent.condition !== node);

function replacements(node: ts.Node, source: ts.SourceFile): readonly string[] {
  const text = (one: ts.Node) => one.getText(source);
  const bare = isCondition(node) ? ['true', 'false'] : [];
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken } = node;
    if (JOINS.includes(operatorToken.kind)) return [...bare, text(left), text(right)];
    const other = SWAPPED[operatorToken.kind];
    if (other === undefined || isText(left) || isText(right)) return bare;
    const isEquality = operatorToken.kind >= Kind.EqualsEqualsToken && other.endsWith('==');
    if (isEquality && bare.length > 0) return bare;
    return [...bare, `${text(left)} ${other} ${text(right)}`];
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken)
    return bare.length > 0 ? bare : [text(node.operand)];
  if (ts.isNumericLiteral(node)) return [String(Number(node.text.replaceAll('_', '')) + 1)];
  if (node.kind === Kind.TrueKeyword) return ['false'];
  if (node.kind === Kind.FalseKeyword) return ['true'];
  if (ts.isStringLiteral(node))
    return isResult(node) && /^[a-z][\w-]*$/i.test(node.text) ? ["''"] : [];
  const whole = ts.isReturnStatement(node.parent) && !isPlain(node) ? ['undefined'] : [];
  if (ts.isCallExpression(node) && !ts.isOptionalChain(node)) {
    const called = node.expression;
    if (!ts.isPropertyAccessExpression(called)) return [...bare, ...whole];
    const { name, expression } = called;
    if (DROPPED_METHODS.has(name.text)) return [...bare, text(expression)];
    const other = SWAPPED_METHODS[name.text];
    if (other === undefined) return [...bare, ...whole];
    const args = node.arguments.map(text).join(', ');
    return [...bare, `${text(expression)}.${other}(${args})`];
  }
  return [...bare, ...whole];
}

/** A value whose parts have mutants of their own, or that is undefined already. */
const isPlain = (node: ts.Node): boolean =>
  ts.isObjectLiteralExpression(node) ||
  ts.isArrayLiteralExpression(node) ||
  ts.isConditionalExpression(node) ||
  (ts.isIdentifier(node) && node.text === 'undefined') ||
  isText(node);
