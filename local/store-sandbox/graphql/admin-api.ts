import {
  type DocumentNode,
  type ExecutionResult,
  executeSync,
  GraphQLError,
  type GraphQLFieldResolver,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
} from 'graphql';
import { adminSchema, queryCost } from '../../../shared/shopify/admin/schema/admin-schema.ts';
import { CostBucket, type ThrottleStatus } from '../../sandbox-kit/cost-bucket.ts';
import type { Subscriptions } from '../delivery/subscriptions.ts';
import type { World } from '../model/world.ts';
import type { ServerSettings } from '../settings.ts';
import { checkAccess } from './access.ts';
import type { GraphContext, View } from './graph-context.ts';
import { mutationRoot } from './mutation-root.ts';
import { queryRoot } from './query-root.ts';

export interface GraphRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName?: string | undefined;
}

/** A valid request with its cost, not yet executed. */
export interface PreparedRequest {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: GraphRequest['variables'];
  readonly cost: number;
  /** The name of the document, if it has one, and its root fields. */
  readonly names: readonly string[];
}

type Preparation =
  | { readonly kind: 'prepared'; readonly request: PreparedRequest }
  | { readonly kind: 'invalid'; readonly errors: readonly GraphQLError[] };

export interface GraphAnswer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly extensions?: {
    readonly cost: {
      readonly requestedQueryCost: number;
      readonly actualQueryCost: number | null;
      readonly throttleStatus: ThrottleStatus;
    };
  };
}

interface AdminApiParts {
  readonly world: World;
  readonly subscriptions: Subscriptions;
  readonly settings: ServerSettings;
  readonly perform: GraphContext['perform'];
  readonly save: () => void;
}

/** The limit for a single query (Shopify, "GraphQL Admin API rate limits"). */
const maxPerQuery = 1_000;
const maxDocuments = 500;

/** The Admin API without HTTP. */
export class AdminApi {
  readonly bucket: CostBucket;
  readonly #parts: AdminApiParts;
  /** Validating a document takes longer than executing it, and clients send the same few. */
  readonly #documents = new Map<string, DocumentNode | readonly GraphQLError[]>();

  constructor(parts: AdminApiParts) {
    const { settings } = parts;
    this.#parts = parts;
    this.bucket = new CostBucket(settings.bucketSize, settings.restorePerSecond);
  }

  prepare({ query, variables, operationName }: GraphRequest): Preparation {
    const document = this.#check(query);
    if (!isDocument(document)) return { kind: 'invalid', errors: document };
    const operation = findOperation(document, operationName);
    if (!operation) {
      return { kind: 'invalid', errors: [new GraphQLError('No operation of that name.')] };
    }
    const pages = this.#parts.settings.connectionCost;
    const cost = queryCost(adminSchema(), document, { operation, variables, pages });
    const fields = operation.selectionSet.selections.flatMap((one) =>
      one.kind === Kind.FIELD ? [one.name.value] : [],
    );
    const names = [...(operation.name ? [operation.name.value] : []), ...fields];
    return { kind: 'prepared', request: { document, operation, variables, cost, names } };
  }

  answer(request: PreparedRequest): GraphAnswer {
    const nowMs = this.#parts.world.now().getTime();
    if (request.cost > maxPerQuery) return tooExpensive(request.cost);
    // A query needs its requested cost and pays its actual cost.
    if (request.cost > this.bucket.available(nowMs)) return this.throttle(request);
    const context = this.#context();
    const { document, operation, variables } = request;
    const { data, errors } = executeDocument(context, document, operation, variables);
    const actual =
      operation.operation === 'mutation'
        ? request.cost
        : Math.min(request.cost, context.tally.objects);
    this.bucket.take(actual);
    this.#parts.save();
    return {
      data: data ?? null,
      ...(errors && { errors: errors.map((error) => error.toJSON()) }),
      extensions: this.#costOf(request, actual),
    };
  }

