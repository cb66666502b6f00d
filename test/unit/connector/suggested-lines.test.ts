import { relative } from 'node:path';
import type { Command } from 'commander';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { createProgram } from '../../../scripts/connector/create-program.ts';
import { line, lineText } from '../../../scripts/connector/ground/terminal/line.ts';

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, '.');
const files = ts.sys.readDirectory('scripts/connector', ['.ts'], ['**/page/**']);
const program = ts.createProgram(files, { ...options, incremental: false });
const checker = program.getTypeChecker();

/** A call of `line(…)` of document/line.ts, under whatever name. */
function isLine(node: ts.Node): node is ts.CallExpression {
  if (!ts.isCallExpression(node)) return false;
  const symbol = checker.getSymbolAtLocation(node.expression);
  const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  const target = isAlias ? checker.getAliasedSymbol(symbol) : symbol;
  const file = target?.declarations?.[0]?.getSourceFile().fileName ?? '';
  return target?.name === 'line' && file.endsWith('scripts/connector/ground/terminal/line.ts');
}

function callsIn(node: ts.Node): readonly ts.CallExpression[] {
  const below: ts.CallExpression[] = [];
  node.forEachChild((child) => void below.push(...callsIn(child)));
  return isLine(node) ? [node, ...below] : below;
}

/** Every text that the type allows; none where it allows any. */
function textsOf(node: ts.Expression): readonly string[] {
  const type = checker.getTypeAtLocation(node);
  const all = type.isUnion() ? type.types : [type];
  if (all.every((one) => one.isStringLiteral())) return all.map((one) => one.value);
  if (!ts.isTemplateExpression(node)) return [];
  return node.templateSpans.reduce<readonly string[]>(
    (heads, { expression, literal }) =>
      heads.flatMap((head) => textsOf(expression).map((one) => `${head}${one}${literal.text}`)),
    [node.head.text],
  );
}

/** What a person must add stands beside the line. */
function hasAsks({ parent }: ts.CallExpression): boolean {
  const owner = ts.isPropertyAssignment(parent) ? parent.parent : undefined;
  const beside = owner && ts.isSpreadAssignment(owner.parent) ? owner.parent.parent : owner;
  return beside !== undefined && /\basks:/.test(beside.getText());
}

function findCommand(name: string): Command | undefined {
  return name
    .split(' ')
    .reduce<Command | undefined>(
      (parent, word) => parent?.commands.find((one) => one.name() === word),
      createProgram(),
    );
}

/** What the command has not; empty where it has all. */
function mistakesIn(call: ts.CallExpression, name: string): readonly string[] {
  const [, operands, options] = call.arguments;
  const command = findCommand(name);
  if (!command || (command.commands.length > 0 && name !== 'reconcile')) return ['no such command'];
  const nameOf = ({ long }: { readonly long?: string | undefined }) => long?.slice(2) ?? '';
  const known = new Set([...command.options, ...createProgram().options].map(nameOf));
  const type = options && checker.getTypeAtLocation(options);
  const types = type?.isUnion() ? type.types : type ? [type] : [];
  const given = types.flatMap((one) => checker.getPropertiesOfType(one).map((two) => two.name));
  const list = operands && ts.isArrayLiteralExpression(operands) ? operands.elements : undefined;
  const isCounted = operands === undefined || (list && !list.some(ts.isSpreadElement));
  const many = list?.length ?? 0;
  const { registeredArguments: wanted } = command;
  const least = wanted.filter(({ required }) => required).length;
  const needed = hasAsks(call) ? [] : command.options.filter(({ mandatory }) => mandatory);
  return [
    ...given.filter((one) => !known.has(one)).map((one) => `has no --${one}`),
    ...(isCounted && (many < least || many > wanted.length) ? [`takes not ${many} operands`] : []),
    ...needed.map(nameOf).flatMap((one) => (given.includes(one) ? [] : [`needs --${one}`])),
  ];
}

it('every suggested line names a command, with operands and options that it has', () => {
  const calls = files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return source ? callsIn(source) : [];
  });
  expect(calls.length).toBeGreaterThan(80);
  const mistakes = calls.flatMap((call) => {
    const source = call.getSourceFile();
    const { line } = source.getLineAndCharacterOfPosition(call.getStart());
    const place = `${relative('.', source.fileName)}:${line + 1}`;
    const names = call.arguments[0] ? textsOf(call.arguments[0]) : [];
    return names.flatMap((name) =>
      mistakesIn(call, name).map((what) => `${place}: ${name} ${what}`),
    );
  });
  expect(mistakes).toEqual([]);
});

it('puts an operand with a hyphen behind the options that name the deployment', () => {
  const place = { where: 'aws', stack: 'prod', region: 'eu-west-1', profile: 'shop' } as const;
  const options = '--stack prod --region eu-west-1 --profile shop';
  expect(lineText(line('trace', ['coupon', '--NEW 10']), place)).toBe(
    `npx loyalty-connector trace ${options} -- coupon '--NEW 10'`,
  );
  expect(lineText(line('trace', ['coupon', 'NEW10']), place)).toBe(
    `npx loyalty-connector trace coupon NEW10 ${options}`,
  );
});
