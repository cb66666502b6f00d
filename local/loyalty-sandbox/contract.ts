import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { OperationId } from '../../shared/loyalty/operations.ts';
import { deepestJson, measureJson } from '../sandbox-kit/http/requests.ts';
import type { Fault } from './call.ts';

interface ContractOperation {
  readonly operationId: OperationId;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/v1/pvt/Product/{id}` */
  readonly path: string;
  readonly pathParams: readonly string[];
  /** False for operations that have no request body at all. */
  readonly takesBody: boolean;
}

/** The contract as the sandbox uses it while running: what to route, and what is well formed. */
export interface Contract {
  readonly operations: readonly ContractOperation[];
  /** Never throws, whatever the JSON. Empty when the body is what the contract says. */
  validateRequest(operation: OperationId, body: unknown): Fault[];
  /** Problems of an HTTP 200 answer, in words; empty when it is what the contract says. */
  validateAnswer(operation: OperationId, answer: unknown): string[];
  validatePointEvent(payload: unknown): string[];
  readonly openapiText: string;
}

/** Enough to repair a request by, and a bound for bodies that are wrong in a thousand places. */
const mostFaults = 20;

/**
 * In a larger body only the first fault is looked for. The validator joins the faults of each item to
 * all before it, so that a million faults would take it hours.
 */
const mostValuesForAllFaults = 10_000;

const openapi = new URL('../../shared/loyalty/openapi.yaml', import.meta.url);

interface OpenApiOperation {
  readonly operationId: string;
  readonly requestBody?: { readonly required?: boolean };
}

interface Endpoint extends ContractOperation {
  readonly bodyRequired: boolean;
  /** JSON pointer of the operation in the document. */
  readonly pointer: string;
}

export function loadContract(): Contract {
  const openapiText = readFileSync(openapi, 'utf8');
  const document = parse(openapiText) as {
    readonly paths: Record<string, Record<string, OpenApiOperation>>;
  };
  const endpoints = new Map(readEndpoints(document.paths).map((e) => [e.operationId, e]));
  const validate = compileOnDemand(document);
  const find = (operation: OperationId): Endpoint => {
    const endpoint = endpoints.get(operation);
    if (!endpoint) throw new Error(`The contract has no operation ${operation}.`);
    return endpoint;
  };
  const describe = (faults: readonly Fault[]) =>
    faults.map(({ path, problem }) => `${path || '(whole)'} ${problem}`);

  return {
    operations: [...endpoints.values()],
    openapiText,
    validateRequest(operation, body) {
      const { takesBody, bodyRequired, pointer } = find(operation);
      if (!takesBody) return [];
      if (body === undefined) return bodyRequired ? [{ path: '', problem: 'must be present' }] : [];
      return validate(`${pointer}/requestBody/content/application~1json/schema`, body);
    },
    validateAnswer(operation, answer) {
      const { pointer } = find(operation);
      return describe(
        validate(`${pointer}/responses/200/content/application~1json/schema`, answer),
      );
    },
    validatePointEvent: (payload) => describe(validate('/components/schemas/PointEvent', payload)),
  };
}

function readEndpoints(paths: Record<string, Record<string, OpenApiOperation>>): Endpoint[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      operationId: operation.operationId as OperationId,
      method: method.toUpperCase() as ContractOperation['method'],
      path,
      pathParams: [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []),
      takesBody: operation.requestBody !== undefined,
      bodyRequired: operation.requestBody?.required === true,
      pointer: `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`,
    })),
  );
}

function compileOnDemand(document: object): (pointer: string, value: unknown) => Fault[] {
  const findAll = compileWith(document, true);
  const findFirst = compileWith(document, false);
  return (pointer, value) => {
    const { depth, values } = measureJson(value);
    if (depth > deepestJson) return [{ path: '', problem: 'is nested too deeply' }];
    const validator = values > mostValuesForAllFaults ? findFirst(pointer) : findAll(pointer);
    if (validator(value)) return [];
    return (validator.errors ?? []).slice(0, mostFaults).map(toFault);
  };
}

function compileWith(document: object, allErrors: boolean): (pointer: string) => ValidateFunction {
  // Not strict: the contract carries `x-` notes, which are no keywords of JSON Schema.
  const ajv = new Ajv2020({ strict: false, allErrors });
  addFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer) => {
    let validator = compiled.get(pointer);
    if (!validator) {
      validator = ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
      compiled.set(pointer, validator);
    }
    return validator;
  };
}

function toFault({ keyword, instancePath, params, message }: ErrorObject): Fault {
  const segments = instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'additionalProperties') {
    return {
      path: joinPath([...segments, String(params.additionalProperty)]),
      problem: 'is not a property of the contract',
    };
  }
  if (keyword === 'required') {
    return {
      path: joinPath([...segments, String(params.missingProperty)]),
      problem: 'is required',
    };
  }
  // Messages of the validator name the rule, never the value, so they are safe to show and to log.
  return { path: joinPath(segments), problem: message ?? `breaks the rule ${keyword}` };
}

function joinPath(segments: readonly string[]): string {
  return segments
    .map((segment, i) => (/^\d+$/.test(segment) ? `[${segment}]` : `${i > 0 ? '.' : ''}${segment}`))
    .join('');
}

export type Route =
  | {
      readonly kind: 'operation';
      readonly operation: OperationId;
      readonly path: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'unknown-path' }
  | { readonly kind: 'wrong-method'; readonly allowed: readonly string[] }
  | { readonly kind: 'bad-escape' };

export type Router = (method: string, rawPath: string) => Route;

/**
 * Finds operations by the contract's path templates. It works on the path as it was sent: a URL
 * parser would resolve `..` and `%2e%2e`, and an id may be exactly that.
 */
export function createRouter(operations: readonly ContractOperation[]): Router {
  const templates = operations
    .map((operation) => ({ operation, segments: operation.path.split('/') }))
    // A fixed text wins over a parameter in the same place.
    .sort((a, b) => a.operation.pathParams.length - b.operation.pathParams.length);

  return (method, rawPath) => {
    const segments = rawPath.split('/');
    const fitting = templates.filter((template) => fits(template.segments, segments));
    const found = fitting.find(({ operation }) => operation.method === method);
    if (found) return readOperation(found.operation.operationId, found.segments, segments);
    if (fitting.length === 0) return { kind: 'unknown-path' };
    const allowed = new Set(fitting.map(({ operation }) => operation.method));
    return { kind: 'wrong-method', allowed: [...allowed].sort() };
  };
}

function fits(template: readonly string[], segments: readonly string[]): boolean {
  if (template.length !== segments.length) return false;
  return template.every((part, i) =>
    isParameter(part) ? segments[i] !== '' : part === segments[i],
  );
}

function readOperation(
  operation: OperationId,
  template: readonly string[],
  segments: readonly string[],
): Route {
  try {
    const path = Object.fromEntries(
      template.flatMap((part, i) =>
        isParameter(part) ? [[part.slice(1, -1), decodeURIComponent(segments[i] ?? '')]] : [],
      ),
    );
    return { kind: 'operation', operation, path };
  } catch (error) {
    if (error instanceof URIError) return { kind: 'bad-escape' };
    throw error;
  }
}

const isParameter = (part: string): boolean => part.startsWith('{');