  /** For the payload of an Event. Whether it takes points is not documented; here it takes none. */
  run(query: string, variables: GraphRequest['variables']): Pick<GraphAnswer, 'data' | 'errors'> {
    const document = this.#check(query);
    if (!isDocument(document)) return { errors: document };
    const operation = findOperation(document, undefined);
    if (!operation) return { errors: [new GraphQLError('A subscription has one query.')] };
    const { data, errors } = executeDocument(this.#context(), document, operation, variables);
    return { data: data ?? null, ...(errors && { errors: errors.map((error) => error.toJSON()) }) };
  }

  throttle(request: PreparedRequest): GraphAnswer {
    const error = {
      message: 'Throttled',
      extensions: {
        code: 'THROTTLED',
        documentation: 'https://shopify.dev/api/usage/rate-limits',
      },
    };
    return { errors: [error], extensions: this.#costOf(request, null) };
  }

  #costOf({ cost }: PreparedRequest, actualQueryCost: number | null) {
    const throttleStatus = this.bucket.status(this.#parts.world.now().getTime());
    return { cost: { requestedQueryCost: cost, actualQueryCost, throttleStatus } };
  }

  #check(query: string): DocumentNode | readonly GraphQLError[] {
    const known = this.#documents.get(query);
    if (known) return known;
    let checked: DocumentNode | readonly GraphQLError[];
    try {
      const document = parse(query, { maxTokens: 10_000 });
      const errors = validate(adminSchema(), document);
      checked = errors.length > 0 ? errors : document;
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      checked = [error];
    }
    const [oldest] = this.#documents.keys();
    if (this.#documents.size >= maxDocuments && oldest !== undefined)
      this.#documents.delete(oldest);
    this.#documents.set(query, checked);
    return checked;
  }

  #context(): GraphContext {
    const { world, subscriptions, settings, perform } = this.#parts;
    return {
      world,
      subscriptions,
      scopes: new Set(settings.scopes),
      app: settings,
      tally: { objects: 0 },
      perform,
    };
  }
}

function isDocument(value: DocumentNode | readonly GraphQLError[]): value is DocumentNode {
  return 'kind' in value;
}

function findOperation(document: DocumentNode, name: string | undefined) {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (name === undefined) return operations.length === 1 ? operations[0] : undefined;
  return operations.find((one) => one.name?.value === name);
}

function tooExpensive(cost: number): GraphAnswer {
  const message = `Query cost is ${cost}, which exceeds the single query max cost limit (${maxPerQuery}).`;
  const documentation = 'https://shopify.dev/api/usage/rate-limits';
  return {
    errors: [
      {
        message,
        extensions: { code: 'MAX_COST_EXCEEDED', cost, maxCost: maxPerQuery, documentation },
      },
    ],
  };
}

/** Synchronous, because everything is in memory. */
function executeDocument(
  context: GraphContext,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variableValues: Readonly<Record<string, unknown>>,
): ExecutionResult {
  return executeSync({
    schema: adminSchema(),
    document,
    operationName: operation.name?.value ?? null,
    rootValue: operation.operation === 'mutation' ? mutationRoot(context) : queryRoot(context),
    contextValue: context,
    variableValues,
    fieldResolver: resolveField,
    typeResolver: (value) => String((value as View).__typename),
  });
}

/** A field that a view does not implement is an error, so that it is not mistaken for an empty one. */
const resolveField: GraphQLFieldResolver<View, GraphContext> = (source, args, context, info) => {
  const { fieldName, parentType, returnType } = info;
  const typeName = getNamedType(returnType).name;
  const denied = checkAccess(context.scopes, typeName, fieldName);
  if (denied) throw denied;
  if (!Object.hasOwn(source, fieldName)) {
    throw new GraphQLError(
      `${parentType.name}.${fieldName} is in Shopify's schema, but this sandbox does not have it.`,
      { extensions: { code: 'NOT_IN_SANDBOX' } },
    );
  }
  const value = source[fieldName];
  const result: unknown = typeof value === 'function' ? value(args) : value;
  // The type of a node is known only after it was found.
  const type = (result as View | null)?.__typename;
  const hidden =
    typeof type === 'string' ? checkAccess(context.scopes, type, fieldName) : undefined;
  if (hidden) throw hidden;
  count(context, returnType, result);
  return result;
};

function count(
  { tally }: GraphContext,
  returnType: Parameters<typeof getNamedType>[0] & object,
  result: unknown,
): void {
  if (result == null || !isCompositeType(getNamedType(returnType))) return;
  const isList = isListType(getNullableType(returnType));
  tally.objects += isList && Array.isArray(result) ? result.length : 1;
}
