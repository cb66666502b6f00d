import type { components, operations } from './contract.gen.ts';
import type { OperationId } from './operation-id.ts';

/** One page of a list. The service may send null for an empty one; readers get an empty array. */
export type Page<Item> = Omit<components['schemas']['ListShape'], 'Items'> & { Items: Item[] };

type Answer<O extends OperationId> = operations[O]['responses'][200]['content']['application/json'];

type ValueIn<A> = A extends { HasError: true }
  ? never
  : A extends { Items: (infer Item)[] | null }
    ? Page<Item>
    : 'Result' extends keyof A
      ? NonNullable<A['Result' & keyof A]>
      : A;

/** Envelope A declares its Result nullable, so only a product update can succeed without one. */
export type Value<O extends OperationId> =
  | ValueIn<Answer<O>>
  | (O extends 'updateProduct' ? null : never);

type JsonBody<RequestBody> = [RequestBody] extends [never]
  ? never
  : RequestBody extends { content: { 'application/json': infer B } }
    ? B
    : never;

export type Body<O extends OperationId> = JsonBody<NonNullable<operations[O]['requestBody']>>;
export type Query<O extends OperationId> = operations[O]['parameters']['query'];

/** What one call carries. A path parameter or a body that is due cannot be left out. */
export type Input<O extends OperationId> = Pick<operations[O]['parameters'], 'path' | 'query'> &
  ([Body<O>] extends [never] ? { body?: never } : { body: Body<O> });
