import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { VERSION } from '../../shared/config/release.ts';

/**
 * Describes the storefront's requests as OpenAPI, from the types that function and pages share. With `--check` it only
 * compares.
 */
const SOURCE = join(import.meta.dirname, '../../shared/store/storefront-answers.ts');
const TARGET = join(import.meta.dirname, '../../docs/storefront-api.json');

type Schema = Readonly<Record<string, unknown>>;

const program = ts.createProgram([SOURCE], { strict: true, target: ts.ScriptTarget.ES2022 });
const checker = program.getTypeChecker();
const file = program.getSourceFile(SOURCE);
if (!file) throw new Error(`${SOURCE} cannot be read`);
const schemas: Record<string, Schema> = {};

function describe(): unknown {
  const module = checker.getSymbolAtLocation(file as ts.SourceFile);
  const api = checker
    .getExportsOfModule(module as ts.Symbol)
    .find(({ name }) => name === 'StorefrontApi');
  if (!api) throw new Error('StorefrontApi is not declared');
  const paths = Object.fromEntries(
    checker
      .getDeclaredTypeOfSymbol(api)
      .getProperties()
      .map((route) => {
        const [method = '', name] = route.name.split(' ');
        return [`/${name}`, { [method.toLowerCase()]: operationOf(route, `${name}`) }];
      }),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: "The loyalty program's storefront",
      version: VERSION,
      license: { name: 'MIT', identifier: 'MIT' },
      description:
        'For storefronts of the merchant’s own, with the setting `storefront.headless`. Ask from a server: browsers of other origins are not answered. The customer is the one whom the token names, and nothing else can name one.',
    },
    servers: [
      {
        url: 'https://{storefront}/{shop}/headless',
        description:
          'The output StorefrontAddress of the stack, and the path of the shop in the settings.',
        variables: {
          storefront: { default: 'storefront.example.com' },
          shop: { default: 'example-store' },
        },
      },
    ],
    security: [{ customer: [] }],
    paths,
    components: {
      securitySchemes: {
        customer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The customer’s access token of Shopify’s Customer Account API.',
        },
      },
      responses: RESPONSES,
      schemas: {
        ...Object.fromEntries(
          Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        ),
        Error: ERROR,
      },
    },
  };
}

const ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string', description: 'For programs, such as `too-few-points`.' },
        message: { type: 'string', description: 'In English, for developers.' },
      },
    },
  },
};

const answerOf = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

const RESPONSES = {
  '400': answerOf('The request is wrong; the message says what.'),
  '401': answerOf('No valid token. Renew it, or let the customer log in.'),
  '403': answerOf('The program of this shop is not open yet (`not-live`).'),
  '404': answerOf('There is nothing at this address, or no such thing for this customer.'),
  '409': answerOf('It cannot be done now; the code says why.'),
  '429': answerOf('Too many requests: wait for `Retry-After` seconds.'),
  '503': answerOf(
    'The program cannot be reached: try again after `Retry-After` seconds, a redemption with the same key.',
  ),
};

function operationOf(route: ts.Symbol, operationId: string): Schema {
  const parts = new Map(
    typeOf(route)
      .getProperties()
      .map((part) => [part.name, part]),
  );
  const query = parts.get('query');
  const body = parts.get('body');
  const answer = parts.get('answer');
  if (!answer) throw new Error(`${route.name} has no answer`);
  return {
    operationId,
    summary: textOf(route),
    ...(query && {
      parameters: typeOf(query)
        .getProperties()
        .map((one) => ({
          name: one.name,
          in: 'query',
          required: !isOptional(one),
          schema: schemaOf(typeOf(one)),
        })),
    }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(typeOf(body)) } },
      },
    }),
    responses: {
      '200': {
        description: 'The answer.',
        content: { 'application/json': { schema: schemaOf(typeOf(answer)) } },
      },
      ...Object.fromEntries(
        Object.keys(RESPONSES).map((status) => [
          status,
          { $ref: `#/components/responses/${status}` },
        ]),
      ),
    },
  };
}

const typeOf = (symbol: ts.Symbol): ts.Type => checker.getTypeOfSymbol(symbol);

const isOptional = (symbol: ts.Symbol): boolean => (symbol.flags & ts.SymbolFlags.Optional) !== 0;

const textOf = (symbol: ts.Symbol): string =>
  ts
    .displayPartsToString(symbol.getDocumentationComment(checker))
    .replace(/\s+/g, ' ')
    .replaceAll('`', "'")
    .trim();

function schemaOf(type: ts.Type): Schema {
  if (type.isUnion()) return unionOf(type.types);
  if (type.isStringLiteral()) return { type: 'string', enum: [type.value] };
  if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
  if (type.flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' };
  if (type.flags & ts.TypeFlags.NumberLike) return { type: 'number' };
  if (type.flags & ts.TypeFlags.StringLike) return { type: 'string' };
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference);
    return { type: 'array', items: schemaOf(item as ts.Type) };
  }
  const symbol = type.getSymbol();
  if (!symbol || (symbol.flags & ts.SymbolFlags.Interface) === 0) return objectOf(type);
  // Before its fields, so that a type may hold itself.
  if (!Object.hasOwn(schemas, symbol.name)) {
    schemas[symbol.name] = {};
    const description = textOf(symbol);
    schemas[symbol.name] = { ...(description && { description }), ...objectOf(type) };
  }
  return { $ref: `#/components/schemas/${symbol.name}` };
}

function unionOf(types: readonly ts.Type[]): Schema {
  const isNull = ({ flags }: ts.Type) => (flags & ts.TypeFlags.Null) !== 0;
  const isAbsent = ({ flags }: ts.Type) => (flags & ts.TypeFlags.Undefined) !== 0;
  const rest = types.filter((one) => !isNull(one) && !isAbsent(one));
  const literals = rest.flatMap((one) => (one.isStringLiteral() ? [one.value] : []));
  const nullable = types.some(isNull);
  if (literals.length > 0 && literals.length === rest.length) {
    return nullable
      ? { type: ['string', 'null'], enum: [...literals, null] }
      : { type: 'string', enum: literals };
  }
  // TypeScript has true and false for a boolean.
  const [first, ...more] = [
    ...new Map(rest.map(schemaOf).map((one) => [JSON.stringify(one), one])).values(),
  ];
  if (!first || more.length > 0) throw new Error('a union that is not described yet');
  if (!nullable) return first;
  return typeof first.type === 'string'
    ? { ...first, type: [first.type, 'null'] }
    : { anyOf: [first, { type: 'null' }] };
}

function objectOf(type: ts.Type): Schema {
  const fields = type.getProperties();
  const required = fields.filter((field) => !isOptional(field)).map(({ name }) => name);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      fields.map((field) => {
        const description = textOf(field);
        return [field.name, { ...schemaOf(typeOf(field)), ...(description && { description }) }];
      }),
    ),
  };
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const text = `${JSON.stringify(describe(), null, 2)}\n`;
if (!values.check) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, 'utf8') !== text) {
  console.error('docs/storefront-api.json is not what the types say: run npm run generate.');
  process.exitCode = 1;
}
